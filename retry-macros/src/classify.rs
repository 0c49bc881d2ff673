//! `on`, `when` and `when_ok`: which outcomes are worth another attempt.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Ident, Pat, Path, PathArguments, Token, Type};

use crate::errors::Errors;
use crate::site::Site;

/// One of the alternatives that `on` joins by `|`.
pub(crate) enum Alternative {
    /// `_`
    Any,
    /// `ConnectionError`
    Type(TokenStream),
    /// `source(ConnectionError)`
    Source(TokenStream),
    /// `StoreError::Busy`, `FetchError::Status(500..=599)`
    Pattern(TokenStream),
}

/// Reads the value of `on`; `None` after a complaint.
pub(crate) fn parse(
    input: ParseStream<'_>,
    generics: &[String],
    errors: &mut Errors,
) -> Option<Vec<Alternative>> {
    if let Some(closure) = closure_ahead(input) {
        errors.at(closure.inputs_begin, "a closure goes to `when`: write `when = |error| ..`");
        return None;
    }
    let mut alternatives = Vec::new();
    let mut bar: Option<Token![|]> = input.parse().ok()?;
    loop {
        if bar.is_some() && (input.is_empty() || input.peek(Token![,]) || input.peek(Token![|])) {
            errors.at(bar, "expected a type or a pattern after this `|`");
            return None;
        }
        alternative(input, generics, &mut alternatives, errors)?;
        bar = input.parse().ok()?;
        if bar.is_none() {
            break;
        }
    }
    if input.peek(Token![if]) {
        let text = "a condition goes to `when`: write `when = |error| ..`";
        errors.at(input.cursor().token_tree().map(|(token, _)| token), text);
        return None;
    }
    Some(alternatives)
}

fn alternative(
    input: ParseStream<'_>,
    generics: &[String],
    alternatives: &mut Vec<Alternative>,
    errors: &mut Errors,
) -> Option<()> {
    // What a fragment of `macro_rules!` stands for.
    if let Some((TokenTree::Group(group), _)) = input.cursor().token_tree() {
        if group.delimiter() == Delimiter::None {
            input.parse::<TokenTree>().ok()?;
            let inner = |input: ParseStream<'_>| {
                let inner = parse(input, generics, errors);
                input.parse::<TokenStream>()?;
                Ok(inner)
            };
            alternatives.extend(inner.parse2(group.stream()).ok()??);
            return Some(());
        }
    }
    if input.peek(Token![_]) {
        input.parse::<Token![_]>().ok()?;
        alternatives.push(Alternative::Any);
        return Some(());
    }
    match source(input) {
        Some(Ok(ty)) => {
            alternatives.push(Alternative::Source(ty));
            return Some(());
        }
        Some(Err(arguments)) => {
            errors.at(arguments, "`source` takes one type, such as `on = source(ConnectionError)`");
            return None;
        }
        None => {}
    }
    let start = input.fork();
    if let Some(ty) = type_ahead(input) {
        return match classify(&ty, generics) {
            Class::Type => {
                alternatives.push(Alternative::Type(ty.into_token_stream()));
                Some(())
            }
            Class::Pattern => {
                alternatives.push(Alternative::Pattern(ty.into_token_stream()));
                Some(())
            }
            Class::Function => {
                let name = ty.to_token_stream().to_string().replace(' ', "");
                errors.at(
                    ty,
                    format!("`on` takes types and patterns, a function goes to `when`: `when = {name}`"),
                );
                None
            }
        };
    }
    let ahead = start.fork();
    let pattern = ahead.call(Pat::parse_single);
    match pattern {
        Ok(pattern) if !is_text(&pattern) => {
            if let Some(call) = lower_case_call(&pattern) {
                let text =
                    "`on` takes types and patterns, a condition goes to `when`: write `when = |error| ..`";
                errors.at(call, text);
                return None;
            }
            input.advance_to(&ahead);
            alternatives.push(Alternative::Pattern(pattern.into_token_stream()));
            Some(())
        }
        _ => {
            let found = start.cursor().token_tree().map(|(token, _)| token);
            errors.at(found, "`on` takes error types and patterns joined by `|`, or `_` for every error");
            None
        }
    }
}

/// A closure, unless it can only be a pattern that begins with `|`.
fn closure_ahead(input: ParseStream<'_>) -> Option<ExprClosure> {
    let closure = input.fork().parse::<ExprClosure>().ok()?;
    let is_binding = |pat: &Pat| match pat {
        Pat::Ident(binding) => is_lower_case(&binding.ident),
        Pat::Type(_) | Pat::Wild(_) | Pat::Reference(_) | Pat::Tuple(_) => true,
        _ => false,
    };
    let is_closure = closure.capture.is_some()
        || closure.asyncness.is_some()
        || closure.inputs.first().is_none_or(is_binding);
    is_closure.then_some(closure)
}

/// `source(Type)`: the type, or the arguments that are none.
fn source(input: ParseStream<'_>) -> Option<Result<TokenStream, Group>> {
    let ahead = input.fork();
    let name = ahead.call(Ident::parse_any).ok()?;
    let TokenTree::Group(group) = ahead.parse().ok()? else { return None };
    if name != "source" || group.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    input.advance_to(&ahead);
    Some(syn::parse2::<Type>(group.stream()).map(ToTokens::into_token_stream).map_err(|_| group))
}

/// A type, unless what follows shows that it began a pattern.
fn type_ahead(input: ParseStream<'_>) -> Option<Type> {
    let ahead = input.fork();
    let ty = ahead.call(Type::without_plus).ok()?;
    let is_pattern = match &ty {
        Type::Path(path) => path
            .path
            .segments
            .iter()
            .any(|segment| matches!(segment.arguments, PathArguments::Parenthesized(_))),
        Type::Reference(reference) => reference.lifetime.is_none(),
        Type::TraitObject(_) | Type::FnPtr(_) => false,
        _ => true,
    };
    let goes_on = ahead.peek(syn::token::Paren)
        || ahead.peek(syn::token::Brace)
        || ahead.peek(Token![@])
        || ahead.peek(Token![..])
        || ahead.peek(Token![!]);
    if is_pattern || goes_on {
        return None;
    }
    input.advance_to(&ahead);
    Some(ty)
}

enum Class {
    Type,
    Pattern,
    Function,
}

/// A path by the case of its last two segments: `Error`, `io::Error` and `T::Error` are types, `Error::Busy` is a
/// variant, `is_busy` a function.
fn classify(ty: &Type, generics: &[String]) -> Class {
    let Type::Path(path) = ty else { return Class::Type };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    let Some(last) = names.next() else { return Class::Type };
    if is_lower_case(last) && !is_primitive(last) {
        return Class::Function;
    }
    match names.next() {
        Some(before) if path.qself.is_none() && is_enum(before, last, generics) => Class::Pattern,
        _ => Class::Type,
    }
}

/// Whether the name before the last `::` is an enum's, as far as can be seen here. The type parameters of the `impl`
/// around a method cannot be seen, but `T::Error` is most likely the associated type of one.
fn is_enum(name: &Ident, last: &Ident, generics: &[String]) -> bool {
    let name = name.unraw().to_string();
    let is_capital = name.starts_with(char::is_uppercase);
    let is_parameter =
        generics.contains(&name) || name.chars().count() == 1 && (last == "Error" || last == "Err");
    is_capital && name != "Self" && !is_parameter
}

fn is_lower_case(name: &Ident) -> bool {
    name.unraw().to_string().trim_start_matches('_').starts_with(char::is_lowercase)
}

fn is_primitive(name: &Ident) -> bool {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
        "u64", "u128", "usize",
    ];
    PRIMITIVES.iter().any(|primitive| name == primitive)
}

fn is_text(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)))
}

/// `is_busy(..)` or `matches!(..)`, where a pattern was wanted; also a binding such as `error`.
fn lower_case_call(pattern: &Pat) -> Option<TokenStream> {
    let of_path = |path: &Path| {
        let last = path.segments.last()?;
        is_lower_case(&last.ident).then(|| path.to_token_stream())
    };
    match pattern {
        Pat::TupleStruct(call) => of_path(&call.path),
        Pat::Macro(call) => Some(call.mac.path.to_token_stream()),
        Pat::Ident(binding) if binding.subpat.is_none() && binding.by_ref.is_none() => {
            is_lower_case(&binding.ident).then(|| binding.to_token_stream())
        }
        _ => None,
    }
}

/// The predicate over `__retry_error`: whether another attempt is worth it.
pub(crate) fn predicate(on: Option<&[Alternative]>, when: Option<&Expr>, site: &Site) -> TokenStream {
    let when = when.map(|when| {
        let span = site.at(when.span());
        quote_spanned!(span=> __retry_form.when(&__retry_error, #when))
    });
    let span = site.span;
    match (on.map(|on| any_of(on, site)), when) {
        (Some(None), None) => quote_spanned!(span=> true),
        (Some(None) | None, Some(when)) => when,
        (Some(Some(on)), None) => on,
        (Some(Some(on)), Some(when)) => quote_spanned!(span=> (#on) && #when),
        (None, None) => quote_spanned!(span=> false),
    }
}

// Input:  on = A | source(B) | C::D(_) | C::E
// Output: IS_A || IS_IN_SOURCE_B || match &__retry_error { C::D(_) | C::E => true, _ => false }
//
// `None`: every error.
fn any_of(alternatives: &[Alternative], site: &Site) -> Option<TokenStream> {
    let private = &site.private;
    let mut questions = Vec::new();
    let mut patterns = Vec::new();
    for alternative in alternatives {
        match alternative {
            Alternative::Any => return None,
            Alternative::Type(ty) => {
                let span = site.at(first_span(ty));
                questions.push(quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{IsInChain as _, IsNeither as _, IsSame as _};
                        (&&&#private::is::<#ty, _>(&__retry_error, &__retry_call)).__retry_is()
                    }
                });
            }
            Alternative::Source(ty) => {
                let span = site.at(first_span(ty));
                questions.push(quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{SourceOfError as _, SourceOfNone as _, SourceOfOpaque as _};
                        (&&&#private::source::<#ty, _>(&__retry_error, &__retry_call)).__retry_source()
                    }
                });
            }
            Alternative::Pattern(pattern) => patterns.push(pattern),
        }
    }
    if let Some(first) = patterns.first() {
        let span = site.at(first_span(first));
        questions.push(quote_spanned! {span=>
            match &__retry_error {
                #(#patterns)|* => true,
                #[allow(unreachable_patterns)]
                _ => false,
            }
        });
    }
    let span = site.span;
    // None where `on` is bad: then no error is transient.
    Some(if questions.is_empty() {
        quote_spanned!(span=> false)
    } else {
        quote_spanned!(span=> #(#questions)||*)
    })
}

fn first_span(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}
