use retry_runtime::retry;

#[retry(when = |error| error.is_busy(), when_ok = |number| *number > 3)]
async fn fetch() -> u32 {
    1
}

fn main() {}
