// fires: clippy::needless_return, unused_variables, clippy::unwrap_used, clippy::ptr_arg

use std::pin::Pin;

#[retry(attempts = 3, on = Down)]
pub fn returned(n: Option<u32>, list: &Vec<u32>) -> impl Future<Output = Result<usize, Error>> + '_ {
    let before = 1;
    async move {
        let unused = 1;
        tick().await?;
        return Ok(list.len() + n.unwrap() as usize);
    }
}

#[retry(attempts = 3, on = Down)]
pub fn boxed<'a>(n: Option<u32>, list: &'a Vec<u32>) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + 'a>> {
    Box::pin(async move {
        let unused = 1;
        tick().await?;
        return Ok(list.len() + n.unwrap() as usize);
    })
}

#[async_trait::async_trait]
pub trait Store {
    async fn get(&self, n: Option<u32>, list: &Vec<u32>) -> Result<usize, Error>;
    async fn put(&mut self, text: String) -> Result<usize, Error>;
}

#[async_trait::async_trait]
impl Store for Token {
    #[retry(attempts = 3, on = Down)]
    async fn get(&self, n: Option<u32>, list: &Vec<u32>) -> Result<usize, Error> {
        let unused = 1;
        tick().await?;
        return Ok(list.len() + n.unwrap() as usize);
    }

    #[retry(attempts = 3, on = Down)]
    async fn put(&mut self, text: String) -> Result<usize, Error> {
        let unused = text;
        tick().await?;
        Ok(1)
    }
}

#[retry(attempts = 3, on = Down)]
#[async_trait::async_trait]
impl Store for Pair {
    async fn get(&self, n: Option<u32>, list: &Vec<u32>) -> Result<usize, Error> {
        let unused = 1;
        tick().await?;
        return Ok(list.len() + n.unwrap() as usize); // only annotated: clippy::needless_return
    }

    async fn put(&mut self, text: String) -> Result<usize, Error> {
        let unused = text;
        tick().await?;
        Ok(1) // only annotated: clippy::implicit_return
    }
}

#[retry(attempts = 3, on = Down)]
pub fn boxed_tail<'a>(n: Option<u32>, list: &'a Vec<u32>) -> Pin<Box<dyn Future<Output = Result<usize, Error>> + 'a>> {
    Box::pin(async move {
        tick().await?;
        Ok(list.len() + n.unwrap() as usize)
    })
}

#[retry(attempts = 3, on = Down)]
pub fn returned_tail(n: Option<u32>, list: &Vec<u32>) -> impl Future<Output = Result<usize, Error>> + '_ {
    let before = 1;
    async move {
        const FIRST: u32 = 1;
        tick().await?;
        Ok(list.len() + n.unwrap() as usize)
    }
}

macro_rules! function {
    ($name:ident, $body:block) => {
        #[retry(attempts = 3, on = Down)]
        pub async fn $name(n: Option<u32>, mut m: u32) -> Result<u32, Error> $body
    };
}

function!(in_a_macro, {
    let unused = 1;
    tick().await?;
    Err(Error::Down) // only annotated: clippy::implicit_return
});
