//! Functions that are no `async fn` but return the future of one `async` block: `impl Future`, `Pin<Box<dyn Future>>`,
//! and what `#[async_trait]` leaves behind.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{Block, Expr, GenericArgument, PathArguments, Stmt, Type, TypeParamBound};

use crate::capture::{Binding, Holds, pattern_bindings};

/// A function body whose last expression is one `async` block.
pub(crate) struct Tail {
    /// What stands before the block, in the same group.
    before: Vec<TokenTree>,
    /// The block.
    pub(crate) block: Group,
    /// What stands after it: `.boxed()`.
    after: Vec<TokenTree>,
    /// Of `Box::pin(..)`: what stands before the parentheses, and these.
    around: Option<(Vec<TokenTree>, Group)>,
    /// Of `return ..;`: the `;`.
    end: Option<TokenTree>,
}

impl Tail {
    /// Finds the block in `async move { .. }`, `async move { .. }.boxed()` or `Box::pin(async move { .. })`, also in
    /// a `return` of it.
    pub(crate) fn find(body: &TokenStream) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
        match tokens.split_last()? {
            (end @ TokenTree::Punct(punct), returned) if punct.as_char() == ';' => {
                let tail = Self::of_tokens(returned)?;
                Some(Self { end: Some(end.clone()), ..tail })
            }
            _ => Self::of_tokens(&tokens),
        }
    }

    fn of_tokens(tokens: &[TokenTree]) -> Option<Self> {
        let (last, before) = tokens.split_last()?;
        if let [.., TokenTree::Ident(pin)] = before {
            if let TokenTree::Group(arguments) = last {
                if pin == "pin" && arguments.delimiter() == Delimiter::Parenthesis {
                    let inside: Vec<TokenTree> = arguments.stream().into_iter().collect();
                    let (end, is_comma) = match inside.split_last() {
                        Some((TokenTree::Punct(punct), rest)) if punct.as_char() == ',' => (rest.len(), true),
                        _ => (inside.len(), false),
                    };
                    let mut tail = Self::block(inside.get(..end)?)?;
                    if is_comma {
                        tail.after = inside.get(end..)?.to_vec();
                    }
                    tail.around = Some((before.to_vec(), arguments.clone()));
                    return (tail.before.len() <= 2).then_some(tail);
                }
            }
        }
        if let [rest @ .., TokenTree::Punct(dot), TokenTree::Ident(boxed), TokenTree::Group(_)] = tokens {
            if dot.as_char() == '.' && (boxed == "boxed" || boxed == "boxed_local") {
                let mut tail = Self::block(rest)?;
                tail.after = tokens.get(rest.len()..)?.to_vec();
                return Some(tail);
            }
        }
        Self::block(tokens)
    }

    /// `tokens` end with `async { .. }` or `async move { .. }`, which is an expression of its own.
    fn block(tokens: &[TokenTree]) -> Option<Self> {
        let (TokenTree::Group(block), before) = tokens.split_last()? else { return None };
        let statements = match before {
            [rest @ .., TokenTree::Ident(first), TokenTree::Ident(second)]
                if first == "async" && second == "move" =>
            {
                rest
            }
            [rest @ .., TokenTree::Ident(word)] if word == "async" => rest,
            _ => return None,
        };
        let is_alone = match statements.last() {
            None => true,
            Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
            Some(TokenTree::Ident(word)) => word == "return",
            Some(TokenTree::Group(group)) => {
                group.delimiter() == Delimiter::Brace || group.delimiter() == Delimiter::Bracket
            }
            Some(_) => false,
        };
        let is_block = block.delimiter() == Delimiter::Brace && is_alone;
        is_block.then(|| Self {
            before: before.to_vec(),
            block: block.clone(),
            after: Vec::new(),
            around: None,
            end: None,
        })
    }

    /// The statements before the block.
    fn setup(&self) -> &[TokenTree] {
        match &self.around {
            None => &self.before,
            Some((before, _)) => before,
        }
    }

    /// Notes which variables the statements before the block name, beside where they declare them.
    pub(crate) fn mark_used_before(&self, bindings: &mut [Binding], declared: usize) {
        let setup: TokenStream = self.setup().iter().cloned().collect();
        for (place, binding) in bindings.iter_mut().enumerate() {
            let own = usize::from(place >= declared);
            binding.is_used_before = count(setup.clone(), &binding.name.to_string()) > own;
        }
    }

    /// The variables that the statements before the block declare.
    pub(crate) fn bindings(&self) -> Vec<Binding> {
        let before = self.setup();
        let end = before
            .iter()
            .rposition(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';'));
        let statements = end.and_then(|end| before.get(..=end)).unwrap_or_default();
        let statements = Block::parse_within.parse2(statements.iter().cloned().collect()).unwrap_or_default();
        let mut bindings = Vec::new();
        for statement in &statements {
            let Stmt::Local(local) = statement else { continue };
            let cfgs: Vec<_> =
                local.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
            let start = bindings.len();
            pattern_bindings(&local.pat, None, &cfgs, &mut bindings);
            if let Some(Expr::Reference(reference)) = local.init.as_ref().map(|init| &*init.expr) {
                let holds = if reference.mutability.is_some() { Holds::Exclusive } else { Holds::Shared };
                bindings.iter_mut().skip(start).for_each(|binding| binding.holds = holds);
            }
        }
        bindings
    }

    /// The body with `block` in the place of the block.
    pub(crate) fn fill(self, block: TokenTree) -> TokenStream {
        let inner: TokenStream = self.before.into_iter().chain([block]).chain(self.after).collect();
        let mut filled: TokenStream = match self.around {
            None => inner,
            Some((before, arguments)) => {
                let mut filled = Group::new(Delimiter::Parenthesis, inner);
                filled.set_span(arguments.span());
                before.into_iter().chain([filled.into()]).collect()
            }
        };
        filled.extend(self.end);
        filled
    }
}

fn count(tokens: TokenStream, name: &str) -> usize {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) => usize::from(ident == name),
        TokenTree::Group(group) => count(group.stream(), name),
        _ => 0,
    });
    each.sum()
}

/// The type that a future of type `ty` yields: `Output = ..` of a `Future` in it, or the last argument of `BoxFuture`.
pub(crate) fn output(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Group(group) => output(&group.elem),
        Type::Paren(paren) => output(&paren.elem),
        Type::ImplTrait(opaque) => opaque.bounds.iter().find_map(output_of_bound),
        Type::TraitObject(object) => object.bounds.iter().find_map(output_of_bound),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            if last.ident.to_string().ends_with("BoxFuture") { types.last() } else { types.find_map(output) }
        }
        _ => None,
    }
}

fn output_of_bound(bound: &TypeParamBound) -> Option<&Type> {
    let TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    if last.ident != "Future" {
        return None;
    }
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens, quote};

    #[test]
    fn the_block_is_found_and_replaced() {
        for (body, filled) in [
            (quote!(async move { x }), quote!(async move { y })),
            (quote!(let a = 1; async { x }), quote!(let a = 1; async { y })),
            (quote!(if a { b } async { x }), quote!(if a { b } async { y })),
            (quote!(Box::pin(async move { x })), quote!(Box::pin(async move { y }))),
            (
                quote!(a(); ::std::boxed::Box::pin(async move { x },)),
                quote!(a(); ::std::boxed::Box::pin(async move { y },)),
            ),
            (quote!(async move { x }.boxed()), quote!(async move { y }.boxed())),
        ] {
            let tail = Tail::find(&body).expect("a block");
            assert_eq!(tail.block.stream().to_string(), "x");
            let block = Group::new(Delimiter::Brace, quote!(y));
            assert_eq!(tail.fill(block.into()).to_string(), filled.to_string());
        }
    }

    #[test]
    fn what_is_not_one_block_is_not_found() {
        for body in [
            quote!(),
            quote!(x),
            quote!({ x }),
            quote!(spawn(async move { x })),
            quote!(Box::pin(f(async move { x }))),
            quote!(Box::pin(a, async move { x })),
            quote!(let a = async move { x };),
            quote!(a = async move { x }),
            quote!(Box::pin()),
            quote!(async move { x }.fuse()),
        ] {
            assert!(Tail::find(&body).is_none(), "{body}");
        }
    }

    #[test]
    fn the_output_is_found() {
        for ty in [
            quote!(impl Future<Output = R> + Send),
            quote!(Pin<Box<dyn Future<Output = R> + Send + 'a>>),
            quote!(::core::pin::Pin<Box<dyn ::core::future::Future<Output = R>>>),
            quote!(BoxFuture<'a, R>),
            quote!(LocalBoxFuture<'_, R>),
            quote!((impl Future<Output = R>)),
        ] {
            let ty: Type = syn::parse2(ty).expect("a type");
            assert_eq!(output(&ty).map(|ty| ty.to_token_stream().to_string()).as_deref(), Some("R"));
        }
        let ty: Type = syn::parse2(quote!(Result<Vec<u8>, E>)).expect("a type");
        assert!(output(&ty).is_none());
    }
}
