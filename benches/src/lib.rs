//! The operation that is measured, in a crate of its own, as a client library would be: so it is compiled once, and
//! not into each contestant or into some of them.

pub mod service;
