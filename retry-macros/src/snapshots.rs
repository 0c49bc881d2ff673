//! Expansions, as they would be printed.

use expect_test::{Expect, expect};
use proc_macro2::TokenStream;
use quote::quote;

use crate::expand::attribute;

fn check(args: TokenStream, item: TokenStream, expected: &Expect) {
    let output = attribute(args, item).to_string();
    let file = output.parse().map(syn::parse2);
    let text = match file {
        Ok(Ok(file)) => prettyplease::unparse(&file),
        _ => output,
    };
    expected.assert_eq(&text);
}

#[test]
fn the_main_form() {
    check(
        quote!(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError),
        quote! {
            /// Fetches.
            pub async fn fetch(client: &Client, id: u64) -> anyhow::Result<User> {
                Ok(client.get(id).await?)
            }
        },
        &expect![[r#"
            /// Fetches.
            pub async fn fetch(client: &Client, id: u64) -> anyhow::Result<User> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<anyhow::Result<User>>::NEW)
                        .__retry_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .total(::core::time::Duration::new(1, 0))
                    .per_attempt(::core::time::Duration::new(0, 200000000))
                    .attempts(5u32)
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                Ok(client.get(id).await?)
                            },
                        )
                        .await;
                    match __retry_form
                        .settle(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| {
                                #[allow(unused_imports)]
                                use ::retry_runtime::__private::{
                                    IsInChain as _, IsNeither as _, IsSame as _,
                                };
                                (&&&::retry_runtime::__private::is::<
                                    ConnectionError,
                                    _,
                                >(__retry_error, __RETRY_POLICY))
                                    .__retry_is()
                            },
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn one_attempt_has_no_loop_and_no_clone() {
    check(
        quote!(total = "300ms", attempts = 1),
        quote!(
            async fn once(mut name: String) -> Result<String, Error> {
                name.push('x');
                Ok(name)
            }
        ),
        &expect![[r#"
            async fn once(mut name: String) -> Result<String, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<String, Error>>::NEW)
                        .__retry_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .total(::core::time::Duration::new(0, 300000000))
                    .attempts(1u32)
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                name.push('x');
                                Ok(name)
                            },
                        )
                        .await;
                    __retry_form
                        .settle_last(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| false,
                        )
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn values_that_are_known_at_run_time_only() {
    check(
        quote!(
            policy = POLICY,
            total = self.config.total,
            attempts = tries,
            deadline = request.deadline,
            on = _
        ),
        quote!(
            async fn call(&self, tries: u32, request: Request) -> Result<Reply, Error> {
                self.send(&request).await
            }
        ),
        &expect![[r#"
            async fn call(&self, tries: u32, request: Request) -> Result<Reply, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<Reply, Error>>::NEW)
                        .__retry_form()
                };
                let __retry_base = ::retry_runtime::__private::policy(POLICY);
                let __retry_total = ::retry_runtime::__private::duration(self.config.total);
                let __retry_attempts = ::retry_runtime::__private::attempts(tries);
                let __retry_deadline = ::retry_runtime::__private::deadline(request.deadline);
                let __retry_numbers = __retry_base
                    .total_if(__retry_total)
                    .attempts(__retry_attempts)
                    .trusted();
                let __retry_policy = || &__retry_numbers;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(& __retry_numbers, __retry_deadline,
                    ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                self.send(&request).await
                            },
                        )
                        .await;
                    match __retry_form
                        .settle(
                            &__retry_numbers,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| true,
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn predicates_and_hints() {
    check(
        quote! {
            on = Busy | source(io::Error) | Error::Status(500..=599) | Error::Reset { .. },
            when = |error: &Error| error.is_safe(),
            when_ok = Reply::is_busy,
            retry_after = Error::retry_after,
            retry_after_ok = Reply::retry_after,
            attempts = 4
        },
        quote!(
            async fn call() -> Result<Reply, Error> {
                send().await
            }
        ),
        &expect![[r#"
            async fn call() -> Result<Reply, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<Reply, Error>>::NEW)
                        .__retry_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .attempts(4u32)
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let mut __retry_kept = ::core::option::Option::None;
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                send().await
                            },
                        )
                        .await;
                    match __retry_form
                        .settle_with(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut __retry_kept,
                            &mut |__retry_error| {
                                ({
                                    #[allow(unused_imports)]
                                    use ::retry_runtime::__private::{
                                        IsInChain as _, IsNeither as _, IsSame as _,
                                    };
                                    (&&&::retry_runtime::__private::is::<
                                        Busy,
                                        _,
                                    >(__retry_error, __RETRY_POLICY))
                                        .__retry_is()
                                }
                                    || {
                                        #[allow(unused_imports)]
                                        use ::retry_runtime::__private::{
                                            SourceOfError as _, SourceOfNone as _, SourceOfOpaque as _,
                                        };
                                        (&&&::retry_runtime::__private::source::<
                                            io::Error,
                                            _,
                                        >(__retry_error, __RETRY_POLICY))
                                            .__retry_source()
                                    }
                                    || match __retry_form.seen(__retry_error) {
                                        Error::Status(500..=599) | Error::Reset { .. } => true,
                                        #[allow(unreachable_patterns)]
                                        _ => false,
                                    })
                                    && __retry_form
                                        .when(__retry_error, |error: &Error| error.is_safe())
                            },
                            &mut |__retry_asked| {
                                __retry_form.retry_after(__retry_asked, Error::retry_after)
                            },
                            &mut |__retry_asked| __retry_form.when_ok(__retry_asked, Reply::is_busy),
                            &mut |__retry_asked| {
                                __retry_form.retry_after_ok(__retry_asked, Reply::retry_after)
                            },
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn arguments() {
    check(
        quote!(on = _),
        quote! {
            async fn call(
                mut self,
                consumed: String,
                borrowed: String,
                in_macro: String,
                mut changed: u32,
                exclusive: &mut Vec<u8>,
                #[cfg(unix)] (left, right): (String, String),
                unused: Guard,
            ) -> Result<impl Display + use<>, Error> {
                changed += 1;
                println!("{}", in_macro);
                exclusive.push(1);
                self.put(consumed, &borrowed, left, changed)?;
                Ok(right)
            }
        },
        &expect![[r#"
            async fn call(
                mut self,
                consumed: String,
                borrowed: String,
                in_macro: String,
                mut changed: u32,
                exclusive: &mut Vec<u8>,
                #[cfg(unix)]
                (left, right): (String, String),
                unused: Guard,
            ) -> Result<impl Display + use<>, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<_, Error>>::NEW).__retry_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = {
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let mut retry_self_of_attempt = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{FreshMutClone as _, FreshMutLent as _};
                            (&&::retry_runtime::__private::SlotMut::new(&mut self))
                                .__retry_fresh_mut()
                        };
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let consumed = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{ConsumedClone as _, ConsumedOther as _};
                            (&&::retry_runtime::__private::Consumed::new(&consumed)).__retry_fresh()
                        };
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let in_macro = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{FreshClone as _, FreshLent as _};
                            (&&::retry_runtime::__private::Slot::new(&in_macro)).__retry_fresh()
                        };
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let mut changed = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{ConsumedClone as _, ConsumedOther as _};
                            (&&::retry_runtime::__private::Consumed::new(&mut changed))
                                .__retry_fresh()
                        };
                        #[cfg(unix)]
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let left = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{ConsumedClone as _, ConsumedOther as _};
                            (&&::retry_runtime::__private::Consumed::new(&left)).__retry_fresh()
                        };
                        #[cfg(unix)]
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let right = {
                            #[allow(unused_imports)]
                            use ::retry_runtime::__private::{ConsumedClone as _, ConsumedOther as _};
                            (&&::retry_runtime::__private::Consumed::new(&right)).__retry_fresh()
                        };
                        let __retry_ended = __retry_pinned
                            .attempt(
                                __retry_policy,
                                async {
                                    if false {
                                        return __retry_type.never();
                                    }
                                    changed += 1;
                                    println!("{}", in_macro);
                                    exclusive.push(1);
                                    retry_self_of_attempt.put(consumed, &borrowed, left, changed)?;
                                    Ok(right)
                                },
                            )
                            .await;
                        __retry_ended
                    };
                    match __retry_form
                        .settle(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| true,
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn attempts_beside_one_another_with_a_breaker() {
    check(
        quote!(total = "1s", attempts = 3, hedge = "50ms", breaker = self.breaker, on = ConnectionError),
        quote!(
            async fn fetch(&self, mut name: String, id: u64) -> anyhow::Result<User> {
                name.push('x');
                Ok(self.get(name, id).await?)
            }
        ),
        &expect![[r#"
            async fn fetch(&self, mut name: String, id: u64) -> anyhow::Result<User> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<anyhow::Result<User>>::NEW)
                        .__retry_form()
                };
                let __retry_breaker_owner = &(self.breaker);
                let __retry_breaker = ::retry_runtime::__private::breaker(__retry_breaker_owner);
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .total(::core::time::Duration::new(1, 0))
                    .attempts(3u32)
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                {
                    let _ = &mut name;
                }
                let __retry_make = || {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                    let name = ::retry_runtime::__private::Given::new({
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{ConsumedClone as _, OwnedOther as _};
                        (&&::retry_runtime::__private::Owned::new(&name)).__retry_fresh()
                    });
                    async {
                        #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                        let mut name = name.take();
                        if false {
                            return __retry_type.never();
                        }
                        name.push('x');
                        Ok(self.get(name, id).await?)
                    }
                };
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Race::new(__RETRY_POLICY,
                    ::core::time::Duration::new(0, 50000000), ::core::option::Option::None, ||
                    ::retry_runtime::__private::Guards::new(__retry_breaker,
                    ::retry_runtime::__private::Empty))
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .next(__retry_policy, &__retry_make)
                        .await;
                    match __retry_form
                        .settle(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| {
                                #[allow(unused_imports)]
                                use ::retry_runtime::__private::{
                                    IsInChain as _, IsNeither as _, IsSame as _,
                                };
                                (&&&::retry_runtime::__private::is::<
                                    ConnectionError,
                                    _,
                                >(__retry_error, __RETRY_POLICY))
                                    .__retry_is()
                            },
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn a_fallback() {
    check(
        quote!(on = _, fallback = retry_runtime::last_error),
        quote!(
            async fn call() -> Result<u32, Error> {
                send().await
            }
        ),
        &expect![[r#"
            async fn call() -> Result<u32, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<u32, Error>>::NEW)
                        .__retry_fallback_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                send().await
                            },
                        )
                        .await;
                    let __retry_settled = __retry_form
                        .settle_or(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut ::core::option::Option::None,
                            &mut |__retry_error| true,
                            &mut |_| ::core::option::Option::None,
                            &mut |_| false,
                            &mut |_| ::core::option::Option::None,
                        );
                    match __retry_settled {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(
                            (__retry_call, ::core::option::Option::None),
                        ) => {
                            __retry_pinned = __retry_call;
                        }
                        ::core::ops::ControlFlow::Continue(
                            (__retry_call, ::core::option::Option::Some(__retry_give_up)),
                        ) => {
                            break '__retry __retry_form
                                .fallback(__retry_give_up, retry_runtime::last_error);
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
    check(
        quote!(on = _, fallback = async |_: RetryError<Error>| Ok(cached().await)),
        quote!(
            async fn call() -> Result<u32, Error> {
                send().await
            }
        ),
        &expect![[r#"
            async fn call() -> Result<u32, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<u32, Error>>::NEW)
                        .__retry_fallback_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                send().await
                            },
                        )
                        .await;
                    let __retry_settled = __retry_form
                        .settle_or(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut ::core::option::Option::None,
                            &mut |__retry_error| true,
                            &mut |_| ::core::option::Option::None,
                            &mut |_| false,
                            &mut |_| ::core::option::Option::None,
                        );
                    match __retry_settled {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(
                            (__retry_call, ::core::option::Option::None),
                        ) => {
                            __retry_pinned = __retry_call;
                        }
                        ::core::ops::ControlFlow::Continue(
                            (__retry_call, ::core::option::Option::Some(__retry_give_up)),
                        ) => {
                            break '__retry {
                                let _: RetryError<Error> = __retry_give_up;
                                let mut __retry_fallback = ::core::pin::pin!(
                                    async { #[allow(clippy::diverging_sub_expression,
                                    unreachable_code)] if false { let __retry_result : Result < u32,
                                    Error > = loop {}; return __retry_result; } Ok(cached(). await) }
                                );
                                __retry_call
                                    .in_scope(__RETRY_POLICY, __retry_fallback.as_mut())
                                    .await
                            };
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
        "#]],
    );
}

#[test]
fn what_async_trait_leaves_behind() {
    check(
        quote!(on = _),
        quote! {
            fn put<'life0, 'async_trait>(
                &'life0 mut self,
                key: String,
            ) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u32, Error>> + ::core::marker::Send + 'async_trait>>
            where
                'life0: 'async_trait,
            {
                Box::pin(async move {
                    if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<u32, Error>> {
                        #[allow(unreachable_code)]
                        return __ret;
                    }
                    let mut __self = self;
                    let key = key;
                    let __ret: Result<u32, Error> = { __self.send(key).await };
                    #[allow(unreachable_code)]
                    __ret
                })
            }
        },
        &expect![[r#"
            fn put<'life0, 'async_trait>(
                &'life0 mut self,
                key: String,
            ) -> ::core::pin::Pin<
                Box<
                    dyn ::core::future::Future<
                        Output = Result<u32, Error>,
                    > + ::core::marker::Send + 'async_trait,
                >,
            >
            where
                'life0: 'async_trait,
            {
                Box::pin(async move {
                    let mut __self = self;
                    let key = key;
                    let __retry_form = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                        };
                        (&&&&::retry_runtime::__private::Probe::<Result<u32, Error>>::NEW)
                            .__retry_form()
                    };
                    const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                        .trusted();
                    let __retry_policy = || __RETRY_POLICY;
                    let mut __retry_pinned = ::core::pin::pin!(
                        ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                        ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                    );
                    let mut __retry_log = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                            ViewNothing as _, ViewOpaque as _,
                        };
                        (&&&&&&__retry_form.errors).__retry_log()
                    };
                    let __retry_end = '__retry: loop {
                        let __retry_type = ::retry_runtime::__private::AttemptType(
                            __retry_form.attempt,
                        );
                        let (__retry_call, __retry_outcome) = {
                            #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                            let mut __self = &mut **(&mut __self);
                            #[allow(clippy::shadow_reuse, clippy::shadow_same)]
                            let key = {
                                #[allow(unused_imports)]
                                use ::retry_runtime::__private::{
                                    ConsumedClone as _, ConsumedOther as _,
                                };
                                (&&::retry_runtime::__private::Consumed::new(&key)).__retry_fresh()
                            };
                            #[allow(clippy::implicit_return, clippy::needless_return)]
                            let __retry_ended = __retry_pinned
                                .attempt(
                                    __retry_policy,
                                    async {
                                        if false {
                                            return __retry_type.never();
                                        }
                                        __self.send(key).await
                                    },
                                )
                                .await;
                            __retry_ended
                        };
                        match __retry_form
                            .settle(
                                __RETRY_POLICY,
                                __retry_call,
                                __retry_outcome,
                                &mut __retry_log,
                                &mut |__retry_error| true,
                            )
                        {
                            ::core::ops::ControlFlow::Break(__retry_result) => {
                                break '__retry __retry_result;
                            }
                            ::core::ops::ControlFlow::Continue(__retry_call) => {
                                __retry_pinned = __retry_call;
                            }
                        }
                    };
                    #[allow(clippy::needless_return)] return __retry_end;
                })
            }
        "#]],
    );
}

#[test]
fn an_impl_block() {
    check(
        quote!(attempts = 2, on = T::Error),
        quote! {
            impl<T: Service> Client<T> {
                const LIMIT: u32 = 1;
                pub async fn get(&self) -> Result<u32, T::Error> { self.0.get().await }
                #[inline]
                #[retry(attempts = 1)]
                pub async fn own(&self) -> Result<u32, T::Error> { self.0.get().await }
                #[retry(skip)]
                pub async fn skipped(&self) -> u32 { 1 }
                pub fn plain(&self) -> u32 { 1 }
            }
        },
        &expect![[r#"
            impl<T: Service> Client<T> {
                const LIMIT: u32 = 1;
                pub async fn get(&self) -> Result<u32, T::Error> {
                    let __retry_form = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                        };
                        (&&&&::retry_runtime::__private::Probe::<Result<u32, T::Error>>::NEW)
                            .__retry_form()
                    };
                    const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                        .attempts(2u32)
                        .trusted();
                    let __retry_policy = || __RETRY_POLICY;
                    let mut __retry_pinned = ::core::pin::pin!(
                        ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                        ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                    );
                    let mut __retry_log = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                            ViewNothing as _, ViewOpaque as _,
                        };
                        (&&&&&&__retry_form.errors).__retry_log()
                    };
                    let __retry_end = '__retry: loop {
                        let __retry_type = ::retry_runtime::__private::AttemptType(
                            __retry_form.attempt,
                        );
                        let (__retry_call, __retry_outcome) = __retry_pinned
                            .attempt(
                                __retry_policy,
                                async {
                                    if false {
                                        return __retry_type.never();
                                    }
                                    self.0.get().await
                                },
                            )
                            .await;
                        match __retry_form
                            .settle(
                                __RETRY_POLICY,
                                __retry_call,
                                __retry_outcome,
                                &mut __retry_log,
                                &mut |__retry_error| {
                                    #[allow(unused_imports)]
                                    use ::retry_runtime::__private::{
                                        IsInChain as _, IsNeither as _, IsSame as _,
                                    };
                                    (&&&::retry_runtime::__private::is::<
                                        T::Error,
                                        _,
                                    >(__retry_error, __RETRY_POLICY))
                                        .__retry_is()
                                },
                            )
                        {
                            ::core::ops::ControlFlow::Break(__retry_result) => {
                                break '__retry __retry_result;
                            }
                            ::core::ops::ControlFlow::Continue(__retry_call) => {
                                __retry_pinned = __retry_call;
                            }
                        }
                    };
                    #[allow(clippy::needless_return)] return __retry_end;
                }
                #[inline]
                pub async fn own(&self) -> Result<u32, T::Error> {
                    let __retry_form = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                        };
                        (&&&&::retry_runtime::__private::Probe::<Result<u32, T::Error>>::NEW)
                            .__retry_form()
                    };
                    const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                        .attempts(1u32)
                        .trusted();
                    let __retry_policy = || __RETRY_POLICY;
                    let __retry_pinned = ::core::pin::pin!(
                        ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                        ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                    );
                    let mut __retry_log = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                            ViewNothing as _, ViewOpaque as _,
                        };
                        (&&&&&&__retry_form.errors).__retry_log()
                    };
                    let __retry_end = {
                        let __retry_type = ::retry_runtime::__private::AttemptType(
                            __retry_form.attempt,
                        );
                        let (__retry_call, __retry_outcome) = __retry_pinned
                            .attempt(
                                __retry_policy,
                                async {
                                    if false {
                                        return __retry_type.never();
                                    }
                                    self.0.get().await
                                },
                            )
                            .await;
                        __retry_form
                            .settle_last(
                                __RETRY_POLICY,
                                __retry_call,
                                __retry_outcome,
                                &mut __retry_log,
                                &mut |__retry_error| false,
                            )
                    };
                    #[allow(clippy::needless_return)] return __retry_end;
                }
                pub async fn skipped(&self) -> u32 {
                    1
                }
                pub fn plain(&self) -> u32 {
                    1
                }
            }
        "#]],
    );
}

#[test]
fn mistakes_stand_beside_the_function() {
    check(
        quote!(total = "1 s", attemps = 5, on = "text"),
        quote!(
            async fn call() -> Result<u32, Error> {
                send().await
            }
        ),
        &expect![[r#"
            async fn call() -> Result<u32, Error> {
                let __retry_form = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                    };
                    (&&&&::retry_runtime::__private::Probe::<Result<u32, Error>>::NEW).__retry_form()
                };
                const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                    .trusted();
                let __retry_policy = || __RETRY_POLICY;
                let mut __retry_pinned = ::core::pin::pin!(
                    ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                    ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                );
                let mut __retry_log = {
                    #[allow(unused_imports)]
                    use ::retry_runtime::__private::{
                        ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                        ViewNothing as _, ViewOpaque as _,
                    };
                    (&&&&&&__retry_form.errors).__retry_log()
                };
                let __retry_end = '__retry: loop {
                    let __retry_type = ::retry_runtime::__private::AttemptType(__retry_form.attempt);
                    let (__retry_call, __retry_outcome) = __retry_pinned
                        .attempt(
                            __retry_policy,
                            async {
                                if false {
                                    return __retry_type.never();
                                }
                                send().await
                            },
                        )
                        .await;
                    match __retry_form
                        .settle(
                            __RETRY_POLICY,
                            __retry_call,
                            __retry_outcome,
                            &mut __retry_log,
                            &mut |__retry_error| false,
                        )
                    {
                        ::core::ops::ControlFlow::Break(__retry_result) => {
                            break '__retry __retry_result;
                        }
                        ::core::ops::ControlFlow::Continue(__retry_call) => {
                            __retry_pinned = __retry_call;
                        }
                    }
                };
                #[allow(clippy::needless_return)] return __retry_end;
            }
            ::core::compile_error!(
                "`\"1 s\"` has a blank between number and unit: write `1s` (units: d, h, m, s, ms, us, ns)"
            );
            ::core::compile_error!("unknown key `attemps`: did you mean `attempts`?");
            ::core::compile_error!(
                "`on` takes error types and patterns joined by `|`, or `_` for every error"
            );
        "#]],
    );
    check(
        quote!(on = _),
        quote!(
            fn call() -> Result<u32, Error> {
                send()
            }
        ),
        &expect![[r#"
            fn call() -> Result<u32, Error> {
                let _ = async {
                    let __retry_form = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            BareForm as _, HomelessForm as _, OtherForm as _, TypedForm as _,
                        };
                        (&&&&::retry_runtime::__private::Probe::<Result<u32, Error>>::NEW)
                            .__retry_form()
                    };
                    const __RETRY_POLICY: &::retry_runtime::__private::Policy = &::retry_runtime::Policy::builder()
                        .trusted();
                    let __retry_policy = || __RETRY_POLICY;
                    let __retry_pinned = ::core::pin::pin!(
                        ::retry_runtime::__private::Call::new(__RETRY_POLICY,
                        ::core::option::Option::None, ::retry_runtime::__private::unguarded)
                    );
                    let mut __retry_log = {
                        #[allow(unused_imports)]
                        use ::retry_runtime::__private::{
                            ViewDebug as _, ViewDisplay as _, ViewDisplayDebug as _, ViewError as _,
                            ViewNothing as _, ViewOpaque as _,
                        };
                        (&&&&&&__retry_form.errors).__retry_log()
                    };
                    let __retry_end = {
                        let __retry_type = ::retry_runtime::__private::AttemptType(
                            __retry_form.attempt,
                        );
                        let (__retry_call, __retry_outcome) = __retry_pinned
                            .attempt(
                                __retry_policy,
                                async {
                                    if false {
                                        return __retry_type.never();
                                    }
                                    send()
                                },
                            )
                            .await;
                        __retry_form
                            .settle_last(
                                __RETRY_POLICY,
                                __retry_call,
                                __retry_outcome,
                                &mut __retry_log,
                                &mut |__retry_error| true,
                            )
                    };
                    #[allow(clippy::needless_return)] return __retry_end;
                };
                loop {}
            }
            ::core::compile_error!(
                "`#[retry]` needs an `async fn`: an attempt is a future that can be dropped when its time is up"
            );
        "#]],
    );
}
