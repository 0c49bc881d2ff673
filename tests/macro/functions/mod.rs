//! Functions that other attribute macros break.

mod arguments;
mod async_trait;
mod future_size;
mod generics;
mod macro_rules;
mod mut_parameters;
mod question_marks;
mod result_types;
mod test_attributes;
