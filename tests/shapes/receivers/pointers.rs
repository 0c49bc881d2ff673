//! `self` behind a `Box`, an `Rc` and a `Pin`.

use std::pin::Pin;
use std::rc::Rc;

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("not yet")]
pub struct NotYet;

#[derive(Clone, Default)]
pub struct Job {
    pub name: String,
    pub left: u32,
}

impl Job {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotYet)]
    pub async fn finish(self: Box<Self>, tries: &mut u32) -> Result<String, RetryError<NotYet>> {
        *tries += 1;
        let job = *self;
        if *tries == 1 { Err(NotYet) } else { Ok(job.name) }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NotYet)]
    pub async fn share(self: Rc<Self>, tries: &mut u32) -> Result<(Rc<Self>, usize), RetryError<NotYet>> {
        *tries += 1;
        let count = Rc::strong_count(&self);
        if *tries == 1 { Err(NotYet) } else { Ok((self, count)) }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = NotYet)]
    pub async fn work(mut self: Pin<&mut Self>) -> Result<usize, RetryError<NotYet>> {
        let job = self.as_mut().get_mut();
        job.left = job.left.saturating_sub(1);
        if job.left > 0 {
            return Err(NotYet);
        }
        self.name.push('!');
        Ok(self.name.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_attempt_unboxes_its_own() {
        let job = Box::new(Job { name: "j".to_owned(), left: 0 });
        assert_eq!(job.finish(&mut 0).await.unwrap(), "j");
    }

    #[tokio::test(start_paused = true)]
    async fn the_pointer_comes_back() {
        let (job, count) = Rc::new(Job::default()).share(&mut 0).await.unwrap();
        assert_eq!((Rc::strong_count(&job), count), (1, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_pinned_goes_on_from_attempt_to_attempt() {
        let mut job = Job { name: "j".to_owned(), left: 3 };
        assert_eq!(Pin::new(&mut job).work().await.unwrap(), 2);
        assert_eq!((job.left, job.name.as_str()), (0, "j!"));
    }
}
