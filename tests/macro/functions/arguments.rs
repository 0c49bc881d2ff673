//! Arguments that the first attempt would move, `&mut self`, and reborrows.

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

struct Client {
    sent: Vec<u8>,
}

impl Client {
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn push(&mut self, body: Vec<u8>, tag: &mut String) -> Result<usize, RetryError<ConnectionError>> {
        self.sent.extend(&body);
        tag.push('x');
        tokio::task::yield_now().await;
        if tag.len() < 3 {
            return Err(ConnectionError);
        }
        Ok(self.sent.len())
    }

    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn give(&mut self, body: Vec<u8>, tag: &mut String) -> Result<usize, RetryError<ConnectionError>> {
        self.sent = body;
        pass(tag).await;
        if tag.len() < 3 {
            return Err(ConnectionError);
        }
        Ok(self.sent.len())
    }
}

async fn pass(tag: &mut String) {
    tag.push('x');
}

#[tokio::test(start_paused = true)]
async fn they_are_there_for_every_attempt() {
    let mut client = Client { sent: vec![] };
    assert_eq!(client.push(vec![1], &mut String::new()).await.unwrap(), 3);
    assert_eq!(client.give(vec![1, 2], &mut String::new()).await.unwrap(), 2);
}
