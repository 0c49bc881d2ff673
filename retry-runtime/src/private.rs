//! All that generated code names. Not for users: it changes with any version, and the macro is pinned to it.

pub use crate::call::{Call, RunAttempt};
pub use crate::classify::{
    HasSource, InChain, Is, IsInChain, IsNeither, IsOrContains, IsSame, Source, SourceOfError, SourceOfNone,
    SourceOfOpaque, is, source,
};
pub use crate::form::{
    AttemptType, Bare, BareForm, Form, Homeless, HomelessForm, IsResult, NoError, Other, OtherForm,
    PlaceForGiveUp, Probe, Typed, TypedForm, WithFallback,
};
pub use crate::fresh::{
    AllCopy, CloneForEachAttempt, CloneForHedge, Consumed, ConsumedClone, ConsumedOther, FieldsCloned,
    FieldsConsumed, FieldsCopied, FreshClone, FreshLent, FreshMutClone, FreshMutLent, Given, Kept, KeptClone,
    KeptMoved, LentMut, Moved, Original, Owned, OwnedOther, Slot, SlotMut, Whole,
};
pub use crate::guards::{Empty, Guard, Guards, IntoGuards, Place, SharedGuards, Unguarded, Watch, unguarded};
pub use crate::log::{Log, Recorder};
pub use crate::session::{Inner, NextOutcome, Race};
pub use crate::settle::{Ending, Ends, Falling, Succeeding};
pub use crate::values::{
    AttemptsValue, BreakerValue, DeadlineValue, DurationValue, FactorValue, HedgeValue, PolicyValue,
    ThrottleValue, attempts, breaker, deadline, duration, factor, hedge, policy, throttle,
};
pub use crate::view::{
    AsDebug, AsDisplay, AsDisplayDebug, AsError, AsNothing, AsOpaque, DynError, ErrorType, View, ViewDebug,
    ViewDisplay, ViewDisplayDebug, ViewError, ViewNothing, ViewOpaque, Viewer,
};
pub use retry_policy::Policy;
