//! A body that `#[instrument]` has wrapped before we see it.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::async_trait;

/// An instrumented body.
pub(crate) struct Instrumented {
    /// The body, fit to be run once per attempt.
    pub(crate) statements: TokenStream,
    /// The part of it that the user wrote.
    pub(crate) inner: TokenStream,
}

// Input:  let __tracing_attr_span = SPAN;
//         let __tracing_instrument_future = async move {
//             if false { let __tracing_attr_fake_return: R = loop {}; return __tracing_attr_fake_return; }
//             { BODY }
//         };
//         if .. { Instrument::instrument(__tracing_instrument_future, __tracing_attr_span).await } else { .. }
// Output: statements: the same with `async { TYPED_RETURN { BODY } }`
//         inner: { BODY }
//
// An attempt may have another type than the function, and borrows what its body borrows. With `err` or `ret` there is
// one more `async move` around, and something that looks at its outcome.
//
/// `None` for a body that is not instrumented.
pub(crate) fn unwrap(statements: &TokenStream) -> Option<Instrumented> {
    let tokens: Vec<TokenTree> = statements.clone().into_iter().collect();
    let start = tokens.windows(2).position(|pair| {
        matches!(pair, [TokenTree::Ident(word), TokenTree::Ident(name)]
            if word == "let" && name == "__tracing_instrument_future")
    })?;
    let future = start + 2;
    let end = future + tokens.get(future..)?.iter().position(|token| is_punct(token, ';'))?;
    let (rewritten, inner) = rewrite(tokens.get(future..end)?)?;
    let before = tokens.get(..future)?.iter().cloned();
    let statements = before.chain(rewritten).chain(tokens.get(end..)?.iter().cloned()).collect();
    Some(Instrumented { statements, inner })
}

/// The tokens with the innermost `async move` block of them rewritten, and what is in it.
/// The type of the attempt is named in it once more, as it does not get through to it.
fn rewrite(tokens: &[TokenTree]) -> Option<(TokenStream, TokenStream)> {
    let place = tokens.iter().position(is_async)?;
    let (before, rest) = tokens.split_at(place);
    let [word, TokenTree::Ident(_), TokenTree::Group(block), after @ ..] = rest else { return None };
    let inside: Vec<TokenTree> = block.stream().into_iter().collect();
    let (inside, inner) = match rewrite(&inside) {
        Some(nested) if nests(&inside) => nested,
        _ => {
            let user = user_part(&inside);
            let span = Span::mixed_site().located_at(block.span());
            let typed_return = quote_spanned!(span=> if false { return __retry_type.never(); });
            (quote!(#typed_return #user), user)
        }
    };
    let mut group = Group::new(Delimiter::Brace, inside);
    group.set_span(block.span());
    let tokens = before.iter().cloned().chain([word.clone(), group.into()]).chain(after.iter().cloned());
    Some((tokens.collect(), inner))
}

/// Whether the block looks at the outcome of another one: `match async move { .. }.await {`, `let x = async move {`.
fn nests(inside: &[TokenTree]) -> bool {
    match inside {
        [TokenTree::Ident(word), token, ..] if word == "match" => is_async(token),
        [TokenTree::Ident(word), TokenTree::Ident(_), equals, token, ..] if word == "let" => {
            is_punct(equals, '=') && is_async(token)
        }
        _ => false,
    }
}

/// What is in the block but for the statements that fix its type, be they of `#[instrument]` or of `#[async_trait]`.
fn user_part(inside: &[TokenTree]) -> TokenStream {
    let attributes = inside
        .iter()
        .take_while(|token| {
            is_punct(token, '#')
                || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
        })
        .count();
    match inside.get(attributes..) {
        Some([TokenTree::Ident(word), TokenTree::Ident(never), TokenTree::Group(block), rest @ ..])
            if word == "if"
                && never == "false"
                && block.stream().to_string().contains("__tracing_attr_fake_return") =>
        {
            rest.iter().cloned().collect()
        }
        _ => async_trait::without_types(inside),
    }
}

fn is_async(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "async")
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake() -> TokenStream {
        quote! {
            #[allow(unreachable_code)]
            if false {
                let __tracing_attr_fake_return: R = loop {};
                return __tracing_attr_fake_return;
            }
        }
    }

    fn around(future: TokenStream) -> TokenStream {
        quote! {
            let __tracing_attr_span = ::tracing::span!(x = x);
            let __tracing_instrument_future = #future;
            if a { b(__tracing_instrument_future).await } else { __tracing_instrument_future.await }
        }
    }

    #[test]
    fn the_users_part_is_found_and_borrows() {
        let (fake, typed) = (
            fake(),
            quote!(if false {
                return __retry_type.never();
            }),
        );
        let nested =
            |future: TokenStream| quote! { match #future.await { Ok(x) => Ok(x), Err(e) => Err(e) } };
        let with_err = nested(quote!(async move { #fake { f(x) } }));
        let rewritten = nested(quote!(async { #typed { f(x) } }));
        for (before, after) in [
            (quote!(async move { #fake { f(x) } }), quote!(async { #typed { f(x) } })),
            (quote!(async move { #with_err }), quote!(async { #rewritten })),
            (
                quote!(async move { let x = async move { #fake { f(x) } }.await; x }),
                quote!(async {
                    let x = async { #typed { f(x) } }.await;
                    x
                }),
            ),
        ] {
            let found = unwrap(&around(before)).expect("instrumented");
            assert_eq!(found.statements.to_string(), around(after).to_string());
            assert_eq!(found.inner.to_string(), quote!({ f(x) }).to_string());
        }
    }

    #[test]
    fn another_body_is_none() {
        assert!(unwrap(&quote!(let x = async move { y };)).is_none());
        assert!(unwrap(&quote!()).is_none());
    }
}
