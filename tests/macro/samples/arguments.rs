// fires: clippy::ptr_arg, clippy::too_many_arguments, clippy::needless_lifetimes, clippy::redundant_clone, clippy::clone_on_copy, clippy::fn_params_excessive_bools, clippy::used_underscore_binding, clippy::shadow_unrelated, clippy::shadow_reuse, clippy::shadow_same, clippy::type_complexity

#[retry(attempts = 3, on = Down)]
pub async fn by_pointer(list: &Vec<u32>, text: &String) -> Result<usize, Error> {
    tick().await?;
    Ok(list.len() + text.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn by_value(list: Vec<u32>, text: String, n: &u32, flag: &bool) -> Result<usize, Error> {
    tick().await?;
    Ok(list.len() + text.len() + *n as usize + usize::from(*flag))
}

#[retry(attempts = 3, on = Down)]
#[rustfmt::skip]
pub async fn many(a: u32, b: u32, c: u32, d: u32, e: u32, f: u32, g: u32, h: u32) -> Result<u32, Error> {
    tick().await?;
    Ok(a + b + c + d + e + f + g + h)
}

#[retry(attempts = 3, on = Down)]
pub async fn lifetimes<'a>(text: &'a str) -> Result<usize, Error> {
    tick().await?;
    Ok(text.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn bools(a: bool, b: bool, c: bool, d: bool) -> Result<bool, Error> {
    tick().await?;
    Ok(a && b && c && d)
}

#[retry(attempts = 3, on = Down)]
pub async fn underscore(_text: String, _n: u32) -> Result<usize, Error> {
    tick().await?;
    Ok(_text.len() + _n as usize)
}

#[retry(attempts = 3, on = Down)]
pub async fn cloned(n: u32, text: String) -> Result<(u32, String), Error> {
    tick().await?;
    let m = n.clone();
    let owned = text.clone().to_string();
    let more = String::from("more").clone();
    Ok((m, owned + &more))
}

#[retry(attempts = 3, on = Down)]
pub async fn shadows(text: String, n: u32, mut m: u32) -> Result<usize, Error> { // only plain: unused_variables
    let text = text.trim();
    let n = n;
    tick().await?;
    m += n; // only plain: unused_assignments
    let text = text.len();
    let m = 7;
    let n = "seven";
    Ok(text + m + n.len())
}

#[retry(attempts = 3, on = Down)]
pub async fn complex(f: Box<dyn Fn(Vec<Option<Result<u32, String>>>) -> Result<Vec<u32>, String> + Send + Sync>) -> Result<u32, Error> {
    tick().await?;
    Ok(f(vec![]).map_or(0, |list| list.len() as u32))
}

#[retry(attempts = 3, on = Down)]
pub async fn through_mut(list: &mut Vec<u32>, n: &mut u32) -> Result<usize, Error> {
    tick().await?;
    Ok(list.len() + *n as usize)
}

impl Token {
    #[retry(attempts = 3, on = Down)]
    pub async fn without_self(&self, n: u32) -> Result<u32, Error> {
        tick().await?;
        Ok(n)
    }

    #[retry(attempts = 3, on = Down)]
    pub async fn with_self(&mut self, n: u32) -> Result<u32, Error> {
        tick().await?;
        Ok(self.0 + n)
    }
}

#[retry(attempts = 3, on = Down)]
impl Pair {
    pub async fn into_left(&self) -> Result<u32, Error> {
        tick().await?;
        Ok(self.left)
    }

    pub async fn twice<'a>(&'a self, list: &Vec<u32>) -> Result<u32, Error> {
        tick().await?;
        return Ok(self.right + list.len() as u32);
    }
}
