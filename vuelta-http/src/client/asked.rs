//! What the server asks on the streams of a connection with a handshake: each answer is a POST
//! of its own.
//!
//! Source: [sending
//! messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use vuelta::client::Inbound;
use vuelta::wire::jsonrpc::{write_error, write_result};
use vuelta::{RequestFrame, RequestId};

use super::response;
use super::route::Route;

/// The requests of the server that are being answered, on whatever stream they came; each with
/// what ends the work on it.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<HashMap<RequestId, oneshot::Sender<()>>>);

impl Asked {
    /// Ends the work on a request; `false` if there is none.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let stop = self.table().remove(id);
        stop.is_some_and(|stop| stop.send(()).is_ok())
    }

    fn table(&self) -> MutexGuard<'_, HashMap<RequestId, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answers to what one stream has asked; dropping this ends the work on them.
#[derive(Debug, Default)]
pub(super) struct Answers(JoinSet<()>);

impl Answers {
    /// Begins to answer a request; the answer goes out by `route`.
    ///
    /// Waits while [`MAX_ASKED`] requests of the stream are being answered: it is not read on
    /// until then.
    pub(super) async fn begin(
        &mut self,
        frame: RequestFrame,
        inbound: &Inbound,
        route: &Arc<Route>,
        asked: &Arc<Asked>,
    ) {
        while self.0.try_join_next().is_some() {}
        while self.0.len() >= MAX_ASKED {
            self.0.join_next().await;
        }
        let (stop, stopped) = oneshot::channel();
        let entry = Entry {
            id: frame.id.clone(),
            asked: Arc::clone(asked),
        };
        asked.table().insert(frame.id.clone(), stop);
        let route = Arc::clone(route);
        let answer = inbound.answer(frame);
        self.0.spawn(async move {
            let work = async {
                let message = match answer.await {
                    Ok(result) => write_result(&entry.id, &result),
                    Err(error) => write_error(Some(&entry.id), &error),
                };
                give(&route, message).await;
            };
            tokio::select! {
                Ok(()) = stopped => {}
                () = work => {}
            }
        });
    }
}

/// Posts an answer. One that does not arrive is the server's loss: it has its own timeout.
async fn give(route: &Route, message: String) {
    let posted = async {
        let response = route.post(message).await?;
        response::acceptance(response, route.remote().max_response_size).await
    };
    if let Err(error) = posted.await {
        tracing::debug!(%error, "the server did not take an answer");
    }
}

/// The place of a request in the table.
#[derive(Debug)]
struct Entry {
    id: RequestId,
    asked: Arc<Asked>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.asked.table().remove(&self.id);
    }
}

/// How many requests of one stream are answered at the same time.
const MAX_ASKED: usize = 64;
