//! What stands around every handler.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use vuelta_wire::Implementation;

use crate::error::Result;
use crate::service::router::Router;
use crate::service::{Call, Reply};

/// A layer around the handlers of a server: sees every request and its reply.
///
/// It may answer itself, change the call, or change the reply. Notifications do not pass
/// through it.
///
/// # Example: a layer that counts
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use vuelta::{Call, Middleware, Next, Reply};
///
/// #[derive(Default)]
/// struct Count(AtomicU64);
///
/// impl Middleware for Count {
///     async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         next.run(call).await
///     }
/// }
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Handles a request; `next.run(call)` hands it on.
    fn handle(&self, call: Call, next: Next<'_>) -> impl Future<Output = Reply> + Send;

    /// Learns which server it becomes part of, once, before any request.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be part of that server; building the server fails with it.
    fn attach(&mut self, server: &Implementation) -> Result<()> {
        let _ = server;
        Ok(())
    }
}

/// A [`Middleware`] behind a pointer: boxed once at registration.
pub(crate) trait ErasedMiddleware: Send + Sync {
    fn handle<'a>(
        &'a self,
        call: Call,
        next: Next<'a>,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

    fn attach(&mut self, server: &Implementation) -> Result<()>;
}

impl<M: Middleware> ErasedMiddleware for M {
    fn handle<'a>(
        &'a self,
        call: Call,
        next: Next<'a>,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        Box::pin(Middleware::handle(self, call, next))
    }

    fn attach(&mut self, server: &Implementation) -> Result<()> {
        Middleware::attach(self, server)
    }
}

/// The rest of the way: the layers further in, then the handler.
pub struct Next<'a> {
    layers: &'a [Box<dyn ErasedMiddleware>],
    router: &'a Router,
}

impl<'a> Next<'a> {
    pub(crate) fn new(layers: &'a [Box<dyn ErasedMiddleware>], router: &'a Router) -> Self {
        Self { layers, router }
    }

    /// Runs the layers further in, then the handler.
    ///
    /// # Errors
    ///
    /// Returns the error that a layer or the handler answers with.
    pub async fn run(self, call: Call) -> Reply {
        match self.layers.split_first() {
            Some((layer, rest)) => {
                layer
                    .handle(
                        call,
                        Next {
                            layers: rest,
                            router: self.router,
                        },
                    )
                    .await
            }
            None => self.router.handle(call).await,
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
