//! The attribute of `retry-runtime`; depend on that crate instead.

#![forbid(unsafe_code)]

mod args;
mod async_trait;
mod block;
mod borrow;
mod boxed;
mod call;
mod capture;
mod classify;
mod errors;
mod expand;
mod fragment;
mod function;
#[cfg(test)]
mod half_typed;
mod keys;
mod receiver;
mod site;
#[cfg(test)]
mod snapshots;
mod spec;
mod tracing;
mod usage;
mod values;

use proc_macro::TokenStream;

/// Runs an `async fn` once per attempt, within a time that is promised.
#[proc_macro_attribute]
pub fn retry(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(args.into(), item.into()).into()
}
