use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error("open failed")]
    Failed,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
struct Writer {
    rows: u64,
}

#[derive(Default)]
struct Slot {
    opens: u32,
    writer: Option<Writer>,
}

impl Slot {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = OpenError::Failed)]
    async fn writer(&mut self) -> Result<&mut Writer, OpenError> {
        if self.writer.is_none() {
            self.opens += 1;
            if self.opens == 1 {
                return Err(OpenError::Failed);
            }
            self.writer = Some(Writer::default());
        }
        self.writer.as_mut().ok_or(OpenError::Failed)
    }
}

fn main() {
    let mut slot = Slot::default();
    let _rows = async { slot.writer().await.map(|writer| writer.rows) };
}
