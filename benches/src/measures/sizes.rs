//! Sizes of the futures.

use crate::contestants::{Contestant, Numbers, Visitor};
use crate::drive::runtime;
use crate::table::Table;
use retry_benches::service::{Script, Service};

struct Size;

impl Visitor for Size {
    type Output = usize;

    fn visit<F, Fut>(self, call: F) -> usize
    where
        F: Fn(u64) -> Fut,
    {
        // Some make their timer at once.
        runtime(true).block_on(async { size_of_val(&call(1)) })
    }
}

/// The future of a call, without that of the operation.
pub(crate) fn beyond_operation(contestant: Contestant) -> usize {
    let service = Service::new(Script::Ready);
    let size = |contestant: Contestant| contestant.visit(Numbers::Waits, service, Size);
    size(contestant).saturating_sub(size(Contestant::Bare))
}

pub(crate) fn table() -> Table {
    let mut table = Table::new(&["", "bytes beyond the operation's"]);
    for contestant in Contestant::ALL {
        let size = match contestant {
            Contestant::TowerResilience => "boxed".to_owned(),
            _ => beyond_operation(*contestant).to_string(),
        };
        table.row(vec![contestant.name().to_owned(), size]);
    }
    table
}
