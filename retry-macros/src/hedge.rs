//! What `hedge` cannot go with: attempts run beside one another, and a failure starts the next one at once.

use std::time::Duration;

use retry_policy::duration::human;
use retry_policy::{AttemptLimit, defaults};
use syn::{FnArg, ReceiverKind, Signature};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::args::{Args, Value};
use crate::errors::Errors;
use crate::keys::Key;

/// Reports every key that `hedge` cannot go with, and a delay that is too long or none.
pub(crate) fn check(args: &Args, errors: &mut Errors) {
    let Some(hedge) = args.tokens(Key::Hedge) else { return };
    if args.is_once() {
        errors
            .at(hedge, "`hedge` has no effect with `attempts = 1`: there is no second attempt; leave it out");
        return;
    }
    if args.idempotent == Some(false) {
        let text = "`hedge` runs attempts beside one another, and with `idempotent = false` the server must not see a second one: leave one of them out";
        errors.at(hedge, text);
    }
    if matches!(args.attempts, Some(Value::Literal(None))) {
        let text = "`hedge` needs a number of attempts: a failure starts the next one at once, and `\"unlimited\"` would go on without a pause";
        errors.at(args.tokens(Key::Attempts).unwrap_or(hedge), text);
    }
    let has_backoff = !matches!(args.backoff, Some(Value::Literal(None)));
    // A hint is spread.
    let has_hint = args.has(Key::RetryAfter) || args.has(Key::RetryAfterOk);
    let has_effect = |key| key == Key::Backoff && !has_backoff || key == Key::Jitter && has_hint;
    for key in [Key::Backoff, Key::Factor, Key::MaxBackoff, Key::Jitter] {
        if let Some(tokens) = args.tokens(key).filter(|_| !has_effect(key)) {
            let text = format!(
                "`{}` has no effect beside `hedge`: a failure starts the next attempt at once; leave it out",
                key.name()
            );
            errors.at(tokens, text);
        }
    }
    let Some(Value::Literal(delay)) = args.hedge else { return };
    if delay.is_zero() {
        errors.at(hedge, "`hedge` must not be zero: it would send every attempt at once; write the time after which most calls have answered");
    } else if let Some((limit, which)) = limit(args).filter(|(limit, _)| delay >= *limit) {
        let text = format!(
            "`hedge` of {} is not below {which} of {}: an attempt has ended by then; make it shorter",
            human(delay),
            human(limit)
        );
        errors.at(hedge, text);
    }
}

/// How long an attempt may run: a share is all that is left.
fn limit(args: &Args) -> Option<(Duration, &'static str)> {
    match (&args.per_attempt, &args.total) {
        (Some(Value::Literal(AttemptLimit::Of(limit))), _) => Some((*limit, "the `per_attempt`")),
        (Some(Value::Expr(_)), _) => None,
        _ if args.has(Key::Policy) || args.is_bad(Key::PerAttempt) => None,
        (_, Some(Value::Literal(total))) => total.map(|total| (total, "the `total`")),
        (_, Some(Value::Expr(_))) => None,
        (_, None) if args.is_bad(Key::Total) => None,
        (_, None) => Some((defaults::TOTAL, "the default `total`")),
    }
}

/// The receivers and arguments that attempts beside one another cannot share.
pub(crate) fn exclusive(sig: &Signature) -> Vec<TokenStream> {
    let of = |input: &FnArg| match input {
        FnArg::Receiver(receiver) => match &receiver.kind {
            ReceiverKind::Reference(_, _, Some(_)) => Some(receiver.to_token_stream()),
            ReceiverKind::Typed(_, ty) if has_exclusive(ty.to_token_stream()) => {
                Some(receiver.to_token_stream())
            }
            _ => None,
        },
        FnArg::Typed(argument) => {
            let ty = argument.ty.to_token_stream();
            has_exclusive(ty.clone()).then_some(ty)
        }
    };
    sig.inputs.iter().filter_map(of).collect()
}

/// Whether `&mut` is written in a type.
fn has_exclusive(ty: TokenStream) -> bool {
    let mut after_and = false;
    let mut after_quote = false;
    for token in ty {
        match token {
            TokenTree::Group(group) => {
                if has_exclusive(group.stream()) {
                    return true;
                }
                after_and = false;
            }
            TokenTree::Punct(punct) => {
                after_quote = punct.as_char() == '\'';
                after_and = punct.as_char() == '&' || after_and && after_quote;
            }
            TokenTree::Ident(ident) => {
                if after_and && ident == "mut" {
                    return true;
                }
                // The name of a lifetime.
                after_and &= after_quote;
                after_quote = false;
            }
            TokenTree::Literal(_) => after_and = false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn every_way_to_write_an_exclusive_argument() {
        let found = |sig: TokenStream| {
            let sig: Signature = syn::parse2(sig).expect("a signature");
            exclusive(&sig).iter().map(|tokens| tokens.to_string().replace(' ', "")).collect::<Vec<_>>()
        };
        assert_eq!(
            found(quote!(async fn f(&mut self, a: &mut u8, b: &'a mut u8))),
            ["&mutself", "&mutu8", "&'amutu8"]
        );
        assert_eq!(
            found(quote!(async fn f(self: Pin<&mut Self>, a: Option<&mut u8>))),
            ["self:Pin<&mutSelf>", "Option<&mutu8>"]
        );
        assert!(found(quote!(async fn f(&self, mut a: u8, b: &'a str, c: *mut u8, mut d: &u8))).is_empty());
    }
}
