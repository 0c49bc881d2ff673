//! The arguments of an attempt: cloned from what the caller passed, or lent where they cannot be.
//!
//! Whether a type is `Clone` is found out where it is known, like the form of a return type.

use std::cell::Cell;
use std::fmt::{self, Debug, Display, Formatter};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// An argument that the body consumes.
pub struct Consumed<'a, T>(&'a T);

impl<'a, T> Consumed<'a, T> {
    /// Asks for a clone.
    #[inline]
    pub const fn new(argument: &'a T) -> Self {
        Self(argument)
    }
}

/// It can be cloned.
pub trait ConsumedClone {
    /// The argument's type.
    type Argument;
    /// A clone.
    fn __retry_fresh(&self) -> Self::Argument;
}

impl<T: Clone> ConsumedClone for &Consumed<'_, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> T {
        self.0.clone()
    }
}

/// It cannot: a compile error that says what to do.
pub trait ConsumedOther<T> {
    /// Never run.
    fn __retry_fresh(&self) -> T
    where
        (): CloneForEachAttempt<T>;
}

impl<T> ConsumedOther<T> for Consumed<'_, T> {
    fn __retry_fresh(&self) -> T
    where
        (): CloneForEachAttempt<T>,
    {
        unreachable!("does not compile")
    }
}

/// Implemented by no type: what is `Clone` is cloned. Not a trait of `T`, or the compiler would advise a bound on it.
#[diagnostic::on_unimplemented(
    message = "the body runs once per attempt, so the argument it consumes must be `Clone`: borrow it in the body, or pass a `Clone` type",
    label = "`{T}` is consumed by the body and is not `Clone`"
)]
pub trait CloneForEachAttempt<T> {}

/// A `mut` argument of attempts beside one another.
pub struct Owned<'a, T>(&'a T);

impl<'a, T> Owned<'a, T> {
    /// Asks for a clone.
    #[inline]
    pub const fn new(argument: &'a T) -> Self {
        Self(argument)
    }
}

impl<T: Clone> ConsumedClone for &Owned<'_, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> T {
        self.0.clone()
    }
}

/// It cannot be cloned: a compile error that says what to do.
pub trait OwnedOther<T> {
    /// Never run.
    fn __retry_fresh(&self) -> T
    where
        (): CloneForHedge<T>;
}

impl<T> OwnedOther<T> for Owned<'_, T> {
    fn __retry_fresh(&self) -> T
    where
        (): CloneForHedge<T>,
    {
        unreachable!("does not compile")
    }
}

/// Implemented by no type, as `CloneForEachAttempt`.
#[diagnostic::on_unimplemented(
    message = "with `hedge`, each attempt owns its `mut` arguments, so they must be `Clone`: pass a `Clone` type, or leave `hedge` out",
    label = "`{T}` is `mut` and is not `Clone`"
)]
pub trait CloneForHedge<T> {}

/// An argument that the body may consume, inside of a macro call.
pub struct Slot<'a, T>(&'a T);

impl<'a, T> Slot<'a, T> {
    /// Asks for a clone, or the argument on loan.
    #[inline]
    pub const fn new(argument: &'a T) -> Self {
        Self(argument)
    }
}

/// It can be cloned.
pub trait FreshClone {
    /// The argument's type.
    type Argument;
    /// A clone.
    fn __retry_fresh(&self) -> Self::Argument;
}

impl<T: Clone> FreshClone for &Slot<'_, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> T {
        self.0.clone()
    }
}

/// It cannot: the attempt borrows it.
pub trait FreshLent<'a> {
    /// The argument's type.
    type Argument;
    /// The argument itself.
    fn __retry_fresh(&self) -> &'a Self::Argument;
}

impl<'a, T> FreshLent<'a> for Slot<'a, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> &'a T {
        self.0
    }
}

/// An argument of which the body uses fields by value: `F` holds references to them, `(&x.a, (&x.b, ()))`.
pub struct Whole<'a, T, F>(&'a T, PhantomData<F>);

impl<'a, T, F> Whole<'a, T, F> {
    /// Asks for the argument on loan, where the fields are copied out of it, else for a clone.
    #[inline]
    #[allow(clippy::needless_pass_by_value)] // Only its type counts.
    pub fn new(argument: &'a T, _fields: F) -> Self {
        Self(argument, PhantomData)
    }
}

/// References to what can be copied.
pub trait AllCopy {}

impl AllCopy for () {}

impl<A: Copy, R: AllCopy> AllCopy for (&A, R) {}

/// Taking the fields leaves the argument whole: the attempt borrows it.
pub trait FieldsCopied<'a> {
    /// The argument's type.
    type Argument;
    /// The argument itself.
    fn __retry_fresh(&self) -> &'a Self::Argument;
}

impl<'a, T, F: AllCopy> FieldsCopied<'a> for &&Whole<'a, T, F> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> &'a T {
        self.0
    }
}

/// Taking the fields breaks it up: the attempt has a clone.
pub trait FieldsCloned {
    /// The argument's type.
    type Argument;
    /// A clone.
    fn __retry_fresh(&self) -> Self::Argument;
}

impl<T: Clone, F> FieldsCloned for &Whole<'_, T, F> {
    type Argument = T;
    #[inline]
    fn __retry_fresh(&self) -> T {
        self.0.clone()
    }
}

/// There is no clone: a compile error that says what to do.
pub trait FieldsConsumed<T> {
    /// Never run.
    fn __retry_fresh(&self) -> T
    where
        (): CloneForEachAttempt<T>;
}

impl<T, F> FieldsConsumed<T> for Whole<'_, T, F> {
    fn __retry_fresh(&self) -> T
    where
        (): CloneForEachAttempt<T>,
    {
        unreachable!("does not compile")
    }
}

/// A `mut` argument that the body borrows only.
pub struct Kept<T>(Cell<Option<T>>);

impl<T> Kept<T> {
    /// Asks for a clone, or the argument itself.
    #[inline]
    pub const fn new(argument: T) -> Self {
        Self(Cell::new(Some(argument)))
    }

    fn take(&self) -> T {
        match self.0.take() {
            Some(argument) => argument,
            None => unreachable!("generated code asks once"),
        }
    }
}

/// It can be cloned: each attempt starts from what the caller passed.
pub trait KeptClone {
    /// The argument's type.
    type Argument;
    /// A clone, and what the next one is made from.
    fn __retry_take(&self) -> (Self::Argument, Original<Self::Argument>);
}

impl<T: Clone> KeptClone for &Kept<T> {
    type Argument = T;
    #[inline]
    fn __retry_take(&self) -> (T, Original<T>) {
        let argument = self.take();
        (argument.clone(), Original(argument))
    }
}

/// It cannot: the attempt has it, and gives it back; what an attempt changes in it stays changed.
pub trait KeptMoved {
    /// The argument's type.
    type Argument;
    /// The argument itself.
    fn __retry_take(&self) -> (Self::Argument, Moved);
}

impl<T> KeptMoved for Kept<T> {
    type Argument = T;
    #[inline]
    fn __retry_take(&self) -> (T, Moved) {
        (self.take(), Moved)
    }
}

/// What an attempt beside others takes into its future. Never `Copy`, so that the future owns it.
pub struct Given<T>(T);

impl<T> Given<T> {
    /// For one attempt.
    #[inline]
    pub const fn new(argument: T) -> Self {
        Self(argument)
    }

    /// In the attempt.
    #[inline]
    pub fn take(self) -> T {
        self.0
    }
}

/// The argument as it was passed, while an attempt has a clone of it.
pub struct Original<T>(T);

impl<T> Original<T> {
    /// The argument for the next attempt.
    #[inline]
    pub fn put_back(self, _: T) -> T {
        self.0
    }
}

/// An argument that an attempt has.
pub struct Moved;

impl Moved {
    /// The argument for the next attempt.
    #[inline]
    pub fn put_back<T>(self, argument: T) -> T {
        argument
    }
}

/// A `mut` argument that the body may consume, inside of a macro call.
pub struct SlotMut<'a, T>(Cell<Option<&'a mut T>>);

impl<'a, T> SlotMut<'a, T> {
    /// Asks for a clone, or the argument on loan.
    #[inline]
    pub const fn new(argument: &'a mut T) -> Self {
        Self(Cell::new(Some(argument)))
    }

    fn take(&self) -> &'a mut T {
        match self.0.take() {
            Some(argument) => argument,
            None => unreachable!("generated code asks once"),
        }
    }
}

/// It can be cloned: each attempt starts from what the caller passed.
pub trait FreshMutClone {
    /// The argument's type.
    type Argument;
    /// A clone.
    fn __retry_fresh_mut(&self) -> Self::Argument;
}

impl<T: Clone> FreshMutClone for &SlotMut<'_, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh_mut(&self) -> T {
        self.take().clone()
    }
}

/// It cannot: what an attempt changes in it stays changed.
pub trait FreshMutLent<'a> {
    /// The argument's type.
    type Argument: 'a;
    /// The argument itself.
    fn __retry_fresh_mut(&self) -> LentMut<'a, Self::Argument>;
}

impl<'a, T> FreshMutLent<'a> for SlotMut<'a, T> {
    type Argument = T;
    #[inline]
    fn __retry_fresh_mut(&self) -> LentMut<'a, T> {
        LentMut(self.take())
    }
}

/// A `mut` argument on loan. A type of its own, not a reference, so that its binding is as much in need of `mut` as
/// the argument was, and the lint on an unused `mut` still speaks about the user's word.
pub struct LentMut<'a, T>(&'a mut T);

impl<T> Deref for LentMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for LentMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T: Debug> Debug for LentMut<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.0, f)
    }
}

impl<T: Display> Display for LentMut<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)
    }
}
