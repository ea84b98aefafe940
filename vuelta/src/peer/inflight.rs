//! The requests that wait for their answers: which answer belongs to which.
//!
//! Knows no transport and no clock. An answer settles its request once; one that nobody waits
//! for is told apart, and a request whose waiter is dropped is forgotten.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use vuelta_wire::{Raw, RequestId};

use crate::error::{Error, Result};

/// The requests of one connection that wait; each with something that its owner keeps for it.
///
/// For transports whose answers come another way than their requests went.
#[derive(Debug)]
pub struct Inflight<T = ()> {
    next: AtomicI64,
    table: Mutex<Table<T>>,
}

#[derive(Debug)]
struct Table<T> {
    waiting: HashMap<RequestId, Entry<T>>,
    /// Why nothing is answered any more.
    closed: Option<Arc<str>>,
}

#[derive(Debug)]
struct Entry<T> {
    answer: oneshot::Sender<Result<Raw>>,
    kept: T,
}

/// The end of a request that waits; dropping it forgets the request.
#[derive(Debug)]
#[must_use = "a request whose waiter is dropped is forgotten"]
pub struct Waiting<T = ()> {
    id: RequestId,
    answer: oneshot::Receiver<Result<Raw>>,
    inflight: Arc<Inflight<T>>,
}

impl<T> Default for Inflight<T> {
    fn default() -> Self {
        Self {
            next: AtomicI64::new(1),
            table: Mutex::new(Table {
                waiting: HashMap::new(),
                closed: None,
            }),
        }
    }
}

impl<T> Inflight<T> {
    fn table(&self) -> MutexGuard<'_, Table<T>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an id that was not used before.
    pub(crate) fn next_id(&self) -> RequestId {
        self.next.fetch_add(1, Ordering::Relaxed).into()
    }

    /// Takes a place for the request `id`.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is closed, or the id is waited for already.
    pub fn begin(self: &Arc<Self>, id: RequestId, kept: T) -> Result<Waiting<T>> {
        let (sender, answer) = oneshot::channel();
        let mut table = self.table();
        if let Some(reason) = &table.closed {
            return Err(Error::transport(reason.to_string()));
        }
        if table.waiting.contains_key(&id) {
            return Err(Error::misuse(format!(
                "a request with the id {id} waits already"
            )));
        }
        let entry = Entry {
            answer: sender,
            kept,
        };
        table.waiting.insert(id.clone(), entry);
        Ok(Waiting {
            id,
            answer,
            inflight: Arc::clone(self),
        })
    }

    /// Hands an answer to its request; `false` if nobody waits for it.
    pub fn settle(&self, id: &RequestId, answer: Result<Raw>) -> bool {
        let entry = self.table().waiting.remove(id);
        // A waiter that has just gone needs no answer.
        entry.is_some_and(|entry| entry.answer.send(answer).is_ok())
    }

    /// Returns the request that waits under the same text or number as `id`, of another type.
    #[must_use]
    pub fn lookalike(&self, id: &RequestId) -> Option<RequestId> {
        let other = match id {
            RequestId::Integer(id) => RequestId::String(id.to_string()),
            RequestId::String(id) => RequestId::Integer(id.parse().ok()?),
        };
        self.table().waiting.contains_key(&other).then_some(other)
    }

    /// Returns what is kept for a request that waits.
    #[must_use]
    pub fn kept(&self, id: &RequestId) -> Option<T>
    where
        T: Clone,
    {
        let table = self.table();
        table.waiting.get(id).map(|entry| entry.kept.clone())
    }

    /// Ends every wait with `error`, and every later one with its message.
    pub fn close(&self, error: &Error) {
        let reason: Arc<str> = error.to_string().into();
        let waiting = {
            let mut table = self.table();
            table.closed.get_or_insert_with(|| Arc::clone(&reason));
            std::mem::take(&mut table.waiting)
        };
        for (_, entry) in waiting {
            let _ = entry.answer.send(Err(Error::transport(reason.to_string())));
        }
    }

    /// Returns how many requests wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table().waiting.len()
    }
}

impl<T> Waiting<T> {
    /// Waits for the answer.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the request, or what ended the connection.
    ///
    /// # Cancel safety
    ///
    /// The future can be dropped and made anew until it has given the answer.
    pub async fn answer(&mut self) -> Result<Raw> {
        (&mut self.answer)
            .await
            .unwrap_or_else(|_| Err(Error::transport("the connection ended before the answer")))
    }
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        self.inflight.table().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests;
