//! The attribute: item in, item out, with every mistake beside it.

use proc_macro2::{Group, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Type;

use crate::args::Args;
use crate::block::{self, Member, Method};
use crate::call::call;
use crate::capture::{self, Binding, Captures, Turns};
use crate::errors::{Errors, written};
use crate::function::{Function, Item, Shape};
use crate::site::{Site, in_braces};
use crate::{async_trait, borrow, fragment, hedge, receiver, spec, tracing};

/// The attribute: the item, expanded as far as it is understood, and every mistake beside it.
pub(crate) fn attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if is_expression(&item) {
        let text = "`#[retry]` goes on an `async fn` or an `impl` block; around an expression, write `policy.run(|| async { .. })`";
        errors.at(item.into_iter().next(), text);
        return errors.expression();
    }
    let expanded = match Item::parse(&item, &mut errors) {
        Item::Function(function) => Some(alone(args, &function, None, &mut errors)),
        Item::Impl { head, body } => Some(block(args, head, &body, &mut errors)),
        Item::Other => {
            Args::parse(args, &[], &mut errors);
            None
        }
    };
    let mut output = expanded.unwrap_or(item);
    errors.to_tokens(&mut output);
    output
}

/// A closure, a block, a call. The compiler refuses an attribute there too, and has no place for an item.
fn is_expression(item: &TokenStream) -> bool {
    syn::parse2::<syn::Item>(item.clone()).is_err() && syn::parse2::<syn::Expr>(item.clone()).is_ok()
}

/// A function with an attribute of its own; `outer` are the type parameters of the annotated block around it.
fn alone(
    args: TokenStream,
    function: &Function,
    outer: Option<&[String]>,
    errors: &mut Errors,
) -> TokenStream {
    let mut generics = Function::type_parameters(&function.sig.generics);
    generics.extend_from_slice(outer.unwrap_or_default());
    let args = Args::parse(following(&args, function).unwrap_or(args), &generics, errors);
    if let Some(skip) = args.skip {
        let text = if outer.is_some() {
            "`skip` leaves the method alone, so it stands alone: leave the other keys out"
        } else {
            "`skip` leaves a method of an annotated `impl` block alone; leave the whole attribute out here"
        };
        errors.at_span(skip, text);
        return function.as_written();
    }
    spec::check(&args, errors);
    annotated(&args, function, false, errors)
}

// Input:  #[retry(ARGS)] impl X { async fn f(..) -> R { .. } #[retry(skip)] async fn g(..) { .. } fn h(..) { .. } }
// Output: impl X { #[retry(ARGS)] async fn f(..) -> R { .. } async fn g(..) { .. } fn h(..) { .. } }
fn block(args: TokenStream, head: TokenStream, body: &Group, errors: &mut Errors) -> TokenStream {
    let outer = block::type_parameters(&head);
    let members = block::members(body, errors);
    let mut generics = outer.clone();
    for member in &members {
        if let Member::Method(method) = member {
            generics.extend(Function::type_parameters(&method.function.sig.generics));
        }
    }
    let args = Args::parse(args, &generics, errors);
    if let Some(skip) = args.skip {
        errors.at_span(skip, "`skip` goes on a method of this block; here, leave the whole attribute out");
    } else {
        spec::check(&args, errors);
    }
    let mut count = 0;
    let mut inside = TokenStream::new();
    for member in members {
        match member {
            Member::Other(tokens) => inside.extend(tokens),
            Member::Method(method) => {
                let Method { function, own } = *method;
                count += usize::from(own.is_some() || function.is_async());
                inside.extend(match own {
                    Some(own) if block::is_skip(&own) => function.as_written(),
                    Some(own) => alone(own, &function, Some(&outer), errors),
                    None if function.is_async() && args.skip.is_none() => {
                        // What is wrong with them has been said.
                        let parse = |args| Args::parse(args, &generics, &mut Errors::default());
                        let followed = following(&args.all, &function).map(parse);
                        annotated(followed.as_ref().unwrap_or(&args), &function, true, errors)
                    }
                    None => function.as_written(),
                });
            }
        }
    }
    if count == 0 {
        let text = "`#[retry]` on an `impl` block is for its async methods, and there is none in this one";
        errors.at(block::keyword(&head), text);
    }
    let mut output = head;
    output.extend([in_braces(inside, body.span())]);
    output
}

/// The attribute's tokens with the name that the function has moved `self` to; `None` where they may stay.
fn following(args: &TokenStream, function: &Function) -> Option<TokenStream> {
    if !args.clone().into_iter().any(|token| async_trait::mentions(&token, "self")) {
        return None;
    }
    async_trait::receiver(function).map(|name| receiver::follow(args.clone(), &name))
}

/// A function, expanded, or as it was where it cannot be.
fn annotated(args: &Args, function: &Function, in_block: bool, errors: &mut Errors) -> TokenStream {
    let Some((shape, ty)) = function.shape(in_block, errors) else {
        return function.as_written();
    };
    let mut once = args.is_once();
    if !once {
        if let Some(borrow) = borrow::of_exclusive(&function.sig, ty) {
            let text = "the result borrows from a `&mut` argument, which the next attempt needs: split it into a retried \
                        `ensure(&mut self) -> Result<(), E>` and a plain getter";
            errors.at(borrow, text);
            once = true;
        }
    }
    let mut hedged = args.hedge.is_some() && !once;
    for exclusive in hedge::exclusive(&function.sig).into_iter().filter(|_| args.hedge.is_some()) {
        let text = format!(
            "`hedge` runs attempts beside one another, which cannot share `{}`: lend it without `mut`, or leave `hedge` out",
            written(exclusive.clone()).replace("& mut", "&mut")
        );
        errors.at(exclusive, text);
        hedged = false;
    }
    let turns = if once {
        Turns::Once
    } else if hedged {
        Turns::Beside
    } else {
        Turns::InTurn
    };
    function_tokens(args, function, shape, ty, turns)
}

// Input:  #[retry(total = "1s", on = E)] async fn f(x: X) -> R { BODY }
// Output: async fn f(x: X) -> R {
//             let __retry_form = FORM_OF_R;
//             const __RETRY_POLICY: &Policy = &POLICY;
//             let __retry_policy = || __RETRY_POLICY;
//             let mut __retry_pinned = pin!(Call::new(__RETRY_POLICY, DEADLINE, GUARDS));
//             let mut __retry_log = EMPTY_LOG;
//             let __retry_end = '__retry: loop { ATTEMPT SETTLE, OR break '__retry RESULT };
//             return __retry_end;
//         }
//
// Where the function returns the future of an `async` block, all this is in the block.
fn function_tokens(args: &Args, function: &Function, shape: Shape, ty: &Type, turns: Turns) -> TokenStream {
    let site = &Site::new(args);
    let span = site.span;
    let (inner_attributes, statements) = function.split_body();
    let mut bindings = capture::bindings(&function.sig);
    let body = match shape {
        Shape::Async => {
            let captures = captures(turns, &bindings, statements, site);
            let call = call(args, ty, &captures, function.body.span(), site);
            quote_spanned!(span=> #inner_attributes #call)
        }
        // Refused: what is wrong with the body beside that is still to be seen, and nothing else.
        Shape::Sync => {
            let call = call(
                args,
                ty,
                &captures(Turns::Once, &bindings, statements, site),
                function.body.span(),
                site,
            );
            quote_spanned!(span=> #inner_attributes let _ = async { #call }; loop {})
        }
        Shape::Future(tail) => {
            let declared = bindings.len();
            bindings.extend(tail.bindings());
            tail.mark_used_before(&mut bindings, declared);
            let block = tail.block.clone();
            let unwrapped = async_trait::unwrap(block.stream(), &function.sig);
            bindings.extend(unwrapped.bindings);
            let mut captures = captures(turns, &capture::visible(bindings), unwrapped.statements, site);
            captures.allow_return = unwrapped.is_typed;
            let (setup, call) = (unwrapped.setup, call(args, ty, &captures, block.span(), site));
            let filled = tail.fill(in_braces(quote_spanned!(span=> #setup #call), block.span()));
            quote_spanned!(span=> #inner_attributes #filled)
        }
    };
    let mut output = function.head.clone();
    output.extend([in_braces(body, function.body.span())]);
    output
}

/// What an attempt of a body of `statements` starts with.
fn captures(turns: Turns, bindings: &[Binding], statements: TokenStream, site: &Site) -> Captures {
    let (statements, inner) = match tracing::unwrap(&statements) {
        Some(tracing::Instrumented { statements, inner }) => (statements, inner),
        None => (statements.clone(), statements),
    };
    let statements = fragment::mark(&statements, site.span).unwrap_or(statements);
    Captures::new(turns, bindings, statements, &inner, site)
}
