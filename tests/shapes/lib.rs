//! Functions as services write them, each with the attribute on it, in a folder for what is special about them.
//!
//! The package `retry-shapes-2021` compiles the same files in edition 2021. None of them may cause a warning.

#![cfg(test)]
#![deny(warnings)]

pub mod counted;

/// What a method is called on.
pub mod receivers {
    pub mod arc;
    pub mod exclusive;
    pub mod mut_owned;
    pub mod owned;
    pub mod pointers;
    pub mod shared;
}

/// What the body does with its arguments, and what the next attempt finds.
pub mod arguments {
    pub mod as_ref_and_into;
    pub mod borrowed_apart;
    pub mod callbacks;
    pub mod exclusive;
    pub mod functions;
    pub mod guard;
    pub mod in_macros;
    pub mod mut_bindings;
    pub mod mut_by_reference;
    pub mod mut_not_clone;
    pub mod mut_request;
    pub mod not_clone;
    pub mod owned_payload;
    pub mod owned_string;
    pub mod patterns;
    pub mod progress;
    pub mod references_rebound;
    pub mod shared_handles;
    pub mod slices;
    pub mod state_across_attempts;
    pub mod trait_objects;
    pub mod used_up;
}

/// Types, lifetimes and constants that the caller chooses.
pub mod generics {
    pub mod constants;
    pub mod lifetimes;
    pub mod type_parameters;
}

/// What comes back.
pub mod returns {
    pub mod borrow_of_argument;
    pub mod borrow_of_self;
    pub mod no_value;
    pub mod nothing_found;
    pub mod opaque;
    pub mod result_alias;
    pub mod status_in_ok;
    pub mod stream;
}

/// Error types, and where a give-up goes in each.
pub mod errors {
    pub mod any;
    pub mod anyhow;
    pub mod boxed;
    pub mod chosen_by_the_caller;
    pub mod eyre;
    pub mod io;
    pub mod redis;
    pub mod reqwest;
    pub mod sqlx;
    pub mod tonic;
    pub mod tuple;
    pub mod with_a_hint;
}

/// What a body does.
pub mod bodies {
    pub mod concurrent_parts;
    pub mod early_returns;
    pub mod inner_items;
    pub mod labels;
    pub mod names_of_all_sorts;
    pub mod nested_calls;
    pub mod question_marks;
    pub mod recursion;
    pub mod select;
    pub mod unsafe_fn;
}

/// Functions that return a future, and what becomes of futures.
pub mod futures {
    pub mod boxed;
    pub mod impl_future;
    pub mod local;
    pub mod spawned;
}

/// Methods of traits.
pub mod traits {
    pub mod async_trait_keys;
    pub mod async_trait_method;
    pub mod async_trait_not_send;
    pub mod async_trait_patterns;
    pub mod async_trait_receivers;
    pub mod block;
    pub mod block_above_async_trait;
    pub mod block_below_async_trait;
    pub mod future_in_trait;
    pub mod generic_impl;
    pub mod native;
    pub mod provided;
}

/// Other attributes on the same function.
pub mod attributes {
    pub mod conditional;
    pub mod everything;
    pub mod instrument_above;
    pub mod instrument_below;
    pub mod instrument_in_async_trait;
    pub mod instrument_with_outcome;
    pub mod instrumented_trait_objects;
    pub mod spans;
}

/// Functions written by a macro.
pub mod macros {
    pub mod methods_from_a_table;
    pub mod whole_functions;
}

/// Settings that are not literals.
pub mod keys {
    pub mod from_configuration;
    pub mod from_constants;
}
