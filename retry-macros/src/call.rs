//! The code of one call: set up, loop, attempt, record, end.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, GenericArgument, Item, PathArguments, ReturnType, Type};

use crate::args::Args;
use crate::capture::{Captures, Turns};
use crate::function::{name_span, without_impl_trait};
use crate::keys::Key;
use crate::site::{Site, in_braces};
use crate::values::bare;
use crate::{classify, spec};

/// Everything between the braces: one call.
pub(crate) fn call(args: &Args, ty: &Type, captures: &Captures, body: Span, site: &Site) -> TokenStream {
    let (span, private) = (site.span, &site.private);
    let result = ResultType::new(ty, args, site);
    let form = result.form(site);
    let log = quote_spanned!(result.span=> __retry_form.log());
    let spec::Policy { prelude, deadline, guards } = spec::policy(args, site);
    let kept = args
        .when_ok
        .as_ref()
        .map(|_| quote_spanned!(span=> let mut __retry_kept = ::core::option::Option::None;));
    let hedge = spec::hedge(args, site).filter(|_| captures.turns == Turns::Beside);
    let (make, attempt) = match &hedge {
        None => (None, attempt(&result, captures, body, site)),
        Some(_) => {
            let (make, attempt) = attempt_beside(&result, captures, body, site);
            (Some(make), attempt)
        }
    };
    let start = match hedge {
        None => quote_spanned!(span=> #private::Call::new(__retry_policy(), #deadline, #guards)),
        Some(delay) => {
            quote_spanned!(span=> #private::Race::new(__retry_policy(), #delay, #deadline, #guards))
        }
    };
    let outcome = outcome(args, &result, site);
    let end = end(args, &result, site);
    let end = match args.when_ok {
        None => end,
        Some(_) => quote_spanned! {span=>
            if let ::core::option::Option::Some(__retry_value) = __retry_kept.take() {
                break '__retry __retry_form.ok(__retry_value);
            }
            #end
        },
    };
    let turns = if captures.turns == Turns::Once {
        quote_spanned! {span=>
            '__retry: {
                #attempt
                let _: bool = #outcome;
                #end
            }
        }
    } else {
        quote_spanned! {span=>
            '__retry: loop {
                #attempt
                if !#outcome {
                    #end
                }
                __retry_pinned = __retry_call;
            }
        }
    };
    let leave = quote_spanned!(result.span=> return __retry_end;);
    let mutability = (captures.turns != Turns::Once).then(|| quote_spanned!(span=> mut));
    quote_spanned! {span=>
        #[allow(unused_imports)]
        use #private::Recorder as _;
        let __retry_form = #form;
        #prelude
        #make
        let #mutability __retry_pinned = ::core::pin::pin!(#start);
        let mut __retry_log = #log;
        #kept
        let __retry_end = #turns;
        #[allow(clippy::needless_return)]
        #leave
    }
}

/// The declared return type.
struct ResultType {
    /// With `_` for each `impl Trait`.
    ty: TokenStream,
    /// Where errors about it are reported.
    span: Span,
    /// Where errors about the type of its error are reported.
    error_span: Span,
    with_fallback: bool,
}

/// `E` of `Result<T, E>`, if it is written so.
fn error_type(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.nth(1)
}

impl ResultType {
    fn new(ty: &Type, args: &Args, site: &Site) -> Self {
        let span = site.at(name_span(ty));
        let error_span = error_type(ty).map_or(span, |error| site.at(name_span(error)));
        Self { ty: without_impl_trait(ty), span, error_span, with_fallback: args.fallback.is_some() }
    }

    /// The form of the type: how an outcome becomes a result.
    fn form(&self, site: &Site) -> TokenStream {
        let (private, ty, span) = (&site.private, &self.ty, self.span);
        let ask = if self.with_fallback {
            quote_spanned!(span=> __retry_fallback_form())
        } else {
            quote_spanned!(span=> __retry_form())
        };
        quote_spanned! {span=>
            {
                #[allow(unused_imports)]
                use #private::{BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _};
                (&&&&#private::Probe::<#ty>::new()).#ask
            }
        }
    }
}

// Output: let (mut __retry_call, __retry_outcome) = {
//             CLONES
//             let __retry_outcome = __retry_pinned.attempt(__retry_policy, async { TYPED_RETURN BODY }).await;
//             __retry_outcome
//         };
//
// The clones live in this block only: an expression of the attribute that names an argument sees the argument. Where
// there is none, there is no block. The call goes into the attempt and comes back: what stays behind would be kept
// in the future once more.
fn attempt(result: &ResultType, captures: &Captures, body: Span, site: &Site) -> TokenStream {
    let span = site.span;
    let (clones, statements) = (&captures.clones, &captures.body);
    // An expected type enters an `async` block by a `return` only. It comes in as a value, not by its name, which may mean
    // another type in the body.
    let typed_return = {
        let span = result.span;
        quote_spanned!(span=> if false { return __retry_type.never(); })
    };
    // What the user wrote as items before all statements stays before all statements.
    let (items, statements) = split_items(statements);
    // As if the user had written the block: lints speak about what is in it.
    let block = in_braces(quote_spanned!(span=> #items #typed_return #statements), body);
    let future = quote_spanned!(body=> async #block);
    let outcome = quote_spanned!(span=> __retry_pinned.attempt(__retry_policy, #future).await);
    let typed = quote_spanned!(span=> let __retry_type = __retry_form.attempt_type(););
    let allow = captures
        .allow_return
        .then(|| quote_spanned!(span=> #[allow(clippy::implicit_return, clippy::needless_return)]));
    if clones.is_empty() {
        return quote_spanned!(span=> #typed #allow let (mut __retry_call, __retry_outcome) = #outcome;);
    }
    let declare = captures.kept.iter().map(|kept| &kept.declare);
    let put_back = captures.kept.iter().map(|kept| &kept.put_back);
    let restore = captures.kept.iter().map(|kept| &kept.restore);
    quote_spanned! {span=>
        #typed
        #(#declare)*
        let (mut __retry_call, __retry_outcome) = {
            #clones
            #allow
            let __retry_outcome = #outcome;
            #(#put_back)*
            __retry_outcome
        };
        #(#restore)*
    }
}

// Output: TOUCHES
//         let __retry_make = || { GIVENS async { TAKES TYPED_RETURN BODY } };
//         ..
//         let (mut __retry_call, __retry_outcome) = __retry_pinned.next(__retry_policy, &__retry_make).await;
fn attempt_beside(
    result: &ResultType,
    captures: &Captures,
    body: Span,
    site: &Site,
) -> (TokenStream, TokenStream) {
    let span = site.span;
    let (clones, takes, touches) = (&captures.clones, &captures.takes, &captures.touches);
    let typed_return = {
        let span = result.span;
        quote_spanned!(span=> if false { return __retry_type.never(); })
    };
    let (items, statements) = split_items(&captures.body);
    let block = in_braces(quote_spanned!(span=> #items #takes #typed_return #statements), body);
    let future = quote_spanned!(body=> async #block);
    let allow = captures
        .allow_return
        .then(|| quote_spanned!(span=> #[allow(clippy::implicit_return, clippy::needless_return)]));
    let make = quote_spanned! {span=>
        #touches
        #allow
        let __retry_make = || {
            let __retry_type = __retry_form.attempt_type();
            #clones
            #future
        };
    };
    let attempt = quote_spanned! {span=>
        let (mut __retry_call, __retry_outcome) = __retry_pinned.next(__retry_policy, &__retry_make).await;
    };
    (make, attempt)
}

/// Splits a body into the items that it starts with, and the rest.
fn split_items(body: &TokenStream) -> (TokenStream, TokenStream) {
    let rest = |input: ParseStream<'_>| {
        loop {
            let ahead = input.fork();
            match ahead.parse::<Item>() {
                Ok(Item::Macro(call)) if !call.mac.path.is_ident("macro_rules") => break,
                Ok(_) => input.advance_to(&ahead),
                Err(_) => break,
            }
        }
        input.parse::<TokenStream>()
    };
    match rest.parse2(body.clone()) {
        Ok(rest) => {
            let count = body.clone().into_iter().count() - rest.clone().into_iter().count();
            (body.clone().into_iter().take(count).collect(), rest)
        }
        Err(_) => (TokenStream::new(), body.clone()),
    }
}

// Output: match OUTCOME { Ok => break, Err => RECORD, cut => RECORD }, true for another attempt
fn outcome(args: &Args, result: &ResultType, site: &Site) -> TokenStream {
    let (span, private) = (site.span, &site.private);
    let none = quote_spanned!(span=> ::core::option::Option::None);
    let succeed = (args.breaker.is_some() || args.throttle.is_some() || args.hedge.is_some())
        .then(|| quote_spanned!(span=> __retry_call.as_mut().succeed();));
    let on_value = match &args.when_ok {
        None => quote_spanned!(span=> #succeed break '__retry __retry_form.ok(__retry_value);),
        Some(when_ok) => {
            let at = site.at(when_ok.span());
            let is_wanted = quote_spanned!(at=> __retry_form.when_ok(&__retry_value, #when_ok));
            let hint = match &args.retry_after_ok {
                None => none.clone(),
                Some(hint) => {
                    let at = site.at(hint.span());
                    quote_spanned!(at=> __retry_form.retry_after_ok(&__retry_value, #hint))
                }
            };
            quote_spanned! {span=>
                if !#is_wanted {
                    #succeed
                    break '__retry __retry_form.ok(__retry_value);
                }
                let __retry_hint = #hint;
                __retry_kept = ::core::option::Option::Some(__retry_value);
                __retry_log.value(__retry_policy(), __retry_call.as_mut(), __retry_hint)
            }
        }
    };
    let forget = args.when_ok.as_ref().map(|_| quote_spanned!(span=> __retry_kept = #none;));
    let on = if args.is_bad(Key::On) { Some([].as_slice()) } else { args.on.as_deref() };
    let transient = classify::predicate(on, args.when.as_ref(), site);
    let hint = match &args.retry_after {
        None => none.clone(),
        Some(hint) => {
            let at = site.at(hint.span());
            let ask = quote_spanned!(at=> __retry_form.retry_after(&__retry_error, #hint));
            quote_spanned!(span=> if __retry_transient { #ask } else { #none })
        }
    };
    // A complaint about the error's type belongs where that is written.
    let at = result.error_span;
    let view = quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #private::{
                ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _, ViewNothing as _,
                ViewOpaque as _,
            };
            (&&&&&&__retry_form.errors()).__retry_view()
        }
    };
    quote_spanned! {span=>
        match __retry_form.split(__retry_outcome) {
            ::core::option::Option::Some(::core::result::Result::Ok(__retry_value)) => { #on_value }
            ::core::option::Option::Some(::core::result::Result::Err(__retry_error)) => {
                let __retry_view = #view;
                let __retry_inner = __retry_call.inner(__retry_policy(), &__retry_error, __retry_view);
                if __retry_inner.is_own_cut() {
                    __retry_log.cut_inside(__retry_policy(), __retry_call.as_mut())
                } else {
                    #forget
                    let __retry_transient = #transient;
                    let __retry_hint = #hint;
                    __retry_log.error(
                        __retry_policy(), __retry_call.as_mut(), __retry_error, __retry_view, __retry_inner, __retry_transient,
                        __retry_hint,
                    )
                }
            }
            ::core::option::Option::None => __retry_log.cut(__retry_policy(), __retry_call.as_mut()),
        }
    }
}

/// Leaves the loop with a give-up, or what the fallback makes of it.
fn end(args: &Args, result: &ResultType, site: &Site) -> TokenStream {
    let (span, at) = (site.span, result.error_span);
    let Some(fallback) = &args.fallback else {
        let give_up = quote_spanned!(at=> __retry_form.give_up(__retry_policy(), __retry_call.as_mut(), &mut __retry_log));
        return quote_spanned!(span=> break '__retry #give_up;);
    };
    let end =
        quote_spanned!(at=> __retry_form.end(__retry_policy(), __retry_call.as_mut(), &mut __retry_log));
    let at = site.at(fallback.span());
    let fallen_back = match bare(fallback) {
        Expr::Closure(closure) if closure.asyncness.is_some() => async_fallback(closure, result, site),
        _ => quote_spanned!(at=> __retry_form.fallback(__retry_give_up, #fallback)),
    };
    quote_spanned! {span=>
        break '__retry match #end {
            ::core::ops::ControlFlow::Break(__retry_result) => __retry_result,
            ::core::ops::ControlFlow::Continue(__retry_give_up) => #fallen_back,
        };
    }
}

// Input:  fallback = async |PAT: TY| BODY
// Output: {
//             let PAT: TY = __retry_give_up;
//             let mut __retry_fallback = pin!(async { TYPED_RETURN BODY });
//             __retry_call.as_mut().in_scope(__retry_policy(), __retry_fallback.as_mut()).await
//         }
//
// An async closure that is called would be a second future around the first; this is the first alone.
fn async_fallback(closure: &ExprClosure, result: &ResultType, site: &Site) -> TokenStream {
    let (span, capture) = (site.span, &closure.capture);
    let argument = closure.inputs.first();
    let ty = match &closure.output {
        ReturnType::Type(_, ty) => without_impl_trait(ty),
        ReturnType::Default => result.ty.clone(),
    };
    let body = match &*closure.body {
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            let statements = &block.block.stmts;
            quote_spanned!(span=> #(#statements)*)
        }
        other => other.to_token_stream(),
    };
    let at = result.span;
    let typed_return = quote_spanned! {at=>
        #[allow(clippy::diverging_sub_expression, unreachable_code)]
        if false {
            let __retry_result: #ty = loop {};
            return __retry_result;
        }
    };
    let at = closure.body.span();
    let block = in_braces(quote_spanned!(span=> #typed_return #body), at);
    let future = quote_spanned!(at=> async #capture #block);
    // A wrong type of it is a matter of where it is written.
    let at = argument.map_or(span, |argument| site.at(argument.span()));
    let give_up = quote_spanned!(at=> __retry_give_up);
    quote_spanned! {span=>
        {
            let #argument = #give_up;
            let mut __retry_fallback = ::core::pin::pin!(#future);
            __retry_call.as_mut().in_scope(__retry_policy(), __retry_fallback.as_mut()).await
        }
    }
}
