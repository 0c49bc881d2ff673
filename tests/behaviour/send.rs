//! The future of an annotated function is `Send` where its body is, and is asked for no bound that it does not need.

use std::rc::Rc;
use std::sync::Arc;

use retry_runtime::{RetryError, retry};
use tokio::task::yield_now;

use crate::support::*;

#[tokio::test]
async fn the_random_numbers_of_the_jitter_do_not_cross_an_await() {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "full", on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        Ok(1)
    }
    assert_eq!(tokio::spawn(assert_send(fetch())).await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn a_body_that_is_not_send_runs_on_a_local_set() {
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        let local = Rc::new(1);
        yield_now().await;
        Ok(server.call().await? + *local)
    }
    let set = tokio::task::LocalSet::new();
    let task = set.spawn_local(async { fetch(&Server::new([Step::Fail, Step::Succeed])).await });
    set.await;
    assert_eq!(task.await.unwrap().unwrap(), 3);
}

#[tokio::test]
async fn an_argument_that_is_not_send_stays_on_a_local_set_too() {
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(local: Rc<Server>) -> Result<u32, RetryError<ConnectionError>> {
        local.call().await
    }
    let set = tokio::task::LocalSet::new();
    let task = set.spawn_local(fetch(Rc::new(Server::new([Step::Fail, Step::Succeed]))));
    set.await;
    assert_eq!(task.await.unwrap().unwrap(), 2);
}

#[tokio::test]
async fn a_caller_with_borrowed_arguments_can_be_spawned() {
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(key: &str, out: &mut Vec<u8>) -> Result<usize, RetryError<ConnectionError>> {
        yield_now().await;
        out.extend(key.as_bytes());
        Ok(out.len())
    }
    let task = tokio::spawn(async move {
        let (key, mut out) = (String::from("ab"), vec![]);
        fetch(&key, &mut out).await.unwrap()
    });
    assert_eq!(task.await.unwrap(), 2);
}

#[tokio::test]
async fn a_method_that_changes_self_can_be_spawned() {
    struct Client {
        server: Arc<Server>,
        sent: u32,
    }
    impl Client {
        #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
        async fn fetch(&mut self, weight: &u32) -> Result<u32, RetryError<ConnectionError>> {
            self.sent += weight;
            yield_now().await;
            self.server.call().await
        }
    }
    let mut client =
        Client { server: Arc::new(Server::new([Step::Fail, Step::Fail, Step::Succeed])), sent: 0 };
    let task = tokio::spawn(async move {
        let value = client.fetch(&10).await.unwrap();
        (value, client.sent)
    });
    // What the body changes through `&mut self` stays changed.
    assert_eq!(task.await.unwrap(), (3, 30));
}

#[tokio::test]
async fn a_generic_method_of_a_trait_can_be_spawned() {
    trait Backend: Sync {
        fn call(&self, text: &str) -> impl Future<Output = Result<usize, ConnectionError>> + Send;
    }
    struct Echo(Server);
    impl Backend for Echo {
        async fn call(&self, text: &str) -> Result<usize, ConnectionError> {
            Ok(self.0.call().await? as usize + text.len())
        }
    }
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch<B: Backend + ?Sized>(
        backend: &B,
        texts: &[&str],
        mut on_attempt: impl FnMut(&str) + Send,
    ) -> Result<usize, RetryError<ConnectionError>> {
        let mut sum = 0;
        for text in texts {
            on_attempt(text);
            sum += backend.call(text).await?;
        }
        Ok(sum)
    }
    let task = tokio::spawn(async {
        let echo = Echo(Server::new([Step::Fail, Step::Succeed]));
        let text = String::from("abc");
        let mut seen = 0;
        let sum = fetch(&echo, &[&text], |_| seen += 1).await.unwrap();
        (sum, seen)
    });
    assert_eq!(task.await.unwrap(), (5, 2));
}

#[tokio::test]
async fn every_part_of_the_attribute_keeps_the_future_send() {
    #[retry(
        total = limit,
        attempts = 3,
        backoff = "none",
        on = StoreError::Connection(_),
        when = |_: &StoreError| true,
        when_ok = |value: &u32| *value == 2,
        retry_after = |_: &StoreError| None,
        retry_after_ok = |_: &u32| None,
        deadline = retry_runtime::Deadline::current(),
        fallback = async |error: RetryError<StoreError>| {
            yield_now().await;
            Ok(error.attempts())
        }
    )]
    async fn fetch(server: &Server, limit: std::time::Duration) -> Result<u32, StoreError> {
        yield_now().await;
        Ok(server.call().await?)
    }
    let task = tokio::spawn(async {
        let recovered =
            fetch(&Server::new([Step::Fail, Step::Succeed, Step::Succeed]), secs(1)).await.unwrap();
        let fell_back = fetch(&Server::failing(), secs(1)).await.unwrap();
        (recovered, fell_back)
    });
    assert_eq!(task.await.unwrap(), (3, 3));
}

/// Six layers, checked for `Send` under the default recursion limit.
mod six_layers {
    use super::*;

    macro_rules! layers {
        ($($name:ident calls $below:ident;)*) => {$(
            #[retry(total = "1s", attempts = 3, backoff = "none", on = StoreError::Connection(_))]
            async fn $name(server: &Server, path: &mut Vec<&'static str>) -> Result<u32, StoreError> {
                path.push(stringify!($name));
                yield_now().await;
                $below(server, path).await
            }
        )*};
    }

    layers! {
        sixth calls fifth;
        fifth calls fourth;
        fourth calls third;
        third calls second;
        second calls first;
    }

    #[retry(total = "1s", attempts = 3, backoff = "none", on = StoreError::Connection(_))]
    async fn first(server: &Server, path: &mut Vec<&'static str>) -> Result<u32, StoreError> {
        path.push("first");
        Ok(server.call().await?)
    }

    #[tokio::test]
    async fn can_be_spawned() {
        let task = tokio::spawn(async {
            let (server, mut path) = (Server::new([Step::Fail, Step::Fail, Step::Succeed]), Vec::new());
            let value = sixth(&server, &mut path).await.unwrap();
            (value, path.len())
        });
        assert_eq!(task.await.unwrap(), (3, 8));
    }
}
