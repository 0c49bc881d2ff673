//! `on`, `when` and `when_ok`: which outcomes are worth another attempt.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Ident, Pat, Path, PathArguments, Token, Type};

use crate::args::joined;
use crate::errors::{Errors, written};
use crate::function::name_span;
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
        if let Some(other) = other_bar(input) {
            errors.at(other, "types and patterns are joined by `|`: write `on = A | B`");
            return None;
        }
        bar = input.parse().ok()?;
        if bar.is_none() {
            break;
        }
    }
    if input.peek(Token![if]) {
        errors.at(next(input), "a condition goes to `when`: write `when = |error| ..`");
        return None;
    }
    Some(alternatives)
}

/// What stands between two alternatives instead of `|`.
fn other_bar(input: ParseStream<'_>) -> Option<TokenStream> {
    let is_word = input.peek(Ident::peek_any)
        && input.fork().call(Ident::parse_any).is_ok_and(|word| word == "or" || word == "and");
    let tokens = match () {
        () if input.peek(Token![||]) || input.peek(Token![&&]) => 2,
        () if is_word || input.peek(Token![&]) || input.peek(Token![+]) => 1,
        () => return None,
    };
    let ahead = input.fork();
    (0..tokens).map(|_| ahead.parse::<TokenTree>().ok()).collect()
}

/// The next token, to point at it.
fn next(input: ParseStream<'_>) -> Option<TokenTree> {
    input.cursor().token_tree().map(|(token, _)| token)
}

fn alternative(
    input: ParseStream<'_>,
    generics: &[String],
    alternatives: &mut Vec<Alternative>,
    errors: &mut Errors,
) -> Option<()> {
    if let Some(TokenTree::Group(group)) = next(input) {
        let list = list_of(&group, generics);
        // What a fragment of `macro_rules!` stands for.
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
        match list {
            List::One(inner) => {
                input.parse::<TokenTree>().ok()?;
                alternatives.extend(inner);
                return Some(());
            }
            List::OfTypes => {
                let joined = written(joined(group.stream()));
                errors.at(group, format!("types and patterns are joined by `|`: write `on = {joined}`"));
                return None;
            }
            List::None => {}
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
            errors.at(
                arguments,
                "`source` takes one type, such as `on = source(ConnectionError)`; join several by `|`",
            );
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
            Class::Function if input.peek(Token![if]) => {
                errors.at(ty, "a condition goes to `when`: write `when = |error| ..`");
                None
            }
            Class::Function if is_source(&ty) => {
                errors
                    .at(ty, "`source` takes its type in parentheses, such as `on = source(ConnectionError)`");
                None
            }
            Class::Bound => {
                errors.at(ty, "`on` takes types, not traits: name an error type, or `_` for every error");
                None
            }
            Class::Variant => {
                errors.at(ty, "`None` is a variant: name its enum, `on = Option::None`");
                None
            }
            Class::Function => {
                let name = written(&ty);
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
        Ok(pattern) if !is_nothing(&pattern) => {
            if let Some(text) = looked_through(&pattern) {
                errors.at(next(&start), text);
                return None;
            }
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
            errors.at(
                next(&start),
                "`on` takes error types and patterns joined by `|`, or `_` for every error",
            );
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
    /// `dyn Error`
    Bound,
    /// `None`
    Variant,
}

/// A path by the case of its last two segments: `Error`, `io::Error` and `T::Error` are types, `Error::Busy` is a
/// variant, `is_busy` a function.
fn classify(ty: &Type, generics: &[String]) -> Class {
    let path = match ty {
        Type::Path(path) => path,
        Type::TraitObject(_) => return Class::Bound,
        _ => return Class::Type,
    };
    if path.path.is_ident("None") {
        return Class::Variant;
    }
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

pub(crate) fn is_primitive(name: &Ident) -> bool {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
        "u64", "u128", "usize",
    ];
    PRIMITIVES.iter().any(|primitive| name == primitive)
}

/// What is no pattern of an error.
fn is_nothing(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(literal) => matches!(literal.lit, syn::Lit::Str(_) | syn::Lit::Bool(_)),
        Pat::Rest(_) => true,
        _ => false,
    }
}

/// What to say about a pattern of what surrounds the error: a reference to it, or the whole result.
fn looked_through(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Reference(reference) => {
            let inside = written(&reference.pat);
            Some(format!("`on` looks at the error itself: leave out the `&`, `on = {inside}`"))
        }
        Pat::TupleStruct(variant) if variant.path.is_ident("Err") => {
            let inside = written(&variant.elems);
            Some(format!("`on` looks at the error itself: leave out the `Err`, `on = {inside}`"))
        }
        Pat::TupleStruct(variant) if variant.path.is_ident("Ok") => Some(
            "`on` looks at errors; an `Ok` value that is worth another attempt goes to `when_ok`".to_owned(),
        ),
        _ => None,
    }
}

/// What a group in brackets stands for.
enum List {
    /// Alternatives in parentheses.
    One(Vec<Alternative>),
    /// Types, separated by commas.
    OfTypes,
    /// A pattern, or nothing that is known.
    None,
}

fn list_of(group: &Group, generics: &[String]) -> List {
    let inner = |input: ParseStream<'_>| {
        let mut alternatives = Vec::new();
        let mut count = 0;
        while !input.is_empty() {
            count += 1;
            alternatives.extend(parse(input, generics, &mut Errors::default()).unwrap_or_default());
            if input.is_empty() {
                break;
            }
            count += 1;
            input.parse::<Token![,]>()?;
        }
        Ok((alternatives, count))
    };
    let Ok((alternatives, count)) = inner.parse2(group.stream()) else { return List::None };
    let are_types =
        alternatives.iter().all(|one| matches!(one, Alternative::Type(_) | Alternative::Source(_)));
    match group.delimiter() {
        Delimiter::Parenthesis if count == 1 => List::One(alternatives),
        Delimiter::Parenthesis | Delimiter::Bracket if are_types && !alternatives.is_empty() => List::OfTypes,
        _ => List::None,
    }
}

fn is_source(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.len() == 1 && path.path.segments.iter().all(|segment| segment.ident == "source"))
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

/// The predicate over `__retry_error`, a reference: whether another attempt is worth it.
pub(crate) fn predicate(
    on: Option<&[Alternative]>,
    when: Option<&Expr>,
    policy: &TokenStream,
    site: &Site,
) -> TokenStream {
    let when = when.map(|when| {
        let span = site.at(when.span());
        quote_spanned!(span=> __retry_form.when(__retry_error, #when))
    });
    let span = site.span;
    match (on.map(|on| any_of(on, policy, site)), when) {
        (Some(None), None) => quote_spanned!(span=> true),
        (Some(None) | None, Some(when)) => when,
        (Some(Some(on)), None) => on,
        (Some(Some(on)), Some(when)) => quote_spanned!(span=> (#on) && #when),
        (None, None) => quote_spanned!(span=> false),
    }
}

// Input:  on = A | source(B) | C::D(_) | C::E
// Output: IS_A || IS_IN_SOURCE_B || match __retry_form.seen(__retry_error) { C::D(_) | C::E => true, _ => false }
//
// `None`: every error.
fn any_of(alternatives: &[Alternative], policy: &TokenStream, site: &Site) -> Option<TokenStream> {
    let private = &site.private;
    let mut questions = Vec::new();
    let mut patterns = Vec::new();
    for alternative in alternatives {
        match alternative {
            Alternative::Any => return None,
            Alternative::Type(ty) => {
                let span = site.at(place(ty));
                questions.push(quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{IsInChain as _, IsNeither as _, IsSame as _};
                        (&&&#private::is::<#ty, _>(__retry_error, #policy)).__retry_is()
                    }
                });
            }
            Alternative::Source(ty) => {
                let span = site.at(place(ty));
                questions.push(quote_spanned! {span=>
                    {
                        #[allow(unused_imports)]
                        use #private::{SourceOfError as _, SourceOfNone as _, SourceOfOpaque as _};
                        (&&&#private::source::<#ty, _>(__retry_error, #policy)).__retry_source()
                    }
                });
            }
            Alternative::Pattern(pattern) => patterns.push(pattern),
        }
    }
    if let Some(first) = patterns.first() {
        let span = site.at(first_span(first));
        questions.push(quote_spanned! {span=>
            match __retry_form.seen(__retry_error) {
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

/// Where errors about a type are reported.
fn place(ty: &TokenStream) -> Span {
    syn::parse2(ty.clone()).map_or_else(|_| first_span(ty), |ty| name_span(&ty))
}

fn first_span(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}
