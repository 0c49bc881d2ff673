//! All the ways to use an argument up, and those that only look at it. What is used up is cloned once for each attempt,
//! all else never.

use std::collections::HashMap;

use retry_runtime::{RetryError, retry};

use crate::counted::Counted;

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("again")]
pub struct Again;

pub type Answer<T> = Result<T, RetryError<Again>>;

pub struct Letter {
    pub text: Counted,
}

impl Counted {
    pub fn into_text(self) -> &'static str {
        self.text
    }
}

/// Fails at the first attempt of each call.
fn step(tries: &mut u32) -> Result<(), Again> {
    *tries += 1;
    if *tries == 1 { Err(Again) } else { Ok(()) }
}

fn take(counted: Counted) -> &'static str {
    counted.text
}

#[retry(backoff = "none", on = Again)]
pub async fn as_an_argument(tries: &mut u32, x: Counted) -> Answer<&'static str> {
    let text = take(x);
    step(tries)?;
    Ok(text)
}

#[retry(backoff = "none", on = Again)]
pub async fn in_a_let(tries: &mut u32, x: Counted) -> Answer<&'static str> {
    let y = x;
    step(tries)?;
    Ok(y.text)
}

#[retry(backoff = "none", on = Again)]
pub async fn in_a_return(tries: &mut u32, x: Counted) -> Answer<Counted> {
    step(tries)?;
    if x.text.is_empty() {
        return Err(Again);
    }
    if *tries > 1 {
        return Ok(x);
    }
    Err(Again)
}

#[retry(backoff = "none", on = Again)]
pub async fn in_a_field(tries: &mut u32, x: Counted, text: Counted) -> Answer<usize> {
    let letters = [Letter { text: x }, Letter { text }];
    step(tries)?;
    Ok(letters.iter().map(|letter| letter.text.text.len()).sum())
}

#[retry(backoff = "none", on = Again)]
pub async fn in_a_scrutinee(tries: &mut u32, x: Option<Counted>, y: Option<Counted>) -> Answer<usize> {
    step(tries)?;
    let Some(x) = x else { return Ok(0) };
    match y {
        Some(y) => Ok(take(x).len() + take(y).len()),
        None => Ok(take(x).len()),
    }
}

#[retry(backoff = "none", on = Again)]
pub async fn by_into(tries: &mut u32, x: Counted, y: Counted) -> Answer<usize> {
    step(tries)?;
    let x: String = x.into();
    Ok(x.len() + y.into_text().len())
}

#[retry(backoff = "none", on = Again)]
pub async fn by_a_move(tries: &mut u32, x: Counted, y: Counted) -> Answer<usize> {
    step(tries)?;
    let length = move || x.text.len();
    let both = async move { length() + y.text.len() };
    Ok(both.await)
}

#[retry(backoff = "none", on = Again)]
pub async fn in_a_loop(tries: &mut u32, x: Vec<Counted>) -> Answer<usize> {
    step(tries)?;
    let mut length = 0;
    for one in x {
        length += one.text.len();
    }
    Ok(length)
}

#[retry(backoff = "none", on = Again)]
pub async fn in_collections(tries: &mut u32, x: Counted, y: Counted, z: Counted) -> Answer<usize> {
    step(tries)?;
    let mut list = vec![x];
    let pair = (y, 1);
    let array = [z];
    list.push(pair.0);
    Ok(list.len() + array.len())
}

#[derive(Clone)]
pub struct Parcel {
    pub weight: usize,
    pub label: Counted,
    pub contents: Vec<Counted>,
}

#[retry(backoff = "none", on = Again)]
pub async fn a_field_of_it(tries: &mut u32, x: Parcel) -> Answer<usize> {
    step(tries)?;
    let label = x.label;
    Ok(take(label).len() + x.weight)
}

#[retry(backoff = "none", on = Again)]
pub async fn fields_that_are_copy(tries: &mut u32, x: Parcel, y: (usize, Counted)) -> Answer<usize> {
    step(tries)?;
    let weight = x.weight;
    let first = y.0;
    Ok(weight + first + x.contents.len() + y.1.text.len())
}

#[retry(backoff = "none", on = Again)]
pub async fn only_looked_at(
    tries: &mut u32,
    mut counts: HashMap<&'static str, u32>,
    x: Counted,
    list: Vec<Counted>,
    maybe: Option<Counted>,
) -> Answer<usize> {
    step(tries)?;
    *counts.entry(x.text).or_default() += 1;
    let same = x == *"x" && &x == "x";
    let nested = || list[0].text.len() + list.len();
    let inner = match &maybe {
        Some(counted) => counted.text.len(),
        None => 0,
    };
    let asked = maybe.as_ref().is_some_and(|counted| counted.text.is_empty());
    Ok(usize::from(same) + nested() + inner + usize::from(asked) + counts["x"] as usize)
}

#[retry(total = "1s", attempts = 1)]
pub async fn with_one_attempt(mut x: Counted, y: Counted) -> Answer<(Counted, Counted)> {
    x.text = "changed";
    Ok((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn used_up_means_one_clone_an_attempt() {
        let clones = Clones::default();
        let x = || Counted::new("x", &clones);
        assert_eq!(as_an_argument(&mut 0, x()).await.unwrap(), "x");
        assert_eq!(clones.take(), 2, "as_an_argument");
        assert_eq!(in_a_let(&mut 0, x()).await.unwrap(), "x");
        assert_eq!(clones.take(), 2, "in_a_let");
        assert_eq!(in_a_return(&mut 0, x()).await.unwrap().text, "x");
        assert_eq!(clones.take(), 2, "in_a_return");
        assert_eq!(in_a_field(&mut 0, x(), x()).await.unwrap(), 2);
        assert_eq!(clones.take(), 4, "in_a_field");
        assert_eq!(in_a_scrutinee(&mut 0, Some(x()), Some(x())).await.unwrap(), 2);
        assert_eq!(clones.take(), 4, "in_a_scrutinee");
        assert_eq!(by_into(&mut 0, x(), x()).await.unwrap(), 2);
        assert_eq!(clones.take(), 4, "by_into");
        assert_eq!(by_a_move(&mut 0, x(), x()).await.unwrap(), 2);
        assert_eq!(clones.take(), 4, "by_a_move");
        assert_eq!(in_a_loop(&mut 0, vec![x(), x()]).await.unwrap(), 2);
        assert_eq!(clones.take(), 4, "in_a_loop");
        let parcel = || Parcel { weight: 4, label: x(), contents: vec![x()] };
        assert_eq!(a_field_of_it(&mut 0, parcel()).await.unwrap(), 5);
        assert_eq!(clones.take(), 4, "a_field_of_it");
        assert_eq!(in_collections(&mut 0, x(), x(), x()).await.unwrap(), 3);
        assert_eq!(clones.take(), 6, "in_collections");
    }

    #[tokio::test(start_paused = true)]
    async fn looked_at_means_none() {
        let clones = Clones::default();
        let x = || Counted::new("x", &clones);
        let got = only_looked_at(&mut 0, HashMap::new(), x(), vec![x()], Some(x())).await;
        assert_eq!(got.unwrap(), 5);
        let parcel = Parcel { weight: 4, label: x(), contents: vec![x()] };
        assert_eq!(fields_that_are_copy(&mut 0, parcel, (2, x())).await.unwrap(), 8);
        assert_eq!(clones.take(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_attempt_takes_the_arguments_themselves() {
        let clones = Clones::default();
        let (x, y) = with_one_attempt(Counted::new("x", &clones), Counted::new("y", &clones)).await.unwrap();
        assert_eq!((x.text, y.text, clones.take()), ("changed", "y", 0));
    }
}
