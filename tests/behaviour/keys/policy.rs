use retry_runtime::{Jitter, Policy, Reason, RetryError, retry};

use crate::support::*;

const QUICK: Policy = Policy::builder()
    .total(ms(500))
    .per_attempt(ms(100))
    .attempts(4)
    .backoff(ms(10))
    .jitter(Jitter::None)
    .build();
static SHARED: Policy = QUICK;

#[tokio::test(start_paused = true)]
async fn a_constant_a_reference_and_an_expression() {
    struct Client {
        policy: Policy,
    }
    impl Client {
        #[retry(policy = self.policy, on = ConnectionError)]
        async fn fetch(&self, server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
    }
    #[retry(policy = QUICK, on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(policy = &SHARED, on = ConnectionError)]
    async fn reference(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let expected = (4, ms(70), Reason::AttemptsExhausted);
    assert_eq!(constant(&Server::failing()).await.unwrap_err().end(), expected);
    assert_eq!(reference(&Server::failing()).await.unwrap_err().end(), expected);
    let client = Client { policy: QUICK };
    assert_eq!(client.fetch(&Server::failing()).await.unwrap_err().end(), expected);
    let client = Client { policy: QUICK.to_builder().attempts(2).build() };
    assert_eq!(
        client.fetch(&Server::failing()).await.unwrap_err().end(),
        (2, ms(10), Reason::AttemptsExhausted)
    );
}

#[tokio::test(start_paused = true)]
async fn other_keys_override_it() {
    #[retry(policy = QUICK, attempts = 2, on = ConnectionError)]
    async fn after(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = "none", policy = QUICK, on = ConnectionError)]
    async fn before(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(policy = QUICK, total = "150ms", on = ConnectionError)]
    async fn total(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(after(&Server::failing()).await.unwrap_err().end(), (2, ms(10), Reason::AttemptsExhausted));
    assert_eq!(before(&Server::failing()).await.unwrap_err().end(), (4, ms(0), Reason::AttemptsExhausted));
    assert_eq!(total(&Server::hung()).await.unwrap_err().end(), (2, ms(150), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn a_run_time_key_that_is_absent_leaves_the_policys_own() {
    #[retry(policy = QUICK, backoff = backoff, on = ConnectionError)]
    async fn fetch(
        server: &Server,
        backoff: Option<std::time::Duration>,
    ) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::failing(), None).await.unwrap_err().elapsed(), ms(70));
    assert_eq!(fetch(&Server::failing(), Some(ms(20))).await.unwrap_err().elapsed(), ms(140));
}

#[tokio::test(start_paused = true)]
async fn every_number_of_a_policy_is_taken() {
    const ONCE: Policy = Policy::builder().per_attempt(ms(100)).no_backoff().idempotent(false).build();
    const PATIENT: Policy = Policy::builder().min_attempt(ms(500)).margin(ms(100)).build();
    #[retry(policy = ONCE, on = ConnectionError)]
    async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(policy = PATIENT, on = ConnectionError)]
    async fn patient(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(once(&Server::hung()).await.unwrap_err().end(), (1, ms(100), Reason::AttemptTimedOut));
    let scope = retry_runtime::Deadline::within(ms(599));
    assert_eq!(scope.scope(patient(&Server::ready())).await.unwrap_err().attempts(), 0);
    let scope = retry_runtime::Deadline::within(ms(600));
    assert_eq!(scope.scope(patient(&Server::ready())).await.unwrap(), 1);
}

#[test]
fn a_builder_returns_its_mistake_or_panics_with_it() {
    let mistake = Policy::builder().total(ms(100)).per_attempt(ms(200)).try_build().unwrap_err();
    assert!(mistake.to_string().contains("per_attempt"), "{mistake}");
    let panic = std::panic::catch_unwind(|| Policy::builder().total(ms(0)).build()).unwrap_err();
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap();
    assert!(text.contains("total"), "{text}");
}
