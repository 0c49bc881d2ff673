// fires: clippy::needless_return, clippy::let_and_return, clippy::needless_question_mark, clippy::implicit_return, clippy::semicolon_if_nothing_returned, clippy::unnecessary_wraps, clippy::redundant_else

#[retry(attempts = 3, on = Down)]
pub async fn written_return(n: u32) -> Result<u32, Error> {
    tick().await?;
    return Ok(n);
}

#[retry(attempts = 3, on = Down)]
pub async fn bound_tail(n: u32) -> Result<u32, Error> {
    tick().await?;
    let end = Ok(n);
    end
}

#[retry(attempts = 3, on = Down)]
pub async fn by_hand(n: u32) -> Result<u32, Error> {
    match tick().await {
        Ok(()) => {}
        Err(error) => return Err(error),
    }
    if let Err(error) = tick().await {
        return Err(error);
    }
    Ok(n)
}

#[retry(attempts = 3, on = Down)]
pub async fn question_mark_for_nothing(n: u32) -> Result<u32, Error> {
    Ok(number(n).await?)
}

#[retry(attempts = 3, on = Down)]
pub async fn no_semicolon(list: &mut Vec<u32>) -> Result<(), Error> {
    if list.is_empty() {
        list.push(1)
    }
    tick().await
}

#[retry(attempts = 3, on = Down)]
pub async fn else_for_nothing(n: u32) -> Result<u32, Error> {
    tick().await?;
    if n > 1 {
        return Ok(n);
    } else {
        tick().await?;
    }
    Ok(1)
}

#[retry(attempts = 3, on = Down)]
pub async fn arms(n: u32) -> Result<u32, Error> {
    tick().await?;
    match n {
        0 => return Err(Error::Down),
        other => Ok(other),
    }
}

fn helper(n: u32) -> Result<u32, Error> {
    Ok(n)
}

#[retry(attempts = 3, on = Down)]
pub async fn helped(n: u32) -> Result<u32, Error> {
    tick().await?;
    helper(n)
}
