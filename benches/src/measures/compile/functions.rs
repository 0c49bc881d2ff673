//! Writes the programs.

use std::fmt::Write;

const FUNCTIONS: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// No function at all.
    None,
    Plain,
    HandLoop,
    Annotated,
}

impl Style {
    pub(super) const ALL: [Self; 4] = [Self::None, Self::Plain, Self::HandLoop, Self::Annotated];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Plain => "plain",
            Self::HandLoop => "hand_loop",
            Self::Annotated => "annotated",
        }
    }
}

pub(super) fn manifest() -> String {
    format!(
        r#"[package]
name = "functions"
edition = "2024"

[dependencies]
rand = "0.10"
retry-runtime = {{ path = "{}/../retry-runtime" }}
tokio = {{ version = "1", features = ["rt", "time"] }}

[workspace]
"#,
        env!("CARGO_MANIFEST_DIR")
    )
}

/// What the functions of all styles share.
const COMMON: &str = r#"
#![allow(dead_code, unused_imports)]

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

pub struct Client(u64);

impl Client {
    pub async fn get(&self, id: u64) -> Result<u64, ConnectionError> {
        tokio::task::yield_now().await;
        if id == self.0 { Err(ConnectionError) } else { Ok(id) }
    }

    pub async fn put(&self, id: u64, name: &str) -> Result<u64, ConnectionError> {
        tokio::task::yield_now().await;
        if id == self.0 { Err(ConnectionError) } else { Ok(id + name.len() as u64) }
    }
}

#[derive(Debug)]
pub struct ConnectionError;

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection refused")
    }
}

impl std::error::Error for ConnectionError {}

#[derive(Debug)]
pub enum AppError {
    Connection(ConnectionError),
    TimedOut,
    GaveUp(GaveUp),
}

impl From<ConnectionError> for AppError {
    fn from(error: ConnectionError) -> Self {
        Self::Connection(error)
    }
}

impl From<GaveUp> for AppError {
    fn from(error: GaveUp) -> Self {
        Self::GaveUp(error)
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed")
    }
}

impl std::error::Error for AppError {}

type Call<'c> = Pin<Box<dyn Future<Output = Result<u64, AppError>> + Send + 'c>>;

fn main() {
    let client = Client(u64::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for call in calls(&client) {
        println!("{:?}", runtime.block_on(call));
    }
}
"#;

/// What gives up in a hand-written loop.
const GAVE_UP: &str = r"
#[derive(Debug)]
pub struct GaveUp {
    attempts: u32,
    elapsed: Duration,
    last: Box<AppError>,
}
";

pub(super) fn program(style: Style) -> String {
    let mut text = COMMON.to_owned();
    text.push_str(if style == Style::Annotated {
        "\nuse retry_runtime::{GaveUp, retry};\n"
    } else {
        GAVE_UP
    });
    let count = if style == Style::None { 0 } else { FUNCTIONS };
    for number in 0..count {
        text.push_str(&function(style, number));
    }
    text.push_str("\nfn calls<'c>(client: &'c Client) -> Vec<Call<'c>> {\n    vec![\n");
    for number in 0..count {
        let _ = writeln!(text, "        Box::pin(rename_{number}(client, {number}, \"name\")),");
    }
    text.push_str("    ]\n}\n");
    text
}

fn function(style: Style, number: usize) -> String {
    let signature =
        format!("async fn rename_{number}(client: &Client, id: u64, name: &str) -> Result<u64, AppError>");
    let body = format!("let user = client.get(id).await?;\n    Ok(client.put(user + {number}, name).await?)");
    match style {
        Style::None => String::new(),
        Style::Plain => format!("\n{signature} {{\n    {body}\n}}\n"),
        Style::Annotated => format!(
            "\n#[retry(total = \"1s\", per_attempt = \"200ms\", attempts = 5, on = AppError::Connection(_))]\n{signature} {{\n    {body}\n}}\n"
        ),
        Style::HandLoop => format!(
            r"
{signature} {{
    let start = Instant::now();
    let deadline = start + Duration::from_secs(1);
    let mut backoff = Duration::from_millis(50);
    let mut last = AppError::TimedOut;
    let mut attempts = 0;
    loop {{
        attempts += 1;
        let limit = deadline.min(Instant::now() + Duration::from_millis(200));
        let attempt = async {{
            {body}
        }};
        match timeout_at(limit, attempt).await {{
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error @ AppError::Connection(_))) => last = error,
            Ok(Err(error)) => return Err(error),
            Err(_) => {{}}
        }}
        let now = Instant::now();
        let wait = rand::random_range(backoff / 2..=backoff);
        if attempts == 5 || now + wait >= deadline {{
            return Err(GaveUp {{ attempts, elapsed: now - start, last: Box::new(last) }}.into());
        }}
        sleep(wait).await;
        backoff *= 2;
    }}
}}
"
        ),
    }
}
