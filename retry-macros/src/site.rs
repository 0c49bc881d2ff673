//! Where generated code stands.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use crate::args::Args;

/// Where generated code stands, and what it names.
pub(crate) struct Site {
    /// Names of generated code are not seen by the user's, nor the other way round.
    pub(crate) span: Span,
    /// The path of the runtime crate.
    pub(crate) runtime: TokenStream,
    /// The path of what generated code names in it.
    pub(crate) private: TokenStream,
}

impl Site {
    pub(crate) fn new(args: &Args) -> Self {
        let span = Span::mixed_site();
        let runtime = match &args.krate {
            Some(path) => path.to_token_stream(),
            None => quote_spanned!(span=> ::retry_runtime),
        };
        let private = quote_spanned!(span=> #runtime::__private);
        Self { span, runtime, private }
    }

    /// The path of what generated code names, reported where the user wrote `place`.
    pub(crate) fn private_at(&self, place: Span) -> TokenStream {
        let private = self.private.clone().into_iter().map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        });
        private.collect()
    }

    /// As generated code, but reported where the user wrote `place`.
    pub(crate) fn at(&self, place: Span) -> Span {
        self.span.located_at(place)
    }
}

/// The tokens in braces that stand at `span`.
pub(crate) fn in_braces(tokens: TokenStream, span: Span) -> TokenTree {
    let mut group = Group::new(Delimiter::Brace, tokens);
    group.set_span(span);
    group.into()
}
