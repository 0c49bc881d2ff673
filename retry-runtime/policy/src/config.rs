//! A policy from a config file and back: feature `serde`.
//!
//! The keys are the attribute's and so are the values: durations as text (`"200ms"`), `"none"`, `"share"`,
//! `"unlimited"`; `attempts` and `factor` as numbers. A key that is left out has its default; one that does not
//! exist is refused, and so is what the builder would refuse. What is written is what was given.

use core::fmt;
use core::time::Duration;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::duration::{human, parse};
use crate::{AttemptLimit, Jitter, Key, Nested, Policy, PolicyBuilder, Slot};

const KEYS: [Key; 11] = [
    Key::Total,
    Key::PerAttempt,
    Key::Attempts,
    Key::Backoff,
    Key::Factor,
    Key::MaxBackoff,
    Key::Jitter,
    Key::MinAttempt,
    Key::Margin,
    Key::Idempotent,
    Key::Nested,
];

const NAMES: [&str; KEYS.len()] = {
    let mut names = [""; KEYS.len()];
    let mut place = 0;
    while place < KEYS.len() {
        names[place] = KEYS[place].name();
        place += 1;
    }
    names
};

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings = &self.settings;
        let mut map = serializer.serialize_map(None)?;
        let mut text = |key: Key, slot: Option<String>| match slot {
            Some(text) => map.serialize_entry(key.name(), &text),
            None => Ok(()),
        };
        let or_none = |duration: Option<Duration>| duration.map_or("none".to_owned(), shown);
        text(Key::Total, settings.total.given().map(or_none))?;
        text(
            Key::PerAttempt,
            settings.per_attempt.given().map(|limit| match limit {
                AttemptLimit::Share => "share".to_owned(),
                AttemptLimit::None => "none".to_owned(),
                AttemptLimit::Of(limit) => shown(limit),
            }),
        )?;
        text(Key::Backoff, settings.backoff.given().map(or_none))?;
        text(Key::MaxBackoff, settings.max_backoff.given().map(shown))?;
        text(Key::MinAttempt, settings.min_attempt.given().map(shown))?;
        text(Key::Margin, settings.margin.given().map(shown))?;
        if let Some(jitter) = settings.jitter.given() {
            map.serialize_entry(
                Key::Jitter.name(),
                match jitter {
                    Jitter::Equal => "equal",
                    Jitter::Full => "full",
                    Jitter::None => "none",
                },
            )?;
        }
        match settings.attempts {
            Slot::Given(Some(attempts)) => map.serialize_entry(Key::Attempts.name(), &attempts)?,
            Slot::Given(None) => map.serialize_entry(Key::Attempts.name(), "unlimited")?,
            _ => {}
        }
        if let Some(factor) = settings.factor.given() {
            map.serialize_entry(Key::Factor.name(), &factor)?;
        }
        if let Some(idempotent) = settings.idempotent.given() {
            map.serialize_entry(Key::Idempotent.name(), &idempotent)?;
        }
        if let Some(nested) = settings.nested.given() {
            map.serialize_entry(
                Key::Nested.name(),
                match nested {
                    Nested::Stop => "stop",
                    Nested::Retry => "retry",
                },
            )?;
        }
        map.end()
    }
}

fn shown(duration: Duration) -> String {
    human(duration).to_string()
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Policy", &NAMES, Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Policy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the keys of a retry policy")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Policy, A::Error> {
        let mut builder = Policy::builder();
        let mut seen = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let Some(key) = KEYS.into_iter().find(|key| key.name() == name) else {
                return Err(de::Error::unknown_field(&name, &NAMES));
            };
            if seen.contains(&key) {
                return Err(de::Error::duplicate_field(key.name()));
            }
            seen.push(key);
            builder = set(builder, key, &mut map)?;
        }
        builder.try_build().map_err(de::Error::custom)
    }
}

fn set<'de, A: MapAccess<'de>>(
    builder: PolicyBuilder,
    key: Key,
    map: &mut A,
) -> Result<PolicyBuilder, A::Error> {
    const DURATION: &str = "a duration such as `200ms`";
    const DURATION_OR_NONE: &str = "a duration such as `200ms`, or `none`";
    Ok(match key {
        Key::Total => match map.next_value_seed(Text { key, expected: DURATION_OR_NONE, read: or_none })? {
            Some(total) => builder.total(total),
            None => builder.no_total(),
        },
        Key::PerAttempt => {
            let expected = "a duration such as `200ms`, `share` or `none`";
            match map.next_value_seed(Text { key, expected, read: attempt_limit })? {
                AttemptLimit::Share => builder.share(),
                AttemptLimit::None => builder.no_per_attempt(),
                AttemptLimit::Of(limit) => builder.per_attempt(limit),
            }
        }
        Key::Attempts => match map.next_value_seed(Attempts)? {
            Some(attempts) => builder.attempts(attempts),
            None => builder.unlimited_attempts(),
        },
        Key::Backoff => match map.next_value_seed(Text { key, expected: DURATION_OR_NONE, read: or_none })? {
            Some(backoff) => builder.backoff(backoff),
            None => builder.no_backoff(),
        },
        Key::Factor => builder.factor(map.next_value()?),
        Key::MaxBackoff => {
            builder.max_backoff(map.next_value_seed(Text { key, expected: DURATION, read: duration })?)
        }
        Key::Jitter => builder.jitter(map.next_value_seed(Text {
            key,
            expected: "`equal`, `full` or `none`",
            read: jitter,
        })?),
        Key::MinAttempt => {
            builder.min_attempt(map.next_value_seed(Text { key, expected: DURATION, read: duration })?)
        }
        Key::Margin => {
            builder.margin(map.next_value_seed(Text { key, expected: DURATION, read: duration })?)
        }
        Key::Idempotent => builder.idempotent(map.next_value()?),
        Key::Nested => {
            builder.nested(map.next_value_seed(Text { key, expected: "`stop` or `retry`", read: nested })?)
        }
    })
}

/// `Err(None)` is a word that is none of the expected ones.
type Read<T> = Result<T, Option<String>>;

fn duration(text: &str) -> Read<Duration> {
    parse(text).map_err(|error| Some(error.to_string()))
}

fn or_none(text: &str) -> Read<Option<Duration>> {
    if text == "none" { Ok(None) } else { duration(text).map(Some) }
}

fn attempt_limit(text: &str) -> Read<AttemptLimit> {
    match text {
        "share" => Ok(AttemptLimit::Share),
        "none" => Ok(AttemptLimit::None),
        _ => duration(text).map(AttemptLimit::Of),
    }
}

fn jitter(text: &str) -> Read<Jitter> {
    match text {
        "equal" => Ok(Jitter::Equal),
        "full" => Ok(Jitter::Full),
        "none" => Ok(Jitter::None),
        _ => Err(None),
    }
}

fn nested(text: &str) -> Read<Nested> {
    match text {
        "stop" => Ok(Nested::Stop),
        "retry" => Ok(Nested::Retry),
        _ => Err(None),
    }
}

/// A value that is written as text.
struct Text<T> {
    key: Key,
    expected: &'static str,
    read: fn(&str) -> Read<T>,
}

impl<'de, T> DeserializeSeed<'de> for Text<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` as text: {}", self.key.name(), self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).map_err(|reason| match reason {
            Some(reason) => E::custom(format_args!("`{}`: {reason}", self.key.name())),
            None => E::invalid_value(de::Unexpected::Str(text), &self),
        })
    }
}

/// A count, or `"unlimited"`.
struct Attempts;

impl<'de> DeserializeSeed<'de> for Attempts {
    type Value = Option<u32>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u32>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Attempts {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`attempts` as a whole number from 1, or `unlimited`")
    }

    fn visit_u64<E: de::Error>(self, attempts: u64) -> Result<Option<u32>, E> {
        let count = u32::try_from(attempts)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(attempts), &self))?;
        Ok(Some(count))
    }

    fn visit_i64<E: de::Error>(self, attempts: i64) -> Result<Option<u32>, E> {
        let count =
            u32::try_from(attempts).map_err(|_| E::invalid_value(de::Unexpected::Signed(attempts), &self))?;
        Ok(Some(count))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<u32>, E> {
        match text {
            "unlimited" => Ok(None),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn read(json: &str) -> Result<Policy, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refused(json: &str, part: &str) {
        let error = read(json).unwrap_err();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn nothing_written_is_the_default_policy() {
        assert_eq!(read("{}"), Ok(Policy::default()));
        assert_eq!(serde_json::to_string(&Policy::default()).unwrap(), "{}");
    }

    #[test]
    fn every_key_is_read_as_the_attribute_writes_it() {
        let json = r#"{
            "total": "1m 30s", "per_attempt": "200ms", "attempts": 5, "backoff": "10ms", "factor": 3,
            "max_backoff": "2s", "jitter": "full", "min_attempt": "5ms", "margin": "20ms", "idempotent": false,
            "nested": "retry"
        }"#;
        let policy =
            Policy::builder().total(ms(90_000)).per_attempt(ms(200)).attempts(5).backoff(ms(10)).factor(3.0);
        let policy = policy.max_backoff(ms(2_000)).jitter(Jitter::Full).min_attempt(ms(5)).margin(ms(20));
        assert_eq!(read(json), Ok(policy.idempotent(false).nested(Nested::Retry).build()));
    }

    #[test]
    fn words_are_read_where_the_attribute_takes_them() {
        let endless = Policy::builder().no_total().per_attempt(ms(1_000)).unlimited_attempts().build();
        assert_eq!(read(r#"{"total": "none", "per_attempt": "1s", "attempts": "unlimited"}"#), Ok(endless));
        assert_eq!(read(r#"{"per_attempt": "none"}"#), Ok(Policy::builder().no_per_attempt().build()));
        assert_eq!(read(r#"{"per_attempt": "share"}"#), Ok(Policy::builder().share().build()));
        assert_eq!(read(r#"{"backoff": "none"}"#), Ok(Policy::builder().no_backoff().build()));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let new = Policy::builder();
        let policies = [
            new.build(),
            new.no_total().per_attempt(ms(1_500)).unlimited_attempts().jitter(Jitter::None).build(),
            new.total(ms(1_000))
                .share()
                .attempts(9)
                .no_backoff()
                .margin(Duration::ZERO)
                .idempotent(true)
                .build(),
            new.no_per_attempt()
                .backoff(ms(7))
                .factor(1.25)
                .max_backoff(ms(90))
                .jitter(Jitter::Equal)
                .build(),
            new.min_attempt(Duration::from_nanos(1)).jitter(Jitter::Full).nested(Nested::Stop).build(),
        ];
        for policy in policies {
            let json = serde_json::to_string(&policy).unwrap();
            assert_eq!(read(&json), Ok(policy), "{json}");
        }
    }

    #[test]
    fn mistakes_are_refused_with_their_sentence() {
        refused(r#"{"totl": "1s"}"#, "unknown field `totl`, expected one of `total`, `per_attempt`");
        refused(r#"{"total": "1s", "total": "2s"}"#, "duplicate field `total`");
        refused(r#"{"total": "1.5s"}"#, "`total`: `\"1.5s\"` has a decimal point: write `1500ms`");
        refused(
            r#"{"total": 5}"#,
            "invalid type: integer `5`, expected `total` as text: a duration such as `200ms`",
        );
        refused(r#"{"max_backoff": "none"}"#, "`max_backoff`: `\"none\"` has no number before `none`");
        refused(r#"{"attempts": -1}"#, "expected `attempts` as a whole number from 1, or `unlimited`");
        refused(r#"{"attempts": 4294967296}"#, "expected `attempts` as a whole number from 1");
        refused(r#"{"attempts": "many"}"#, "invalid value: string \"many\", expected `attempts` as");
        refused(r#"{"jitter": "half"}"#, "expected `jitter` as text: `equal`, `full` or `none`");
        refused(r#"{"nested": "go"}"#, "expected `nested` as text: `stop` or `retry`");
        refused("[]", "expected the keys of a retry policy");
    }

    #[test]
    fn what_the_builder_refuses_is_refused() {
        refused(r#"{"attempts": 0}"#, "`attempts` counts the first one too");
        refused(r#"{"total": "1s", "per_attempt": "2s"}"#, "`per_attempt` is longer than `total`");
    }
}
