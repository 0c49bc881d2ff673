//! Return types: what a caller writes, and what it finds in the error.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io;

use retry_runtime::{AnyError, AttemptTimedOut, GaveUp, Reason, RetryError, retry};

use crate::support::*;

mod bare {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_enum_with_one_line_for_the_give_up() {
        #[retry(backoff = "none", on = StoreError::Connection(_))]
        async fn load(server: &Server) -> Result<u32, StoreError> {
            Ok(server.call().await?)
        }
        let error = load(&Server::failing()).await.unwrap_err();
        let gave_up = error.gave_up();
        assert_eq!(gave_up.end(), (3, ms(0), Reason::AttemptsExhausted));
        assert!(matches!(gave_up.downcast_last(), Some(StoreError::Connection(ConnectionError))));
        assert!(gave_up.downcast_last::<ConnectionError>().is_none());
        assert_eq!(
            chain(&gave_up)[1..],
            ["the store is unreachable".to_owned(), "connection refused".to_owned()]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn one_error_type_lets_functions_call_each_other_with_a_question_mark() {
        #[retry(backoff = "none", on = StoreError::Connection(_))]
        async fn load(server: &Server) -> Result<u32, StoreError> {
            Ok(server.call().await?)
        }
        #[retry(backoff = "none", on = StoreError::Connection(_))]
        async fn twice(server: &Server) -> Result<u32, StoreError> {
            Ok(load(server).await? + load(server).await?)
        }
        assert_eq!(twice(&Server::new([Step::Fail, Step::Succeed])).await.unwrap(), 2 + 3);
    }

    #[tokio::test(start_paused = true)]
    async fn anyhow_keeps_what_it_wrapped() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn load(server: &Server) -> anyhow::Result<u32> {
            use anyhow::Context;
            server.call().await.context("loading 7")
        }
        let error = load(&Server::failing()).await.unwrap_err();
        let gave_up = error.downcast_ref::<GaveUp>().unwrap();
        assert_eq!(gave_up.end(), (3, ms(0), Reason::AttemptsExhausted));
        let last = gave_up.downcast_last::<anyhow::Error>().unwrap();
        assert_eq!(last.to_string(), "loading 7");
        assert!(last.is::<ConnectionError>());
        let texts: Vec<_> = error.chain().map(ToString::to_string).collect();
        assert_eq!(texts[1..], ["loading 7", "connection refused"]);
        assert!(format!("{error:?}").contains("connection refused"));
    }

    #[tokio::test(start_paused = true)]
    async fn eyre_keeps_what_it_wrapped() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn load(server: &Server) -> eyre::Result<u32> {
            use eyre::WrapErr;
            server.call().await.wrap_err("loading 7")
        }
        let error = load(&Server::failing()).await.unwrap_err();
        let gave_up = error.downcast_ref::<GaveUp>().unwrap();
        assert_eq!(gave_up.downcast_last::<eyre::Report>().unwrap().to_string(), "loading 7");
        let texts: Vec<_> = error.chain().map(ToString::to_string).collect();
        assert_eq!(texts[1..], ["loading 7", "connection refused"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_boxed_error() {
        type Boxed = Box<dyn Error + Send + Sync>;
        #[retry(backoff = "none", on = ConnectionError)]
        async fn load(server: &Server) -> Result<u32, Boxed> {
            Ok(server.call().await?)
        }
        let error = load(&Server::failing()).await.unwrap_err();
        let gave_up = error.downcast_ref::<GaveUp>().unwrap();
        assert!(gave_up.downcast_last::<Boxed>().unwrap().is::<ConnectionError>());
        assert_eq!(chain(gave_up)[1..], ["connection refused"]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_io_error_has_a_kind_of_its_own() {
        #[retry(per_attempt = "100ms", total = total, backoff = "none", on = io::Error)]
        async fn read(server: &Server, kind: io::ErrorKind, total: std::time::Duration) -> io::Result<u32> {
            server.call().await.map_err(|_| kind.into())
        }
        use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut};
        for (script, total, kind, expected) in [
            (vec![Step::Fail], secs(1), ConnectionReset, ConnectionReset),
            (vec![Step::Fail], secs(1), BrokenPipe, BrokenPipe),
            // The attempts are used up; the last error is known.
            (vec![Step::Fail, Step::Hang], secs(1), BrokenPipe, BrokenPipe),
            // No attempt returned an error.
            (vec![Step::Hang], secs(1), BrokenPipe, TimedOut),
            // Time ran out.
            (vec![Step::Fail, Step::Hang], ms(150), BrokenPipe, TimedOut),
        ] {
            let error = read(&Server::new(script.clone()), kind, total).await.unwrap_err();
            assert_eq!(error.kind(), expected, "{script:?}");
            assert!(error.get_ref().unwrap().is::<GaveUp>());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_give_up_itself_as_the_error() {
        #[retry(per_attempt = "100ms", backoff = "none", when = |_| false)]
        async fn load(server: &Server) -> Result<u32, GaveUp> {
            let _ = server.call().await;
            std::future::pending().await
        }
        assert_eq!(load(&Server::ready()).await.unwrap_err().end(), (3, ms(300), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_that_is_no_error_type() {
        #[derive(Debug, PartialEq)]
        enum Code {
            Refused,
            GaveUp(u32),
        }
        impl From<GaveUp> for Code {
            fn from(gave_up: GaveUp) -> Self {
                assert_eq!(gave_up.downcast_last::<Code>(), Some(&Code::Refused));
                Self::GaveUp(gave_up.attempts())
            }
        }
        #[retry(backoff = "none", on = Code::Refused)]
        async fn load(server: &Server) -> Result<u32, Code> {
            server.call().await.map_err(|_| Code::Refused)
        }
        assert_eq!(load(&Server::failing()).await.unwrap_err(), Code::GaveUp(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_type_parameter_with_the_bounds_of_the_form() {
        #[retry(backoff = "none", on = _)]
        async fn load<E>(server: &Server) -> Result<u32, E>
        where
            E: From<ConnectionError> + From<GaveUp> + Send + Sync + 'static,
        {
            Ok(server.call().await?)
        }
        assert_eq!(load::<StoreError>(&Server::failing()).await.unwrap_err().gave_up().attempts(), 3);
        assert!(load::<anyhow::Error>(&Server::failing()).await.unwrap_err().is::<GaveUp>());
    }
}

mod typed {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_foreign_error() {
        #[retry(backoff = "none", on = std::num::ParseIntError)]
        async fn parse(text: &str) -> Result<u8, RetryError<std::num::ParseIntError>> {
            text.parse()
        }
        let error = parse("x").await.unwrap_err();
        assert_eq!(error.end(), (3, ms(0), Reason::AttemptsExhausted));
        assert!(error.source().unwrap().is::<std::num::ParseIntError>());
        assert_eq!(parse("7").await.unwrap(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_type_it_takes_any_error() {
        #[retry(backoff = "none", on = ConnectionError | io::Error)]
        async fn mixed(server: &Server, text: &str) -> Result<u32, RetryError> {
            let number: u32 = text.parse()?;
            if number == 0 {
                Err(io::Error::from(io::ErrorKind::BrokenPipe))?;
            }
            Ok(server.call().await? + number)
        }
        assert_eq!(mixed(&Server::ready(), "5").await.unwrap(), 6);
        let error = mixed(&Server::ready(), "x").await.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (1, Reason::NotRetryable));
        assert!(error.last().unwrap().is::<std::num::ParseIntError>());
        assert!(error.source().unwrap().is::<std::num::ParseIntError>());
        let error = mixed(&Server::ready(), "0").await.unwrap_err();
        assert_eq!((error.attempts(), error.reason()), (3, Reason::AttemptsExhausted));
        let error: RetryError<AnyError> = mixed(&Server::failing(), "1").await.unwrap_err();
        assert!(error.last().unwrap().downcast_ref::<ConnectionError>().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_that_is_no_error_type_is_shown_in_the_text() {
        #[retry(backoff = "none", on = String)]
        async fn text() -> Result<u32, RetryError<String>> {
            Err("out of paper".to_owned())
        }
        #[retry(backoff = "none", on = _)]
        async fn code() -> Result<u32, RetryError<(u8, u8)>> {
            Err((4, 2))
        }
        struct Opaque;
        #[retry(backoff = "none", on = Opaque)]
        async fn nothing() -> Result<u32, RetryError<Opaque>> {
            Err(Opaque)
        }
        let error = text().await.unwrap_err();
        assert!(error.to_string().contains("out of paper") && error.source().is_none(), "{error}");
        let error = code().await.unwrap_err();
        assert!(error.to_string().contains("(4, 2)"), "{error}");
        let error = nothing().await.unwrap_err();
        assert_eq!((error.attempts(), error.last().is_some()), (3, true));
        assert!(!error.to_string().is_empty() && !format!("{error:?}").is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_may_borrow_where_it_is_no_error_type() {
        #[derive(Debug, PartialEq)]
        struct BadLine<'a>(&'a str);
        #[retry(backoff = "none", on = _)]
        async fn parse(text: &str) -> Result<u32, RetryError<BadLine<'_>>> {
            text.trim().parse().map_err(|_| BadLine(text.trim()))
        }
        let text = String::from("  x ");
        let error = parse(&text).await.unwrap_err();
        assert_eq!((error.attempts(), error.into_last()), (3, Some(BadLine("x"))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_need_not_be_send() {
        use std::rc::Rc;
        #[derive(Debug)]
        struct Local(#[allow(dead_code)] Rc<str>);
        #[retry(backoff = "none", on = Local)]
        async fn local() -> Result<u32, RetryError<Local>> {
            Err(Local("here".into()))
        }
        assert_eq!(local().await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn it_flows_into_the_bare_form() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn typed(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        async fn plain(server: &Server) -> Result<u32, StoreError> {
            Ok(typed(server).await.map_err(GaveUp::from)?)
        }
        #[retry(backoff = "none", on = StoreError::Connection(_))]
        async fn bare(server: &Server) -> Result<u32, StoreError> {
            Ok(typed(server).await.map_err(GaveUp::from)?)
        }
        let gave_up = plain(&Server::failing()).await.unwrap_err().gave_up();
        assert_eq!(gave_up.downcast_last(), Some(&ConnectionError));
        let server = Server::failing();
        assert_eq!(bare(&server).await.unwrap_err().gave_up().attempts(), 3);
        assert_eq!(server.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_timed_out_attempt_is_an_error_of_its_own() {
        #[retry(per_attempt = "100ms", backoff = "none", on = ConnectionError)]
        async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        let error = fetch(&Server::hung()).await.unwrap_err();
        assert!(in_chain::<AttemptTimedOut>(&error));
        assert!(anyhow::Error::from(error).chain().any(|error| error.is::<AttemptTimedOut>()));
    }
}

mod signature {
    use super::*;

    type Result<T, E = RetryError<ConnectionError>> = std::result::Result<T, E>;

    #[tokio::test(start_paused = true)]
    async fn aliases_work_and_no_type_name_is_read() {
        type Fetched = std::result::Result<u32, StoreError>;
        mod renamed {
            pub(crate) use retry_runtime::RetryError as Failed;
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn aliased(server: &Server) -> Result<u32> {
            server.call().await
        }
        #[retry(backoff = "none", on = StoreError::Connection(_))]
        async fn no_generics(server: &Server) -> Fetched {
            Ok(server.call().await?)
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn other_name(server: &Server) -> std::result::Result<u32, renamed::Failed<ConnectionError>> {
            server.call().await
        }
        assert_eq!(aliased(&Server::failing()).await.unwrap_err().attempts(), 3);
        assert_eq!(no_generics(&Server::failing()).await.unwrap_err().gave_up().attempts(), 3);
        assert_eq!(other_name(&Server::failing()).await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_may_borrow_be_a_trait_object_or_impl_trait() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn borrowed<'a>(server: &Server, text: &'a str) -> Result<Cow<'a, str>> {
            server.call().await?;
            Ok(Cow::Borrowed(text))
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn object(server: &Server) -> Result<Box<dyn Fn() -> u32>> {
            let number = server.call().await?;
            Ok(Box::new(move || number))
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn some(server: &Server) -> Result<impl fmt::Display> {
            server.call().await
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn nothing(server: &Server) -> Result<()> {
            server.call().await?;
            Ok(())
        }
        let once = || Server::new([Step::Fail, Step::Succeed]);
        assert_eq!(borrowed(&once(), "text").await.unwrap(), "text");
        assert_eq!(object(&once()).await.unwrap()(), 2);
        assert_eq!(some(&once()).await.unwrap().to_string(), "2");
        nothing(&once()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn return_and_question_mark_leave_the_attempt_not_the_call() {
        #[retry(attempts = 4, backoff = "none", on = ConnectionError)]
        async fn early(server: &Server) -> Result<u32> {
            if server.calls() == 0 {
                server.call().await?;
            }
            for number in 1..10 {
                match server.calls() {
                    1 => return server.call().await,
                    2 => Err(ConnectionError)?,
                    _ if number == 2 => return Ok(number),
                    _ => drop(server.call().await?),
                }
            }
            Ok(0)
        }
        let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
        assert_eq!(early(&server).await.unwrap_err().attempts(), 4);
        let server = Server::new([Step::Fail, Step::Succeed]);
        assert_eq!(early(&server).await.unwrap(), 2);
        let server = Server::new([Step::Succeed, Step::Succeed]);
        assert_eq!(early(&server).await.unwrap(), 2);
    }
}
