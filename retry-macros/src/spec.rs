//! The numbers of the attribute: checked by `retry-policy`, each complaint brought back to what the user typed, and
//! written down as a policy.

use std::time::Duration;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use retry_policy::{AttemptLimit, Jitter, Nested, Settings, Slot};
use syn::Expr;
use syn::spanned::Spanned;

use crate::args::{Args, Value};
use crate::errors::Errors;
use crate::hedge;
use crate::keys::Key;
use crate::site::Site;

/// Reports every rule that the numbers break, and a missing `on`.
pub(crate) fn check(args: &Args, errors: &mut Errors) {
    for problem in settings(args).problems() {
        let key = Key::find(problem.key.name());
        match key.and_then(|key| args.tokens(key)).or_else(|| any_number(args)) {
            Some(tokens) => errors.at(tokens, problem.message),
            None => errors.at(TokenStream::new(), problem.message),
        }
    }
    let decides = [Key::On, Key::When, Key::WhenOk].into_iter().any(|key| args.has(key));
    // Who writes 0 attempts may have meant 1.
    let is_zero = matches!(args.attempts, Some(Value::Literal(Some(0))));
    if !decides && !args.is_once() && !is_zero && !args.is_bad(Key::Attempts) && !args.has_unknown {
        let text = "more than one attempt needs to know which errors are worth it: write `on = ..`, `on = _` for every error, \
                    or `attempts = 1`";
        errors.at(args.tokens(Key::Attempts).unwrap_or(&args.all), text);
    }
    idle_hints(args, errors);
    idle_guards(args, decides, errors);
    hedge::check(args, errors);
}

/// A breaker counts errors that are transient, a throttle counts retries.
fn idle_guards(args: &Args, decides: bool, errors: &mut Errors) {
    if let Some(breaker) =
        args.tokens(Key::Breaker).filter(|_| args.is_once() && !decides && !args.has_unknown)
    {
        let text = "`breaker` needs to know which errors count against the server: write `on = ..`, or `on = _` for every error";
        errors.at(breaker, text);
    }
    if let Some(throttle) = args.tokens(Key::Throttle).filter(|_| args.is_once()) {
        let text = "`throttle` has no effect with `attempts = 1`: there is no retry; leave it out";
        errors.at(throttle, text);
    }
}

/// A hint is asked for of what is transient only.
fn idle_hints(args: &Args, errors: &mut Errors) {
    let has_transient_errors = args.has(Key::On) || args.has(Key::When);
    let may_be_missing = args.has_unknown || !(args.has(Key::WhenOk) || args.is_once());
    if !has_transient_errors && !may_be_missing {
        let text = "`retry_after` has no effect where no error is transient; add `on` or `when`, or write `retry_after_ok`";
        if let Some(hint) = args.tokens(Key::RetryAfter) {
            errors.at(hint, text);
        }
    }
    if !args.has(Key::WhenOk) && !args.has_unknown {
        let text =
            "`retry_after_ok` has no effect without `when_ok`; add it, or write `retry_after` for errors";
        if let Some(hint) = args.tokens(Key::RetryAfterOk) {
            errors.at(hint, text);
        }
    }
}

/// The key that a rule is about need not stand there; then one that does has brought it up.
fn any_number(args: &Args) -> Option<&TokenStream> {
    [Key::Total, Key::Attempts, Key::PerAttempt].into_iter().find_map(|key| args.tokens(key))
}

fn settings(args: &Args) -> Settings {
    let base = if args.has(Key::Policy) { Settings::based_on_unknown() } else { Settings::new() };
    Settings {
        total: slot(args, Key::Total, args.total.as_ref(), base.total),
        per_attempt: slot(args, Key::PerAttempt, args.per_attempt.as_ref(), base.per_attempt),
        attempts: slot(args, Key::Attempts, args.attempts.as_ref(), base.attempts),
        // Beside `hedge`, `"none"` only says what is so anyway.
        backoff: match args.backoff {
            Some(Value::Literal(None)) if args.has(Key::Hedge) => base.backoff,
            _ => slot(args, Key::Backoff, args.backoff.as_ref(), base.backoff),
        },
        factor: slot(args, Key::Factor, args.factor.as_ref(), base.factor),
        max_backoff: slot(args, Key::MaxBackoff, args.max_backoff.as_ref(), base.max_backoff),
        jitter: args.jitter.map_or(base.jitter, Slot::Given),
        min_attempt: slot(args, Key::MinAttempt, args.min_attempt.as_ref(), base.min_attempt),
        margin: slot(args, Key::Margin, args.margin.as_ref(), base.margin),
        idempotent: args.idempotent.map_or(base.idempotent, Slot::Given),
        nested: args.nested.map_or(base.nested, Slot::Given),
    }
}

/// A bad value is as good as one that is not known: a rule that needs it has nothing to say.
fn slot<T: Copy>(args: &Args, key: Key, value: Option<&Value<T>>, base: Slot<T>) -> Slot<T> {
    match value {
        Some(Value::Literal(value)) => Slot::Given(*value),
        Some(Value::Expr(_)) => Slot::Unknown,
        None if args.is_bad(key) => Slot::Unknown,
        None => base,
    }
}

/// The policy of a function.
pub(crate) struct Policy {
    /// Statements that evaluate the expressions, in the order written, and a variable that yields the `&Policy`.
    pub(crate) prelude: TokenStream,
    /// The `&Policy`, where no closure is wanted.
    pub(crate) policy: TokenStream,
    /// An `Option<Deadline>`.
    pub(crate) deadline: TokenStream,
    /// The breaker and the throttle, or none.
    pub(crate) guards: TokenStream,
}

// Input:  total = "1s", attempts = self.tries
// Output: let __retry_attempts = attempts(self.tries);
//         let __retry_numbers = Policy::builder().total(Duration::new(1, 0)).attempts(__retry_attempts).trusted();
//         let __retry_policy = || &__retry_numbers;
//
// Without an expression: const __RETRY_POLICY: &Policy = &Policy::builder()...trusted();
//                        let __retry_policy = || __RETRY_POLICY;
// A closure, as one without captures takes no room in the future. Outside of a future it is not called, as that costs
// code.
pub(crate) fn policy(args: &Args, site: &Site) -> Policy {
    let (span, runtime, private) = (site.span, &site.runtime, &site.private);
    let mut prelude = TokenStream::new();
    let mut setters = TokenStream::new();
    let mut base = quote_spanned!(span=> #runtime::Policy::builder());
    let mut deadline = quote_spanned!(span=> ::core::option::Option::None);
    let mut is_const = true;
    for (key, _) in &args.written {
        if let Some(setter) = literal_setter(*key, args, site) {
            setters.extend(setter);
            continue;
        }
        let Some((evaluate, variable)) = evaluation(*key, args, site) else { continue };
        prelude.extend(evaluate);
        match key {
            Key::Deadline => {
                deadline = variable;
                continue;
            }
            Key::Breaker | Key::Throttle | Key::Hedge => continue,
            Key::Policy => base = variable,
            _ => setters.extend(run_time_setter(*key, &variable, site)),
        }
        is_const = false;
    }
    let built = quote_spanned!(span=> #base #setters.trusted());
    let policy;
    prelude.extend(if is_const {
        policy = quote_spanned!(span=> __RETRY_POLICY);
        quote_spanned! {span=>
            const __RETRY_POLICY: &#private::Policy = &#built;
            let __retry_policy = || __RETRY_POLICY;
        }
    } else {
        policy = quote_spanned!(span=> &__retry_numbers);
        quote_spanned! {span=>
            let __retry_numbers = #built;
            let __retry_policy = || &__retry_numbers;
        }
    });
    Policy { prelude, policy, deadline, guards: guards(args, site) }
}

/// A `Duration`: after how long the next attempt starts beside the running one.
pub(crate) fn hedge(args: &Args, site: &Site) -> Option<TokenStream> {
    match args.hedge.as_ref()? {
        Value::Literal(delay) => Some(duration_tokens(*delay, site)),
        Value::Expr(_) => Some(Ident::new("__retry_hedge", site.span).into_token_stream()),
    }
}

/// `|| Guards::new(__retry_breaker, Empty)`; a function without them has a type that takes no room.
fn guards(args: &Args, site: &Site) -> TokenStream {
    let (span, private) = (site.span, &site.private);
    if args.breaker.is_none() && args.throttle.is_none() {
        return quote_spanned!(span=> #private::unguarded);
    }
    let [breaker, throttle] =
        [(&args.breaker, "__retry_breaker"), (&args.throttle, "__retry_throttle")].map(|(given, name)| {
            match given {
                Some(_) => {
                    let name = Ident::new(name, span);
                    name.into_token_stream()
                }
                None => quote_spanned!(span=> #private::Empty),
            }
        });
    quote_spanned!(span=> || #private::Guards::new(#breaker, #throttle))
}

/// `.total(Duration::new(1, 0))`, where the value is known.
fn literal_setter(key: Key, args: &Args, site: &Site) -> Option<TokenStream> {
    let (span, runtime) = (site.span, &site.runtime);
    let optional = |value: &Value<Option<Duration>>, none: TokenStream, some: TokenStream| match value {
        Value::Literal(Some(duration)) => {
            let duration = duration_tokens(*duration, site);
            Some(quote_spanned!(span=> .#some(#duration)))
        }
        Value::Literal(None) => Some(quote_spanned!(span=> .#none())),
        Value::Expr(_) => None,
    };
    let plain = |value: &Value<Duration>, some: TokenStream| match value {
        Value::Literal(duration) => {
            let duration = duration_tokens(*duration, site);
            Some(quote_spanned!(span=> .#some(#duration)))
        }
        Value::Expr(_) => None,
    };
    match key {
        Key::Total => {
            optional(args.total.as_ref()?, quote_spanned!(span=> no_total), quote_spanned!(span=> total))
        }
        Key::Backoff => optional(
            args.backoff.as_ref()?,
            quote_spanned!(span=> no_backoff),
            quote_spanned!(span=> backoff),
        ),
        Key::MaxBackoff => plain(args.max_backoff.as_ref()?, quote_spanned!(span=> max_backoff)),
        Key::MinAttempt => plain(args.min_attempt.as_ref()?, quote_spanned!(span=> min_attempt)),
        Key::Margin => plain(args.margin.as_ref()?, quote_spanned!(span=> margin)),
        Key::PerAttempt => match args.per_attempt.as_ref()? {
            Value::Literal(AttemptLimit::Share) => Some(quote_spanned!(span=> .share())),
            Value::Literal(AttemptLimit::None) => Some(quote_spanned!(span=> .no_per_attempt())),
            Value::Literal(AttemptLimit::Of(limit)) => {
                let limit = duration_tokens(*limit, site);
                Some(quote_spanned!(span=> .per_attempt(#limit)))
            }
            Value::Expr(_) => None,
        },
        Key::Attempts => match args.attempts.as_ref()? {
            Value::Literal(Some(count)) => {
                let count = Literal::u32_suffixed(*count);
                Some(quote_spanned!(span=> .attempts(#count)))
            }
            Value::Literal(None) => Some(quote_spanned!(span=> .unlimited_attempts())),
            Value::Expr(_) => None,
        },
        Key::Factor => match args.factor.as_ref()? {
            Value::Literal(factor) if factor.is_finite() => {
                let factor = Literal::f64_suffixed(factor.abs());
                Some(quote_spanned!(span=> .factor(#factor)))
            }
            Value::Literal(_) => Some(TokenStream::new()),
            Value::Expr(_) => None,
        },
        Key::Jitter => {
            let jitter = match args.jitter? {
                Jitter::Equal => quote_spanned!(span=> Equal),
                Jitter::Full => quote_spanned!(span=> Full),
                Jitter::None => quote_spanned!(span=> None),
            };
            Some(quote_spanned!(span=> .jitter(#runtime::Jitter::#jitter)))
        }
        Key::Nested => {
            let nested = match args.nested? {
                Nested::Stop => quote_spanned!(span=> Stop),
                Nested::Retry => quote_spanned!(span=> Retry),
            };
            Some(quote_spanned!(span=> .nested(#runtime::Nested::#nested)))
        }
        Key::Idempotent => {
            let idempotent = args.idempotent?;
            Some(quote_spanned!(span=> .idempotent(#idempotent)))
        }
        _ => None,
    }
}

/// `let __retry_total = duration(EXPR);`, and the variable.
fn evaluation(key: Key, args: &Args, site: &Site) -> Option<(TokenStream, TokenStream)> {
    fn of<T>(value: Option<&Value<T>>) -> Option<&Expr> {
        match value? {
            Value::Expr(expr) => Some(expr),
            Value::Literal(_) => None,
        }
    }
    let (convert, expr) = match key {
        Key::Total => ("duration", of(args.total.as_ref())),
        Key::PerAttempt => ("duration", of(args.per_attempt.as_ref())),
        Key::Backoff => ("duration", of(args.backoff.as_ref())),
        Key::MaxBackoff => ("duration", of(args.max_backoff.as_ref())),
        Key::MinAttempt => ("duration", of(args.min_attempt.as_ref())),
        Key::Margin => ("duration", of(args.margin.as_ref())),
        Key::Hedge => ("hedge", of(args.hedge.as_ref())),
        Key::Attempts => ("attempts", of(args.attempts.as_ref())),
        Key::Factor => ("factor", of(args.factor.as_ref())),
        Key::Deadline => ("deadline", args.deadline.as_ref()),
        Key::Policy => ("policy", args.policy.as_ref()),
        Key::Breaker => ("breaker", args.breaker.as_ref()),
        Key::Throttle => ("throttle", args.throttle.as_ref()),
        _ => return None,
    };
    let (expr, span) = (expr?, site.span);
    let variable = match key {
        Key::Policy => Ident::new("__retry_base", span),
        _ => Ident::new(&format!("__retry_{}", key.name()), span),
    };
    let call = site.at(expr.span());
    let (private, convert) = (site.private_at(expr.span()), Ident::new(convert, call));
    // A breaker is used where it is: borrowed, for as long as the call lasts, also where the expression makes it.
    if matches!(key, Key::Breaker | Key::Throttle) {
        let owner = Ident::new(&format!("{variable}_owner"), call);
        let borrowed = quote_spanned!(call=> &(#expr));
        let value = quote_spanned!(call=> #private::#convert(#owner));
        let evaluate = quote_spanned!(span=> let #owner = #borrowed; let #variable = #value;);
        return Some((evaluate, variable.into_token_stream()));
    }
    let value = quote_spanned!(call=> #private::#convert(#expr));
    Some((quote_spanned!(span=> let #variable = #value;), variable.into_token_stream()))
}

/// `.total_if(__retry_total)`.
fn run_time_setter(key: Key, variable: &TokenStream, site: &Site) -> TokenStream {
    let span = site.span;
    let setter = match key {
        Key::Total => quote_spanned!(span=> total_if),
        Key::PerAttempt => quote_spanned!(span=> per_attempt_if),
        Key::Attempts => quote_spanned!(span=> attempts),
        Key::Backoff => quote_spanned!(span=> backoff_if),
        Key::Factor => quote_spanned!(span=> factor),
        Key::MaxBackoff => quote_spanned!(span=> max_backoff_if),
        Key::MinAttempt => quote_spanned!(span=> min_attempt_if),
        Key::Margin => quote_spanned!(span=> margin_if),
        _ => return TokenStream::new(),
    };
    quote_spanned!(span=> .#setter(#variable))
}

fn duration_tokens(duration: Duration, site: &Site) -> TokenStream {
    let span = site.span;
    let seconds = Literal::u64_unsuffixed(duration.as_secs()).into_token_stream();
    let nanos = Literal::u32_unsuffixed(duration.subsec_nanos()).into_token_stream();
    quote_spanned!(span=> ::core::time::Duration::new(#seconds, #nanos))
}
