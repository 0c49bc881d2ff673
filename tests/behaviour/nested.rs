//! Retries do not multiply: what an inner call gave up on is not transient for the outer one.

use std::error::Error;
use std::io;
use std::pin::pin;
use std::time::Duration;

use retry_runtime::{Deadline, GaveUp, Jitter, Policy, PolicyExt, Reason, RetryError, retry};
use tokio::time::{Instant, sleep};

use crate::support::*;

/// Three attempts, then a give-up.
#[retry(backoff = "none", on = ConnectionError)]
async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

#[retry(backoff = "none", on = StoreError::Connection(_))]
async fn bare_inner(server: &Server) -> Result<u32, StoreError> {
    Ok(server.call().await?)
}

mod the_give_up_is_found {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn in_the_error_itself() {
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason(), error.attempts()), (3, Reason::InnerGaveUp, 1));
        assert_eq!(error.last().unwrap().reason(), Reason::AttemptsExhausted);
        assert!(in_chain::<ConnectionError>(&error));
    }

    #[tokio::test(start_paused = true)]
    async fn whatever_on_and_when_say() {
        #[retry(backoff = "none", on = _)]
        async fn every(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        #[retry(backoff = "none", when = |_| true)]
        async fn when(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        #[retry(backoff = "none", on = RetryError<ConnectionError>)]
        async fn by_type(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        for number in 0..3 {
            let server = Server::failing();
            let error = match number {
                0 => every(&server).await,
                1 => when(&server).await,
                _ => by_type(&server).await,
            };
            assert_eq!((server.calls(), error.unwrap_err().reason()), (3, Reason::InnerGaveUp));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn behind_contexts_of_anyhow() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> anyhow::Result<u32> {
            use anyhow::Context;
            inner(server).await.context("loading the profile").context("opening the page")
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert_eq!(error.to_string(), "opening the page");
        let give_up = error.downcast_ref::<RetryError<ConnectionError>>().unwrap();
        assert_eq!((give_up.reason(), give_up.attempts()), (Reason::AttemptsExhausted, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn behind_a_context_of_eyre() {
        #[retry(backoff = "none", on = _)]
        async fn outer(server: &Server) -> eyre::Result<u32> {
            use eyre::WrapErr;
            bare_inner(server).await.wrap_err("loading the profile")
        }
        let server = Server::failing();
        assert_eq!(outer(&server).await.unwrap_err().to_string(), "loading the profile");
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn behind_transparent_variants() {
        #[derive(Debug, thiserror::Error)]
        #[error(transparent)]
        struct Service(#[from] Api);
        #[derive(Debug, thiserror::Error)]
        enum Api {
            #[error(transparent)]
            Store(#[from] StoreError),
            #[error(transparent)]
            GaveUp(#[from] GaveUp),
        }
        impl From<GaveUp> for Service {
            fn from(gave_up: GaveUp) -> Self {
                Self(Api::GaveUp(gave_up))
            }
        }
        #[retry(backoff = "none", on = _)]
        async fn api(server: &Server) -> Result<u32, Api> {
            Ok(bare_inner(server).await?)
        }
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn service(server: &Server) -> Result<u32, Service> {
            Ok(api(server).await?)
        }
        let server = Server::failing();
        let error = service(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert!(matches!(error, Service(Api::Store(StoreError::GaveUp(_)))), "{error:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn in_the_payload_of_an_io_error() {
        #[retry(backoff = "none", on = io::Error)]
        async fn read(server: &Server) -> io::Result<u32> {
            server.call().await.map_err(|error| io::Error::new(io::ErrorKind::ConnectionReset, error))
        }
        #[retry(backoff = "none", on = io::Error)]
        async fn outer(server: &Server) -> io::Result<u32> {
            read(server).await
        }
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn wrapped(server: &Server) -> io::Result<u32> {
            inner(server).await.map_err(io::Error::other)
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.kind()), (3, io::ErrorKind::ConnectionReset));
        assert!(error.get_ref().unwrap().is::<GaveUp>());

        let server = Server::failing();
        let error = wrapped(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert!(error.get_ref().unwrap().is::<RetryError<ConnectionError>>());
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_boxed_error_and_in_any_error() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn boxed(server: &Server) -> Result<u32, Box<dyn Error + Send + Sync>> {
            Ok(inner(server).await?)
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn any(server: &Server) -> Result<u32, RetryError> {
            Ok(bare_inner(server).await?)
        }
        let server = Server::failing();
        assert!(boxed(&server).await.unwrap_err().is::<RetryError<ConnectionError>>());
        assert_eq!(server.calls(), 3);

        let server = Server::failing();
        let error = any(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (3, Reason::InnerGaveUp));
        assert!(error.last().unwrap().is::<StoreError>());
    }

    #[tokio::test(start_paused = true)]
    async fn below_an_error_that_was_not_retryable() {
        #[retry(nested = "retry", backoff = "none", when = |_| false)]
        async fn middle(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        #[retry(backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<RetryError<ConnectionError>>>> {
            middle(server).await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (3, Reason::InnerGaveUp));
        assert_eq!(error.last().unwrap().reason(), Reason::NotRetryable);
    }

    #[tokio::test(start_paused = true)]
    async fn of_one_of_several_inner_calls() {
        #[retry(backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<(u32, u32), RetryError<RetryError<ConnectionError>>> {
            tokio::try_join!(inner(server), inner(server))
        }
        let server = Server::new([Step::FailAfter(10)]);
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (6, Reason::InnerGaveUp));
    }
}

#[tokio::test(start_paused = true)]
async fn an_inner_error_that_was_not_retryable_is_no_give_up() {
    #[retry(when = |_: &ConnectionError| false)]
    async fn permanent(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = "none", on = source(ConnectionError))]
    async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        permanent(server).await
    }
    let server = Server::failing();
    let error = outer(&server).await.unwrap_err();
    assert_eq!((server.calls(), error.reason()), (3, Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn an_error_without_a_give_up_in_its_chain_is_like_any_other() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        inner(server).await.map_err(|_| ConnectionError)
    }
    let server = Server::failing();
    let error = outer(&server).await.unwrap_err();
    assert_eq!((server.calls(), error.reason()), (9, Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn a_body_may_recover_from_an_inner_give_up() {
    #[retry(backoff = "none", on = _)]
    async fn outer(down: &Server, up: &Server) -> Result<u32, StoreError> {
        match bare_inner(down).await {
            Err(StoreError::GaveUp(_)) => Ok(up.call().await?),
            other => other,
        }
    }
    let (down, up) = (Server::failing(), Server::ready());
    assert_eq!(outer(&down, &up).await.unwrap(), 1);
    assert_eq!((down.calls(), up.calls()), (3, 1));
}

mod retry_opts_out {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn and_multiplies() {
        #[retry(nested = "retry", backoff = "none", on = source(ConnectionError))]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (9, Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn but_on_still_decides() {
        #[retry(nested = "retry", backoff = "none", on = source(Missing))]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (3, Reason::NotRetryable));
    }

    #[tokio::test(start_paused = true)]
    async fn for_one_layer_only() {
        #[retry(nested = "retry", backoff = "none", on = _)]
        async fn middle(server: &Server) -> Result<u32, StoreError> {
            bare_inner(server).await
        }
        #[retry(backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, StoreError> {
            middle(server).await
        }
        let server = Server::failing();
        assert_eq!(outer(&server).await.unwrap_err().gave_up().attempts(), 3);
        assert_eq!(server.calls(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn for_cut_attempts_too() {
        #[retry(per_attempt = "100ms", attempts = 5, backoff = "none", on = ConnectionError)]
        async fn slow(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(nested = "retry", per_attempt = "250ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            slow(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(750), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 9);
    }
}

/// The outer attempt ends while, or after, an inner call tried more than once.
mod a_cut_attempt_is_not_repeated {
    use super::*;

    #[retry(per_attempt = "100ms", attempts = 5, backoff = "none", on = ConnectionError)]
    async fn slow(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_inner_call_was_at_it_for_the_third_time() {
        #[retry(per_attempt = "250ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            slow(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(250), Reason::InnerGaveUp));
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_inner_call_gave_up_shortly_before() {
        #[retry(per_attempt = "1s", attempts = 5, backoff = "100ms", jitter = "none", on = ConnectionError)]
        async fn patient(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(total = "10s", per_attempt = "250ms", attempts = 3, backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            patient(server).await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        // 0, 100, then half of the 150 ms that are left, and no fourth.
        assert_eq!(server.starts(), [0, 100, 175]);
        assert_eq!(error.end(), (1, ms(175), Reason::InnerGaveUp));
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_body_swallowed_the_give_up_and_hung() {
        #[retry(per_attempt = "250ms", backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            let _ = inner(server).await;
            std::future::pending().await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(250), Reason::InnerGaveUp));
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn in_the_bare_form_either() {
        #[retry(per_attempt = "250ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, StoreError> {
            let _ = bare_inner(server).await;
            std::future::pending().await
        }
        let server = Server::failing();
        let error = outer(&server).await.unwrap_err().gave_up();
        assert_eq!(error.end(), (1, ms(250), Reason::InnerGaveUp));
        assert_eq!(server.calls(), 3);
    }

    /// Polls the call for 25 ms, then keeps it but asks no more: so the outer timer strikes before the inner one.
    async fn for_25ms<T>(call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        tokio::select! {
            biased;
            () = sleep(ms(25)) => std::future::pending().await,
            value = &mut call => value,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_inner_call_was_still_running_whichever_timer_comes_first() {
        #[retry(per_attempt = "10ms", attempts = 9, backoff = "none", on = ConnectionError)]
        async fn in_an_attempt(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(backoff = "10ms", attempts = 9, jitter = "none", on = ConnectionError)]
        async fn in_a_wait(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "200ms", backoff = "none", on = _)]
        async fn outer(server: &Server, waits: bool) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            if waits { for_25ms(in_a_wait(server)).await } else { for_25ms(in_an_attempt(server)).await }
        }
        for (server, waits, calls) in [(Server::hung(), false, 3), (Server::failing(), true, 2)] {
            let error = outer(&server, waits).await.unwrap_err();
            assert_eq!(error.end(), (1, ms(200), Reason::InnerGaveUp));
            assert_eq!(server.calls(), calls);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn when_a_policy_was_still_running_whichever_timer_comes_first() {
        const CALM: Policy = Policy::builder().jitter(Jitter::None).attempts(9).build();
        let in_an_attempt = CALM.to_builder().per_attempt(ms(10)).no_backoff().build();
        let in_a_wait = CALM.to_builder().backoff(ms(10)).build();
        let outer = Policy::builder().per_attempt(ms(200)).no_backoff().build();
        for (server, inner, calls) in [(Server::hung(), in_an_attempt, 3), (Server::failing(), in_a_wait, 2)]
        {
            let error = outer.run(|| for_25ms(inner.run(|| server.call()))).await.unwrap_err();
            assert_eq!(error.end(), (1, ms(200), Reason::InnerGaveUp));
            assert_eq!(server.calls(), calls);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn but_one_in_which_the_inner_call_was_at_its_first_attempt_is() {
        #[retry(per_attempt = "200ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            for_25ms(slow(server)).await
        }
        let server = Server::hung();
        assert_eq!(outer(&server).await.unwrap_err().end(), (3, ms(600), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 3);
        let outer = Policy::builder().per_attempt(ms(200)).no_backoff().build();
        let inner = Policy::builder().per_attempt(ms(100)).no_backoff().build();
        let server = Server::hung();
        let error = outer.run(|| for_25ms(inner.run(|| server.call()))).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(600), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 3);
    }

    /// What clean-up work does is no matter of the attempt, whether it came to its end or not.
    #[tokio::test(start_paused = true)]
    async fn but_one_with_a_detached_call_is() {
        #[retry(attempts = 3, backoff = "10ms", jitter = "none", on = ConnectionError)]
        async fn gives_up(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(attempts = 99, backoff = "10ms", factor = 1, jitter = "none", on = ConnectionError)]
        async fn is_cut(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "200ms", backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server, cut: bool) -> Result<u32, RetryError<ConnectionError>> {
            let _ = if cut {
                Deadline::detached(is_cut(server)).await
            } else {
                Deadline::detached(gives_up(server)).await
            };
            std::future::pending().await
        }
        for (cut, calls) in [(false, 9), (true, 63)] {
            let server = Server::failing();
            let error = outer(&server, cut).await.unwrap_err();
            assert_eq!(error.end(), (3, ms(600), Reason::AttemptsExhausted), "{cut}");
            assert_eq!(server.calls(), calls);
        }
        let policy = Policy::builder().attempts(99).backoff(ms(10)).factor(1.0).jitter(Jitter::None).build();
        let outer = Policy::builder().per_attempt(ms(200)).no_backoff().build();
        let server = Server::failing();
        let error = outer.run(|| Deadline::detached(policy.run(|| server.call()))).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(600), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 63);
    }

    #[tokio::test(start_paused = true)]
    async fn but_a_reached_deadline_is_named_instead() {
        #[retry(total = "250ms", per_attempt = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            let _ = inner(server).await;
            std::future::pending().await
        }
        let error = outer(&Server::failing()).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(250), Reason::TotalElapsed));
    }

    #[tokio::test(start_paused = true)]
    async fn but_one_after_an_inner_success_is() {
        #[retry(per_attempt = "250ms", backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            inner(server).await.map_err(|_| ConnectionError)?;
            std::future::pending().await
        }
        // The inner call needed two attempts, and got its answer.
        let server = Server::new([Step::Fail, Step::Succeed, Step::Succeed, Step::Succeed]);
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(750), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn but_one_whose_body_had_dropped_the_inner_call_is() {
        #[retry(per_attempt = "250ms", backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            tokio::select! {
                result = slow(server) => return result.map_err(|_| ConnectionError),
                () = sleep(ms(150)) => {}
            }
            std::future::pending().await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(750), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 6);
    }
}

/// An inner call with at most one attempt that ran into the limit of the outer one.
mod a_passed_on_cut_is_the_outer_ones_own {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn with_one_attempt_allowed() {
        #[retry(attempts = 1)]
        async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            once(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
        assert!(error.timed_out());
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn with_one_attempt_made() {
        #[retry(per_attempt = "none", on = ConnectionError)]
        async fn whole(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            whole(server).await
        }
        let server = Server::hung();
        assert_eq!(outer(&server).await.unwrap_err().end(), (3, ms(300), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn with_no_attempt_made() {
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            sleep(ms(100)).await;
            inner(server).await
        }
        let server = Server::ready();
        assert_eq!(outer(&server).await.unwrap_err().end(), (3, ms(300), Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn although_the_inner_call_kept_a_margin() {
        #[retry(attempts = 1, margin = "20ms")]
        async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            once(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (3, Reason::AttemptsExhausted));
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn although_the_margin_was_longer_than_what_was_left() {
        #[retry(attempts = 1, margin = margin)]
        async fn once(server: &Server, margin: Duration) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(
            server: &Server,
            margin: Duration,
        ) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            once(server, margin).await
        }
        for margin in [ms(100), ms(101), Duration::MAX] {
            let server = Server::ready();
            let error = outer(&server, margin).await.unwrap_err();
            assert_eq!(error.end(), (3, ms(0), Reason::AttemptsExhausted), "{margin:?}");
            assert!(error.timed_out() && error.last().is_none());
            assert_eq!(server.calls(), 0);
        }
    }

    /// Without its margin too, an explicit deadline before the end of the outer attempt is one of its own.
    #[tokio::test(start_paused = true)]
    async fn but_not_where_an_explicit_deadline_came_first() {
        #[retry(attempts = 1, margin = margin, deadline = deadline)]
        async fn once(
            server: &Server,
            margin: Duration,
            deadline: Deadline,
        ) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "200ms", backoff = "none", on = _)]
        async fn outer(
            server: &Server,
            margin: Duration,
            within: u64,
        ) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            let deadline = Deadline::within(ms(within));
            // The first two are over when the inner call starts.
            sleep(ms(50)).await;
            once(server, margin, deadline).await
        }
        for within in [0, 50, 60, 199] {
            for margin in [ms(500), Duration::MAX] {
                let server = Server::ready();
                let error = outer(&server, margin, within).await.unwrap_err();
                assert_eq!(error.end(), (1, ms(50), Reason::InnerGaveUp), "{within} {margin:?}");
                assert_eq!(error.last().unwrap().end(), (0, ms(0), Reason::InheritedDeadline));
                assert_eq!(server.calls(), 0);
            }
        }
        // At the end of the outer attempt it is not before it.
        let error = outer(&Server::ready(), ms(500), 200).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(150), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn and_no_key_is_asked_about_it() {
        #[retry(attempts = 1)]
        async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        fn never<T>(_: &RetryError<ConnectionError>) -> T {
            panic!("asked about a cut attempt")
        }
        #[retry(per_attempt = "100ms", backoff = "none", when = never, retry_after = never)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            once(server).await
        }
        let error = outer(&Server::hung()).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
        assert!(error.first().is_none());

        let server = Server::hung();
        let policy = Policy::builder().per_attempt(ms(100)).no_backoff().build();
        let error = policy.run(|| once(&server)).when(never).retry_after(never).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn through_the_contexts_of_anyhow() {
        #[retry(attempts = 1)]
        async fn once(server: &Server) -> anyhow::Result<u32> {
            Ok(server.call().await?)
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = ConnectionError)]
        async fn outer(server: &Server) -> anyhow::Result<u32> {
            use anyhow::Context;
            once(server).await.context("loading the profile")
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        let gave_up = error.downcast_ref::<GaveUp>().unwrap();
        assert_eq!(gave_up.end(), (3, ms(300), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn but_not_where_the_inner_total_struck_first() {
        #[retry(total = "50ms", per_attempt = "none", on = ConnectionError)]
        async fn short(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            short(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(50), Reason::InnerGaveUp));
        assert_eq!(error.last().unwrap().reason(), Reason::TotalElapsed);
    }

    #[tokio::test(start_paused = true)]
    async fn and_not_repeated_where_not_idempotent() {
        #[retry(attempts = 1)]
        async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(per_attempt = "100ms", backoff = "none", idempotent = false, on = _)]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            once(server).await
        }
        let server = Server::hung();
        assert_eq!(outer(&server).await.unwrap_err().end(), (1, ms(100), Reason::AttemptTimedOut));
        assert_eq!(server.calls(), 1);
    }
}

/// The innermost of three layers decides alone, for every mix of return forms.
mod three_layers {
    use super::*;

    #[retry(backoff = "none", on = _)]
    async fn typed_over_bare(server: &Server) -> Result<u32, RetryError<StoreError>> {
        bare_inner(server).await
    }
    #[retry(backoff = "none", on = _)]
    async fn bare_over_typed(server: &Server) -> Result<u32, StoreError> {
        Ok(typed_over_bare(server).await.map_err(GaveUp::from)?)
    }

    #[tokio::test(start_paused = true)]
    async fn failing() {
        let (start, server) = (Instant::now(), Server::failing());
        let gave_up = bare_over_typed(&server).await.unwrap_err().gave_up();
        assert_eq!((server.calls(), start.elapsed()), (3, ms(0)));
        assert_eq!((gave_up.reason(), gave_up.attempts()), (Reason::InnerGaveUp, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn hanging() {
        let (start, server) = (Instant::now(), Server::hung());
        bare_over_typed(&server).await.unwrap_err().gave_up();
        assert_eq!(server.calls(), 3);
        assert!(start.elapsed() <= ms(1112), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn recovering() {
        let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
        assert_eq!(bare_over_typed(&server).await.unwrap(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_then_failing() {
        let server = Server::new([Step::Hang, Step::Fail]);
        bare_over_typed(&server).await.unwrap_err().gave_up();
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn failing_then_hanging() {
        let server = Server::new([Step::Fail, Step::Hang]);
        bare_over_typed(&server).await.unwrap_err().gave_up();
        assert_eq!(server.calls(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_runs_an_annotated_call_does_not_multiply_it() {
    const OUTER: Policy = Policy::builder().no_backoff().build();
    let server = Server::failing();
    let error = OUTER.run(|| inner(&server)).await.unwrap_err();
    assert_eq!((server.calls(), error.reason()), (3, Reason::InnerGaveUp));
}
