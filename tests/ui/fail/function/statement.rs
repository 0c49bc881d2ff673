use retry_runtime::retry;

async fn fetch() {
    #[retry(on = _)]
    let number = 1;
}

fn main() {}
