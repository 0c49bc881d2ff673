//! The promises as a whole: the runtime against a straight-line reference of them, in drawn cases; cancelled anywhere;
//! with numbers up to the ends of their types.

mod agrees;
mod arithmetic;
mod cancelled;
mod case;
mod drawn;
mod draws;
mod guarded;
mod guards;
mod inner_says;
mod jitter;
mod kept;
mod reference;
mod subject;
