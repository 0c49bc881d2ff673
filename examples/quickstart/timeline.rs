//! What happened when, drawn in characters.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{AttemptOutcome, AttemptRecord};
use tokio::time::Instant;

/// A character stands for so many milliseconds.
const SCALE: u128 = 25;

pub(crate) const LEGEND: &str = "\
  one character is 25 ms    #  attempt running    x  it failed    t  it timed out    +  it answered
                            .  wait               :  wait cut short               |  the deadline
                            ~  what the deadline took from an attempt             >  deadline not in the picture";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) start: Duration,
    end: Duration,
    mark: char,
}

impl From<&AttemptRecord> for Attempt {
    fn from(record: &AttemptRecord) -> Self {
        let mark = match record.outcome() {
            AttemptOutcome::TimedOut => 't',
            _ => 'x',
        };
        Self { start: record.start(), end: record.start() + record.duration(), mark }
    }
}

/// Watches the attempts from inside: a call that succeeds has no history to tell them.
pub(crate) struct Watch {
    born: Instant,
    attempts: Mutex<Vec<Attempt>>,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Self { born: Instant::now(), attempts: Mutex::default() }
    }

    pub(crate) async fn attempt<T, E>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let mut running = Running { watch: self, start: self.born.elapsed(), mark: 't' };
        let result = work.await;
        running.mark = if result.is_ok() { '+' } else { 'x' };
        result
    }

    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().map(|attempts| attempts.clone()).unwrap_or_default()
    }
}

/// Dropped with the attempt, also with one that is cut.
struct Running<'a> {
    watch: &'a Watch,
    start: Duration,
    mark: char,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let attempt = Attempt { start: self.start, end: self.watch.born.elapsed(), mark: self.mark };
        if let Ok(mut attempts) = self.watch.attempts.lock() {
            attempts.push(attempt);
        }
    }
}

/// What the call was allowed.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) deadline: Duration,
    pub(crate) per_attempt: Option<Duration>,
}

pub(crate) fn draw(attempts: &[Attempt], limits: Limits, out_of_time: bool) -> String {
    let column = |time: Duration| (time.as_millis() / SCALE) as usize;
    let mut line = Line::default();
    let mut before = 0;
    for (number, attempt) in attempts.iter().enumerate() {
        let start = column(attempt.start).max(before);
        let end = column(attempt.end).max(start + 1);
        let last = number + 1 == attempts.len();
        // An attempt that failed and had no successor for lack of time came after a shortened wait.
        let cut_short = last && out_of_time && attempt.mark == 'x';
        line.fill(before, start, if cut_short { ':' } else { '.' });
        line.fill(start, end - 1, '#');
        line.fill(end - 1, end, attempt.mark);
        before = end;
    }
    let deadline = column(limits.deadline);
    if deadline > 60 {
        return format!("{} >", line.text());
    }
    line.fill(before, deadline, ' ');
    line.cut(deadline);
    let mut text = line.text();
    text.push('|');
    if let (Some(last), Some(limit)) = (attempts.last(), limits.per_attempt) {
        if last.mark == 't' && last.start + limit > limits.deadline {
            let lost = column(last.start + limit - limits.deadline);
            text.extend(std::iter::repeat_n('~', lost));
        }
    }
    text
}

#[derive(Default)]
struct Line(Vec<char>);

impl Line {
    fn fill(&mut self, from: usize, to: usize, with: char) {
        if to > self.0.len() {
            self.0.resize(to, ' ');
        }
        for place in self.0.iter_mut().take(to).skip(from) {
            *place = with;
        }
    }

    /// A timer that fires a little late must not push the deadline along.
    fn cut(&mut self, length: usize) {
        if let Some(mark) =
            self.0.get(length.saturating_sub(1)..).and_then(|rest| rest.iter().rfind(|c| **c != ' '))
        {
            let mark = *mark;
            self.0.truncate(length);
            if let Some(last) = self.0.last_mut() {
                *last = mark;
            }
        }
    }

    fn text(&self) -> String {
        self.0.iter().collect()
    }
}
