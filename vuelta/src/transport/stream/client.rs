//! The client's end of a byte stream: which message of the server belongs to which request.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::task::AbortOnDropHandle;
use vuelta_wire::jsonrpc::{
    Message, Notification, Request, Response, write_error, write_notification, write_request,
    write_result,
};
use vuelta_wire::methods::{Discover, Initialize, Method as _};
use vuelta_wire::{CancelledParams, ErrorCode, ErrorObject, Raw, RequestId, meta};

use crate::client::{Inbound, Outgoing, OutgoingNotification, Transport};
use crate::error::{Error, Result};
use crate::peer::Inflight;
use crate::service::{NotificationFrame, RequestFrame};
use crate::transport::line::{Line, LineReader, LineWriter, MAX_LINE};

use super::QUEUE;

/// A connection to a server over a byte stream: one message a line.
///
/// Two tasks read and write; they end with the connection.
pub struct StreamTransport {
    link: Arc<Link>,
    /// Ends the reading when the connection is dropped.
    reading: Mutex<Option<AbortOnDropHandle<()>>>,
    writing: Mutex<Option<AbortOnDropHandle<()>>>,
}

/// What the connection and its reader share.
struct Link {
    inflight: Arc<Inflight<Inbound>>,
    /// Where messages go that belong to no request.
    stray: Mutex<Option<Inbound>>,
    /// The way to the writer; `None` once the connection is closed.
    out: Mutex<Option<mpsc::Sender<String>>>,
    /// Whether the server may ask: it began with a handshake.
    is_legacy: AtomicBool,
}

/// Tells why a connection ended, once it has.
type Ending = Pin<Box<dyn Future<Output = Error> + Send>>;

impl StreamTransport {
    /// Connects to the server at the other end of a stream.
    ///
    /// A message of the server may have 16 MiB; a longer one ends the connection. Must be
    /// called within a Tokio runtime.
    #[must_use]
    pub fn new<R, W>(reader: R, writer: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let ending = || async { Error::transport("the server closed the connection") };
        Self::ending(reader, writer, ending)
    }

    /// Connects like [`new`](Self::new); `ending` says why the stream has ended.
    pub(crate) fn ending<R, W, F, Fut>(reader: R, writer: W, ending: F) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Error> + Send + 'static,
    {
        let (out, queue) = mpsc::channel(QUEUE);
        let link = Arc::new(Link {
            inflight: Arc::default(),
            stray: Mutex::new(None),
            out: Mutex::new(Some(out)),
            is_legacy: AtomicBool::new(false),
        });
        let ending: Ending = Box::pin(async move { ending().await });
        let reading = tokio::spawn(read(LineReader::new(reader), Arc::clone(&link), ending));
        let writing = tokio::spawn(write(LineWriter::new(writer), queue));
        Self {
            link,
            reading: Mutex::new(Some(AbortOnDropHandle::new(reading))),
            writing: Mutex::new(Some(AbortOnDropHandle::new(writing))),
        }
    }
}

impl Transport for StreamTransport {
    async fn request(&self, request: Outgoing, inbound: Inbound) -> Result<Raw> {
        let is_legacy = !request.protocol_version.is_modern();
        self.link.is_legacy.store(is_legacy, Ordering::Relaxed);
        let id = request.id.clone();
        let message = write_request(&id, &request.method, &request.params)
            .map_err(|error| Error::misuse(format!("cannot encode the request: {error}")))?;
        let mut waiting = self.link.inflight.begin(id.clone(), inbound)?;
        self.link.send(message).await?;
        // The handshake must not be cancelled, and a probe is no work.
        let can_cancel = ![Initialize::NAME, Discover::NAME].contains(&request.method.as_str());
        let mut abandoned = Abandoned(can_cancel.then_some((&*self.link, id)));
        let answer = waiting.answer().await;
        abandoned.0 = None;
        answer
    }

    async fn notify(&self, notification: OutgoingNotification) -> Result<()> {
        let OutgoingNotification { method, params, .. } = notification;
        let message = write_notification(&method, params.as_ref())
            .map_err(|error| Error::misuse(format!("cannot encode the notification: {error}")))?;
        if self.link.send(message).await.is_err() {
            tracing::debug!(method, "notification dropped: the connection is closed");
        }
        Ok(())
    }

    fn attach(&self, inbound: Inbound) {
        *lock(&self.link.stray) = Some(inbound);
    }

    /// Closes the stream to the server when all messages are written.
    async fn close(&self) {
        lock(&self.link.out).take();
        let writing = lock(&self.writing).take();
        if let Some(writing) = writing {
            let _ = writing.await;
        }
        lock(&self.reading).take();
        self.link
            .inflight
            .close(&Error::transport("the connection was closed"));
    }
}

impl Link {
    fn out(&self) -> Option<mpsc::Sender<String>> {
        lock(&self.out).clone()
    }

    async fn send(&self, message: String) -> Result<()> {
        let gone = || Error::transport("the server closed the connection");
        let out = self.out().ok_or_else(gone)?;
        out.send(message).await.map_err(|_| gone())
    }
}

/// Tells the server that nobody waits for an answer any more.
struct Abandoned<'a>(Option<(&'a Link, RequestId)>);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some((link, id)) = self.0.take() else {
            return;
        };
        let message = Raw::encode(&CancelledParams::new(id))
            .and_then(|params| write_notification(CANCELLED, Some(&params)));
        if let (Ok(message), Some(out)) = (message, link.out())
            && out.try_send(message).is_err()
        {
            tracing::debug!("cancellation not sent: the stream is full or closed");
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut writer: LineWriter<W>,
    mut queue: mpsc::Receiver<String>,
) {
    while let Some(message) = queue.recv().await {
        if let Err(error) = writer.write(&message).await {
            // The reader learns why the stream has ended.
            tracing::debug!(%error, "the stream to the server broke");
            return;
        }
    }
    if let Err(error) = writer.shutdown().await {
        tracing::debug!(%error, "the stream to the server was not closed well");
    }
}

/// Reads what the server sends until it ends.
async fn read<R: AsyncRead + Unpin>(mut reader: LineReader<R>, link: Arc<Link>, ending: Ending) {
    let mut answering = Answering::default();
    let error = loop {
        tokio::select! {
            biased;
            Some(done) = answering.running.join_next() => answering.finished(done.ok()),
            line = reader.next() => match line {
                Ok(Some(Line::Message(text))) => take(text, &link, &mut answering).await,
                Ok(Some(Line::TooLong)) => {
                    break Error::peer(format!("the server sent a line of more than {MAX_LINE} bytes"));
                }
                Ok(None) => break ending.await,
                Err(error) => {
                    break Error::transport("the stream from the server broke").caused_by(error);
                }
            },
        }
    };
    link.inflight.close(&error);
    lock(&link.out).take();
}

async fn take(text: &[u8], link: &Arc<Link>, answering: &mut Answering) {
    match Message::parse(text) {
        Ok(Message::Response(response)) => settle(response, link),
        Ok(Message::Notification(notification)) => notified(&notification, link, answering),
        Ok(Message::Request(request)) => answering.begin(&request, link).await,
        // A program that prints to its stdout is still a server.
        Err(error) => tracing::debug!(%error, "line ignored: no message"),
    }
}

fn settle(response: Response<'_>, link: &Link) {
    let answer = response.outcome.map(Raw::from).map_err(Error::from);
    let Some(id) = response.id else {
        return tracing::warn!(?answer, "the server could not read a message of ours");
    };
    if let Some(ours) = link.inflight.lookalike(&id) {
        // A server that turned a number into text will not answer again.
        let error = Error::peer(format!(
            "uncorrelated response: it has the id {id}, the request has the id {ours}"
        ));
        link.inflight.settle(&ours, Err(error));
    } else if !link.inflight.settle(&id, answer) {
        tracing::debug!(%id, "response ignored: nobody waits for it");
    }
}

/// Delivers a notification to the request that it names, or to the connection.
fn notified(notification: &Notification<'_>, link: &Link, answering: &mut Answering) {
    let params = notification.params.map(Raw::from);
    if notification.method == CANCELLED {
        let cancelled = params.as_ref().map(Raw::parse::<CancelledParams>);
        if let Some(Ok(cancelled)) = cancelled
            && answering.cancel(&cancelled.request_id)
        {
            return;
        }
    }
    let request = params
        .as_ref()
        .and_then(|params| belongs_to(&notification.method, params));
    let inbound = request.as_ref().and_then(|id| link.inflight.kept(id));
    let inbound = inbound.or_else(|| lock(&link.stray).clone());
    let frame = NotificationFrame::new(notification.method.as_ref(), params);
    if let Some(inbound) = inbound {
        inbound.deliver(frame);
    }
    if notification.method == CANCELLED
        && let Some(id) = request
    {
        let error = Error::transport("the server cancelled the request");
        link.inflight.settle(&id, Err(error));
    }
}

/// Returns the request that a notification is about.
fn belongs_to(method: &str, params: &Raw) -> Option<RequestId> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Names {
        #[serde(default)]
        progress_token: Option<RequestId>,
        #[serde(default)]
        request_id: Option<RequestId>,
        #[serde(default, rename = "_meta")]
        meta: Option<vuelta_wire::Meta>,
    }
    let names: Names = params.parse().ok()?;
    match method {
        PROGRESS => names.progress_token,
        CANCELLED => names.request_id,
        _ => names.meta?.get(meta::SUBSCRIPTION_ID)?.parse().ok(),
    }
}

/// The requests of the server that are being answered.
#[derive(Default)]
struct Answering {
    running: JoinSet<RequestId>,
    handles: HashMap<RequestId, AbortHandle>,
}

impl Answering {
    async fn begin(&mut self, request: &Request<'_>, link: &Arc<Link>) {
        let id = request.id.clone();
        let inbound = lock(&link.stray).clone();
        let refusal = if !link.is_legacy.load(Ordering::Relaxed) {
            Some(ErrorObject::new(
                ErrorCode::METHOD_NOT_FOUND,
                "a server sends no requests in revision 2026-07-28",
            ))
        } else if self.handles.len() >= MAX_ASKED {
            let message = format!("the client answers {MAX_ASKED} requests already");
            Some(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message))
        } else {
            None
        };
        let (Some(inbound), None) = (inbound, &refusal) else {
            let error = refusal.unwrap_or_else(crate::error::internal);
            let _ = link.send(write_error(Some(&id), &error)).await;
            return;
        };
        let params = request
            .params
            .map_or_else(|| Raw::from(serde_json::json!({})), Raw::from);
        let frame = RequestFrame::new(id.clone(), request.method.clone(), params);
        let (link, key) = (Arc::clone(link), id.clone());
        let abort = self.running.spawn(async move {
            let message = match inbound.answer(frame).await {
                Ok(result) => write_result(&key, &result),
                Err(error) => write_error(Some(&key), &error),
            };
            let _ = link.send(message).await;
            key
        });
        self.handles.insert(id, abort);
    }

    fn cancel(&mut self, id: &RequestId) -> bool {
        let handle = self.handles.remove(id);
        if let Some(handle) = &handle {
            handle.abort();
        }
        handle.is_some()
    }

    fn finished(&mut self, done: Option<RequestId>) {
        match done {
            Some(id) => {
                self.handles.remove(&id);
            }
            None => self.handles.retain(|_, handle| !handle.is_finished()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for StreamTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamTransport").finish_non_exhaustive()
    }
}

const CANCELLED: &str = "notifications/cancelled";
const PROGRESS: &str = "notifications/progress";
/// How many requests of the server are answered at the same time.
const MAX_ASKED: usize = 64;
