//! One session: the requests that run in it, the streams that they write, and whether it is idle.
//!
//! A request runs in a task of its own, for the client that sent it may lose its connection and
//! come back: only a cancellation or the end of the session stops it. What it says goes to its
//! stream.
//!
//! Source: [streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use vuelta::server::{Incoming, Session};
use vuelta::wire::CancelledParams;
use vuelta::{
    Error, ErrorCode, ErrorObject, Frame, NotificationFrame, Outlet, Principal, ProtocolVersion,
    Raw, RequestId,
};

use super::Options;
use super::channel::{Channel, Reader};
use super::store::{ErasedStore, EventId};
use crate::server::sse;

/// A session.
pub(in crate::server) struct Live {
    id: Arc<str>,
    /// Who began it, if callers are known.
    owner: Option<Principal>,
    core: Session,
    store: Option<Arc<dyn ErasedStore>>,
    /// Whether it is over when the stream of what belongs to no request is not read any more.
    ends_with_reader: bool,
    /// The stream of what belongs to no request.
    standing: Arc<Channel>,
    state: Mutex<State>,
    ended: Notify,
}

struct State {
    running: HashMap<RequestId, AbortHandle>,
    /// The streams that are still written, by their numbers.
    streams: HashMap<u64, Arc<Channel>>,
    next_stream: u64,
    /// The questions that wait for the client, each with the request that asks.
    questions: HashMap<RequestId, RequestId>,
    /// How many connections read streams.
    readers: usize,
    /// When the client was last there.
    last_seen: Instant,
    /// Whether the session ends when nothing runs any more.
    is_closing: bool,
    has_ended: bool,
}

/// Why a request is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Refused {
    /// One with its id runs.
    Duplicate,
    /// As many as may run do.
    Busy,
    /// The session is over.
    Ended,
}

/// Why a stream is not gone on with.
#[derive(Debug)]
pub(in crate::server) enum Unresumable {
    /// No stream of this session has sent that event.
    Unknown,
    /// Nothing is kept of what came after that event.
    Gone,
    /// The store failed.
    Failed(Error),
}

/// Where the messages of a request go.
pub(in crate::server) enum Sink {
    /// To a stream of its own, or of several; the last one ends it.
    Stream(Arc<Stream>),
    /// To the stream of what belongs to no request.
    Standing,
    /// Nowhere but the answer, which goes to one who waits for it.
    Single(oneshot::Sender<String>),
}

/// The right to write a stream; dropping the last one ends the stream.
pub(in crate::server) struct Stream {
    live: Arc<Live>,
    channel: Arc<Channel>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.channel.finish();
        self.live.state().streams.remove(&self.channel.number());
    }
}

impl Live {
    pub(super) fn new(
        id: Arc<str>,
        owner: Option<Principal>,
        core: Session,
        options: &Options,
    ) -> Arc<Self> {
        let store = options.store.clone();
        Arc::new(Self {
            standing: Channel::new(STANDING, Arc::clone(&id), store.clone()),
            id,
            owner,
            core,
            store,
            ends_with_reader: options.ends_with_reader,
            state: Mutex::new(State {
                running: HashMap::new(),
                streams: HashMap::new(),
                next_stream: STANDING + 1,
                questions: HashMap::new(),
                readers: 0,
                last_seen: Instant::now(),
                is_closing: false,
                has_ended: false,
            }),
            ended: Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is done halfway under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::server) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn owner(&self) -> Option<&Principal> {
        self.owner.as_ref()
    }

    pub(in crate::server) fn core(&self) -> &Session {
        &self.core
    }

    /// Returns the revision that the session speaks.
    pub(in crate::server) fn revision(&self) -> &ProtocolVersion {
        // A session begins when its handshake is done.
        self.core
            .protocol_version()
            .unwrap_or(&ProtocolVersion::V2025_03_26)
    }

    /// Returns whether clients know that a connection may be closed while its stream goes on.
    pub(in crate::server) fn polls(&self) -> bool {
        self.store.is_some() && self.revision().is_at_least(&ProtocolVersion::V2025_11_25)
    }

    /// Notes that the client is there.
    pub(super) fn touch(&self) {
        self.state().last_seen = Instant::now();
    }

    /// Returns since when nothing happens here: nobody is connected, and whatever runs waits
    /// for the client. `None` if something does.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        let mut running = state.running.keys();
        let is_idle = state.readers == 0
            && running.all(|id| state.questions.values().any(|asking| asking == id));
        is_idle.then_some(state.last_seen)
    }

    /// Runs a request.
    pub(in crate::server) fn start(
        self: &Arc<Self>,
        incoming: Incoming,
        sink: Sink,
    ) -> Result<(), Refused> {
        let mut state = self.state();
        if state.has_ended {
            return Err(Refused::Ended);
        }
        if state.running.contains_key(&incoming.id) {
            return Err(Refused::Duplicate);
        }
        if state.running.len() >= MAX_RUNNING {
            return Err(Refused::Busy);
        }
        let id = incoming.id.clone();
        let running = Running {
            live: Arc::clone(self),
            id: id.clone(),
        };
        // It cannot end before it is noted: that needs the lock, too.
        let task = tokio::spawn(async move { running.run(incoming, sink).await });
        state.running.insert(id, task.abort_handle());
        Ok(())
    }

    /// Cancels a request: it is not answered.
    pub(in crate::server) fn cancel(&self, id: &RequestId) {
        let running = self.state().running.get(id).cloned();
        match running {
            Some(running) => running.abort(),
            None => tracing::debug!("cancellation ignored: its request is over"),
        }
    }

    /// Hands over the client's answer to a question.
    pub(in crate::server) fn settle(&self, id: &RequestId, answer: Result<Raw, ErrorObject>) {
        self.state().questions.remove(id);
        self.core.settle(id, answer);
    }

    /// Begins a stream that requests write, and reads it.
    pub(in crate::server) fn open_stream(self: &Arc<Self>) -> (Arc<Stream>, Reading) {
        let channel = {
            let mut state = self.state();
            let number = state.next_stream;
            state.next_stream += 1;
            let channel = Channel::new(number, Arc::clone(&self.id), self.store.clone());
            state.streams.insert(number, Arc::clone(&channel));
            channel
        };
        let reader = channel.attach();
        let live = Arc::clone(self);
        (Arc::new(Stream { live, channel }), self.reading(reader))
    }

    /// Reads the stream of what belongs to no request; `None` if somebody else does.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub(in crate::server) async fn read_standing(
        self: &Arc<Self>,
    ) -> Result<Option<Reading>, Error> {
        if self.standing.has_reader() {
            return Ok(None);
        }
        let reader = self.standing.attach_where_left().await?;
        Ok(Some(self.reading(reader)))
    }

    /// Reads on where a connection broke: the stream that has sent `after`, and only that.
    pub(in crate::server) async fn resume(
        self: &Arc<Self>,
        after: EventId,
    ) -> Result<Reading, Unresumable> {
        let store = self.store.as_ref().ok_or(Unresumable::Unknown)?;
        let channel = {
            let state = self.state();
            match after.stream {
                STANDING => Some(Arc::clone(&self.standing)),
                number if number < state.next_stream => state.streams.get(&number).cloned(),
                _ => return Err(Unresumable::Unknown),
            }
        };
        if let Some(channel) = channel {
            if after.sequence > channel.latest() {
                return Err(Unresumable::Unknown);
            }
            let attached = channel.attach_after(after.sequence).await;
            let (reader, has_gap) = attached.map_err(Unresumable::Failed)?;
            if has_gap {
                tracing::warn!("a client comes back so late that it has missed messages");
            }
            return Ok(self.reading(reader));
        }
        let replay = store.after(&self.id, after).await;
        let replay = replay.map_err(Unresumable::Failed)?;
        // The answer, if anything, is what is kept.
        if replay.has_gap && replay.events.is_empty() {
            return Err(Unresumable::Gone);
        }
        Ok(self.reading(Reader::of_finished(after, replay.events)))
    }

    fn reading(self: &Arc<Self>, reader: Reader) -> Reading {
        self.state().readers += 1;
        Reading {
            reader,
            live: Arc::clone(self),
        }
    }

    /// Writes what belongs to no request.
    pub(super) async fn tell(&self, frame: Frame) {
        if let Some(message) = frame.write() {
            self.standing.write(message).await;
        }
    }

    /// Fails what waits for the client, now and later, and ends the stream of what belongs to no
    /// request, unless what runs is answered on it. What runs goes on.
    pub(super) fn close(&self) {
        self.core.close();
        let mut state = self.state();
        if self.ends_with_reader && !state.running.is_empty() {
            state.is_closing = true;
            return;
        }
        drop(state);
        self.standing.cut();
    }

    /// Ends the session, and everything that runs in it.
    pub(super) fn end(&self) {
        self.core.close();
        self.standing.cut();
        let (running, streams) = {
            let mut state = self.state();
            state.has_ended = true;
            (
                std::mem::take(&mut state.running),
                std::mem::take(&mut state.streams),
            )
        };
        for running in running.into_values() {
            running.abort();
        }
        for stream in streams.into_values() {
            stream.cut();
        }
        self.ended.notify_one();
    }

    /// Waits for the end of the session. Only one may wait.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }

    /// Lets the store forget the session.
    pub(super) async fn forget(&self) {
        let Some(store) = &self.store else { return };
        let forgetting = tokio::time::timeout(FORGETTING, store.forget(&self.id));
        if forgetting.await.is_err() {
            tracing::warn!("the store of events takes too long to forget a session");
        }
    }
}

/// A request that runs.
struct Running {
    live: Arc<Live>,
    id: RequestId,
}

impl Running {
    async fn run(self, incoming: Incoming, sink: Sink) {
        let core = &self.live.core;
        match sink {
            Sink::Single(waiting) => {
                let answer = core.dispatch(incoming, Outlet::closed()).await;
                // Nobody waits for it if the client has left.
                let _ = waiting.send(sse::write_response(&self.id, &answer));
            }
            Sink::Stream(stream) => self.write_to(&stream.channel, incoming).await,
            Sink::Standing => self.write_to(&self.live.standing, incoming).await,
        }
    }

    /// Runs the request; what it says and its answer are written to a stream.
    async fn write_to(&self, channel: &Channel, incoming: Incoming) {
        let (outlet, mut inlet) = Outlet::open();
        let mut answer = pin!(self.live.core.dispatch(incoming, outlet));
        let answer = loop {
            tokio::select! {
                biased;
                Some(frame) = inlet.recv() => self.pass_on(frame, channel).await,
                answer = &mut answer => break answer,
            }
        };
        inlet.close();
        while let Some(frame) = inlet.try_recv() {
            self.pass_on(frame, channel).await;
        }
        channel.write(sse::write_response(&self.id, &answer)).await;
    }

    async fn pass_on(&self, frame: Frame, channel: &Channel) {
        match &frame {
            Frame::Pause(retry) if self.live.polls() => channel.pause(*retry).await,
            Frame::Request(question) => {
                let mut state = self.live.state();
                state.last_seen = Instant::now();
                state.questions.insert(question.id.clone(), self.id.clone());
            }
            Frame::Notification(notification) => {
                if let Some(question) = voided(notification) {
                    self.live.state().questions.remove(&question);
                }
            }
            _ => {}
        }
        let Some(message) = frame.write() else { return };
        let is_written = channel.write(message).await;
        if let (false, Frame::Request(question)) = (is_written, &frame) {
            // It would wait for an answer that nobody can give.
            let message = "the client has left, and its stream cannot be resumed";
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
            self.live.settle(&question.id, Err(error));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.live.state();
        state.running.remove(&self.id);
        state.questions.retain(|_, asking| *asking != self.id);
        state.last_seen = Instant::now();
        if state.is_closing && state.running.is_empty() {
            self.live.standing.finish();
        }
    }
}

/// Returns the question that a notification takes back.
fn voided(notification: &NotificationFrame) -> Option<RequestId> {
    if notification.method != CANCELLED {
        return None;
    }
    let params: CancelledParams = notification.params.as_ref()?.parse().ok()?;
    Some(params.request_id)
}

/// A connection that reads a stream.
pub(in crate::server) struct Reading {
    pub(in crate::server) reader: Reader,
    live: Arc<Live>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        {
            let mut state = self.live.state();
            state.readers -= 1;
            state.last_seen = Instant::now();
        }
        if self.live.ends_with_reader {
            self.live.end();
        }
    }
}

/// The number of the stream of what belongs to no request.
const STANDING: u64 = 0;

/// How many requests of one session run at the same time.
const MAX_RUNNING: usize = 1024;

/// How long a store may take to forget a session.
const FORGETTING: Duration = Duration::from_secs(10);

/// The notification that cancels a request.
pub(in crate::server) const CANCELLED: &str = "notifications/cancelled";

#[cfg(test)]
mod tests;
