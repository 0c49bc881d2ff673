use retry_runtime::retry;

struct Refused<'a>(&'a str);

impl From<retry_runtime::GaveUp> for Refused<'_> {
    fn from(_: retry_runtime::GaveUp) -> Self {
        Self("")
    }
}

#[retry(on = _)]
async fn fetch(text: &str) -> Result<u32, Refused<'_>> {
    Err(Refused(text))
}

fn main() {}
