//! Holds nothing: each example stands in a file of its own.
