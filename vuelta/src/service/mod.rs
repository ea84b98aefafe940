//! What happens to one request between the transport and its handler.

mod call;
mod context;
mod middleware;
mod outlet;
mod principal;
pub(crate) mod router;

pub use self::call::{Call, Reply};
pub(crate) use self::context::Parts;
pub use self::context::{Cancellation, Context, ProgressUpdate};
pub(crate) use self::middleware::ErasedMiddleware;
pub use self::middleware::{Middleware, Next};
pub use self::outlet::{Inlet, NotificationFrame, Outlet};
pub use self::principal::Principal;
