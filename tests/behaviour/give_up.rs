//! A give-up says why, and keeps the last real failure.

use std::error::Error;

use retry_runtime::{AttemptOutcome, AttemptTimedOut, Deadline, GaveUp, Reason, RetryError, retry};

use crate::support::*;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("failure number {0}")]
struct Numbered(u32);

#[tokio::test(start_paused = true)]
async fn the_deadline_does_not_replace_the_real_cause() {
    #[retry(total = "1s", per_attempt = "none", attempts = 5, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::new([Step::Fail, Step::Hang])).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(1000), Reason::TotalElapsed));
    assert_eq!(error.last(), Some(&ConnectionError));
    assert!(error.source().unwrap().is::<ConnectionError>());
    assert!(error.timed_out());
    let outcomes: Vec<_> = error.history().iter().map(|attempt| attempt.outcome()).collect();
    assert_eq!(outcomes, [AttemptOutcome::Failed, AttemptOutcome::TimedOut]);
    assert_eq!(error.into_last(), Some(ConnectionError));
}

#[tokio::test(start_paused = true)]
async fn an_error_before_a_cut_attempt_stays_the_source_however_the_call_ends() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::new([Step::Hang, Step::Fail, Step::Hang])).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(200), Reason::AttemptsExhausted));
    assert!(error.source().unwrap().is::<ConnectionError>() && error.timed_out());

    let error = fetch(&Server::new([Step::Hang, Step::Hang, Step::Fail])).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(200), Reason::AttemptsExhausted));
    assert!(error.source().unwrap().is::<ConnectionError>() && !error.timed_out());
}

#[tokio::test(start_paused = true)]
async fn without_any_error_the_timed_out_attempt_is_the_source() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    let source = error.source().unwrap().downcast_ref::<AttemptTimedOut>().unwrap();
    assert_eq!(source.limit(), ms(100));
    assert!(source.to_string().contains("100ms"), "{source}");
    assert!(error.first().is_none() && error.last().is_none());
    assert_eq!(error.into_last(), None);
}

#[tokio::test(start_paused = true)]
async fn the_first_and_the_last_error_are_kept() {
    #[retry(attempts = 5, backoff = "none", on = Numbered)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<Numbered>> {
        let _ = server.call().await;
        Err(Numbered(server.calls()))
    }
    let error = fetch(&Server::ready()).await.unwrap_err();
    assert_eq!((error.first(), error.last()), (Some(&Numbered(1)), Some(&Numbered(5))));
    assert_eq!(error.source().unwrap().to_string(), "failure number 5");
}

#[tokio::test(start_paused = true)]
async fn with_one_attempt_the_first_error_is_the_last() {
    #[retry(attempts = 1)]
    async fn fetch() -> Result<u32, RetryError<Numbered>> {
        Err(Numbered(1))
    }
    let error = fetch().await.unwrap_err();
    assert_eq!((error.first(), error.last()), (Some(&Numbered(1)), Some(&Numbered(1))));
    assert_eq!(error.into_last(), Some(Numbered(1)));
}

#[tokio::test(start_paused = true)]
async fn the_text_names_the_reason_and_never_repeats_the_source() {
    fn never_repeats(error: &(dyn Error + 'static)) {
        let texts = chain(error);
        for (i, text) in texts.iter().enumerate() {
            assert!(!text.is_empty());
            for below in &texts[i + 1..] {
                assert!(!text.contains(below.as_str()), "{texts:?}");
            }
        }
    }
    fn long_hint(_: &ConnectionError) -> Option<std::time::Duration> {
        Some(secs(3600))
    }
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn exhausted(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", per_attempt = "none", on = ConnectionError)]
    async fn elapsed(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "100ms", idempotent = false, on = ConnectionError)]
    async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(retry_after = long_hint, on = ConnectionError)]
    async fn later(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(when = |_: &ConnectionError| false)]
    async fn permanent(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let inherited = Deadline::within(ms(100)).scope(elapsed(&Server::hung())).await.unwrap_err();
    let errors = [
        (exhausted(&Server::failing()).await.unwrap_err(), Reason::AttemptsExhausted, "3 attempts"),
        (elapsed(&Server::hung()).await.unwrap_err(), Reason::TotalElapsed, "total of 1s"),
        (once(&Server::hung()).await.unwrap_err(), Reason::AttemptTimedOut, "1 attempt"),
        (later(&Server::failing()).await.unwrap_err(), Reason::RetryAfterTooLong, "1h"),
        (permanent(&Server::failing()).await.unwrap_err(), Reason::NotRetryable, ""),
        (inherited, Reason::InheritedDeadline, "1 attempt"),
    ];
    let mut texts = Vec::new();
    for (error, reason, part) in errors {
        assert_eq!(error.reason(), reason);
        assert!(error.to_string().contains(part), "{error}");
        never_repeats(&error);
        texts.push(error.to_string());
        let gave_up = GaveUp::from(error);
        assert_eq!(gave_up.reason(), reason);
        never_repeats(&gave_up);
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 6, "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn giving_up_early_and_the_timer_firing_have_the_same_reason() {
    #[retry(total = "1s", attempts = 20, per_attempt = "200ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let early = fetch(&Server::failing()).await.unwrap_err();
    let timer = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!((early.elapsed(), timer.elapsed()), (ms(875), ms(1000)));
    assert_eq!((early.reason(), timer.reason()), (Reason::TotalElapsed, Reason::TotalElapsed));
    assert!(early.timed_out() && timer.timed_out());

    let scoped = Deadline::within(ms(500));
    let early = scoped.scope(fetch(&Server::failing())).await.unwrap_err();
    let scoped = Deadline::within(ms(500));
    let timer = scoped.scope(fetch(&Server::hung())).await.unwrap_err();
    assert_eq!((early.reason(), timer.reason()), (Reason::InheritedDeadline, Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn a_short_history_is_whole() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "50ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::new([Step::Hang, Step::FailAfter(30)])).await.unwrap_err();
    let history: Vec<_> =
        error.history().iter().map(|a| (a.number(), a.start(), a.duration(), a.outcome())).collect();
    assert_eq!(
        history,
        [
            (1, ms(0), ms(100), AttemptOutcome::TimedOut),
            (2, ms(150), ms(30), AttemptOutcome::Failed),
            (3, ms(280), ms(30), AttemptOutcome::Failed),
        ]
    );
    let gave_up = GaveUp::from(error);
    assert_eq!(gave_up.history().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_long_history_keeps_the_first_and_the_last_sixteen() {
    #[retry(total = "1h", attempts = attempts, backoff = "none", on = Numbered)]
    async fn fetch(server: &Server, attempts: u32) -> Result<u32, RetryError<Numbered>> {
        let _ = server.call().await;
        Err(Numbered(server.calls()))
    }
    for attempts in [1, 15, 16, 17, 31, 32, 33, 48, 49, 1000] {
        let error = fetch(&Server::failing(), attempts).await.unwrap_err();
        let numbers: Vec<_> = error.history().iter().map(|attempt| attempt.number()).collect();
        let expected: Vec<_> = (1..=attempts).filter(|n| *n <= 16 || *n + 16 > attempts).collect();
        assert_eq!(numbers, expected);
        assert_eq!((error.first(), error.last()), (Some(&Numbered(1)), Some(&Numbered(attempts))));
    }
}

#[tokio::test(start_paused = true)]
async fn a_give_up_is_one_pointer_wide_and_keeps_what_it_came_from() {
    assert_eq!(size_of::<RetryError<[u64; 20]>>(), size_of::<usize>());
    assert_eq!(size_of::<GaveUp>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), GaveUp>>(), size_of::<usize>());

    #[retry(attempts = 2, backoff = "10ms", jitter = "none", on = Numbered)]
    async fn fetch() -> Result<u32, RetryError<Numbered>> {
        Err(Numbered(7))
    }
    let error = fetch().await.unwrap_err();
    let (end, text) = (error.end(), error.to_string());
    let gave_up = GaveUp::from(error);
    assert_eq!((gave_up.end(), gave_up.to_string()), (end, text));
    assert_eq!(gave_up.downcast_last::<Numbered>(), Some(&Numbered(7)));
    assert_eq!(gave_up.downcast_last::<ConnectionError>(), None);
    assert!(in_chain::<Numbered>(&gave_up));
}
