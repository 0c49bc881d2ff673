use retry_runtime::retry;

async fn fetch() {
    #[retry(on = _)]
    {
        1;
    }
}

fn main() {}
