//! `self` by another name: in a body that needs a fresh one for each attempt, and in an attribute where it has moved.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

/// The name. It begins with no underscore, for which the lint on an unused `mut` would pass it over.
pub(crate) const RENAMED: &str = "retry_self_of_attempt";

// Input:  send(self).await; fn inner(&self) { self.x(); }
// Output: send(retry_self_of_attempt).await; fn inner(&self) { self.x(); }
//
/// Renames `self` in a body.
pub(crate) fn rename(tokens: TokenStream) -> TokenStream {
    replace(tokens, &|place| Ident::new(RENAMED, place))
}

// Input:  let __self = self;    #[retry(total = self.total)]
// Output:                       #[retry(total = __self.total)]
//
/// Names the variable that `self` has been moved to, where each `self` stands.
pub(crate) fn follow(tokens: TokenStream, to: &Ident) -> TokenStream {
    replace(tokens, &|place| {
        let mut name = to.clone();
        name.set_span(place.resolved_at(to.span()));
        name
    })
}

/// Replaces `self`, but not inside nested items, whose `self` is another one, and not in paths.
fn replace(tokens: TokenStream, name: &impl Fn(Span) -> Ident) -> TokenStream {
    let mut renamed = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "self" && !is_path(tokens.peek()) => {
                renamed.extend([TokenTree::from(name(ident.span()))]);
            }
            TokenTree::Ident(ident) if begins_item(&ident, tokens.peek()) => {
                let is_use = ident == "use";
                renamed.extend([TokenTree::from(ident)]);
                for token in tokens.by_ref() {
                    let is_end = match &token {
                        TokenTree::Group(group) => !is_use && group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(punct) => punct.as_char() == ';',
                        _ => false,
                    };
                    renamed.extend([token]);
                    if is_end {
                        break;
                    }
                }
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), replace(group.stream(), name));
                inside.set_span(group.span());
                renamed.extend([TokenTree::from(inside)]);
            }
            other => renamed.extend([other]),
        }
    }
    renamed
}

fn is_path(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

/// `fn name`, `impl ..`, `trait name`, `mod name`, `use ..`: not `fn(..)`, the type.
fn begins_item(word: &Ident, next: Option<&TokenTree>) -> bool {
    let is_named = matches!(next, Some(TokenTree::Ident(_)));
    match word.to_string().as_str() {
        "fn" | "trait" | "mod" => is_named,
        "impl" | "use" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[track_caller]
    fn becomes(before: TokenStream, after: TokenStream) {
        assert_eq!(rename(before).to_string(), after.to_string());
    }

    #[test]
    fn everywhere_in_the_body() {
        becomes(
            quote!(f(self, self.x); m!(self)),
            quote!(f(retry_self_of_attempt, retry_self_of_attempt.x); m!(retry_self_of_attempt)),
        );
    }

    #[test]
    fn everywhere_in_an_attribute() {
        let to = Ident::new("__self", Span::call_site());
        let before = quote!(total = self.total, on = self::Error, when = |e| f(&self, e));
        let after = quote!(total = __self.total, on = self::Error, when = |e| f(&__self, e));
        assert_eq!(follow(before, &to).to_string(), after.to_string());
    }

    #[test]
    fn not_in_nested_items() {
        becomes(
            quote!(fn f(&self) -> u32 { self.x } self.y; impl X { fn g(self) { self } } trait T { fn h(self); } self),
            quote!(
                fn f(&self) -> u32 { self.x }
                retry_self_of_attempt.y;
                impl X { fn g(self) { self } }
                trait T { fn h(self); }
                retry_self_of_attempt
            ),
        );
    }

    #[test]
    fn not_in_paths() {
        becomes(
            quote!(self::f(self); use self::g::{self, h}; self.x),
            quote!(self::f(retry_self_of_attempt); use self::g::{self, h}; retry_self_of_attempt.x),
        );
    }

    #[test]
    fn beside_the_type_of_a_function() {
        becomes(
            quote!(let f: fn(u32) -> u32 = self.f; self),
            quote!(let f: fn(u32) -> u32 = retry_self_of_attempt.f; retry_self_of_attempt),
        );
    }
}
