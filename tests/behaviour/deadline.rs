//! Deadlines in process: inherited by every await below an attempt, tightened only.

use std::cell::Cell;
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retry_runtime::{Deadline, DeadlineExceeded, DeadlineExt, Reason, RetryError, retry};
use tokio::time::{Instant, sleep};

use crate::support::*;

fn left() -> Option<Duration> {
    Deadline::current().map(Deadline::remaining)
}

#[retry(total = "10s", attempts = 1)]
async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

/// Runs a body under a limit of 300 ms.
async fn within_300ms<T>(body: impl Future<Output = T>) -> T {
    Deadline::within(ms(300)).scope(body).await
}

#[tokio::test(start_paused = true)]
async fn outside_of_any_scope_there_is_none() {
    assert_eq!(Deadline::current(), None);
    assert_eq!(tokio::spawn(async { Deadline::current() }).await.unwrap(), None);
    assert_eq!(std::thread::spawn(Deadline::current).join().unwrap(), None);
}

#[test]
fn outside_of_a_runtime_there_is_none() {
    assert_eq!(Deadline::current(), None);
}

mod inherited {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn from_the_limit_of_the_attempt() {
        #[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = ConnectionError)]
        async fn outer(
            server: &Server,
            seen: &Cell<Option<Duration>>,
        ) -> Result<u32, RetryError<ConnectionError>> {
            seen.set(left());
            server.call().await
        }
        let seen = Cell::new(None);
        outer(&Server::ready(), &seen).await.unwrap();
        assert_eq!(seen.get(), Some(ms(200)));
        // The fourth attempt starts at 950 ms.
        outer(&Server::hung(), &seen).await.unwrap_err();
        assert_eq!(seen.get(), Some(ms(50)));
        assert_eq!(left(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn in_join_and_try_join() {
        #[retry(total = "300ms", attempts = 1)]
        async fn outer(server: &Server) -> Result<Vec<(Duration, Reason)>, RetryError<ConnectionError>> {
            let (a, b) = tokio::join!(inner(server), async {
                sleep(ms(100)).await;
                inner(server).await
            });
            let errors = [a.unwrap_err(), b.unwrap_err()];
            Ok(errors.iter().map(|error| (error.elapsed(), error.reason())).collect())
        }
        let ends = outer(&Server::hung()).await.unwrap();
        assert_eq!(ends, [(ms(300), Reason::InheritedDeadline), (ms(200), Reason::InheritedDeadline)]);
    }

    #[tokio::test(start_paused = true)]
    async fn in_select() {
        let error = within_300ms(async {
            let server = Server::hung();
            tokio::select! {
                result = inner(&server) => result.unwrap_err(),
                () = sleep(secs(5)) => panic!("the deadline was lost"),
            }
        })
        .await;
        assert_eq!(error.end(), (1, ms(300), Reason::InheritedDeadline));
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_futures_unordered() {
        let ends = within_300ms(async {
            let server = Server::hung();
            let calls: FuturesUnordered<_> = (0..20).map(|_| inner(&server)).collect();
            calls.map(|result| result.unwrap_err().end()).collect::<Vec<_>>().await
        })
        .await;
        assert_eq!(ends, [(1, ms(300), Reason::InheritedDeadline); 20]);
    }

    #[tokio::test(start_paused = true)]
    async fn but_scopes_polled_side_by_side_do_not_mix() {
        let scope = |limit, server| Deadline::within(ms(limit)).scope(inner(server));
        let server = Server::hung();
        let (a, b, c) = tokio::join!(scope(100, &server), inner(&server), scope(200, &server));
        assert_eq!(a.unwrap_err().elapsed(), ms(100));
        assert_eq!(b.unwrap_err().end(), (1, secs(10), Reason::TotalElapsed));
        assert_eq!(c.unwrap_err().elapsed(), ms(200));
        assert_eq!(left(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_move_to_another_thread() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let seen = runtime.spawn(Deadline::within(secs(60)).scope(async {
            let mut threads = Vec::new();
            for _ in 0..100 {
                tokio::task::yield_now().await;
                assert!(Deadline::current().is_some());
                threads.push(std::thread::current().id());
            }
            threads.len()
        }));
        assert_eq!(seen.await.unwrap(), 100);
        runtime.shutdown_background();
    }

    #[tokio::test(start_paused = true)]
    async fn and_gone_when_the_future_is_dropped_half_way() {
        let mut call = Box::pin(within_300ms(std::future::pending::<()>()));
        assert!(futures_util::poll!(&mut call).is_pending());
        assert_eq!(left(), None);
        drop(call);
        assert_eq!(left(), None);
    }
}

mod spawned_tasks {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn start_without_a_deadline() {
        #[retry(total = "300ms", attempts = 1)]
        async fn outer(ends: tokio::sync::mpsc::Sender<Duration>) -> Result<(), RetryError<ConnectionError>> {
            let ends = ends.clone();
            tokio::spawn(async move {
                let elapsed = inner(&Server::hung()).await.unwrap_err().elapsed();
                let _ = ends.send(elapsed).await;
            })
            .await
            .map_err(|_| ConnectionError)
        }
        let (sender, mut ends) = tokio::sync::mpsc::channel(1);
        let error = outer(sender).await.unwrap_err();
        assert_eq!(error.elapsed(), ms(300));
        // The task lives on, until the total of its own call.
        assert_eq!(ends.recv().await, Some(secs(10)));
    }

    #[tokio::test(start_paused = true)]
    async fn inherit_where_that_is_said() {
        let (bare, carried) = within_300ms(async {
            let bare = tokio::spawn(async { left() });
            let carried = tokio::spawn(
                async {
                    let error = inner(&Server::hung()).await.unwrap_err();
                    (error.elapsed(), error.reason())
                }
                .in_current_deadline(),
            );
            (bare.await.unwrap(), carried.await.unwrap())
        })
        .await;
        assert_eq!(bare, None);
        assert_eq!(carried, (ms(300), Reason::InheritedDeadline));
    }

    #[tokio::test(start_paused = true)]
    async fn inherit_the_deadline_of_where_they_were_made_not_of_where_they_run() {
        let make = || std::future::poll_fn(|_| Poll::Ready(async { left() }.in_current_deadline()));
        let made = within_300ms(make()).await;
        sleep(ms(100)).await;
        assert_eq!(made.await, Some(ms(200)));
        // Under a tighter scope the tighter one holds.
        let made = within_300ms(make()).await;
        assert_eq!(Deadline::within(ms(50)).scope(made).await, Some(ms(50)));
    }

    #[tokio::test(start_paused = true)]
    async fn inherit_nothing_outside_of_any_scope() {
        assert_eq!(tokio::spawn(async { left() }.in_current_deadline()).await.unwrap(), None);
    }
}

mod scope {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn tightens_only() {
        let seen = Deadline::within(ms(300))
            .scope(async {
                let wider = Deadline::within(secs(60)).scope(async { left() }).await;
                let tighter = Deadline::within(ms(100)).scope(async { left() }).await;
                (wider, tighter, left())
            })
            .await;
        assert_eq!(seen, (Some(ms(300)), Some(ms(100)), Some(ms(300))));
    }

    #[tokio::test(start_paused = true)]
    async fn cuts_nothing_by_itself() {
        let start = Instant::now();
        Deadline::within(ms(100)).scope(sleep(ms(500))).await;
        assert_eq!(start.elapsed(), ms(500));
    }
}

mod limit {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn cuts_and_tells() {
        let (start, deadline) = (Instant::now(), Deadline::within(ms(100)));
        let error = deadline.limit(std::future::pending::<()>()).await.unwrap_err();
        assert_eq!((start.elapsed(), error.deadline()), (ms(100), deadline));
        assert!(!error.to_string().is_empty());
        assert_eq!(deadline.limit(std::future::pending::<()>()).await, Err(error));
    }

    #[tokio::test(start_paused = true)]
    async fn lets_the_value_win() {
        assert_eq!(Deadline::within(ms(0)).limit(async { 7 }).await, Ok(7));
        let late = async {
            sleep(ms(100)).await;
            8
        };
        assert_eq!(Deadline::within(ms(100)).limit(late).await, Ok(8));
    }

    #[tokio::test(start_paused = true)]
    async fn is_a_scope_too() {
        let seen = Deadline::within(ms(100)).limit(async { left() }).await;
        assert_eq!(seen, Ok(Some(ms(100))));
    }

    #[tokio::test(start_paused = true)]
    async fn exceeded_is_no_give_up() {
        #[retry(per_attempt = "1s", backoff = "none", on = DeadlineExceeded)]
        async fn outer(server: &Server) -> anyhow::Result<u32> {
            Ok(Deadline::within(ms(100)).limit(server.call()).await??)
        }
        let server = Server::hung();
        let start = Instant::now();
        outer(&server).await.unwrap_err();
        assert_eq!((server.calls(), start.elapsed()), (3, ms(300)));
    }
}

mod check {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ends_a_loop_that_never_awaits() {
        let deadline = Deadline::within(ms(100));
        assert_eq!(deadline.check(), Ok(()));
        sleep(ms(99)).await;
        assert_eq!((deadline.check(), deadline.is_expired(), deadline.remaining()), (Ok(()), false, ms(1)));
        sleep(ms(1)).await;
        assert_eq!(deadline.check().unwrap_err().deadline(), deadline);
        assert_eq!((deadline.is_expired(), deadline.remaining()), (true, ms(0)));
        sleep(secs(1)).await;
        assert_eq!((deadline.is_expired(), deadline.remaining()), (true, ms(0)));
    }

    #[tokio::test(start_paused = true)]
    async fn of_the_current_deadline_in_a_body() {
        #[retry(attempts = 1)]
        async fn crunch(chunks: &[u64]) -> anyhow::Result<u64> {
            let mut sum = 0;
            for chunk in chunks {
                if let Some(deadline) = Deadline::current() {
                    deadline.check()?;
                }
                tokio::time::advance(ms(*chunk)).await;
                sum += chunk;
            }
            Ok(sum)
        }
        assert_eq!(crunch(&[10, 20]).await.unwrap(), 30);
        let error = Deadline::within(ms(50)).scope(crunch(&[30, 30, 30])).await.unwrap_err();
        assert!(error.is::<DeadlineExceeded>() || error.is::<retry_runtime::GaveUp>(), "{error}");
    }
}

mod arithmetic {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_smaller_of_two() {
        let (near, far) = (Deadline::within(ms(100)), Deadline::within(ms(200)));
        assert_eq!(near.min(far), near);
        assert_eq!(far.min(near), near);
        let never = Deadline::within(Duration::MAX);
        assert_eq!(near.min(never), near);
        assert!(!never.is_expired());
        assert_eq!(never.check(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn at_and_within_agree() {
        assert_eq!(Deadline::at(Instant::now() + ms(100)), Deadline::within(ms(100)));
        let past = Deadline::at(Instant::now());
        sleep(ms(1)).await;
        assert!(past.is_expired() && past.remaining().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn reserve_keeps_time_for_later() {
        let deadline = Deadline::within(ms(100));
        assert_eq!(deadline.reserve(ms(30)).remaining(), ms(70));
        assert_eq!(deadline.reserve(ms(0)), deadline);
        assert!(deadline.reserve(ms(100)).is_expired());
        assert!(deadline.reserve(ms(101)).is_expired());
        assert!(deadline.reserve(Duration::MAX).is_expired());
    }

    #[tokio::test(start_paused = true)]
    async fn share_is_a_fair_part_of_what_is_left() {
        let deadline = Deadline::within(ms(300));
        assert_eq!(deadline.share(3).remaining(), ms(100));
        sleep(ms(100)).await;
        assert_eq!(deadline.share(2).remaining(), ms(100));
        assert_eq!(deadline.share(1), deadline);
        // No part at all counts as one.
        assert_eq!(deadline.share(0), deadline);
        assert!(deadline.share(u32::MAX).remaining() <= ms(1));
        sleep(secs(1)).await;
        assert!(deadline.share(3).is_expired());
    }

    #[tokio::test(start_paused = true)]
    async fn shares_of_calls_in_sequence() {
        let server = Server::hung();
        let deadline = Deadline::within(ms(300));
        for parts in [3, 2, 1] {
            let start = Instant::now();
            deadline.share(parts).scope(inner(&server)).await.unwrap_err();
            assert_eq!(start.elapsed(), ms(100));
        }
    }
}

mod detached {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn runs_without_a_deadline() {
        let seen = within_300ms(async { (Deadline::detached(async { left() }).await, left()) }).await;
        assert_eq!(seen, (None, Some(ms(300))));
    }

    #[tokio::test(start_paused = true)]
    async fn lets_a_call_use_its_own_total() {
        #[retry(total = "1s", per_attempt = "none", on = ConnectionError)]
        async fn cleanup(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        let server = Server::hung();
        let error = within_300ms(Deadline::detached(cleanup(&server))).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_keep_its_attempt_alive() {
        #[retry(total = "300ms", attempts = 1)]
        async fn outer(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            Deadline::detached(server.call()).await
        }
        let server = Server::hung();
        assert_eq!(outer(&server).await.unwrap_err().elapsed(), ms(300));
        assert_eq!(server.open(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn may_have_a_scope_of_its_own() {
        let seen = within_300ms(Deadline::detached(async {
            Deadline::within(secs(60)).scope(async { left() }).await
        }))
        .await;
        assert_eq!(seen, Some(secs(60)));
    }
}
