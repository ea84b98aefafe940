//! What happens to one request between the transport and its handler.

mod call;
mod context;
mod middleware;
mod outlet;
mod principal;
pub(crate) mod router;

pub use self::call::{Call, Reply};
pub use self::context::{Cancellation, Context, ProgressUpdate};
pub use self::middleware::{Middleware, Next};
pub(crate) use self::middleware::ErasedMiddleware;
pub use self::outlet::{Inlet, NotificationFrame, Outlet};
pub use self::principal::Principal;
pub(crate) use self::context::Parts;
