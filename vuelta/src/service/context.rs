//! What a handler knows about the request it serves, besides its params.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vuelta_wire::meta::SUBSCRIPTION_ID;
use vuelta_wire::{
    ClientCapabilities, Extra, Implementation, InputRequest, InputResponses, LogParams,
    LoggingLevel, Number, ProgressParams, ProgressToken, ProtocolVersion, Raw, RequestId,
    RequestMeta, ServerNotification, legacy,
};

use crate::error::{self, Error, Result};
use crate::service::backchannel::unreachable;
use crate::service::progress::Progress;
use crate::service::{Backchannel, Frame, NotificationFrame, Outlet, Principal};
use crate::subscribe::Hub;

/// The request that a handler serves; cheap to clone.
#[derive(Clone)]
pub struct Context {
    parts: Arc<Parts>,
    round: Arc<Round>,
    said: Arc<Progress>,
}

/// What is known before the params are decoded.
pub(crate) struct Parts {
    pub(crate) request_id: RequestId,
    pub(crate) meta: RequestMeta,
    pub(crate) outlet: Outlet,
    pub(crate) cancellation: CancellationToken,
    pub(crate) headers: Option<http::HeaderMap>,
    pub(crate) principal: Option<Principal>,
    pub(crate) extensions: http::Extensions,
    /// Whether the server has declared that it logs.
    pub(crate) logs: bool,
    /// Whether frames on this request's stream belong to a subscription.
    pub(crate) listens: bool,
    /// The way of questions to the client; only on a connection with a handshake.
    pub(crate) backchannel: Option<Backchannel>,
    /// The span of the request.
    pub(crate) span: tracing::Span,
    /// Where what changes is published.
    pub(crate) subscriptions: Option<Arc<Hub>>,
}

#[derive(Default)]
struct Round {
    answers: InputResponses,
    state: Option<String>,
}

impl Context {
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            parts: Arc::new(parts),
            round: Arc::default(),
            said: Arc::default(),
        }
    }

    pub(crate) fn with_round(self, answers: InputResponses, state: Option<String>) -> Self {
        Self {
            parts: self.parts,
            round: Arc::new(Round { answers, state }),
            said: self.said,
        }
    }

    /// Returns the id of the request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.parts.request_id
    }

    /// Returns the revision that the request speaks.
    #[must_use]
    pub fn protocol_version(&self) -> &ProtocolVersion {
        &self.parts.meta.protocol_version
    }

    /// Returns who the client says it is; not authenticated.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.parts.meta.client_info.as_ref()
    }

    /// Returns what the client can do for this request.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.parts.meta.client_capabilities
    }

    /// Returns the members of the request's `_meta` that the protocol does not define.
    #[must_use]
    pub fn meta(&self) -> &Extra {
        &self.parts.meta.extra
    }

    /// Returns the answers that this round brought; empty on the first.
    #[must_use]
    pub fn answers(&self) -> &InputResponses {
        &self.round.answers
    }

    /// Returns the state that this round brought, opened if a boundary seals it; `None` on
    /// the first.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.round.state.as_deref()
    }

    /// Returns the HTTP headers of the request: whatever the client wrote. `None` on other
    /// transports.
    #[must_use]
    pub fn headers(&self) -> Option<&http::HeaderMap> {
        self.parts.headers.as_ref()
    }

    /// Returns the caller, if an authorization layer has validated one.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.parts.principal.as_ref()
    }

    /// Returns what layers in front of the server have attached, by type.
    #[must_use]
    pub fn extensions(&self) -> &http::Extensions {
        &self.parts.extensions
    }

    /// Returns the handle that tells when the request is over: cancelled, disconnected or
    /// answered.
    ///
    /// A handler is dropped by itself then; this is for work that it has spawned.
    #[must_use]
    pub fn cancellation(&self) -> Cancellation {
        Cancellation(self.parts.cancellation.clone())
    }

    /// Tells the client how far the request is; nothing if it did not ask for progress.
    ///
    /// What does not grow since the last call is not told: the protocol forbids it. Waits while
    /// the stream is full.
    ///
    /// # Errors
    ///
    /// Returns an error if `progress` is not finite.
    pub async fn progress(&self, progress: impl Into<Number>) -> Result<()> {
        self.report(ProgressUpdate::new(progress)).await
    }

    /// Tells the client how far the request is, with where it ends or what is being done; as
    /// [`progress`](Self::progress).
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite.
    pub async fn report(&self, update: ProgressUpdate) -> Result<()> {
        let Some(token) = self.progress_token() else {
            return Ok(());
        };
        if !self.said.advance(update.progress) {
            tracing::debug!("progress dropped: it does not grow");
            return Ok(());
        }
        let mut params = ProgressParams::new(token.clone(), update.progress);
        params.total = update.total;
        params.message = update.message;
        self.notify(ServerNotification::Progress(params)).await
    }

    /// Returns the token under which the client wants progress.
    #[must_use]
    pub fn progress_token(&self) -> Option<&ProgressToken> {
        self.parts.meta.progress_token.as_ref()
    }

    /// Logs to the client; nothing below the level that the request opted in to, if it did not,
    /// or if it is a subscription.
    ///
    /// The server must declare that it logs: see `ServerBuilder::logging`.
    ///
    /// # Errors
    ///
    /// Returns an error if the notification cannot be encoded.
    pub async fn log(&self, level: LoggingLevel, data: impl Into<Raw>) -> Result<()> {
        // A listen stream carries no log, whatever its request has opted in to.
        if self.parts.listens
            || self
                .parts
                .meta
                .log_level
                .is_none_or(|lowest| level < lowest)
        {
            return Ok(());
        }
        if !self.parts.logs {
            tracing::warn!("log notification dropped: declare it with `ServerBuilder::logging`");
            return Ok(());
        }
        self.notify(ServerNotification::Message(LogParams::new(level, data)))
            .await
    }

    /// Sends a notification on the stream of this request. Of what has changed for everybody,
    /// [`publish`](Self::publish) tells those who listen for it.
    ///
    /// On a subscription it is stamped with the subscription's id. One that is sent after the
    /// response is dropped. Waits while the stream is full.
    ///
    /// # Errors
    ///
    /// Returns an error if the notification cannot be encoded.
    pub async fn notify(&self, mut notification: ServerNotification) -> Result<()> {
        if self.parts.listens
            && let Some(meta) = notification.meta_mut()
        {
            let id = Raw::encode(self.request_id())?;
            meta.get_or_insert_default().insert(SUBSCRIPTION_ID, id);
        }
        let method = notification.method().to_owned();
        let params = if self.is_legacy() {
            legacy::encode_notification(notification)
        } else {
            notification.encode_params()
        };
        let params = params
            .map_err(|error| Error::misuse(format!("cannot encode a notification: {error}")))?;
        self.parts
            .outlet
            .send(NotificationFrame::new(method, params))
            .await;
        Ok(())
    }

    pub(crate) fn subscriptions(&self) -> Option<&Arc<Hub>> {
        self.parts.subscriptions.as_ref()
    }
}

impl Context {
    /// Returns whether the request came over a connection with a handshake, of a revision before
    /// 2026-07-28.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        !self.protocol_version().is_modern()
    }

    /// Puts a question to the client now and returns its raw answer: only on a connection with
    /// a handshake. [`Ask`](crate::Ask) and resolvers work on every revision.
    ///
    /// # Errors
    ///
    /// Returns the client's error, that it has not declared what the question needs, or that
    /// the connection has no way for questions: a request of 2026-07-28 has none.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future tells the client that the question is void.
    pub async fn push(&self, question: impl Into<InputRequest>) -> Result<Raw> {
        let question = question.into();
        let Some(backchannel) = &self.parts.backchannel else {
            return Err(unreachable(&question));
        };
        if let Some(missing) = self.client_capabilities().missing_for(&question) {
            return Err(error::missing_capability(&question.method(), &missing).into());
        }
        backchannel.ask(&question).await
    }

    /// Returns the span of the request.
    pub(crate) fn span(&self) -> &tracing::Span {
        &self.parts.span
    }

    /// Returns the way of questions to the client, if there is one.
    pub(crate) fn backchannel(&self) -> Option<&Backchannel> {
        self.parts.backchannel.as_ref()
    }

    /// Lets the transport close the stream of this request; the client asks for the rest after
    /// `retry`. For long work over HTTP: nothing is lost, and nothing happens where a stream
    /// cannot be resumed.
    ///
    /// Source: [polling](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server).
    pub async fn pause_stream(&self, retry: Duration) {
        if self.is_legacy() {
            self.parts.outlet.send(Frame::Pause(retry)).await;
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.parts.request_id)
            .field("protocol_version", &self.parts.meta.protocol_version)
            .finish_non_exhaustive()
    }
}

/// How far a request is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// How far it is; grows with each update.
    pub progress: Number,
    /// Where it ends.
    pub total: Option<Number>,
    /// What is being done.
    pub message: Option<String>,
}

impl ProgressUpdate {
    /// Creates an update.
    #[must_use]
    pub fn new(progress: impl Into<Number>) -> Self {
        Self {
            progress: progress.into(),
            total: None,
            message: None,
        }
    }

    /// Sets where it ends.
    #[must_use]
    pub fn total(mut self, total: impl Into<Number>) -> Self {
        self.total = Some(total.into());
        self
    }

    /// Sets what is being done.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// Tells when a request is over; cheap to clone.
#[derive(Clone, Debug)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// Waits until the request is over.
    ///
    /// # Cancel safety
    ///
    /// The future can be dropped and made anew.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Returns whether the request is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
