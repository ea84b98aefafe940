//! The way of messages from a handler to the stream of its request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use vuelta_wire::jsonrpc::{write_notification, write_request};
use vuelta_wire::{Raw, RequestId};

/// A notification on its way to the peer: the method and the encoded params.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotificationFrame {
    /// The method.
    pub method: String,
    /// The params: an object, if any.
    pub params: Option<Raw>,
}

impl NotificationFrame {
    /// Creates a frame.
    #[must_use]
    pub fn new(method: impl Into<String>, params: Option<Raw>) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }
}

/// A request on its way to the client: the id under which its answer comes back, the method
/// and the encoded params.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestFrame {
    /// The id.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The params: an object.
    pub params: Raw,
}

impl RequestFrame {
    /// Creates a frame.
    #[must_use]
    pub fn new(id: RequestId, method: impl Into<String>, params: Raw) -> Self {
        Self {
            id,
            method: method.into(),
            params,
        }
    }
}

/// What a handler sends on the stream of its request before the answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Frame {
    /// A notification.
    Notification(NotificationFrame),
    /// A request to the client: only on a connection with a handshake.
    Request(RequestFrame),
    /// Nothing for the client to read: the stream may be closed, and is asked for again after
    /// this time. Only streams that can be resumed take notice.
    Pause(Duration),
}

impl Frame {
    /// Writes the message in its wire form; `None` if there is none to read.
    #[must_use]
    pub fn write(&self) -> Option<String> {
        let written = match self {
            Self::Notification(frame) => write_notification(&frame.method, frame.params.as_ref()),
            Self::Request(frame) => write_request(&frame.id, &frame.method, &frame.params),
            Self::Pause(_) => return None,
        };
        // Raw JSON and a text always encode.
        written
            .inspect_err(|error| tracing::error!(%error, "a message cannot be encoded"))
            .ok()
    }
}

impl From<NotificationFrame> for Frame {
    fn from(frame: NotificationFrame) -> Self {
        Self::Notification(frame)
    }
}

/// The handler's end: takes messages in order, and waits while the stream is full.
#[derive(Clone, Debug)]
pub struct Outlet {
    sender: Option<mpsc::Sender<Frame>>,
    over: Arc<AtomicBool>,
}

/// The transport's end.
#[derive(Debug)]
pub struct Inlet {
    receiver: mpsc::Receiver<Frame>,
    over: Arc<AtomicBool>,
}

/// How many messages of one request wait for a slow peer before its handler does.
const CAPACITY: usize = 64;

impl Outlet {
    /// Creates both ends of a stream that holds 64 messages.
    #[must_use]
    pub fn open() -> (Self, Inlet) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let over = Arc::new(AtomicBool::new(false));
        (
            Self {
                sender: Some(sender),
                over: Arc::clone(&over),
            },
            Inlet { receiver, over },
        )
    }

    /// Creates an outlet to a peer that takes no messages: they are dropped.
    #[must_use]
    pub fn closed() -> Self {
        Self {
            sender: None,
            over: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Returns whether the peer takes messages at all.
    pub(crate) fn is_open(&self) -> bool {
        self.sender.is_some()
    }

    /// Hands a message over; one that comes after the response, or after the peer left, is
    /// dropped. Returns whether it went out.
    pub(crate) async fn send(&self, frame: impl Into<Frame>) -> bool {
        let frame = frame.into();
        if self.over.load(Ordering::Acquire) {
            tracing::debug!("message dropped: its request is over");
            return false;
        }
        let Some(sender) = &self.sender else {
            return false;
        };
        let sent = sender.send(frame).await.is_ok();
        if !sent {
            tracing::debug!("message dropped: the peer has left");
        }
        sent
    }

    /// Hands a message over if there is room for it.
    pub(crate) fn try_send(&self, frame: Frame) {
        if self.over.load(Ordering::Acquire) {
            return;
        }
        if let Some(sender) = &self.sender
            && sender.try_send(frame).is_err()
        {
            tracing::debug!("message dropped: the stream is full or closed");
        }
    }
}

impl Inlet {
    /// Receives the next message; `None` when every outlet is gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no message.
    pub async fn recv(&mut self) -> Option<Frame> {
        self.receiver.recv().await
    }

    /// Returns a message that is waiting, if there is one.
    pub fn try_recv(&mut self) -> Option<Frame> {
        self.receiver.try_recv().ok()
    }

    /// Takes no more messages; those that wait can still be received.
    pub fn close(&mut self) {
        self.over.store(true, Ordering::Release);
        self.receiver.close();
    }
}
