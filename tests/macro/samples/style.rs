// fires: non_snake_case, unused_qualifications, trivial_casts, missing_docs, clippy::doc_markdown, clippy::missing_errors_doc, clippy::use_self, clippy::uninlined_format_args, clippy::manual_map, clippy::collapsible_if, clippy::needless_borrow, clippy::redundant_closure, clippy::map_unwrap_or, clippy::match_same_arms, clippy::items_after_statements, clippy::bool_comparison, unused_comparisons

#[retry(attempts = 3, on = Down)]
pub async fn BadName(BadArgument: u32) -> Result<u32, Error> {
    let BadLocal = BadArgument;
    tick().await?;
    Ok(BadLocal)
}

/// Asks the ServiceRegistry.
#[retry(attempts = 3, on = Down)]
pub async fn documented(n: u32) -> std::result::Result<u32, Error> {
    let text = std::string::String::from("x");
    tick().await?;
    let object = &text as &dyn std::fmt::Debug;
    const LATE: u32 = 1;
    Ok(n + LATE + format!("{:?} {}", object, n).len() as u32)
}

#[retry(attempts = 3, on = Down)]
pub async fn clumsy(n: Option<u32>, list: Vec<u32>, flag: bool) -> Result<u32, Error> {
    tick().await?;
    let doubled = match n {
        Some(n) => Some(n * 2),
        None => None,
    };
    if flag == true {
        if list.len() > 1 {
            return Ok(1);
        }
    }
    let total: u32 = list.iter().map(|n| double(n)).sum();
    let other = doubled.map(|n| n + 1).unwrap_or(0);
    if total < 0 {
        return Ok(2);
    }
    let text = String::from("x");
    match length(&&text) {
        1 => Ok(1),
        2 => Ok(1),
        _ => Ok(other),
    }
}

fn double(n: &u32) -> u32 {
    n * 2
}

fn length(text: &str) -> usize {
    text.len()
}

impl Pair {
    #[retry(attempts = 3, on = Down)]
    pub async fn copy(&self) -> Result<Pair, Error> {
        tick().await?;
        Ok(Pair { left: self.left, right: self.right })
    }
}
