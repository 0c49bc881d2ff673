use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

struct Numbers;

impl Iterator for Numbers {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        None
    }
}

#[retry(on = ConnectionError)]
async fn fetch(numbers: Numbers) -> Result<u32, RetryError<ConnectionError>> {
    let mut sum = 0;
    for number in numbers {
        sum += number;
    }
    Ok(sum)
}

fn main() {}
