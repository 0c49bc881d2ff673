// fires: clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::panic, clippy::unreachable, clippy::todo, clippy::dbg_macro, clippy::print_stdout, clippy::as_conversions, clippy::missing_panics_doc

#[retry(attempts = 3, on = Down)]
pub async fn careless(n: Option<u32>, list: &[u32]) -> Result<u32, Error> {
    tick().await?;
    let n = n.unwrap();
    let first = list.first().expect("one");
    println!("{first}");
    dbg!(first);
    if n > 5 {
        panic!("too many");
    }
    if n > 4 {
        unreachable!();
    }
    if n > 3 {
        todo!();
    }
    Ok(list[n as usize] + n)
}

#[retry(attempts = 3, on = Down)]
pub async fn owned(n: Option<u32>, list: Vec<u32>, mut m: u32) -> Result<u32, Error> {
    tick().await?;
    m += list[1];
    Ok(m + n.unwrap())
}

/// Sums up.
#[retry(attempts = 3, on = Down)]
pub async fn documented(n: Option<u32>) -> Result<u32, Error> {
    tick().await?;
    assert!(n.is_some());
    Ok(n.unwrap_or_default())
}
