use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> () {
    ()
}

fn main() {}
