//! Fragments of `macro_rules!` in a body: `$body:block` comes as a block in an invisible group.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// The tokens, with the brackets of fragments marked as written by a macro; `None` where there is no fragment.
///
/// They lose that mark on the way through an attribute, and rustc would call them superfluous.
pub(crate) fn mark(tokens: &TokenStream, site: Span) -> Option<TokenStream> {
    let mut is_marked = false;
    let marked = tokens.clone().into_iter().map(|token| {
        let TokenTree::Group(group) = &token else { return token };
        let inside = mark(&group.stream(), site);
        let is_fragment = group.delimiter() == Delimiter::None;
        let inside = match (inside, is_fragment.then(|| alone(group)).flatten()) {
            (inside, Some(only)) => {
                let inside =
                    inside.and_then(|inside| alone(&Group::new(Delimiter::None, inside))).unwrap_or(only);
                let mut brackets = Group::new(inside.delimiter(), inside.stream());
                brackets.set_span(site.located_at(inside.span()));
                TokenTree::from(brackets).into()
            }
            (Some(inside), None) => inside,
            (None, None) => return token,
        };
        is_marked = true;
        let mut rebuilt = Group::new(group.delimiter(), inside);
        rebuilt.set_span(group.span());
        rebuilt.into()
    });
    let marked: TokenStream = marked.collect();
    is_marked.then_some(marked)
}

/// The group in brackets that is all there is in an invisible one.
fn alone(group: &Group) -> Option<Group> {
    let mut tokens = group.stream().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(only)), None) if only.delimiter() != Delimiter::None => Some(only),
        _ => None,
    }
}
