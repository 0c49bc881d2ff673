//! What `#[async_trait]` writes around a body, taken off again.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{Block, FnArg, Pat, Signature, Stmt, Type};

use crate::boxed::Tail;
use crate::capture::{Binding, pattern_bindings, receiver_binding};
use crate::function::Function;

/// What `self` is called where the attribute's expressions are evaluated, if the function has moved it.
pub(crate) fn receiver(function: &Function) -> Option<Ident> {
    if function.sig.asyncness.is_some() || function.sig.receiver().is_none() {
        return None;
    }
    let (_, statements) = function.split_body();
    let tail = Tail::find(&statements)?;
    unwrap(tail.block.stream(), &function.sig).receiver
}

/// The statements of an `async` block, taken apart.
pub(crate) struct Unwrapped {
    /// What runs once: the arguments, bound anew.
    pub(crate) setup: TokenStream,
    /// What runs once per attempt.
    pub(crate) statements: TokenStream,
    /// What `setup` binds.
    pub(crate) bindings: Vec<Binding>,
    /// What `setup` moves `self` to.
    pub(crate) receiver: Option<Ident>,
    /// The block yields a variable of the declared type.
    pub(crate) is_typed: bool,
}

// Input:  if let Some(__ret) = None::<R> { #[allow(unreachable_code)] return __ret; }
//         let __self = self; let x = x; let (a, b) = { let __arg1 = __arg1; __arg1 };
//         let __ret: R = { BODY }; #[allow(unreachable_code)] __ret
// Output: setup: let __self = self; let x = x; let (a, b) = { let __arg1 = __arg1; __arg1 };
//         statements: BODY
//
// The two other parts fix the type of the block; that of an attempt may be another one. What looks otherwise stays as
// it is.
pub(crate) fn unwrap(statements: TokenStream, sig: &Signature) -> Unwrapped {
    let tokens: Vec<TokenTree> = statements.into_iter().collect();
    let mut rest = without_typed_return(&tokens);
    let mut setup = TokenStream::new();
    let mut bindings = Vec::new();
    let mut receiver = None;
    while let Some(end) = end_of_statement(rest) {
        let (statement, after) = rest.split_at(end);
        let Some((argument, bound)) = rebound(statement, sig) else { break };
        if argument == "self" {
            receiver = bound.first().map(|binding| binding.name.clone());
        }
        setup.extend(statement.iter().cloned());
        bindings.extend(bound);
        rest = after;
    }
    let (statements, is_typed) = match typed_result(rest) {
        Some(body) => (body.stream(), true),
        None => (rest.iter().cloned().collect(), false),
    };
    Unwrapped { setup, statements, bindings, receiver, is_typed }
}

/// The statements without those that fix the type of the block; the arguments stay in.
pub(crate) fn without_types(tokens: &[TokenTree]) -> TokenStream {
    let tokens = without_typed_return(tokens);
    let result = tokens.windows(2).position(|pair| {
        matches!(pair, [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "let" && name == "__ret")
    });
    let (before, rest) = tokens.split_at(result.unwrap_or(tokens.len()));
    let before = before.iter().cloned();
    match typed_result(rest) {
        Some(body) => before.chain(body.stream()).collect(),
        None => before.chain(rest.iter().cloned()).collect(),
    }
}

/// The statements without `if let Some(__ret) = None::<R> { .. }` before them.
fn without_typed_return(tokens: &[TokenTree]) -> &[TokenTree] {
    let is_word =
        |token: Option<&TokenTree>, word| matches!(token, Some(TokenTree::Ident(ident)) if ident == word);
    if !is_word(tokens.first(), "if") || !is_word(tokens.get(1), "let") {
        return tokens;
    }
    let block = tokens.iter().position(|token| is_group(token, Delimiter::Brace));
    match block {
        Some(block) if tokens.iter().take(block).any(|token| mentions(token, "__ret")) => {
            tokens.get(block + 1..).unwrap_or_default()
        }
        _ => tokens,
    }
}

/// `let __ret: R = { BODY }; #[allow(..)] __ret`: the body.
fn typed_result(tokens: &[TokenTree]) -> Option<&Group> {
    let end = end_of_statement(tokens)?;
    let (statement, after) = tokens.split_at(end);
    let is_declared = matches!(statement, [TokenTree::Ident(word), TokenTree::Ident(name), ..] if word == "let" && name == "__ret");
    let is_returned =
        matches!(after.last(), Some(TokenTree::Ident(name)) if name == "__ret") && after.len() <= 3;
    match statement {
        [.., TokenTree::Group(body), _]
            if is_declared && is_returned && body.delimiter() == Delimiter::Brace =>
        {
            Some(body)
        }
        _ => None,
    }
}

/// The argument and the variables of `let PAT = ARGUMENT;`, where that is what the statement is.
fn rebound(statement: &[TokenTree], sig: &Signature) -> Option<(Ident, Vec<Binding>)> {
    let parsed = Block::parse_within.parse2(statement.iter().cloned().collect()).ok()?;
    let [Stmt::Local(local)] = parsed.as_slice() else { return None };
    let [.., TokenTree::Punct(equals), value, _] = statement else { return None };
    let argument = argument_name(value).filter(|_| equals.as_char() == '=')?;
    let cfgs: Vec<_> = local.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
    let mut bindings = Vec::new();
    if argument == "self" {
        let receiver = receiver_binding(sig.receiver()?);
        pattern_bindings(&local.pat, None, &cfgs, &mut bindings);
        for binding in &mut bindings {
            (binding.holds, binding.is_box) = (receiver.holds, receiver.is_box);
        }
    } else {
        let ty = sig.inputs.iter().find_map(|input| argument_type(input, &argument))?;
        pattern_bindings(&local.pat, Some(ty), &cfgs, &mut bindings);
    }
    Some((argument, bindings))
}

/// `x`, or `{ let x = x; x }`.
fn argument_name(value: &TokenTree) -> Option<Ident> {
    match value {
        TokenTree::Ident(name) => Some(name.clone()),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            match tokens.as_slice() {
                [TokenTree::Ident(word), TokenTree::Ident(name), _, _, _, TokenTree::Ident(_)]
                    if word == "let" =>
                {
                    Some(name.clone())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn argument_type<'a>(input: &'a FnArg, name: &Ident) -> Option<&'a Type> {
    match input {
        FnArg::Typed(argument) => match &*argument.pat {
            Pat::Ident(binding) if binding.ident == *name => Some(&argument.ty),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}

/// One past the `;` of the first statement.
fn end_of_statement(tokens: &[TokenTree]) -> Option<usize> {
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    tokens.iter().position(is_end).map(|end| end + 1)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}

pub(crate) fn mentions(token: &TokenTree, name: &str) -> bool {
    match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => group.stream().into_iter().any(|token| mentions(&token, name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn only_the_body_is_left() {
        let sig: Signature =
            syn::parse2(quote!(fn f(&self, x: String, __arg1: (u32, String)) -> R)).expect("a signature");
        let unwrapped = unwrap(
            quote! {
                if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<u32, E>> {
                    #[allow(unreachable_code)]
                    return __ret;
                }
                let __self = self;
                let mut x = x;
                let (a, b) = { let __arg1 = __arg1; __arg1 };
                let __ret: Result<u32, E> = { let y = x; f(y, a, b) };
                #[allow(unreachable_code)]
                __ret
            },
            &sig,
        );
        assert_eq!(unwrapped.statements.to_string(), quote!(let y = x; f(y, a, b)).to_string());
        let names: Vec<_> = unwrapped.bindings.iter().map(|binding| binding.name.to_string()).collect();
        assert_eq!(names, ["__self", "x", "a", "b"]);
        assert_eq!(unwrapped.receiver.map(|name| name.to_string()).as_deref(), Some("__self"));
    }

    #[test]
    fn a_body_of_the_users_own_stays() {
        let sig: Signature = syn::parse2(quote!(fn f(x: String) -> R)).expect("a signature");
        for body in
            [quote!(let y = f(x); y), quote!(x), quote!(), quote!(if let Some(y) = x { y } else { z })]
        {
            let unwrapped = unwrap(body.clone(), &sig);
            assert!(unwrapped.setup.is_empty() && unwrapped.bindings.is_empty());
            assert!(unwrapped.receiver.is_none());
            assert_eq!(unwrapped.statements.to_string(), body.to_string());
        }
    }
}
