//! An annotated `impl` block: the attribute on each of its async methods.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Generics, ImplItem, Meta, Signature, Token, Visibility};

use crate::args::between;
use crate::errors::Errors;
use crate::function::{Function, braces, item_keyword};

/// One item of the block.
pub(crate) enum Member {
    Method(Box<Method>),
    /// As it was written.
    Other(TokenStream),
}

/// A method with a body.
pub(crate) struct Method {
    /// Without its own `#[retry]`.
    pub(crate) function: Function,
    /// The arguments of its own `#[retry]`.
    pub(crate) own: Option<TokenStream>,
}

/// The names of the type parameters of `impl<..>`.
pub(crate) fn type_parameters(head: &TokenStream) -> Vec<String> {
    let read = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        while !input.peek(Token![impl]) {
            input.parse::<TokenTree>()?;
        }
        input.parse::<Token![impl]>()?;
        let generics = input.parse::<Generics>()?;
        input.parse::<TokenStream>()?;
        Ok(Function::type_parameters(&generics))
    };
    // `impl <T as Trait>::Type` has none.
    read.parse2(head.clone()).unwrap_or_default()
}

/// The items of the block; from the first one on that does not parse, all that is left is one item.
pub(crate) fn members(body: &Group, errors: &mut Errors) -> Vec<Member> {
    let mut members = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let start = input.fork();
            match member(input, errors) {
                Ok(member) => members.push(member),
                Err(_) => {
                    input.parse::<TokenStream>()?;
                    members.push(Member::Other(start.parse()?));
                }
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(body.stream()) {
        errors.at_span(error.span(), error.to_string());
    }
    members
}

fn member(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Member> {
    let start = input.fork();
    let attrs = input.call(Attribute::parse_outer)?;
    let after_attrs = input.fork();
    input.parse::<Visibility>()?;
    if item_keyword(input).is_none_or(|word| word != "fn") {
        return other(&start, input);
    }
    if input.peek(Token![default]) {
        input.parse::<Token![default]>()?;
    }
    let sig = input.parse::<Signature>()?;
    let head = between(&after_attrs, input);
    let next = input.parse::<TokenTree>()?;
    let Some(body) = braces(&next) else {
        return Ok(Member::Other(between(&start, input)));
    };
    let (own, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(is_retry);
    for twice in own.iter().skip(1) {
        errors.at(twice, "`#[retry]` is given twice; leave one of them out");
    }
    let own = own.first().map(arguments);
    let mut whole = TokenStream::new();
    attrs.iter().for_each(|attr| attr.to_tokens(&mut whole));
    whole.extend(head);
    Ok(Member::Method(Box::new(Method { function: Function { head: whole, attrs, sig, body }, own })))
}

fn other(start: ParseStream<'_>, input: ParseStream<'_>) -> syn::Result<Member> {
    let ahead = start.fork();
    ahead.parse::<ImplItem>()?;
    let tokens = between(start, &ahead);
    // What has been read of it already counts.
    while input.cursor() < ahead.cursor() {
        input.parse::<TokenTree>()?;
    }
    Ok(Member::Other(tokens))
}

/// `#[retry]`, by whatever path.
fn is_retry(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "retry")
}

fn arguments(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => pair.value.to_token_stream(),
        Meta::Path(_) => TokenStream::new(),
    }
}

/// `#[retry(skip)]`
pub(crate) fn is_skip(arguments: &TokenStream) -> bool {
    arguments.to_string() == "skip"
}

/// The word `impl`.
pub(crate) fn keyword(head: &TokenStream) -> Option<TokenTree> {
    head.clone().into_iter().find(|token| matches!(token, TokenTree::Ident(word) if word == "impl"))
}
