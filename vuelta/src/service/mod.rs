//! What happens to one request between the transport and its handler.

mod backchannel;
mod call;
mod context;
mod middleware;
mod outlet;
mod principal;
mod progress;
pub(crate) mod router;

pub(crate) use self::backchannel::Backchannel;
pub use self::call::{Call, Reply};
pub(crate) use self::context::Parts;
pub use self::context::{Cancellation, Context, ProgressUpdate};
pub(crate) use self::middleware::ErasedMiddleware;
pub use self::middleware::{Middleware, Next};
pub use self::outlet::{Frame, Inlet, NotificationFrame, Outlet, RequestFrame};
pub use self::principal::Principal;
