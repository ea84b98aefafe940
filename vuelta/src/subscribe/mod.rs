//! Changes of what a server offers, and the streams on which they are told.
//!
//! A server [publishes](crate::Server::publish) a [`ChangeEvent`], a [`SubscriptionBus`] carries
//! it to every stream that listens, and each stream tells its client what that has asked for.
//! How many may listen, and who, is said by [`Subscriptions`].
//!
//! A change says that something is different, not what: whoever hears of it lists or reads
//! again. Two of the same kind that wait for a slow client may therefore become one.
//!
//! Source: [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

mod bus;
mod event;
mod filter;
mod pending;
mod publish;
mod serve;
mod settings;

pub use self::bus::{ChangeStream, Lagged, LocalBus, SubscriptionBus};
pub use self::event::ChangeEvent;
pub(crate) use self::filter::{Interest, common};
pub(crate) use self::pending::Pending;
pub(crate) use self::serve::Hub;
pub use self::settings::Subscriptions;
