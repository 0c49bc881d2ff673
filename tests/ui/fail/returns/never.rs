use retry_runtime::retry;

#[retry(on = _)]
async fn fetch() -> ! {
    loop {}
}

fn main() {}
