//! What may be annotated. The signature is parsed, the tokens of it are kept as they are; the body stays raw.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, Generics, ReturnType, Signature, Type, Visibility};

use crate::boxed::{self, Tail};
use crate::errors::Errors;

/// An annotated function.
pub(crate) struct Function {
    /// Everything before the body, as it was written.
    pub(crate) head: TokenStream,
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) sig: Signature,
    /// The body, in its braces.
    pub(crate) body: Group,
}

/// The form of a function.
pub(crate) enum Shape {
    /// `async fn`
    Async,
    /// `fn` that returns the future of one `async` block.
    Future(Tail),
    /// `fn`, which cannot be: its body is checked as that of one attempt.
    Sync,
}

/// What the attribute stands on.
pub(crate) enum Item {
    Function(Box<Function>),
    /// An `impl` block: see `block.rs`.
    Impl {
        head: TokenStream,
        body: Group,
    },
    /// Nothing that can be expanded; what is wrong with it has been said.
    Other,
}

impl Item {
    /// Reads the item; `Other` after a complaint.
    pub(crate) fn parse(item: &TokenStream, errors: &mut Errors) -> Self {
        let mut tokens: Vec<TokenTree> = flat(item.clone());
        let body = match tokens.pop() {
            Some(last) => match braces(&last) {
                Some(body) => Some(body),
                None => {
                    tokens.push(last);
                    None
                }
            },
            None => None,
        };
        let head: TokenStream = tokens.into_iter().collect();
        let read = |input: ParseStream<'_>| {
            let item = Self::read(&head, body, input, errors)?;
            input.parse::<TokenStream>()?;
            Ok(item)
        };
        match read.parse2(head.clone()) {
            Ok(item) => item,
            Err(error) => {
                errors.at_span(error.span(), error.to_string());
                Self::Other
            }
        }
    }

    fn read(
        head: &TokenStream,
        body: Option<Group>,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let keyword = item_keyword(input);
        match keyword.as_ref().map(ToString::to_string).as_deref() {
            Some("fn") => {}
            Some("impl") => {
                return Ok(match body {
                    Some(body) => Self::Impl { head: head.clone(), body },
                    None => Self::Other,
                });
            }
            Some(_) if is_macro_call(input) => {
                errors
                    .at(keyword, "`#[retry]` goes on an `async fn` or an `impl` block, not on a macro call");
                return Ok(Self::Other);
            }
            Some(other) => {
                let article = if matches!(other, "impl" | "enum" | "extern") { "an" } else { "a" };
                let text = format!(
                    "`#[retry]` goes on an `async fn` or an `impl` block, not on {article} `{other}`"
                );
                errors.at(keyword, text);
                return Ok(Self::Other);
            }
            None => {
                errors.at(
                    input.cursor().token_tree().map(|(token, _)| token),
                    "`#[retry]` goes on an `async fn` or an `impl` block",
                );
                return Ok(Self::Other);
            }
        }
        if input.fork().call(Ident::parse_any).is_ok_and(|word| word == "default") {
            input.call(Ident::parse_any)?;
        }
        let sig = input.parse::<Signature>()?;
        let Some(body) = body else {
            errors.at(
                sig.fn_token,
                "`#[retry]` needs a body to run: put it on the method in the `impl`, not on its declaration",
            );
            return Ok(Self::Other);
        };
        Ok(Self::Function(Box::new(Function { head: head.clone(), attrs, sig, body })))
    }
}

/// `name! { .. }`, `macro_rules! name { .. }`
fn is_macro_call(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.call(syn::Path::parse_mod_style).is_ok() && ahead.peek(syn::Token![!])
}

/// The keyword that says what kind of item this is, past the words that may stand before `fn`.
pub(crate) fn item_keyword(input: ParseStream<'_>) -> Option<Ident> {
    let ahead = input.fork();
    loop {
        // `extern "C" fn`
        if ahead.peek(syn::LitStr) {
            ahead.parse::<syn::LitStr>().ok()?;
            continue;
        }
        let word = ahead.call(Ident::parse_any).ok()?;
        let text = word.to_string();
        let may_precede = ["default", "const", "async", "unsafe", "safe", "extern"].contains(&text.as_str());
        let is_alone = !ahead.peek(Ident::peek_any) && !ahead.peek(syn::LitStr);
        let is_const_item = text == "const"
            && !["async", "unsafe", "extern", "fn"]
                .iter()
                .any(|next| ahead.fork().call(Ident::parse_any).is_ok_and(|word| word == *next));
        if !may_precede || is_alone || is_const_item {
            return Some(word);
        }
    }
}

impl Function {
    /// Nothing done to it.
    pub(crate) fn as_written(&self) -> TokenStream {
        let mut tokens = self.head.clone();
        tokens.extend([TokenTree::from(self.body.clone())]);
        tokens
    }

    /// The names of the type parameters.
    pub(crate) fn type_parameters(generics: &Generics) -> Vec<String> {
        let name = |param: &GenericParam| match param {
            GenericParam::Type(param) => Some(param.ident.unraw().to_string()),
            _ => None,
        };
        generics.params.iter().filter_map(name).collect()
    }

    /// The result of an attempt, and the form of the function around it; `None` after a complaint. `in_block`: because
    /// the `impl` block is annotated.
    pub(crate) fn shape(&self, in_block: bool, errors: &mut Errors) -> Option<(Shape, &Type)> {
        if let Some(constness) = &self.sig.constness {
            errors
                .at(constness, "`#[retry]` needs an `async fn`: a `const fn` cannot wait, leave out `const`");
            return None;
        }
        let is_ours = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "__retry_call");
        if any_token(self.body.stream(), &is_ours) {
            errors.at(&self.sig.ident, "`#[retry]` stands on this function twice; leave one of them out");
            return None;
        }
        let declared = match &self.sig.output {
            ReturnType::Type(_, ty) => Some(&**ty),
            ReturnType::Default => None,
        };
        if self.sig.asyncness.is_none() {
            let Some(result) = declared.and_then(boxed::output) else {
                errors.at(self.sig.fn_token, self.why_not_async());
                let result = declared.filter(|result| !self.is_of_tokio() && !is_never_result(result));
                return result.map(|result| (Shape::Sync, result));
            };
            let (_, statements) = self.split_body();
            let Some(tail) = Tail::find(&statements) else {
                let text = "`#[retry]` needs the body of one `async` block to run again: end the function with \
                            `async move { .. }` or `Box::pin(async move { .. })`, or make it an `async fn`";
                errors.at(self.sig.fn_token, text);
                return None;
            };
            return Some((Shape::Future(tail), result));
        }
        match declared {
            Some(result) if !(is_never_result(result) || in_block && is_other_type(result)) => {
                Some((Shape::Async, result))
            }
            _ => {
                let mut text = String::from(
                    "`#[retry]` needs a function that returns a `Result`: an attempt is repeated only when it returns `Err`",
                );
                if in_block {
                    text.push_str("; mark this method `#[retry(skip)]` to leave it alone");
                }
                match declared {
                    Some(result) => errors.at(result, text),
                    None => errors.at_span(self.sig.paren_token.span.close(), text),
                }
                None
            }
        }
    }

    /// Whether the attribute on an `impl` block means this method.
    pub(crate) fn is_async(&self) -> bool {
        let returns_future = match &self.sig.output {
            ReturnType::Type(_, ty) => boxed::output(ty).is_some(),
            ReturnType::Default => false,
        };
        self.sig.asyncness.is_some() || returns_future
    }

    /// Whether `#[tokio::test]` or `#[tokio::main]` has made it synchronous.
    fn is_of_tokio(&self) -> bool {
        let mentions_runtime =
            |token: &TokenTree| matches!(token, TokenTree::Ident(name) if name == "block_on");
        any_token(self.body.stream(), &mentions_runtime)
    }

    /// What to say about a function that is not `async`, and perhaps is so no more.
    fn why_not_async(&self) -> &'static str {
        if !self.is_of_tokio() {
            return "`#[retry]` needs an `async fn`: an attempt is a future that can be dropped when its time is up";
        }
        let is_test = self
            .attrs
            .iter()
            .any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "test"));
        if is_test {
            "`#[retry]` must stand above `#[tokio::test]`, which has made the function synchronous already"
        } else {
            "`#[retry]` must stand above `#[tokio::main]`, which has made the function synchronous already"
        }
    }

    /// Splits the body into its inner attributes and its statements.
    pub(crate) fn split_body(&self) -> (TokenStream, TokenStream) {
        let mut rest: Vec<TokenTree> = self.body.stream().into_iter().collect();
        let mut end = 0;
        while let [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(group), ..] = &rest[end..]
        {
            let is_attribute = hash.as_char() == '#' && bang.as_char() == '!';
            if !is_attribute || group.delimiter() != Delimiter::Bracket {
                break;
            }
            end += 3;
        }
        let statements = rest.split_off(end);
        (rest.into_iter().collect(), statements.into_iter().collect())
    }
}

/// The tokens, without an invisible group around all of them.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => flat(group.stream()),
        _ => tokens,
    }
}

/// The group in braces that this token is, or has in an invisible group: `$body:block` of `macro_rules!`.
pub(crate) fn braces(token: &TokenTree) -> Option<Group> {
    let TokenTree::Group(group) = token else { return None };
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => match flat(group.stream()).as_slice() {
            [token] => braces(token),
            _ => None,
        },
        _ => None,
    }
}

/// The type with `_` for every `impl Trait` in it, so that it may stand in a body.
pub(crate) fn without_impl_trait(ty: &Type) -> TokenStream {
    struct Erase;
    impl syn::visit_mut::VisitMut for Erase {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if let Type::ImplTrait(opaque) = ty {
                let underscore = syn::token::Underscore { spans: [opaque.impl_token.span] };
                *ty = Type::Infer(syn::TypeInfer { attrs: Vec::new(), underscore_token: underscore });
            } else {
                syn::visit_mut::visit_type_mut(self, ty);
            }
        }
    }
    let mut ty = ty.clone();
    syn::visit_mut::VisitMut::visit_type_mut(&mut Erase, &mut ty);
    ty.into_token_stream()
}

/// The last name of the type's path: a method call has the place of one token.
pub(crate) fn name_span(ty: &Type) -> Span {
    match ty {
        Type::Path(path) => path.path.segments.last().map_or_else(|| ty.span(), |last| last.ident.span()),
        Type::Group(group) => name_span(&group.elem),
        Type::Paren(paren) => name_span(&paren.elem),
        _ => ty.span(),
    }
}

/// A type that cannot be a `Result`, by its form.
fn is_never_result(ty: &Type) -> bool {
    match ty {
        Type::Tuple(_) | Type::Reference(_) | Type::Array(_) | Type::Never(_) | Type::ImplTrait(_) => true,
        Type::Group(group) => is_never_result(&group.elem),
        Type::Paren(paren) => is_never_result(&paren.elem),
        _ => false,
    }
}

/// A type that most likely is no `Result`, by its name.
fn is_other_type(ty: &Type) -> bool {
    const NAMES: [&str; 10] =
        ["bool", "char", "String", "Option", "Vec", "Box", "Arc", "u32", "u64", "usize"];
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| NAMES.iter().any(|name| last.ident == *name)))
}

fn any_token(tokens: TokenStream, is_it: &impl Fn(&TokenTree) -> bool) -> bool {
    tokens.into_iter().any(|token| match &token {
        TokenTree::Group(group) => any_token(group.stream(), is_it),
        other => is_it(other),
    })
}
