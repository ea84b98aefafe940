//! The way of notifications from a handler to the stream of its request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use vuelta_wire::Raw;

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

/// The handler's end: takes notifications in order, and waits while the stream is full.
#[derive(Clone, Debug)]
pub struct Outlet {
    sender: Option<mpsc::Sender<NotificationFrame>>,
    over: Arc<AtomicBool>,
}

/// The transport's end.
#[derive(Debug)]
pub struct Inlet {
    receiver: mpsc::Receiver<NotificationFrame>,
    over: Arc<AtomicBool>,
}

/// How many notifications of one request wait for a slow peer before its handler does.
const CAPACITY: usize = 64;

impl Outlet {
    /// Creates both ends of a stream that holds 64 notifications.
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

    /// Creates an outlet to a peer that takes no notifications: they are dropped.
    #[must_use]
    pub fn closed() -> Self {
        Self {
            sender: None,
            over: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Hands a notification over; one that comes after the response, or after the peer left,
    /// is dropped.
    pub(crate) async fn send(&self, frame: NotificationFrame) {
        if self.over.load(Ordering::Acquire) {
            tracing::debug!(
                method = frame.method,
                "notification dropped: its request is over"
            );
            return;
        }
        if let Some(sender) = &self.sender
            && sender.send(frame).await.is_err()
        {
            tracing::debug!("notification dropped: the peer has left");
        }
    }
}

impl Inlet {
    /// Receives the next notification; `None` when every outlet is gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no notification.
    pub async fn recv(&mut self) -> Option<NotificationFrame> {
        self.receiver.recv().await
    }

    /// Returns a notification that is waiting, if there is one.
    pub fn try_recv(&mut self) -> Option<NotificationFrame> {
        self.receiver.try_recv().ok()
    }

    /// Takes no more notifications; those that wait can still be received.
    pub fn close(&mut self) {
        self.over.store(true, Ordering::Release);
        self.receiver.close();
    }
}
