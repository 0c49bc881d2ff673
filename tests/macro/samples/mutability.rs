// fires: unused_mut, unused_assignments, unused_variables, clippy::arithmetic_side_effects

#[retry(attempts = 3, on = Down)]
pub async fn clone_argument(mut list: Vec<u32>) -> Result<usize, Error> {
    tick().await?;
    Ok(list.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn consumed_argument(mut list: Vec<u32>) -> Result<Vec<u32>, Error> {
    tick().await?;
    Ok(list)
}

#[retry(attempts = 3, on = Down)]
pub async fn unclonable_argument(mut token: Token, mut other: Token) -> Result<u32, Error> {
    tick().await?;
    other.0 += 1;
    Ok(token.0 + other.0)
}

#[retry(attempts = 3, on = Down)]
pub async fn references(mut text: &str, mut list: &mut Vec<u32>) -> Result<usize, Error> {
    tick().await?;
    list.push(1);
    Ok(text.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn unused(mut n: u32, mut m: Token) -> Result<u32, Error> {
    tick().await?;
    Ok(1)
}

#[retry(attempts = 3, on = Down)]
pub async fn patterns((mut a, mut b): (u32, Token), Pair { mut left, right }: Pair) -> Result<u32, Error> {
    tick().await?;
    b.0 += 1;
    Ok(a + b.0 + left + right)
}

#[retry(attempts = 1)]
pub async fn one_attempt(mut n: u32, mut m: u32) -> Result<u32, Error> {
    tick().await?;
    m += 1;
    Ok(n + m)
}

#[retry(attempts = 3, on = Down)]
pub async fn needed(mut n: u32, mut list: Vec<u32>, mut token: Token) -> Result<usize, Error> { // only plain: unused_variables
    tick().await?;
    n += 1;
    list.push(n);
    token.0 += 1; // only plain: unused_assignments
    Ok(list.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn assigned_only(mut n: u32) -> Result<u32, Error> { // only plain: unused_variables
    tick().await?;
    n = 1; // only plain: unused_assignments
    Ok(1)
}

#[retry(attempts = 3, on = Down)]
pub async fn locals(n: u32) -> Result<u32, Error> {
    let mut m = n;
    tick().await?;
    Ok(m)
}

impl Pair {
    #[retry(attempts = 3, on = Down)]
    pub async fn receiver(mut self) -> Result<u32, Error> {
        tick().await?;
        Ok(self.left)
    }

    #[retry(attempts = 3, on = Down)]
    pub async fn changed(mut self, by: u32) -> Result<u32, Error> {
        tick().await?;
        self.left += by; // only plain: clippy::arithmetic_side_effects
        Ok(self.left)
    }
}

#[retry(attempts = 3, on = Down)]
pub fn future(mut list: Vec<u32>, mut n: u32) -> impl Future<Output = Result<usize, Error>> {
    n += 1;
    async move {
        tick().await?;
        Ok(list.len() + n as usize)
    }
}
