//! Arguments of which parts are borrowed apart from the rest: in two phases, field by field, through a `&mut` field.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("connection lost")]
pub struct ConnectionError;

pub struct Conn {
    pub id: u32,
    pub v: Vec<u32>,
}
impl Conn {
    fn id(&self) -> u32 {
        self.id
    }
    fn send(&mut self, n: u32) -> Result<(), ConnectionError> {
        self.v.push(n);
        Err(ConnectionError)
    }
}
#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
pub async fn two_phase(mut c: Conn) -> Result<(), RetryError<ConnectionError>> {
    c.send(c.id())
}
#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
pub async fn split(mut c: Conn, mut v: Vec<Conn>) -> Result<usize, RetryError<ConnectionError>> {
    c.v.push(c.id);
    v.truncate(v.len() - 1);
    for x in &mut c.v {
        *x += c.id;
    }
    if c.v.len() < 3 { Err(ConnectionError) } else { Ok(v.len()) }
}
impl Conn {
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    pub async fn own(mut self) -> Result<usize, RetryError<ConnectionError>> {
        self.v.push(self.id);
        if self.v.len() < 3 { Err(ConnectionError) } else { Ok(self.v.len()) }
    }
}
pub struct Ctx<'a> {
    pub x: &'a mut Vec<u32>,
    pub n: u32,
}
#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
pub async fn context(ctx: Ctx<'_>, t: (&mut Vec<u32>, u32)) -> Result<u32, RetryError<ConnectionError>> {
    ctx.x.push(ctx.n);
    t.0.push(1);
    if ctx.x.len() < 3 { Err(ConnectionError) } else { Ok(t.1 + ctx.n) }
}
#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
pub async fn allowed(#[allow(unused_mut)] mut a: u32) -> Result<u32, RetryError<ConnectionError>> {
    if a == 0 { Err(ConnectionError) } else { Ok(a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_attempt_has_the_argument_itself() {
        let c = || Conn { id: 1, v: vec![] };
        assert_eq!(two_phase(c()).await.unwrap_err().attempts(), 3);
        assert_eq!(split(c(), vec![c(), c(), c(), c()]).await.unwrap(), 1);
        assert_eq!(c().own().await.unwrap(), 3);
        let (mut a, mut b) = (vec![], vec![]);
        assert_eq!(context(Ctx { x: &mut a, n: 5 }, (&mut b, 2)).await.unwrap(), 7);
        assert_eq!(b.len(), 3);
        assert_eq!(allowed(1).await.unwrap(), 1);
    }
}
