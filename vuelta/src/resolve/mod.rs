//! Questions of the high-level server: resolvers that run before a body, and [`Ask`] inside it.

mod answer;
mod ask;
mod conversation;
mod engine;
mod graph;
mod live;
pub(crate) mod needs;
mod question;
mod rounds;
mod state;
mod states;

pub use self::answer::{Answer, NotAccepted};
pub use self::ask::{Ask, Asked, Questions};
pub(crate) use self::engine::Scope;
pub use self::engine::{Halted, Produced, Question, Resolved, RoundCx};
pub use self::graph::{Arg, Gives, Is, ResolveFor, Resolver, deeper, name_hash};
pub use self::needs::{NeededArgument, first_missing, merge, merged_len};
pub use self::question::{Elicit, ListRoots, Sample, Visited};
pub(crate) use self::rounds::{Halt, Round};
pub(crate) use self::states::States;
