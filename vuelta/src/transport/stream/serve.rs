//! The server's end of a byte stream: messages in, answers out in whatever order they are done.

use std::collections::HashMap;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use vuelta_wire::jsonrpc::{
    Message, MessageError, Notification, Request, write_error, write_error_without_id, write_result,
};
use vuelta_wire::methods::{Listen, Method as _};
use vuelta_wire::{CancelledParams, ErrorCode, ErrorObject, ProtocolVersion, Raw, RequestId};

use crate::error::{Error, Result};
use crate::server::{Incoming, IntoServer, Server, Session};
use crate::service::{Inlet, Outlet};
use crate::transport::line::{Line, LineReader, LineWriter, MAX_LINE};

use super::QUEUE;
use super::era::{Era, Route, Served};

/// Serves connections over byte streams: pipes, sockets, anything that reads and writes.
///
/// One message is one line. The first request decides whether the connection speaks 2026-07-28
/// or begins with a handshake.
///
/// # Example: a server at the other end of a pipe
///
/// ```
/// use vuelta::transport::{StreamServer, StreamTransport};
/// use vuelta::{Client, Server};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let server = Server::builder("Calculator", "1.0.0").build()?;
/// let (ours, theirs) = tokio::io::duplex(4096);
/// let (read, write) = tokio::io::split(theirs);
/// tokio::spawn(StreamServer::new(server)?.serve(read, write));
///
/// let (read, write) = tokio::io::split(ours);
/// let client = Client::builder().connect(StreamTransport::new(read, write)).await?;
/// assert_eq!(client.server_info().map(|info| info.name).as_deref(), Some("Calculator"));
/// # Ok::<(), vuelta::Error>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamServer {
    server: Server,
    max_message_size: usize,
    max_requests: usize,
    grace: Duration,
    extensions: http::Extensions,
}

impl StreamServer {
    /// Prepares to serve `server`.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be built.
    pub fn new(server: impl IntoServer) -> Result<Self> {
        Ok(Self {
            server: server.into_server()?,
            max_message_size: MAX_LINE,
            max_requests: 1024,
            grace: Duration::from_secs(10),
            extensions: http::Extensions::new(),
        })
    }

    /// Sets how many bytes a message may have; 16 MiB if not set. A longer one is skipped, and
    /// answered with an error without an id.
    #[must_use]
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.max_message_size = bytes;
        self
    }

    /// Sets how many requests of one connection run at the same time; 1,024 if not set. One more
    /// is answered with an error at once: answers of the client must not wait behind it.
    #[must_use]
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.max_requests = requests;
        self
    }

    /// Sets how long requests may run on when the client has closed its end; 10 s if not set.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Attaches a value to every request; a [`Principal`](crate::Principal) is the caller.
    #[must_use]
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Serves one connection until the client closes its end and all requests are answered.
    ///
    /// # Errors
    ///
    /// Returns an error if a start hook of the server failed, or a stream broke.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels all requests of the connection.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<()>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        self.serve_until(reader, writer, std::future::pending())
            .await
    }

    /// Serves one connection like [`serve`](Self::serve), but reads no more once `closing` is
    /// ready.
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_until<R, W>(
        self,
        reader: R,
        writer: W,
        closing: impl Future<Output = ()>,
    ) -> Result<()>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        self.server.start().await?;
        let (out, queue) = mpsc::channel(QUEUE);
        let reader = LineReader::new(reader).limit(self.max_message_size);
        let mut reading = std::pin::pin!(Connection::new(self, out).run(reader, closing));
        let mut writing = std::pin::pin!(write(LineWriter::new(writer), queue));
        tokio::select! {
            read = &mut reading => {
                // What was answered still goes out.
                let written = writing.await;
                read.and(written)
            }
            // Whoever cannot be answered is not read any more.
            written = &mut writing => written,
        }
    }
}

/// Writes messages until the last sender is gone.
async fn write<W: AsyncWrite + Unpin>(
    mut writer: LineWriter<W>,
    mut queue: mpsc::Receiver<String>,
) -> Result<()> {
    while let Some(message) = queue.recv().await {
        writer.write(&message).await.map_err(broken)?;
    }
    // A peer that has left needs no goodbye.
    if let Err(error) = writer.shutdown().await {
        tracing::debug!(%error, "the stream was not closed well");
    }
    Ok(())
}

fn broken(error: std::io::Error) -> Error {
    Error::transport("the stream to the client broke").caused_by(error)
}

/// One connection, from its first line to its last answer.
struct Connection {
    options: StreamServer,
    served: Served,
    era: Era,
    session: Option<Session>,
    /// The requests that run, and what passes on the messages of the session itself.
    running: JoinSet<Option<RequestId>>,
    /// What ends each request that runs.
    handles: HashMap<RequestId, Handle>,
    /// What ends the messages of the session itself.
    own: Option<AbortHandle>,
    out: mpsc::Sender<String>,
}

struct Handle {
    abort: AbortHandle,
    /// Whether it runs for as long as its client listens.
    listens: bool,
}

impl Connection {
    fn new(options: StreamServer, out: mpsc::Sender<String>) -> Self {
        let served = Served {
            modern: options.server.serves_modern(),
            legacy: options.server.serves_legacy(),
        };
        Self {
            options,
            served,
            era: Era::Open,
            session: None,
            running: JoinSet::new(),
            handles: HashMap::new(),
            own: None,
            out,
        }
    }

    /// Reads to the end of the input, then waits for what still runs.
    async fn run<R: AsyncRead + Unpin>(
        mut self,
        mut reader: LineReader<R>,
        closing: impl Future<Output = ()>,
    ) -> Result<()> {
        let mut closing = std::pin::pin!(closing);
        let ended = loop {
            tokio::select! {
                biased;
                Some(done) = self.running.join_next() => self.finished(done),
                line = reader.next() => match line {
                    Ok(Some(Line::Message(text))) => self.take(text).await,
                    Ok(Some(Line::TooLong)) => self.refuse_long().await,
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(broken(error)),
                },
                () = &mut closing => break Ok(()),
            }
        };
        self.drain().await;
        ended
    }

    /// Waits for the requests that run, but not for those that nobody will hear of.
    async fn drain(&mut self) {
        if let Some(session) = &self.session {
            session.close();
        }
        // A server that ends its streams still says so on each.
        let is_cut = !self.options.server.ends_streams();
        let listening = self.handles.values();
        let listening = listening.filter(|handle| is_cut && handle.listens);
        let listening = listening.map(|handle| &handle.abort);
        for abort in listening.chain(&self.own) {
            abort.abort();
        }
        let all = async { while self.running.join_next().await.is_some() {} };
        if tokio::time::timeout(self.options.grace, all).await.is_err() {
            tracing::warn!("requests still run though their client has left: they are cancelled");
            self.running.shutdown().await;
        }
    }

    fn finished(&mut self, done: Result<Option<RequestId>, JoinError>) {
        match done {
            Ok(Some(id)) => {
                self.handles.remove(&id);
            }
            Ok(None) => {}
            // Cancelled, and forgotten then.
            Err(error) => {
                if error.is_panic() {
                    tracing::error!(%error, "a request ended without an answer");
                }
                self.handles
                    .retain(|_, handle| handle.abort.id() != error.id());
            }
        }
    }

    async fn take(&mut self, text: &[u8]) {
        match Message::parse(text) {
            Ok(Message::Request(request)) => self.request(request).await,
            Ok(Message::Notification(notification)) => self.notification(notification).await,
            Ok(Message::Response(response)) => match (&self.session, response.id) {
                (Some(session), Some(id)) => {
                    session.settle(&id, response.outcome.map(Raw::from));
                }
                _ => tracing::debug!("response ignored: nothing was asked"),
            },
            Err(error) => self.refuse(error, text).await,
        }
    }

    async fn refuse_long(&mut self) {
        let limit = self.options.max_message_size;
        let message = format!("the message is longer than {limit} bytes");
        self.complain(&ErrorObject::new(ErrorCode::INVALID_REQUEST, message))
            .await;
    }

    async fn refuse(&mut self, error: MessageError, text: &[u8]) {
        if let (MessageError::Invalid, Some(session)) = (error, self.batching())
            && let Ok(messages) = serde_json::from_slice::<Vec<Raw>>(text)
            && !messages.is_empty()
        {
            return self.batch(session, messages).await;
        }
        let error = match error {
            MessageError::Parse => ErrorObject::new(ErrorCode::PARSE_ERROR, "Parse error"),
            _ => ErrorObject::new(
                ErrorCode::INVALID_REQUEST,
                "a line must be a single JSON-RPC request, notification or response",
            ),
        };
        self.complain(&error).await;
    }

    /// Answers a message whose id could not be read.
    async fn complain(&mut self, error: &ErrorObject) {
        let session = self.session.as_ref();
        let revision = session.and_then(Session::protocol_version);
        let has_null_id =
            revision.is_some_and(|revision| !revision.is_at_least(&ProtocolVersion::V2025_11_25));
        let message = if has_null_id {
            write_error(None, error)
        } else {
            write_error_without_id(error)
        };
        self.send(message).await;
    }

    async fn send(&self, message: String) {
        // Fails only when the writer has ended, and with it the connection.
        let _ = self.out.send(message).await;
    }

    /// Returns the session, if its revision has batches.
    fn batching(&self) -> Option<Session> {
        let session = self.session.as_ref()?;
        let revision = session.protocol_version()?;
        (*revision == ProtocolVersion::V2025_03_26).then(|| session.clone())
    }

    /// Runs the requests of a batch together: they are answered together.
    async fn batch(&mut self, session: Session, messages: Vec<Raw>) {
        let mut requests = Vec::new();
        for message in &messages {
            match Message::parse(message.get().as_bytes()) {
                Ok(Message::Request(request)) => requests.push(self.incoming(&request)),
                Ok(_) => Box::pin(self.take(message.get().as_bytes())).await,
                Err(_) => {
                    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "Invalid Request");
                    self.complain(&error).await;
                }
            }
        }
        let Some(id) = requests.first().map(|incoming| incoming.id.clone()) else {
            return;
        };
        if self.is_full() {
            return self
                .send(write_error(Some(&id), &busy(self.options.max_requests)))
                .await;
        }
        let out = self.out.clone();
        let key = id.clone();
        let abort = self.running.spawn(async move {
            let answers = requests.into_iter().map(|incoming| {
                let (session, out) = (session.clone(), out.clone());
                async move { answer(Way::Session(session), incoming, &out).await }
            });
            let answers = futures_util::future::join_all(answers).await;
            let _ = out.send(format!("[{}]", answers.join(","))).await;
            Some(key)
        });
        let listens = false;
        self.handles.insert(id, Handle { abort, listens });
    }

    fn is_full(&self) -> bool {
        self.handles.len() >= self.options.max_requests
    }

    fn incoming(&self, request: &Request<'_>) -> Incoming {
        let params = request.params.map(Raw::from);
        Incoming::new(request.id.clone(), request.method.clone(), params)
            .extensions(self.options.extensions.clone())
    }

    async fn request(&mut self, request: Request<'_>) {
        let incoming = self.incoming(&request);
        let id = incoming.id.clone();
        if self.handles.contains_key(&id) {
            let message = "a request with this id is still served";
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
            return self.send(write_error(Some(&id), &error)).await;
        }
        if self.is_full() {
            return self
                .send(write_error(Some(&id), &busy(self.options.max_requests)))
                .await;
        }
        let way = match self.era.route(&request, self.served) {
            Route::Modern => Way::Server(self.options.server.clone()),
            Route::Legacy => Way::Session(self.session()),
            Route::Refused(error) => return self.send(write_error(Some(&id), &error)).await,
        };
        let listens = request.method == Listen::NAME;
        let (out, key) = (self.out.clone(), id.clone());
        let abort = self.running.spawn(async move {
            let answer = answer(way, incoming, &out).await;
            let _ = out.send(answer).await;
            Some(key)
        });
        self.handles.insert(id, Handle { abort, listens });
    }

    /// Returns the session of the connection; the first request that needs it opens it.
    fn session(&mut self) -> Session {
        let opened = self.session.get_or_insert_with(|| {
            let (session, inlet) = self.options.server.open_session();
            let out = self.out.clone();
            self.own = Some(self.running.spawn(forward(inlet, out)));
            session
        });
        opened.clone()
    }

    async fn notification(&mut self, notification: Notification<'_>) {
        let params = notification.params.map(Raw::from);
        if notification.method == CANCELLED {
            let cancelled = params.as_ref().map(Raw::parse::<CancelledParams>);
            let Some(Ok(cancelled)) = cancelled else {
                return tracing::debug!("cancellation ignored: it names no request");
            };
            let CancelledParams {
                request_id, reason, ..
            } = cancelled;
            match self.handles.remove(&request_id) {
                // No answer follows.
                Some(handle) => {
                    tracing::debug!(id = %request_id, reason, "request cancelled");
                    handle.abort.abort();
                }
                None => tracing::debug!("cancellation ignored: its request is over"),
            }
            return;
        }
        match &self.session {
            Some(session) => {
                session.notify(&notification.method, params).await;
            }
            None => {
                self.options
                    .server
                    .notify(&notification.method, params)
                    .await;
            }
        }
    }
}

/// Who serves a request.
enum Way {
    Server(Server),
    Session(Session),
}

/// Serves a request: what comes before the answer is sent, the answer is returned.
async fn answer(way: Way, incoming: Incoming, out: &mpsc::Sender<String>) -> String {
    let id = incoming.id.clone();
    let (outlet, mut inlet) = Outlet::open();
    let mut answer = std::pin::pin!(async {
        match way {
            Way::Server(server) => server.dispatch(incoming, outlet).await,
            Way::Session(session) => session.dispatch(incoming, outlet).await,
        }
    });
    let answer = loop {
        tokio::select! {
            biased;
            Some(frame) = inlet.recv() => pass_on(&frame, out).await,
            answer = &mut answer => break answer,
        }
    };
    inlet.close();
    while let Some(frame) = inlet.try_recv() {
        pass_on(&frame, out).await;
    }
    match answer {
        Ok(result) => write_result(&id, &result),
        Err(error) => write_error(Some(&id), &error),
    }
}

/// Sends on what a session says that belongs to no request.
async fn forward(mut inlet: Inlet, out: mpsc::Sender<String>) -> Option<RequestId> {
    while let Some(frame) = inlet.recv().await {
        pass_on(&frame, &out).await;
    }
    None
}

async fn pass_on(frame: &crate::service::Frame, out: &mpsc::Sender<String>) {
    if let Some(message) = frame.write() {
        let _ = out.send(message).await;
    }
}

fn busy(limit: usize) -> ErrorObject {
    let message = format!("the connection serves {limit} requests already: try again later");
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, message)
}

const CANCELLED: &str = "notifications/cancelled";
