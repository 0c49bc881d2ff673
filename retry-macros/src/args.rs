//! The attribute's arguments: one spanned slot per key, every mistake collected.
//!
//! A bad argument is reported and skipped; the next one is read as if nothing had happened. Rules between keys are in
//! `spec.rs`.

use std::time::Duration;

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use retry_policy::{AttemptLimit, Jitter, Nested};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Path, Token};

use crate::classify::{self, Alternative};
use crate::errors::{Errors, written};
use crate::keys::{self, Key};
use crate::values;

/// A number that is known here, or an expression that is known when the call starts.
pub(crate) enum Value<T> {
    Literal(T),
    Expr(Expr),
}

/// All arguments.
pub(crate) struct Args {
    /// Everything, as it was written.
    pub(crate) all: TokenStream,
    /// The keys that are good, in the order written, each with its value as it was written.
    pub(crate) written: Vec<(Key, TokenStream)>,
    /// The keys that are there, but what is wrong with them has been said.
    bad: Vec<Key>,
    /// Whether something was no key: it may have been meant as any key that is missing.
    pub(crate) has_unknown: bool,
    /// The bare word `skip`.
    pub(crate) skip: Option<Span>,
    pub(crate) total: Option<Value<Option<Duration>>>,
    pub(crate) per_attempt: Option<Value<AttemptLimit>>,
    pub(crate) attempts: Option<Value<Option<u32>>>,
    pub(crate) on: Option<Vec<Alternative>>,
    pub(crate) when: Option<Expr>,
    pub(crate) when_ok: Option<Expr>,
    pub(crate) backoff: Option<Value<Option<Duration>>>,
    pub(crate) factor: Option<Value<f64>>,
    pub(crate) max_backoff: Option<Value<Duration>>,
    pub(crate) jitter: Option<Jitter>,
    pub(crate) retry_after: Option<Expr>,
    pub(crate) retry_after_ok: Option<Expr>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) nested: Option<Nested>,
    pub(crate) min_attempt: Option<Value<Duration>>,
    pub(crate) margin: Option<Value<Duration>>,
    pub(crate) deadline: Option<Expr>,
    pub(crate) policy: Option<Expr>,
    pub(crate) breaker: Option<Expr>,
    pub(crate) throttle: Option<Expr>,
    pub(crate) hedge: Option<Value<Duration>>,
    pub(crate) fallback: Option<Expr>,
    pub(crate) krate: Option<Path>,
}

impl Args {
    const fn new(all: TokenStream) -> Self {
        Self {
            all,
            written: Vec::new(),
            bad: Vec::new(),
            has_unknown: false,
            skip: None,
            total: None,
            per_attempt: None,
            attempts: None,
            on: None,
            when: None,
            when_ok: None,
            backoff: None,
            factor: None,
            max_backoff: None,
            jitter: None,
            retry_after: None,
            retry_after_ok: None,
            idempotent: None,
            nested: None,
            min_attempt: None,
            margin: None,
            deadline: None,
            policy: None,
            breaker: None,
            throttle: None,
            hedge: None,
            fallback: None,
            krate: None,
        }
    }

    /// Reads `tokens`; `generics` are the names of the type parameters in scope.
    pub(crate) fn parse(tokens: TokenStream, generics: &[String], errors: &mut Errors) -> Self {
        let mut args = Self::new(tokens.clone());
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                args.entry(input, generics, errors);
            }
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            errors.at_span(error.span(), error.to_string());
        }
        args
    }

    /// Exactly one attempt, as far as is known here: no loop, no clones, no wait.
    pub(crate) fn is_once(&self) -> bool {
        matches!(self.attempts, Some(Value::Literal(Some(1))))
    }

    /// Reads one `key = value` and the comma after it; always takes at least one token.
    fn entry(&mut self, input: ParseStream<'_>, generics: &[String], errors: &mut Errors) {
        let start = input.fork();
        let Ok(name) = input.call(Ident::parse_any) else {
            self.no_name(input, errors);
            return;
        };
        let text = name.to_string();
        if text == "skip" {
            if is_at_end_of_entry(input) {
                self.skip = Some(name.span());
            } else {
                self.has_unknown = true;
                errors.at(&name, "`skip` takes no value: write `#[retry(skip)]`");
                skip(input);
            }
            self.separator(input, errors);
            return;
        }
        let Some(key) = Key::find(&text) else {
            self.has_unknown = true;
            skip(input);
            let entry = between(&start, input);
            match self.as_alternative(&text, &entry) {
                Some(text) => errors.at(entry, text),
                None => errors.at(&name, keys::unknown(&text)),
            }
            self.separator(input, errors);
            return;
        };
        if is_at_end_of_entry(input) {
            errors.at(&name, format!("`{text}` needs a value, such as `{}`", key.example()));
            self.bad.push(key);
        } else if let Some(group) = bracketed(input) {
            errors.at(&group, with_equals(key, &group));
            let inner = |input: ParseStream<'_>| {
                self.value(key, &name, input, generics, errors);
                input.parse::<TokenStream>().map(drop)
            };
            if let Err(error) = inner.parse2(group.stream()) {
                errors.at_span(error.span(), error.to_string());
            }
        } else {
            equals(key, input, errors);
            self.value(key, &name, input, generics, errors);
        }
        self.separator(input, errors);
    }

    /// Reads an entry that begins with no name.
    fn no_name(&mut self, input: ParseStream<'_>, errors: &mut Errors) {
        let Some(token) = take(input) else { return };
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
            errors.at(token, "expected a key before this `,`, such as `total = \"1s\"`");
            return;
        }
        self.has_unknown = true;
        let quoted = token.to_string();
        let text = match Key::find(quoted.trim_matches('"')) {
            Some(key) => format!("a key stands without quotes: write `{}`", key.example()),
            None => "expected a key with a value, such as `total = \"1s\"`".to_owned(),
        };
        errors.at(token, text);
        skip(input);
        self.separator(input, errors);
    }

    /// What to say about an entry that is no `key = value` but a type or pattern that was meant for `on`.
    fn as_alternative(&self, name: &str, entry: &TokenStream) -> Option<String> {
        let is_path = entry.to_string().contains("::");
        let is_assignment =
            entry.clone().into_iter().any(|token| is_punct(&token, '=') || is_punct(&token, ';'));
        if is_assignment || !(is_path || name == "_" || name.starts_with(char::is_uppercase)) {
            return None;
        }
        let entry = written(joined(entry.clone()));
        Some(if self.has(Key::On) {
            format!("expected a key; the types and patterns of `on` are joined by `|`: write `.. | {entry}`")
        } else {
            format!("expected a key: write `on = {entry}`")
        })
    }

    /// Reads the comma after an entry.
    fn separator(&self, input: ParseStream<'_>, errors: &mut Errors) {
        if input.parse::<Token![,]>().is_ok() || input.is_empty() {
            return;
        }
        let ahead = input.fork();
        if let Ok(name) = ahead.call(Ident::parse_any) {
            let assigns = ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>]);
            if assigns || name == "skip" || Key::find(&name.to_string()).is_some() {
                errors.at(&name, format!("expected `,` before `{name}`"));
                return;
            }
        }
        let Some(token) = take(input) else { return };
        errors.at(&token, format!("expected `,` between two keys, found `{token}`"));
        if !matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';') {
            skip(input);
            self.separator(input, errors);
        }
    }

    /// Reads the value of `key`, written `name`, into its slot; a key that stands there again is reported, not read.
    fn value(
        &mut self,
        key: Key,
        name: &Ident,
        input: ParseStream<'_>,
        generics: &[String],
        errors: &mut Errors,
    ) {
        if self.has(key) {
            let mend = if key == Key::On { "join both by `|` in one" } else { "leave one of them out" };
            errors.at(name, format!("`{}` is given twice; {mend}", key.name()));
            skip(input);
            return;
        }
        if input.is_empty() {
            errors.at(name, format!("`{}` needs a value, such as `{}`", key.name(), key.example()));
            self.bad.push(key);
            return;
        }
        let before = input.fork();
        if self.read(key, input, generics, errors).is_some() {
            self.written.push((key, between(&before, input)));
        } else {
            self.bad.push(key);
            // What is left of it may not be taken for the next key.
            skip(input);
        }
    }

    /// Reads the value of `key` into its slot; `None` after a complaint.
    fn read(
        &mut self,
        key: Key,
        input: ParseStream<'_>,
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<()> {
        match key {
            Key::On => return fill(&mut self.on, classify::parse(input, generics, errors)),
            Key::Crate => return fill(&mut self.krate, values::crate_path(input, errors)),
            _ => {}
        }
        let ahead = input.fork();
        let Ok(expr) = ahead.parse::<Expr>() else {
            let found = input.cursor().token_tree().map(|(token, _)| token);
            errors.at(found, format!("`{}` takes {}", key.name(), key.takes()));
            return None;
        };
        input.advance_to(&ahead);
        match key {
            Key::Total => fill(&mut self.total, values::optional_duration(key, expr, errors)),
            Key::PerAttempt => fill(&mut self.per_attempt, values::attempt_limit(expr, errors)),
            Key::Backoff => fill(&mut self.backoff, values::optional_duration(key, expr, errors)),
            Key::MaxBackoff => fill(&mut self.max_backoff, values::plain_duration(key, expr, errors)),
            Key::MinAttempt => fill(&mut self.min_attempt, values::plain_duration(key, expr, errors)),
            Key::Margin => fill(&mut self.margin, values::plain_duration(key, expr, errors)),
            Key::Attempts => fill(&mut self.attempts, values::attempts(expr, errors)),
            Key::Factor => fill(&mut self.factor, values::factor(expr, errors)),
            Key::Jitter => fill(&mut self.jitter, values::word(key, &JITTER, &expr, errors)),
            Key::Nested => fill(&mut self.nested, values::word(key, &NESTED, &expr, errors)),
            Key::Idempotent => fill(&mut self.idempotent, values::flag(&expr, errors)),
            Key::When => fill(&mut self.when, values::function(key, expr, errors)),
            Key::WhenOk => fill(&mut self.when_ok, values::function(key, expr, errors)),
            Key::RetryAfter => fill(&mut self.retry_after, values::function(key, expr, errors)),
            Key::RetryAfterOk => fill(&mut self.retry_after_ok, values::function(key, expr, errors)),
            Key::Fallback => fill(&mut self.fallback, values::fallback(expr, errors)),
            Key::Deadline => fill(&mut self.deadline, values::object(key, expr, errors)),
            Key::Policy => fill(&mut self.policy, values::object(key, expr, errors)),
            Key::Breaker => fill(&mut self.breaker, values::object(key, expr, errors)),
            Key::Throttle => fill(&mut self.throttle, values::object(key, expr, errors)),
            Key::Hedge => fill(&mut self.hedge, values::plain_duration(key, expr, errors)),
            Key::On | Key::Crate => None,
        }
    }

    /// Whether `key` is there, good or bad.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.bad.contains(&key) || self.tokens(key).is_some()
    }

    /// Whether `key` is there, but not good.
    pub(crate) fn is_bad(&self, key: Key) -> bool {
        self.bad.contains(&key)
    }

    /// The value of `key` as it was written, if it is there and good.
    pub(crate) fn tokens(&self, key: Key) -> Option<&TokenStream> {
        self.written.iter().find(|(written, _)| *written == key).map(|(_, tokens)| tokens)
    }
}

const JITTER: [(&str, Jitter); 3] =
    [("equal", Jitter::Equal), ("full", Jitter::Full), ("none", Jitter::None)];
const NESTED: [(&str, Nested); 2] = [("stop", Nested::Stop), ("retry", Nested::Retry)];

fn fill<T>(slot: &mut Option<T>, value: Option<T>) -> Option<()> {
    *slot = value;
    slot.as_ref().map(|_| ())
}

/// Reads the `=` after a key, or complains about what stands there instead.
fn equals(key: Key, input: ParseStream<'_>, errors: &mut Errors) {
    let complaint = format!("expected `=` after `{}`, such as `{}`", key.name(), key.example());
    if input.peek(Token![==]) || input.peek(Token![=>]) || input.peek(Token![::]) {
        let first = take(input);
        let second = take(input);
        errors.at(first.into_iter().chain(second).collect::<TokenStream>(), complaint);
    } else if input.peek(Token![=]) {
        take(input);
    } else if input.peek(Token![:]) {
        errors.at(take(input), complaint);
    } else if let Some((token, _)) = input.cursor().token_tree() {
        errors.at(token, complaint);
    }
}

/// The tokens that `after` has read since `before`.
pub(crate) fn between(before: ParseStream<'_>, after: ParseStream<'_>) -> TokenStream {
    let mut cursor = before.cursor();
    let mut tokens = TokenStream::new();
    while cursor < after.cursor() {
        let Some((token, rest)) = cursor.token_tree() else { break };
        tokens.extend([token]);
        cursor = rest;
    }
    tokens
}

/// Takes one token, whatever it is.
fn take(input: ParseStream<'_>) -> Option<TokenTree> {
    input.parse().ok()
}

/// Takes a group in brackets of any kind, if one stands there.
fn bracketed(input: ParseStream<'_>) -> Option<Group> {
    let (token, _) = input.cursor().token_tree()?;
    match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
            take(input);
            Some(group)
        }
        _ => None,
    }
}

/// What to say about `key(value)`.
fn with_equals(key: Key, group: &Group) -> String {
    let name = key.name();
    if group.stream().is_empty() {
        return format!("write `{name}` with `=`: `{}`", key.example());
    }
    let value = written(if key == Key::On { joined(group.stream()) } else { group.stream() });
    format!("write `{name}` with `=`: `{name} = {value}`")
}

/// A list, joined by `|` instead of `,`.
pub(crate) fn joined(list: TokenStream) -> TokenStream {
    let join =
        |token: TokenTree| if is_punct(&token, ',') { Punct::new('|', Spacing::Alone).into() } else { token };
    list.into_iter().map(join).collect()
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn is_at_end_of_entry(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// Skips the rest of an entry: up to the comma before the next key, or the next key where the comma is missing.
fn skip(input: ParseStream<'_>) {
    while !input.is_empty() {
        let ahead = input.fork();
        let is_comma = ahead.parse::<Token![,]>().is_ok();
        if is_comma && ahead.is_empty() {
            return;
        }
        if let Ok(name) = ahead.call(Ident::parse_any) {
            let assigns = ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>]);
            let is_key = Key::find(&name.to_string()).is_some();
            let is_bare = is_comma && (ahead.is_empty() || ahead.peek(Token![,]));
            if is_bare || (assigns && (is_comma || is_key)) || (is_comma && is_key) {
                return;
            }
        }
        take(input);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use quote::quote;

    #[track_caller]
    fn complaints(tokens: TokenStream, expected: &[&str]) -> Args {
        let mut errors = Errors::default();
        let args = Args::parse(tokens, &["T".to_owned()], &mut errors);
        spec::check(&args, &mut errors);
        let texts = errors.texts();
        assert_eq!(texts.len(), expected.len(), "{texts:#?}");
        for (text, part) in texts.iter().zip(expected) {
            assert!(text.contains(part), "{text:?} does not say {part:?}");
        }
        args
    }

    #[test]
    fn good_arguments() {
        for tokens in [
            quote!(on = _),
            quote!(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError,),
            quote!(attempts = 1),
            quote!(attempts = 3u8, factor = 1.5, on = _),
            quote!(total = self.total, per_attempt = a.b()?, attempts = N, when = is_busy),
            quote!(total = ("1s"), on = _),
            quote!(crate = ::a::b, on = _),
            quote!(crate = crate::a, on = _),
            quote!(when = |e| e.a < b, when_ok = |v: &Vec<u8>| v.is_empty(), on = Wrapper<A, B> | fn(u8)),
            quote!(total = "none", per_attempt = "1s", on = _),
            quote!(policy = P, total = "1s", on = _),
        ] {
            complaints(tokens, &[]);
        }
    }

    #[test]
    fn one_mistake_is_one_complaint() {
        for (tokens, text) in [
            (quote!(), "write `on = ..`"),
            (quote!(attempts = 3), "write `on = ..`"),
            (quote!(attemps = 1), "did you mean `attempts`?"),
            (quote!(total = "1s" attempts = 5, on = _), "expected `,` before `attempts`"),
            (quote!(total = "1s", total = "2s", on = _), "`total` is given twice"),
            (quote!(total = "1 s", on = _), "write `1s`"),
            (quote!(total = 5, on = _), "write `total = \"5s\"`"),
            (quote!(total = 200ms, on = _), "write `total = \"200ms\"`"),
            (quote!(total = 1.5, on = _), "write `total = \"1500ms\"`"),
            (quote!(total, on = _), "`total` needs a value"),
            (quote!(total = , on = _), "`total` takes a duration"),
            (quote!(on = _, total =), "`total` needs a value"),
            (quote!(total: "1s", on = _), "expected `=` after `total`"),
            (quote!(total("1s"), on = _), "write `total` with `=`"),
            (quote!(total "1s", on = _), "expected `=` after `total`"),
            (quote!("1s", on = _), "expected a key with a value"),
            (quote!(total = "1s",, on = _), "expected a key before this `,`"),
            (quote!(total = || 1, on = _), "`total` takes a duration"),
            (quote!(max_backoff = "none", on = _), "not `\"none\"`"),
            (quote!(attempts = "3"), "write `attempts = 3`, without quotes"),
            (quote!(attempts = -1), "`attempts` takes a whole number"),
            (quote!(attempts = 1.5), "`attempts` takes a whole number"),
            (quote!(attempts = 0, on = _), "at least 1"),
            (quote!(attempts = 4294967296), "`attempts` is at most 4294967295"),
            (quote!(factor = -2, on = _), "`factor` is a finite number of at least 1"),
            (quote!(factor = "2", on = _), "`factor` takes a number"),
            (quote!(jitter = false, on = _), "`jitter` takes `\"equal\"`"),
            (quote!(idempotent = "no", on = _), "`idempotent` takes `true` or `false`"),
            (quote!(nested = "go", on = _), "`nested` takes `\"stop\"` or `\"retry\"`"),
            (quote!(on = "text"), "`on` takes error types and patterns"),
            (quote!(on = |e| e.is_busy()), "a closure goes to `when`"),
            (quote!(on = is_busy), "`when = is_busy`"),
            (quote!(on = net::is_busy(e)), "a condition goes to `when`"),
            (quote!(on = Error::Busy if x), "a condition goes to `when`"),
            (quote!(on = Error::Busy |), "expected a type or a pattern after this `|`"),
            (quote!(on = source(1)), "`source` takes one type"),
            (quote!(when = true), "`when` takes a function or closure"),
            (quote!(when = async |e| true), "not `async`"),
            (quote!(fallback = "x", on = _), "`fallback` takes a function"),
            (quote!(deadline = "5s", on = _), "`deadline` takes an expression"),
            (quote!(policy = 5, on = _), "`policy` takes an expression"),
            (quote!(crate = "a::b", on = _), "write `crate = a::b`, without quotes"),
            (quote!(breaker = "B", on = _), "`breaker` takes"),
            (quote!(throttle = None, on = _), "leave `throttle` out"),
            (quote!(breaker = B, attempts = 1), "`breaker` needs to know which errors count"),
            (quote!(throttle = T, attempts = 1), "`throttle` has no effect with `attempts = 1`"),
            (quote!(3), "expected a key with a value"),
            (quote!("attempts" = 3, on = _), "a key stands without quotes: write `attempts = 3`"),
            (quote!(ConnectionError), "expected a key: write `on = ConnectionError`"),
            (quote!(_), "expected a key: write `on = _`"),
            (quote!(on = A, io::Error), "joined by `|`: write `.. | io::Error`"),
            (quote!(on = A, B::C(_), attempts = 3), "joined by `|`: write `.. | B::C(_)`"),
            (quote!(on = A, on = B), "join both by `|` in one"),
            (quote!(on(A, io::Error)), "write `on` with `=`: `on = A | io::Error`"),
            (quote!(on = [A, io::Error]), "write `on = A | io::Error`"),
            (quote!(on = (A, io::Error)), "write `on = A | io::Error`"),
            (quote!(on = A || B), "joined by `|`"),
            (quote!(on = A && B), "joined by `|`"),
            (quote!(on = A + B), "joined by `|`"),
            (quote!(on = A or B), "joined by `|`"),
            (quote!(on = &A), "leave out the `&`, `on = A`"),
            (quote!(on = Err(io::Error)), "leave out the `Err`, `on = io::Error`"),
            (quote!(on = Ok(3)), "goes to `when_ok`"),
            (quote!(on = None), "`on = Option::None`"),
            (quote!(on = dyn Error), "not traits"),
            (quote!(on = source<A>), "`source` takes its type in parentheses"),
            (quote!(on = e if e.is_busy()), "a condition goes to `when`"),
            (quote!(on = ..), "`on` takes error types and patterns"),
            (quote!(on = true), "`on` takes error types and patterns"),
            (quote!(on = _ more), "expected `,` between two keys, found `more`"),
            (quote!(when(is_busy)), "write `when` with `=`: `when = is_busy`"),
            (quote!(when = matches!(e, E::A)), "write `when = |it| matches!(it, ..)`"),
            (quote!(when = E::A(_)), "write `on = E::A(_)`"),
            (quote!(when = E::A | E::B(..)), "write `on = E::A | E::B(..)`"),
            (quote!(when = _), "write `on = _`"),
            (quote!(when_ok = Some(_)), "write `when_ok = |it| ..`"),
            (quote!(when_ok = f, retry_after = g), "`retry_after` has no effect where no error is transient"),
            (
                quote!(attempts = 1, retry_after = g),
                "`retry_after` has no effect where no error is transient",
            ),
            (quote!(on = _, retry_after_ok = g), "`retry_after_ok` has no effect without `when_ok`"),
            (quote!(attempts = 0), "at least 1"),
            (quote!(attempts = 3s, on = _), "`attempts` takes a whole number"),
            (quote!(attempts = unlimited), "write `attempts = \"unlimited\"`, in quotes"),
            (quote!(attempts = None), "`attempts` takes a whole number"),
            (quote!(factor = 2x, on = _), "`factor` takes a number"),
            (quote!(total = none, on = _), "write `total = \"none\"`, in quotes"),
            (quote!(total = None, on = _), "leave `total` out, or write `total = \"none\"`"),
            (quote!(margin = None, on = _), "leave `margin` out"),
            (quote!(deadline = None, on = _), "leave `deadline` out"),
            (quote!(backoff = 0, on = _), "write `\"none\"` to retry at once"),
            (quote!(idempotent = "false", on = _), "write `idempotent = false`, without quotes"),
            (quote!(skip = true, on = _), "`skip` takes no value"),
        ] {
            complaints(tokens, &[text]);
        }
    }

    #[test]
    fn all_mistakes_at_once_and_the_good_keys_stay() {
        let args = complaints(
            quote!(
                total = "x",
                per_attempt = 5,
                attempts = "a",
                on = "t",
                backof = "1s",
                jitter = 3,
                margin = "1ms"
            ),
            &[
                "number before `x`",
                "\"5s\"",
                "whole number",
                "`on` takes",
                "did you mean `backoff`",
                "`jitter` takes",
            ],
        );
        assert!(args.has(Key::On) && args.on.is_none() && args.margin.is_some());
    }

    #[test]
    fn the_order_written_is_kept() {
        let args = complaints(quote!(attempts = b(), on = _, total = a()), &[]);
        let order: Vec<Key> = args.written.iter().map(|(key, _)| *key).collect();
        assert_eq!(order, [Key::Attempts, Key::On, Key::Total]);
    }

    #[test]
    fn types_and_patterns_are_told_apart() {
        let on = |tokens: TokenStream| {
            let alternatives = complaints(quote!(on = #tokens), &[]).on.unwrap_or_default();
            let kinds: Vec<&str> = alternatives
                .iter()
                .map(|alternative| match alternative {
                    Alternative::Any => "any",
                    Alternative::Type(_) => "type",
                    Alternative::Source(_) => "source",
                    Alternative::Pattern(_) => "pattern",
                })
                .collect();
            kinds.join(" ")
        };
        assert_eq!(
            on(quote!(Error | io::Error | T::Error | Self::Error | <T as S>::Error | Box<dyn Error>)),
            ["type"; 6].join(" ")
        );
        assert_eq!(on(quote!(S::Error | u32 | &'static str)), ["type"; 3].join(" "));
        assert_eq!(
            on(quote!(Error::Busy | store::Error::Busy | E::A | Code::BUSY)),
            ["pattern"; 4].join(" ")
        );
        assert_eq!(
            on(quote!(Busy(_) | Busy { .. } | (A, _) | 500..=599 | Status(500..=599))),
            ["pattern"; 5].join(" ")
        );
        assert_eq!(on(quote! { | Busy(_) | source(io::Error) | _ }), "pattern source any");
        assert_eq!(on(quote!((Error) | (io::Error | Error::Busy))), "type type pattern");
    }
}
