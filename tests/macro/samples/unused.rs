// fires: unused_variables, dead_code, unused_must_use, unused_imports, unused_labels, unreachable_code, unused_parens, path_statements, unused_assignments, deprecated

#[retry(attempts = 3, on = Down)]
async fn never_called(n: u32) -> Result<u32, Error> {
    tick().await?;
    Ok(n)
}

#[retry(attempts = 3, on = Down)]
pub async fn in_the_body(n: u32, unused_argument: String, _fine: u32) -> Result<u32, Error> {
    use std::collections::HashMap;
    let unused = n;
    fallible();
    tokio::task::yield_now();
    'label: for _ in 0..n {
        tick().await?;
    }
    let (left, right) = (1, 2);
    let once = (n + 1);
    unused == once;
    n;
    Ok(left)
}

#[retry(attempts = 3, on = Down)]
pub async fn unused_owned(token: Token, list: Vec<u32>) -> Result<u32, Error> {
    tick().await?;
    Ok(1)
}

#[retry(attempts = 3, on = Down)]
pub async fn shadowed(n: u32, list: Vec<u32>) -> Result<u32, Error> {
    let n = 1;
    tick().await?;
    let list = 2;
    Ok(n + list)
}

#[retry(attempts = 3, on = Down)]
pub async fn unreachable(n: u32) -> Result<u32, Error> {
    tick().await?;
    return Ok(n);
    tick().await?;
    Ok(n)
}

#[retry(attempts = 3, on = Down)]
pub async fn unreachable_tail(n: u32) -> Result<u32, Error> {
    loop {
        tick().await?;
        if n > 1 {
            return Ok(n);
        }
    }
    Ok(n)
}

#[retry(attempts = 3, on = Down)]
pub async fn assigned(n: u32) -> Result<u32, Error> {
    let mut last = n;
    tick().await?;
    last = 1;
    last = 2;
    Ok(last)
}

#[retry(attempts = 3, on = Down)]
pub async fn old_fashioned(n: u32) -> Result<u32, Error> {
    tick().await?;
    Ok(outdated(n))
}

#[deprecated]
pub fn outdated(n: u32) -> u32 {
    n
}

struct Private;

impl Private {
    #[retry(attempts = 3, on = Down)]
    async fn never_called_either(&self) -> Result<u32, Error> {
        tick().await?;
        Ok(1)
    }
}
