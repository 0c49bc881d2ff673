//! Text to [`Duration`] and back.

use core::fmt;
use core::time::Duration;

use crate::backoff::from_nanos;

/// Each unit with its nanoseconds, from large to small: the order in which they are written.
const UNITS: [(&str, u128); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Names from elsewhere, and the unit they stand for.
const ALIASES: [(&str, &[&str]); 7] = [
    ("d", &["day", "days"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("ms", &["msec", "msecs", "milli", "millis", "millisecond", "milliseconds"]),
    ("us", &["usec", "usecs", "micro", "micros", "microsecond", "microseconds"]),
    ("ns", &["nsec", "nsecs", "nano", "nanos", "nanosecond", "nanoseconds"]),
];

/// A duration as the attribute writes it: `1s`, `200ms`, `1m 30s`, `1h30m`.
///
/// Whole numbers, each followed at once by its unit (`d`, `h`, `m`, `s`, `ms`, `us`, `ns`), from large to small, each
/// unit at most once, with or without a space in between. Zero is a duration like any other.
///
/// # Errors
///
/// For anything else, with a text that says what to write; [`ParseDurationError::kind`] tells the mistakes apart.
///
/// ```
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::duration::parse;
/// use std::time::Duration;
///
/// assert_eq!(parse("1m 30s"), Ok(Duration::from_secs(90)));
/// let error = parse("1.5s").unwrap_err().to_string();
/// assert_eq!(error, r#"`"1.5s"` has a decimal point: write `1500ms` (units: d, h, m, s, ms, us, ns)"#);
/// ```
pub fn parse(text: &str) -> Result<Duration, ParseDurationError> {
    let nanos = Parser { text, rest: text, last_unit: None, nanos: 0 }.run();
    nanos.map_err(|kind| ParseDurationError { kind, text: text.to_owned() })
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    /// The place of the last unit in [`UNITS`].
    last_unit: Option<usize>,
    nanos: u128,
}

impl<'a> Parser<'a> {
    fn run(mut self) -> Result<Duration, ParseDurationErrorKind> {
        self.check_whole()?;
        while !self.rest.is_empty() {
            self.part()?;
            self.rest = self.rest.trim_start_matches(' ');
        }
        if self.nanos > Duration::MAX.as_nanos() {
            return Err(ParseDurationErrorKind::TooLong);
        }
        Ok(from_nanos(self.nanos))
    }

    /// What concerns the text as a whole.
    fn check_whole(&self) -> Result<(), ParseDurationErrorKind> {
        if self.text.trim().is_empty() {
            Err(ParseDurationErrorKind::Empty)
        } else if self.text.trim() != self.text {
            Err(ParseDurationErrorKind::OuterBlank)
        } else if let Some(found) = self.text.chars().find(|c| !c.is_ascii()) {
            Err(ParseDurationErrorKind::NotAscii { found })
        } else if self.text.starts_with(['-', '+']) {
            Err(ParseDurationErrorKind::Sign)
        } else {
            Ok(())
        }
    }

    /// One number with its unit.
    fn part(&mut self) -> Result<(), ParseDurationErrorKind> {
        let number = self.take(|c| c.is_ascii_digit() || c == '.');
        if number.is_empty() {
            let word = self.take(|c| c.is_ascii_alphabetic());
            return Err(match self.rest.chars().next() {
                _ if !word.is_empty() => ParseDurationErrorKind::NoNumber { found: word.to_owned() },
                Some(found) => ParseDurationErrorKind::Unexpected { found },
                None => ParseDurationErrorKind::Empty,
            });
        }
        let name = self.take(|c| c.is_ascii_alphabetic());
        if name.is_empty() {
            return Err(self.no_unit(number));
        }
        let known = UNITS.iter().enumerate().find(|(_, (unit, _))| *unit == name);
        let Some((place, &(_, size))) = known else { return Err(unknown_unit(name)) };
        if number.contains('.') {
            return Err(ParseDurationErrorKind::Decimal { whole: whole(number, size) });
        }
        if self.last_unit.is_some_and(|last| place <= last) {
            return Err(ParseDurationErrorKind::Order { found: name.to_owned() });
        }
        self.last_unit = Some(place);
        let nanos = number.parse::<u128>().ok().and_then(|number| number.checked_mul(size));
        let nanos = nanos.and_then(|nanos| nanos.checked_add(self.nanos));
        self.nanos = nanos.ok_or(ParseDurationErrorKind::TooLong)?;
        Ok(())
    }

    /// The mistake where no letter follows a number.
    fn no_unit(&self, number: &str) -> ParseDurationErrorKind {
        let after = self.rest.trim_start_matches(' ');
        let unit: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
        match self.rest.chars().next() {
            Some(' ') if !unit.is_empty() => {
                // `5 seconds`: both mistakes at once, or the advice would be refused in turn.
                let unit = meant(&unit).unwrap_or(&unit);
                ParseDurationErrorKind::InnerBlank { joined: format!("{number}{unit}") }
            }
            Some(found) if found != ' ' => ParseDurationErrorKind::Unexpected { found },
            _ => ParseDurationErrorKind::NoUnit { number: number.to_owned() },
        }
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

fn unknown_unit(name: &str) -> ParseDurationErrorKind {
    ParseDurationErrorKind::UnknownUnit { found: name.to_owned(), meant: meant(name) }
}

/// The unit that goes by this name elsewhere.
fn meant(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let alias = ALIASES.iter().find(|(unit, names)| *unit == lower || names.contains(&lower.as_str()));
    alias.map(|(unit, _)| *unit)
}

/// `1.5` of a unit as a whole number of the largest unit in which there is one.
fn whole(number: &str, size: u128) -> Option<String> {
    let (integer, fraction) = number.split_once('.')?;
    let tenths = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let parts = integer.parse::<u128>().ok()?.checked_mul(tenths)?.checked_add(fraction.parse().ok()?)?;
    let scaled = parts.checked_mul(size)?;
    let (unit, size) = UNITS.iter().find(|(_, unit)| scaled % (tenths * unit) == 0)?;
    Some(format!("{}{unit}", scaled / tenths / size))
}

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseDurationError {
    kind: ParseDurationErrorKind,
    text: String,
}

impl ParseDurationError {
    /// Which mistake it is.
    #[must_use]
    pub const fn kind(&self) -> &ParseDurationErrorKind {
        &self.kind
    }
}

/// The mistakes in a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseDurationErrorKind {
    /// Nothing, or blanks only.
    Empty,
    /// A blank before or after.
    OuterBlank,
    /// A blank between a number and its unit.
    InnerBlank {
        /// The two without it.
        joined: String,
    },
    /// A plus or minus in front.
    Sign,
    /// A unit that no number stands before.
    NoNumber {
        /// The unit, or what stands in its place.
        found: String,
    },
    /// A number that no unit follows.
    NoUnit {
        /// The number.
        number: String,
    },
    /// A unit that is none of ours.
    UnknownUnit {
        /// The unit as written.
        found: String,
        /// The unit it probably stands for.
        meant: Option<&'static str>,
    },
    /// A number with a decimal point.
    Decimal {
        /// The same as a whole number with a smaller unit, where there is one.
        whole: Option<String>,
    },
    /// A unit that was there already, or that is larger than the one before it.
    Order {
        /// The unit.
        found: String,
    },
    /// A character beyond ASCII, such as the `µ` of microseconds.
    NotAscii {
        /// The first one.
        found: char,
    },
    /// A character that has no place in a duration.
    Unexpected {
        /// The character.
        found: char,
    },
    /// More than [`Duration::MAX`].
    TooLong,
}

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParseDurationErrorKind as Kind;
        const MOST: usize = 40;
        if self.text.chars().count() > MOST {
            let start: String = self.text.chars().take(MOST).collect();
            write!(f, "`{:?}` ", start + "..")?;
        } else {
            write!(f, "`{:?}` ", self.text)?;
        }
        match &self.kind {
            Kind::Empty => {
                f.write_str("is no duration: write a number and a unit, such as `200ms` or `1m 30s`")?
            }
            Kind::OuterBlank => {
                write!(f, "has a blank at an end: write `{}`", self.text.trim().escape_debug())?
            }
            Kind::InnerBlank { joined } => {
                write!(f, "has a blank between number and unit: write `{joined}`")?
            }
            Kind::Sign => f.write_str("has a sign: a duration is never negative, write it without")?,
            Kind::NoNumber { found } => {
                write!(f, "has no number before `{found}`: write one, such as `200ms`")?
            }
            Kind::NoUnit { number } => {
                write!(f, "has no unit after `{number}`: write one, such as `{number}s`")?
            }
            Kind::UnknownUnit { found, meant: Some(meant) } => {
                write!(f, "has no unit `{found}`: write `{meant}`")?
            }
            Kind::UnknownUnit { found, meant: None } => {
                write!(f, "has an unknown unit `{found}`: write one of ours")?
            }
            Kind::Decimal { whole: Some(whole) } => write!(f, "has a decimal point: write `{whole}`")?,
            Kind::Decimal { whole: None } => {
                f.write_str("has a decimal point: write a whole number of a smaller unit, such as `1500ms`")?;
            }
            Kind::Order { found } => {
                write!(f, "has `{found}` out of place: write each unit once, from large to small")?;
            }
            Kind::NotAscii { found: 'µ' | 'μ' } => f.write_str("has a `µ`: write `us` for microseconds")?,
            Kind::NotAscii { found } | Kind::Unexpected { found } => {
                write!(
                    f,
                    "has an unexpected `{}`: write numbers with units, such as `1m 30s`",
                    found.escape_debug()
                )?;
            }
            Kind::TooLong => f.write_str("is longer than a duration can be: write a shorter one")?,
        }
        f.write_str(" (units: d, h, m, s, ms, us, ns)")
    }
}

impl core::error::Error for ParseDurationError {}

/// A duration as [`parse`] reads it, exactly: `1m 30s`, `200ms`, `0ms`.
///
/// ```
/// # extern crate retry_policy as retry_runtime;
/// use retry_runtime::duration::human;
/// use std::time::Duration;
///
/// assert_eq!(human(Duration::from_secs(90)).to_string(), "1m 30s");
/// assert_eq!(human(Duration::from_micros(1500)).to_string(), "1ms 500us");
/// ```
#[must_use]
pub fn human(duration: Duration) -> impl fmt::Display {
    Human(duration)
}

struct Human(Duration);

impl fmt::Display for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_zero() {
            return f.write_str("0ms");
        }
        let mut left = self.0.as_nanos();
        let mut gap = "";
        for (unit, size) in UNITS {
            if left >= size {
                write!(f, "{gap}{}{unit}", left / size)?;
                left %= size;
                gap = " ";
            }
        }
        Ok(())
    }
}

/// `a < b`, in a constant.
#[inline]
pub(crate) const fn is_less(a: Duration, b: Duration) -> bool {
    let (a_seconds, b_seconds) = (a.as_secs(), b.as_secs());
    a_seconds < b_seconds || (a_seconds == b_seconds && a.subsec_nanos() < b.subsec_nanos())
}

#[inline]
pub(crate) const fn shorter(a: Duration, b: Duration) -> Duration {
    if is_less(b, a) { b } else { a }
}

#[inline]
pub(crate) const fn longer(a: Duration, b: Duration) -> Duration {
    if is_less(a, b) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, message: &str) {
        let error = parse(text).unwrap_err().to_string();
        assert_eq!(error, format!("`{text:?}` {message} (units: d, h, m, s, ms, us, ns)"));
    }

    #[test]
    fn every_unit_is_read() {
        let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
        for (unit, seconds) in units {
            assert_eq!(parse(&format!("3{unit}")), Ok(Duration::from_secs(3 * seconds)));
        }
        assert_eq!(parse("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(parse("7us"), Ok(Duration::from_micros(7)));
        assert_eq!(parse("9ns"), Ok(Duration::from_nanos(9)));
        assert_eq!(parse("0s"), Ok(Duration::ZERO));
    }

    #[test]
    fn units_may_follow_each_other_with_or_without_a_blank() {
        assert_eq!(parse("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse("1d 2h 3m 4s 5ms 6us 7ns"), Ok(Duration::new(93_784, 5_006_007)));
        assert_eq!(parse("007s"), Ok(Duration::from_secs(7)));
    }

    #[test]
    fn a_text_that_is_no_duration_is_refused_with_what_to_write() {
        refused("", "is no duration: write a number and a unit, such as `200ms` or `1m 30s`");
        refused("  ", "is no duration: write a number and a unit, such as `200ms` or `1m 30s`");
        refused("s", "has no number before `s`: write one, such as `200ms`");
        refused("none", "has no number before `none`: write one, such as `200ms`");
        refused("1", "has no unit after `1`: write one, such as `1s`");
        refused("1h30", "has no unit after `30`: write one, such as `30s`");
        refused("1 30s", "has no unit after `1`: write one, such as `1s`");
        refused("-5s", "has a sign: a duration is never negative, write it without");
        refused("+5s", "has a sign: a duration is never negative, write it without");
        refused("1 s", "has a blank between number and unit: write `1s`");
        refused("1h 30 m", "has a blank between number and unit: write `30m`");
        refused(" 1s", "has a blank at an end: write `1s`");
        refused("1s\n", "has a blank at an end: write `1s`");
        refused("1s 1m", "has `m` out of place: write each unit once, from large to small");
        refused("1s 2s", "has `s` out of place: write each unit once, from large to small");
        refused("1m, 30s", "has an unexpected `,`: write numbers with units, such as `1m 30s`");
        refused("1_000ms", "has an unexpected `_`: write numbers with units, such as `1m 30s`");
        refused("1m\t30s", "has an unexpected `\\t`: write numbers with units, such as `1m 30s`");
        refused("٣s", "has an unexpected `٣`: write numbers with units, such as `1m 30s`");
        refused("5µs", "has a `µ`: write `us` for microseconds");
    }

    #[test]
    fn a_unit_from_elsewhere_is_answered_with_ours() {
        refused("584554530873y", "has an unknown unit `y`: write one of ours");
        refused("3S", "has no unit `S`: write `s`");
        refused("5min", "has no unit `min`: write `m`");
        refused("2Hours", "has no unit `Hours`: write `h`");
    }

    #[test]
    fn a_decimal_is_answered_with_the_whole_number() {
        refused("1.5s", "has a decimal point: write `1500ms`");
        refused("1.5h", "has a decimal point: write `90m`");
        refused("2.0s", "has a decimal point: write `2s`");
        refused("0.25ms", "has a decimal point: write `250us`");
        refused("1m 1.5s", "has a decimal point: write `1500ms`");
        for text in ["1.5.2s", "1.s", ".5s", "0.5ns", "1.00000000000000000000000000000000000000001s"] {
            assert_eq!(
                parse(text).unwrap_err().kind(),
                &ParseDurationErrorKind::Decimal { whole: None },
                "{text}"
            );
        }
    }

    #[test]
    fn what_no_duration_can_hold_is_refused() {
        let most = "18446744073709551615s 999ms 999us 999ns";
        assert_eq!(parse(most), Ok(Duration::MAX));
        for text in
            ["18446744073709551616s", "999999999999999999999999999999999999999999d", "213503982334602d"]
        {
            assert_eq!(parse(text).unwrap_err().kind(), &ParseDurationErrorKind::TooLong, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_shown_in_part() {
        let error = parse(&"1s".repeat(1000)).unwrap_err().to_string();
        assert!(error.len() < 160, "{error}");
    }

    #[test]
    fn no_text_makes_it_panic() {
        let pieces = ["", "1", "99", ".", "s", "ms", "d", "y", " ", "-", "µ", "\"", "\0"];
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    for d in pieces {
                        if let Err(error) = parse(&[a, b, c, d].concat()) {
                            assert!(!error.to_string().contains(['\n', '\0']));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_blank_before_a_long_name_is_answered_with_the_unit() {
        let text = parse("5 seconds").unwrap_err().to_string();
        assert!(text.contains("write `5s`"), "{text}");
    }

    #[test]
    fn what_is_shown_is_read_back_exactly() {
        let seconds = [0, 1, 59, 60, 61, 3_599, 3_600, 86_399, 86_400, 90_061, u64::MAX];
        for seconds in seconds {
            for nanos in [0, 1, 999, 1_000, 1_000_001, 50_000_000, 999_999_999] {
                let duration = Duration::new(seconds, nanos);
                assert_eq!(parse(&human(duration).to_string()), Ok(duration));
            }
        }
        assert_eq!(human(Duration::ZERO).to_string(), "0ms");
        assert_eq!(human(Duration::from_millis(61_500)).to_string(), "1m 1s 500ms");
    }
}
