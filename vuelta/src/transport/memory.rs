//! A server in the same process: the same checks, no framing.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio_util::task::AbortOnDropHandle;
use vuelta_wire::Raw;
use vuelta_wire::methods::{Initialize, Method as _};

use crate::client::{Inbound, IntoTransport, Outgoing, OutgoingNotification, Transport};
use crate::error::{Error, Result};
use crate::server::{Incoming, Server, Session};
use crate::service::{Frame, Inlet, Outlet};

/// The client's end of a server in the same process.
///
/// # Example: a server and its client in one test
///
/// ```
/// use vuelta::{Client, Error, ListToolsResult, Server, Tool};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let server = Server::builder("Calculator", "1.0.0")
///     .on_list_tools(|_, _| async {
///         let add = Tool::new("add", serde_json::json!({ "type": "object" }));
///         Ok::<_, Error>(ListToolsResult::new([add]))
///     })
///     .build()?;
/// let client = Client::builder().connect(&server).await?;
/// assert_eq!(client.list_tools().await?.tools[0].name, "add");
/// # Ok::<(), Error>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory {
    server: Server,
    extensions: http::Extensions,
    connection: Arc<Mutex<Connection>>,
}

/// What a connection with a handshake has besides its requests.
#[derive(Debug, Default)]
struct Connection {
    /// Where messages go that belong to no request.
    inbound: Option<Inbound>,
    open: Option<Open>,
}

/// A session, and the task that hands its own messages over; ends with it.
#[derive(Debug)]
struct Open {
    session: Session,
    _task: AbortOnDropHandle<()>,
}

impl Memory {
    /// Creates a connection to `server`.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        Self {
            server: server.clone(),
            extensions: http::Extensions::new(),
            connection: Arc::default(),
        }
    }

    /// Attaches a value to every request, as a layer in front of an HTTP server would; a
    /// [`Principal`](crate::Principal) is the caller.
    #[must_use]
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the session of the connection; a handshake opens another one.
    fn session(&self, method: &str) -> Option<Session> {
        let mut connection = self.connection();
        if method == Initialize::NAME {
            let (session, inlet) = self.server.open_session();
            let task = tokio::spawn(hand_over(
                session.clone(),
                inlet,
                connection.inbound.clone(),
            ));
            connection.open = Some(Open {
                session,
                _task: AbortOnDropHandle::new(task),
            });
        }
        connection.open.as_ref().map(|open| open.session.clone())
    }
}

/// Hands over the messages of a session that belong to no request.
async fn hand_over(session: Session, mut inlet: Inlet, inbound: Option<Inbound>) {
    let Some(inbound) = inbound else { return };
    let mut asked = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            Some(()) = asked.next() => {}
            frame = inlet.recv() => match frame {
                Some(frame) => take(frame, &inbound, Some(&session), &mut asked),
                None => break,
            },
        }
    }
    while asked.next().await.is_some() {}
}

type Asked<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>;

/// Delivers a notification, or begins to answer a request.
fn take<'a>(frame: Frame, inbound: &Inbound, session: Option<&'a Session>, asked: &mut Asked<'a>) {
    match (frame, session) {
        (Frame::Notification(frame), _) => inbound.deliver(frame),
        (Frame::Request(frame), Some(session)) => {
            let id = frame.id.clone();
            let answer = inbound.answer(frame);
            asked.push(Box::pin(async move {
                session.settle(&id, answer.await);
            }));
        }
        // Nothing is asked without a session, and no stream has to be closed.
        (Frame::Request(_) | Frame::Pause(_), _) => {}
    }
}

impl Transport for Memory {
    async fn request(&self, request: Outgoing, inbound: Inbound) -> Result<Raw> {
        let session = if request.protocol_version.is_modern() {
            None
        } else {
            let session = self.session(&request.method);
            Some(session.ok_or_else(|| Error::misuse("a request before the handshake"))?)
        };
        let incoming = Incoming::new(request.id, request.method, Some(request.params))
            .extensions(self.extensions.clone());
        let (outlet, mut inlet) = Outlet::open();
        let mut answer = pin!(async {
            match &session {
                Some(session) => session.dispatch(incoming, outlet).await,
                None => self.server.dispatch(incoming, outlet).await,
            }
        });
        let mut asked = Asked::new();
        loop {
            // Messages first: they were sent before the answer.
            tokio::select! {
                biased;
                Some(frame) = inlet.recv() => take(frame, &inbound, session.as_ref(), &mut asked),
                Some(()) = asked.next() => {}
                answer = &mut answer => {
                    inlet.close();
                    while let Some(frame) = inlet.try_recv() {
                        take(frame, &inbound, session.as_ref(), &mut asked);
                    }
                    return answer.map_err(Error::from);
                }
            }
        }
    }

    async fn notify(&self, notification: OutgoingNotification) -> Result<()> {
        let OutgoingNotification { method, params, .. } = notification;
        match self.session(&method) {
            Some(session) => session.notify(&method, params).await,
            None => self.server.notify(&method, params).await,
        }
        Ok(())
    }

    fn attach(&self, inbound: Inbound) {
        self.connection().inbound = Some(inbound);
    }

    async fn close(&self) {
        if let Some(open) = self.connection().open.take() {
            open.session.close();
        }
    }
}

impl IntoTransport for &Server {
    type Transport = Memory;

    fn into_transport(self) -> Result<Memory> {
        Ok(Memory::new(self))
    }
}
