//! The code of one call: set up, loop, attempt, record, end.

use proc_macro2::{Ident, Span, TokenStream};
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
    let log = result.log(site);
    let spec::Policy { prelude, policy, deadline, guards } = spec::policy(args, site);
    let hedge = spec::hedge(args, site).filter(|_| captures.turns == Turns::Beside);
    let (make, attempt) = match &hedge {
        None => (None, attempt(&result, captures, body, site)),
        Some(_) => {
            let (make, attempt) = attempt_beside(&result, captures, body, site);
            (Some(make), attempt)
        }
    };
    let start = match hedge {
        None => quote_spanned!(span=> #private::Call::new(#policy, #deadline, #guards)),
        Some(delay) => {
            quote_spanned!(span=> #private::Race::new(#policy, #delay, #deadline, #guards))
        }
    };
    let is_once = captures.turns == Turns::Once;
    let settle = Settle { args, result: &result, policy: &policy, is_once, site };
    let kept = settle
        .needs_kept()
        .then(|| quote_spanned!(span=> let mut __retry_kept = ::core::option::Option::None;));
    let settle = settle.tokens();
    let turns = if is_once {
        quote_spanned!(span=> { #attempt #settle })
    } else {
        quote_spanned!(span=> '__retry: loop { #attempt #settle })
    };
    let leave = quote_spanned!(result.span=> return __retry_end;);
    let mutability = (!is_once).then(|| quote_spanned!(span=> mut));
    quote_spanned! {span=>
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
                (&&&&#private::Probe::<#ty>::NEW).#ask
            }
        }
    }

    /// An empty log, whose type knows how errors are looked at.
    fn log(&self, site: &Site) -> TokenStream {
        let private = &site.private;
        // A complaint about the error's type belongs where that is written.
        let at = self.error_span;
        quote_spanned! {at=>
            {
                #[allow(unused_imports)]
                use #private::{
                    ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _, ViewNothing as _,
                    ViewOpaque as _,
                };
                (&&&&&&__retry_form.errors).__retry_log()
            }
        }
    }
}

// Output: let (__retry_call, __retry_outcome) = {
//             CLONES
//             let __retry_ended = __retry_pinned.attempt(__retry_policy, async { TYPED_RETURN BODY }).await;
//             __retry_ended
//         };
//
// The clones live in this block only: an expression of the attribute that names an argument sees the argument. Where
// there is none, there is no block. The call goes into the attempt and comes back: what stays behind would be kept
// in the future once more.
fn attempt(result: &ResultType, captures: &Captures, body: Span, site: &Site) -> TokenStream {
    let (span, clones) = (site.span, &captures.clones);
    let future = attempt_future(result, captures, body, span);
    let allow = allow_return(captures, span);
    let outcome = quote_spanned!(span=> __retry_pinned.attempt(__retry_policy, #future).await);
    let private = &site.private;
    let typed = quote_spanned!(span=> let __retry_type = #private::AttemptType(__retry_form.attempt););
    if clones.is_empty() {
        return quote_spanned!(span=> #typed #allow let (__retry_call, __retry_outcome) = #outcome;);
    }
    let declare = captures.kept.iter().map(|kept| &kept.declare);
    let put_back = captures.kept.iter().map(|kept| &kept.put_back);
    let restore = captures.kept.iter().map(|kept| &kept.restore);
    quote_spanned! {span=>
        #typed
        #(#declare)*
        let (__retry_call, __retry_outcome) = {
            #clones
            #allow
            let __retry_ended = #outcome;
            #(#put_back)*
            __retry_ended
        };
        #(#restore)*
    }
}

// Output: TOUCHES
//         let __retry_make = || { GIVENS async { TAKES TYPED_RETURN BODY } };
//         ..
//         let (__retry_call, __retry_outcome) = __retry_pinned.next(__retry_policy, &__retry_make).await;
fn attempt_beside(
    result: &ResultType,
    captures: &Captures,
    body: Span,
    site: &Site,
) -> (TokenStream, TokenStream) {
    let (span, private) = (site.span, &site.private);
    let (clones, touches) = (&captures.clones, &captures.touches);
    let future = attempt_future(result, captures, body, span);
    let allow = allow_return(captures, span);
    let make = quote_spanned! {span=>
        #touches
        #allow
        let __retry_make = || {
            let __retry_type = #private::AttemptType(__retry_form.attempt);
            #clones
            #future
        };
    };
    let attempt = quote_spanned! {span=>
        let (__retry_call, __retry_outcome) = __retry_pinned.next(__retry_policy, &__retry_make).await;
    };
    (make, attempt)
}

// Output: async { ITEMS TAKES TYPED_RETURN STATEMENTS }
fn attempt_future(result: &ResultType, captures: &Captures, body: Span, span: Span) -> TokenStream {
    // An expected type enters an `async` block by a `return` only. It comes in as a value, not by its name, which may mean
    // another type in the body.
    let typed_return = {
        let span = result.span;
        quote_spanned!(span=> if false { return __retry_type.never(); })
    };
    let takes = &captures.takes;
    // What the user wrote as items before all statements stays before all statements.
    let (items, statements) = split_items(&captures.body);
    // As if the user had written the block: lints speak about what is in it.
    let block = in_braces(quote_spanned!(span=> #items #takes #typed_return #statements), body);
    quote_spanned!(body=> async #block)
}

/// For a `return` at the end of the body that was no needless one where it stood.
fn allow_return(captures: &Captures, span: Span) -> Option<TokenStream> {
    captures
        .allow_return
        .then(|| quote_spanned!(span=> #[allow(clippy::implicit_return, clippy::needless_return)]))
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

/// What follows an attempt.
struct Settle<'a> {
    args: &'a Args,
    result: &'a ResultType,
    /// The `&Policy`.
    policy: &'a TokenStream,
    is_once: bool,
    site: &'a Site,
}

impl Settle<'_> {
    /// A value that `when_ok` asks about is kept from one attempt to the next.
    fn needs_kept(&self) -> bool {
        self.args.when_ok.is_some() && !self.is_once
    }

    // Output: match __retry_form.settle(POLICY, __retry_call, __retry_outcome, &mut __retry_log, &mut |__retry_error| ON) {
    //             Break(__retry_result) => break '__retry __retry_result,
    //             Continue(__retry_call) => __retry_pinned = __retry_call,
    //         }
    //
    // After the only attempt: __retry_form.settle_last(..)
    fn tokens(&self) -> TokenStream {
        let Self { args, result, policy, is_once, site } = self;
        let span = site.span;
        let questions = self.questions();
        let has_closures = args.when.is_some() || args.retry_after.is_some() || args.when_ok.is_some();
        let is_simple =
            if *is_once { !has_closures } else { args.retry_after.is_none() && args.when_ok.is_none() };
        let name = match (is_once, args.fallback.is_some(), is_simple) {
            (false, false, true) => "settle",
            (false, false, false) => "settle_with",
            (false, true, _) => "settle_or",
            (true, false, true) => "settle_last",
            (true, false, false) => "settle_last_with",
            (true, true, _) => "settle_last_or",
        };
        let questions = if is_simple && args.fallback.is_none() {
            let on = &questions[..1];
            quote_spanned!(span=> &mut #(#on)*)
        } else if *is_once {
            quote_spanned!(span=> #(#questions),*)
        } else {
            let kept = if self.needs_kept() {
                quote_spanned!(span=> __retry_kept)
            } else {
                quote_spanned!(span=> ::core::option::Option::None)
            };
            quote_spanned!(span=> &mut #kept, #(&mut #questions),*)
        };
        let arguments =
            quote_spanned!(span=> (#policy, __retry_call, __retry_outcome, &mut __retry_log, #questions));
        // A complaint about the error's type belongs where that is written.
        let at = result.error_span;
        let name = Ident::new(name, at);
        let settled = quote_spanned!(at=> __retry_form.#name #arguments);
        match (&args.fallback, is_once) {
            (None, true) => settled,
            (None, false) => quote_spanned! {span=>
                match #settled {
                    ::core::ops::ControlFlow::Break(__retry_result) => break '__retry __retry_result,
                    ::core::ops::ControlFlow::Continue(__retry_call) => __retry_pinned = __retry_call,
                }
            },
            (Some(fallback), true) => {
                let fallen_back = self.fallen_back(fallback);
                quote_spanned! {span=>
                    let __retry_settled = #settled;
                    match __retry_settled {
                        ::core::ops::ControlFlow::Break(__retry_result) => __retry_result,
                        ::core::ops::ControlFlow::Continue((__retry_call, __retry_give_up)) => #fallen_back,
                    }
                }
            }
            (Some(fallback), false) => {
                let fallen_back = self.fallen_back(fallback);
                quote_spanned! {span=>
                    let __retry_settled = #settled;
                    match __retry_settled {
                        ::core::ops::ControlFlow::Break(__retry_result) => break '__retry __retry_result,
                        ::core::ops::ControlFlow::Continue((__retry_call, ::core::option::Option::None)) => {
                            __retry_pinned = __retry_call;
                        }
                        ::core::ops::ControlFlow::Continue(
                            (__retry_call, ::core::option::Option::Some(__retry_give_up))
                        ) => break '__retry #fallen_back,
                    }
                }
            }
        }
    }

    /// Closures: whether an error is worth another attempt, its hint, whether a value is, its hint.
    fn questions(&self) -> [TokenStream; 4] {
        let Self { args, policy, site, .. } = self;
        let span = site.span;
        let on = if args.is_bad(Key::On) { Some([].as_slice()) } else { args.on.as_deref() };
        let on = classify::predicate(on, args.when.as_ref(), policy, site);
        let on = quote_spanned!(span=> |__retry_error| #on);
        let closure = |key: Option<&Expr>, method: &str, absent: TokenStream| {
            let Some(key) = key else { return quote_spanned!(span=> |_| #absent) };
            let at = site.at(key.span());
            let method = Ident::new(method, at);
            let ask = quote_spanned!(at=> __retry_form.#method(__retry_asked, #key));
            quote_spanned!(span=> |__retry_asked| #ask)
        };
        let none = quote_spanned!(span=> ::core::option::Option::None);
        let hint = closure(args.retry_after.as_ref(), "retry_after", none.clone());
        let when_ok = closure(args.when_ok.as_ref(), "when_ok", quote_spanned!(span=> false));
        let hint_ok =
            closure(args.retry_after_ok.as_ref().filter(|_| args.when_ok.is_some()), "retry_after_ok", none);
        [on, hint, when_ok, hint_ok]
    }

    /// What the fallback makes of `__retry_give_up`.
    fn fallen_back(&self, fallback: &Expr) -> TokenStream {
        let at = self.site.at(fallback.span());
        match bare(fallback) {
            Expr::Closure(closure) if closure.asyncness.is_some() => {
                async_fallback(closure, self.result, self.policy, self.site)
            }
            _ => quote_spanned!(at=> __retry_form.fallback(__retry_give_up, #fallback)),
        }
    }
}

// Input:  fallback = async |PAT: TY| BODY
// Output: {
//             let PAT: TY = __retry_give_up;
//             let mut __retry_fallback = pin!(async { TYPED_RETURN BODY });
//             __retry_call.in_scope(POLICY, __retry_fallback.as_mut()).await
//         }
//
// An async closure that is called would be a second future around the first; this is the first alone.
fn async_fallback(
    closure: &ExprClosure,
    result: &ResultType,
    policy: &TokenStream,
    site: &Site,
) -> TokenStream {
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
            __retry_call.in_scope(#policy, __retry_fallback.as_mut()).await
        }
    }
}
