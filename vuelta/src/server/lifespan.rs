//! What runs before a server's first request and after its last, each once.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::error::{self, Error, Result};

type Hook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send>;

/// The hooks of a server.
#[derive(Default)]
pub(super) struct Lifespan {
    start: Mutex<Vec<Hook>>,
    started: OnceCell<bool>,
    stop: Mutex<Vec<Hook>>,
}

impl Lifespan {
    pub(super) fn on_start<F, Fut>(&mut self, hook: F)
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        let hooks = self.start.get_mut().unwrap_or_else(PoisonError::into_inner);
        hooks.push(Box::new(move || Box::pin(hook())));
    }

    pub(super) fn on_stop<F, Fut>(&mut self, hook: F)
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        let hooks = self.stop.get_mut().unwrap_or_else(PoisonError::into_inner);
        hooks.push(Box::new(move || Box::pin(hook())));
    }

    /// Runs the start hooks in their order, unless they ran before; the first that fails ends
    /// them, and the server serves nothing.
    pub(super) async fn start(&self) -> Result<()> {
        let run = || async {
            let hooks =
                std::mem::take(&mut *self.start.lock().unwrap_or_else(PoisonError::into_inner));
            for hook in hooks {
                if let Err(error) = hook().await {
                    tracing::error!(error = %error::with_causes(&error), "the server did not start");
                    return false;
                }
            }
            true
        };
        if *self.started.get_or_init(run).await {
            return Ok(());
        }
        Err(Error::misuse("the server did not start: the log says why"))
    }

    /// Runs the stop hooks, last one first, unless they ran before; one that fails is logged.
    pub(super) async fn stop(&self) {
        let hooks = std::mem::take(&mut *self.stop.lock().unwrap_or_else(PoisonError::into_inner));
        for hook in hooks.into_iter().rev() {
            if let Err(error) = hook().await {
                tracing::error!(error = %error::with_causes(&error), "a stop hook failed");
            }
        }
    }
}
