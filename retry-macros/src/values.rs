//! One value at a time: literals are read here, expressions are kept for the start of the call.

use std::time::Duration;

use proc_macro2::TokenTree;
use retry_policy::AttemptLimit;
use retry_policy::duration::{self, ParseDurationErrorKind};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, Path, Token, UnOp};

use crate::args::Value;
use crate::classify;
use crate::errors::{Errors, written};
use crate::keys::Key;

/// What a duration key may say.
enum Spoken {
    /// One of the key's own words.
    Word(&'static str),
    Duration(Duration),
    Expr(Expr),
}

/// A duration or an expression.
pub(crate) fn plain_duration(key: Key, expr: Expr, errors: &mut Errors) -> Option<Value<Duration>> {
    match duration_or(key, &[], expr, errors)? {
        Spoken::Word(_) => None,
        Spoken::Duration(duration) => Some(Value::Literal(duration)),
        Spoken::Expr(expr) => Some(Value::Expr(expr)),
    }
}

/// A duration, `"none"`, or an expression.
pub(crate) fn optional_duration(
    key: Key,
    expr: Expr,
    errors: &mut Errors,
) -> Option<Value<Option<Duration>>> {
    Some(match duration_or(key, &["none"], expr, errors)? {
        Spoken::Word(_) => Value::Literal(None),
        Spoken::Duration(duration) => Value::Literal(Some(duration)),
        Spoken::Expr(expr) => Value::Expr(expr),
    })
}

/// The value of `per_attempt`.
pub(crate) fn attempt_limit(expr: Expr, errors: &mut Errors) -> Option<Value<AttemptLimit>> {
    Some(match duration_or(Key::PerAttempt, &["share", "none"], expr, errors)? {
        Spoken::Word("share") => Value::Literal(AttemptLimit::Share),
        Spoken::Word(_) => Value::Literal(AttemptLimit::None),
        Spoken::Duration(duration) => Value::Literal(AttemptLimit::Of(duration)),
        Spoken::Expr(expr) => Value::Expr(expr),
    })
}

/// A duration, one of `words`, or an expression.
fn duration_or(key: Key, words: &[&'static str], expr: Expr, errors: &mut Errors) -> Option<Spoken> {
    let name = key.name();
    match literal(&expr) {
        Some(Lit::Str(text)) => {
            let value = text.value();
            if let Some(word) = words.iter().find(|word| **word == value) {
                return Some(Spoken::Word(word));
            }
            let is_word = !value.is_empty() && value.chars().all(|letter| letter.is_alphabetic());
            match duration::parse(&value) {
                Ok(duration) => return Some(Spoken::Duration(duration)),
                Err(_) if is_word && value.len() > 2 => {
                    errors.at(text, format!("`{name}` takes {}, not `{value:?}`", key.takes()));
                }
                Err(error) => errors.at(text, error.to_string()),
            }
            None
        }
        Some(Lit::Int(number)) if number.base10_digits() == "0" && may_not_be_zero(key) => {
            Some(Spoken::Duration(Duration::ZERO))
        }
        Some(Lit::Int(number)) => {
            let unit = if number.suffix().is_empty() { "s" } else { number.suffix() };
            let meant = format!("{}{unit}", number.base10_digits());
            let text = match duration::parse(&meant) {
                Ok(_) => format!(
                    "`{name}` takes a duration in quotes, with its unit: write `{name} = \"{meant}\"`"
                ),
                Err(_) => format!("`{name}` takes {}", key.takes()),
            };
            errors.at(expr, text);
            None
        }
        Some(Lit::Float(number)) => {
            let unit = if number.suffix().is_empty() { "s" } else { number.suffix() };
            let error = duration::parse(&format!("{}{unit}", number.base10_digits()))
                .map_err(|error| error.kind().clone());
            let text = match error {
                Err(ParseDurationErrorKind::Decimal { whole: Some(whole) }) => {
                    format!(
                        "`{name}` takes a duration in quotes, with its unit: write `{name} = \"{whole}\"`"
                    )
                }
                _ => format!("`{name}` takes {}", key.takes()),
            };
            errors.at(expr, text);
            None
        }
        Some(_) => {
            errors.at(&expr, format!("`{name}` takes {}", key.takes()));
            None
        }
        None => {
            if let Some(word) = words.iter().find(|word| **word != "share" && is_name(&expr, word)) {
                errors.at(&expr, format!("write `{name} = \"{word}\"`, in quotes"));
                return None;
            }
            if is_name(&expr, "None") {
                errors.at(&expr, none_is_default(name, words));
                return None;
            }
            expression(key, expr, errors).map(Spoken::Expr)
        }
    }
}

/// Whether there is a rule with its own sentence about a zero.
fn may_not_be_zero(key: Key) -> bool {
    matches!(key, Key::Total | Key::PerAttempt | Key::Backoff | Key::MaxBackoff)
}

/// `None` is what an expression says that leaves the decision to the default.
fn none_is_default(name: &str, words: &[&str]) -> String {
    match words.last() {
        Some(word) => {
            format!("`None` stands for the default: leave `{name}` out, or write `{name} = \"{word}\"`")
        }
        None => format!("`None` stands for the default: leave `{name}` out"),
    }
}

/// Whether the expression is this one word.
fn is_name(expr: &Expr, word: &str) -> bool {
    matches!(bare(expr), Expr::Path(path) if path.path.is_ident(word))
}

/// The value of `attempts`.
pub(crate) fn attempts(expr: Expr, errors: &mut Errors) -> Option<Value<Option<u32>>> {
    let takes = || format!("`attempts` takes {}", Key::Attempts.takes());
    match literal(&expr) {
        Some(Lit::Int(number)) => match number.base10_parse::<u32>() {
            Ok(_) if !is_number_type(number.suffix()) => errors.at(&expr, takes()),
            Ok(count) => return Some(Value::Literal(Some(count))),
            Err(_) => errors.at(
                &expr,
                format!("`attempts` is at most {}; write `\"unlimited\"` for no limit at all", u32::MAX),
            ),
        },
        Some(Lit::Str(text)) => match text.value().as_str() {
            "unlimited" => return Some(Value::Literal(None)),
            digits if digits.parse::<u32>().is_ok() => {
                errors.at(
                    &expr,
                    format!("`attempts` is a number: write `attempts = {digits}`, without quotes"),
                );
            }
            _ => errors.at(&expr, takes()),
        },
        Some(_) => errors.at(&expr, takes()),
        None if is_name(&expr, "unlimited") => {
            errors.at(&expr, "write `attempts = \"unlimited\"`, in quotes");
        }
        None if is_name(&expr, "None") => errors.at(&expr, takes()),
        None if negated(&expr).is_some() => errors.at(&expr, takes()),
        None => return expression(Key::Attempts, expr, errors).map(Value::Expr),
    }
    None
}

/// The value of `factor`.
pub(crate) fn factor(expr: Expr, errors: &mut Errors) -> Option<Value<f64>> {
    let number = |literal: &Lit| match literal {
        Lit::Int(number) if is_number_type(number.suffix()) => number.base10_digits().parse::<f64>().ok(),
        Lit::Float(number) if is_number_type(number.suffix()) => number.base10_digits().parse::<f64>().ok(),
        _ => None,
    };
    let known = match (literal(&expr), negated(&expr)) {
        (Some(literal), _) => number(literal),
        (None, Some(literal)) => number(literal).map(|number| -number),
        (None, None) => return expression(Key::Factor, expr, errors).map(Value::Expr),
    };
    if known.is_none() {
        errors.at(&expr, format!("`factor` takes {}", Key::Factor.takes()));
    }
    known.map(Value::Literal)
}

/// Whether a literal with this suffix is a number, and no `3x` or `200ms`.
fn is_number_type(suffix: &str) -> bool {
    suffix.is_empty()
        || (suffix.starts_with(['u', 'i', 'f'])
            && syn::parse_str::<Ident>(suffix).is_ok_and(|name| classify::is_primitive(&name)))
}

/// One of a few words in quotes.
pub(crate) fn word<T: Copy>(key: Key, words: &[(&str, T)], expr: &Expr, errors: &mut Errors) -> Option<T> {
    if let Some(Lit::Str(text)) = literal(expr) {
        let value = text.value();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == value) {
            return Some(*meaning);
        }
    }
    errors.at(expr, format!("`{}` takes {}", key.name(), key.takes()));
    None
}

/// `true` or `false`.
pub(crate) fn flag(expr: &Expr, errors: &mut Errors) -> Option<bool> {
    if let Some(Lit::Bool(flag)) = literal(expr) {
        return Some(flag.value);
    }
    let text = match literal(expr) {
        Some(Lit::Str(text)) if ["true", "false"].contains(&text.value().as_str()) => {
            format!("write `idempotent = {}`, without quotes", text.value())
        }
        _ => format!("`idempotent` takes {}", Key::Idempotent.takes()),
    };
    errors.at(expr, text);
    None
}

/// A function or closure: whatever is no literal.
pub(crate) fn function(key: Key, expr: Expr, errors: &mut Errors) -> Option<Expr> {
    let name = key.name();
    match bare(&expr) {
        Expr::Closure(closure) if closure.asyncness.is_some() => {
            errors.at(
                closure.asyncness,
                format!("`{name}` decides at once: write a closure that is not `async`"),
            );
        }
        Expr::Closure(closure) if closure.inputs.len() != 1 => {
            errors.at(&expr, format!("`{name}` takes {}", key.takes()));
        }
        Expr::Macro(call) if call.mac.path.is_ident("matches") => {
            errors.at(&expr, format!("`{name}` takes a closure: write `{name} = |it| matches!(it, ..)`"));
        }
        _ if is_pattern(&expr) => {
            let text = match key {
                Key::When => format!("a pattern goes to `on`: write `on = {}`", written(&expr)),
                _ => format!("`{name}` takes a closure: write `{name} = |it| ..`"),
            };
            errors.at(&expr, text);
        }
        _ if literal(&expr).is_some() || negated(&expr).is_some() => {
            errors.at(&expr, format!("`{name}` takes {}", key.takes()));
        }
        _ => return Some(expr),
    }
    None
}

/// `_`, `Error::Busy(_)`: a pattern that is read as an expression.
fn is_pattern(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Infer(_) => true,
        Expr::Call(call) => call.args.iter().any(is_pattern),
        Expr::Tuple(tuple) => tuple.elems.iter().any(is_pattern),
        Expr::Range(range) => range.start.is_none() && range.end.is_none(),
        Expr::Binary(binary) => {
            matches!(binary.op, syn::BinOp::BitOr(_))
                && (is_pattern(&binary.left) || is_pattern(&binary.right))
        }
        Expr::Struct(fields) => fields.dot2_token.is_some() && fields.rest.is_none(),
        _ => false,
    }
}

/// The value of `fallback`: a function or closure, which may be `async`.
pub(crate) fn fallback(expr: Expr, errors: &mut Errors) -> Option<Expr> {
    let wrong = match bare(&expr) {
        Expr::Closure(closure) => closure.inputs.len() != 1,
        Expr::Async(_) => true,
        _ => literal(&expr).is_some(),
    };
    if wrong {
        errors.at(&expr, format!("`fallback` takes {}", Key::Fallback.takes()));
        return None;
    }
    Some(expr)
}

/// An expression that stands for an object.
pub(crate) fn object(key: Key, expr: Expr, errors: &mut Errors) -> Option<Expr> {
    if is_name(&expr, "None") {
        errors.at(&expr, none_is_default(key.name(), &[]));
        return None;
    }
    if literal(&expr).is_none() {
        return expression(key, expr, errors);
    }
    errors.at(&expr, format!("`{}` takes {}", key.name(), key.takes()));
    None
}

/// The value of `crate`.
pub(crate) fn crate_path(input: ParseStream<'_>, errors: &mut Errors) -> Option<Path> {
    if input.peek(Ident::peek_any) || input.peek(Token![::]) {
        if let Ok(path) = input.call(Path::parse_mod_style) {
            return Some(path);
        }
    }
    let text = match input.cursor().token_tree() {
        Some((TokenTree::Literal(literal), _)) => {
            format!(
                "`crate` takes a path: write `crate = {}`, without quotes",
                literal.to_string().trim_matches('"')
            )
        }
        _ => format!("`crate` takes {}", Key::Crate.takes()),
    };
    errors.at(input.cursor().token_tree().map(|(token, _)| token), text);
    None
}

/// What can be a value at run time, as far as its form tells.
fn expression(key: Key, expr: Expr, errors: &mut Errors) -> Option<Expr> {
    let is_none = matches!(bare(&expr), Expr::Closure(_) | Expr::Assign(_) | Expr::Let(_) | Expr::Range(_));
    if is_none || negated(&expr).is_some() {
        errors.at(&expr, format!("`{}` takes {}", key.name(), key.takes()));
        return None;
    }
    Some(expr)
}

/// The expression without the parentheses and invisible groups around it.
pub(crate) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) if group.attrs.is_empty() => bare(&group.expr),
        Expr::Paren(paren) if paren.attrs.is_empty() => bare(&paren.expr),
        other => other,
    }
}

fn literal(expr: &Expr) -> Option<&Lit> {
    match bare(expr) {
        Expr::Lit(ExprLit { lit, attrs }) if attrs.is_empty() => Some(lit),
        _ => None,
    }
}

fn negated(expr: &Expr) -> Option<&Lit> {
    match bare(expr) {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => literal(expr),
        _ => None,
    }
}
