//! A method on `&mut self` that hands its message over: a sink with an open connection.

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    #[error("connection lost")]
    Connection,
    #[error("message refused: {0}")]
    Refused(String),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub key: String,
    pub body: Vec<u8>,
}

#[derive(Default)]
pub struct Producer {
    broken: u32,
    pub sent: Vec<Message>,
}

impl Producer {
    async fn push(&mut self, message: Message) -> Result<usize, SinkError> {
        tokio::task::yield_now().await;
        if self.broken > 0 {
            self.broken -= 1;
            return Err(SinkError::Connection);
        }
        self.sent.push(message);
        Ok(self.sent.len())
    }
}

pub struct Sink {
    producer: Producer,
    tries: u32,
}

impl Sink {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = SinkError::Connection)]
    pub async fn send(&mut self, message: Message) -> Result<usize, SinkError> {
        self.tries += 1;
        let n = self.producer.push(message).await?;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_message_is_sent_again() {
        let mut sink = Sink { producer: Producer { broken: 1, sent: vec![] }, tries: 0 };
        let msg = Message { key: "k".into(), body: vec![1] };
        let got = sink.send(msg.clone()).await;
        assert_eq!(got.unwrap(), 1);
        assert_eq!((sink.tries, &sink.producer.sent[0]), (2, &msg));
    }
}
