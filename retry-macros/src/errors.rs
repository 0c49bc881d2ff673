//! The collector of mistakes: all of them are reported, each at what the user typed.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// One mistake: where, and the sentence that mends it.
struct Complaint {
    start: Span,
    end: Span,
    text: String,
}

/// Every mistake found so far, in the order found.
#[derive(Default)]
pub(crate) struct Errors {
    complaints: Vec<Complaint>,
}

impl Errors {
    /// Reports `text` at `tokens`; at the attribute where there are none.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, text: impl Into<String>) {
        let tokens = tokens.into_token_stream();
        let start = end_of(&tokens, |tokens| tokens.first().cloned()).unwrap_or_else(Span::call_site);
        let end = end_of(&tokens, |tokens| tokens.last().cloned()).unwrap_or(start);
        self.complaints.push(Complaint { start, end, text: text.into() });
    }

    /// The one mistake, as an expression.
    pub(crate) fn expression(&self) -> TokenStream {
        let tokens = self.to_token_stream().into_iter();
        tokens.filter(|token| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')).collect()
    }

    /// Reports `text` at one place.
    pub(crate) fn at_span(&mut self, span: Span, text: impl Into<String>) {
        self.complaints.push(Complaint { start: span, end: span, text: text.into() });
    }
}

#[cfg(test)]
impl Errors {
    /// The sentences alone.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.complaints.iter().map(|complaint| complaint.text.as_str()).collect()
    }
}

/// The tokens, as a person writes them.
pub(crate) fn written(tokens: impl ToTokens) -> String {
    let mut text = tokens.into_token_stream().to_string();
    for (spaced, close) in
        [(" :: ", "::"), (":: ", "::"), (" (", "("), (" <", "<"), ("< ", "<"), (" >", ">"), (" ,", ",")]
    {
        text = text.replace(spaced, close);
    }
    text
}

/// Where the tokens begin or end: in an invisible group, which has the place of a fragment's name, that is in it.
fn end_of(tokens: &TokenStream, choose: fn(&[TokenTree]) -> Option<TokenTree>) -> Option<Span> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    match choose(&tokens)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            Some(end_of(&group.stream(), choose).unwrap_or_else(|| group.span()))
        }
        token => Some(token.span()),
    }
}

// Input:  the mistake `text` from token `start` to token `end`
// Output: ::core::compile_error!("text");
impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for Complaint { start, end, text } in &self.complaints {
            let punct = |character, spacing, span| {
                let mut punct = Punct::new(character, spacing);
                punct.set_span(span);
                TokenTree::from(punct)
            };
            let mut message = Literal::string(text);
            message.set_span(*end);
            let mut arguments = Group::new(Delimiter::Parenthesis, TokenTree::from(message).into());
            arguments.set_span(*end);
            tokens.extend([
                punct(':', Spacing::Joint, *start),
                punct(':', Spacing::Alone, *start),
                Ident::new("core", *start).into(),
                punct(':', Spacing::Joint, *start),
                punct(':', Spacing::Alone, *start),
                Ident::new("compile_error", *start).into(),
                punct('!', Spacing::Alone, *start),
                arguments.into(),
                punct(';', Spacing::Alone, *end),
            ]);
        }
    }
}
