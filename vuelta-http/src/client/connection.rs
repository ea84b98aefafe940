//! A connection of the revisions with a handshake: how it begins, how a session that the server
//! forgot is begun anew, and how it ends.
//!
//! Source: [session
//! management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management),
//! [backwards
//! compatibility](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::StatusCode;
use reqwest::Response;
use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use vuelta::client::{Inbound, Outgoing, OutgoingNotification};
use vuelta::wire::Extra;
use vuelta::wire::jsonrpc::{write_notification, write_request};
use vuelta::wire::legacy::INITIALIZED;
use vuelta::wire::methods::{Initialize, Method as _};
use vuelta::{Error, ProtocolVersion, Raw, RequestId, Result};

use super::courtesies::{Abandoned, Courtesies};
use super::exchange::Exchange;
use super::http_sse::{self, HttpSse};
use super::link::Link;
use super::remote::Remote;
use super::response;
use super::route::{Route, session_id};
use super::standing::Standing;

/// One connection; dropping it ends its tasks, and its session as well as that can be done
/// without waiting.
pub(super) struct Connection {
    link: Arc<Link>,
    phase: Mutex<Phase>,
    /// The one task that listens to the current session.
    standing: Mutex<JoinSet<()>>,
    courtesies: Courtesies,
    /// Held by who begins a forgotten session anew.
    renewing: tokio::sync::Mutex<()>,
    /// Whether the server was asked in a revision without a handshake.
    was_probed: AtomicBool,
}

#[derive(Clone)]
enum Phase {
    /// There was no handshake yet.
    New,
    Open(Arc<Session>),
    /// The server speaks the transport of 2024-11-05.
    HttpSse(Arc<HttpSse>),
    Closed,
}

/// A session: also that of a server which gives it no id.
struct Session {
    route: Arc<Route>,
    version: ProtocolVersion,
    hello: Hello,
}

/// The request that begins a session.
#[derive(Clone)]
struct Hello {
    id: RequestId,
    params: Raw,
}

impl Connection {
    pub(super) fn new(remote: Arc<Remote>) -> Self {
        Self {
            link: Arc::new(Link::new(remote)),
            phase: Mutex::new(Phase::New),
            standing: Mutex::default(),
            courtesies: Courtesies::default(),
            renewing: tokio::sync::Mutex::default(),
            was_probed: AtomicBool::new(false),
        }
    }

    pub(super) fn attach(&self, inbound: Inbound) {
        self.link.attach(inbound);
    }

    /// Takes note that the server was asked in a revision without a handshake.
    pub(super) fn probed(&self) {
        self.was_probed.store(true, Ordering::Relaxed);
    }

    pub(super) async fn request(&self, request: &Outgoing, inbound: &Inbound) -> Result<Raw> {
        if request.method == Initialize::NAME {
            let hello = Hello {
                id: request.id.clone(),
                params: request.params.clone(),
            };
            return self.initialize(hello, inbound).await;
        }
        let body = write(&request.id, &request.method, &request.params)?;
        let phase = self.phase().clone();
        match phase {
            Phase::New => Err(unbegun()),
            Phase::Closed => Err(closed()),
            Phase::HttpSse(older) => {
                let waiting = self
                    .link
                    .inflight
                    .begin(request.id.clone(), inbound.clone())?;
                let route = Arc::clone(&older.route);
                let mut abandoned = Abandoned::new(&self.courtesies, route, &request.id);
                let answer = older.request(waiting, body).await;
                abandoned.disarm();
                answer
            }
            Phase::Open(session) => {
                // Progress that comes on another stream finds its request.
                let _waiting = self
                    .link
                    .inflight
                    .begin(request.id.clone(), inbound.clone())?;
                let route = Arc::clone(&session.route);
                let mut abandoned = Abandoned::new(&self.courtesies, route, &request.id);
                let answer = async {
                    let (session, response) = self.post(session, body).await?;
                    abandoned.reroute(&session.route);
                    let exchange = Exchange {
                        link: &self.link,
                        route: &session.route,
                        version: Some(&session.version),
                        id: &request.id,
                        inbound,
                    };
                    exchange.answer(response).await
                };
                let answer = answer.await;
                abandoned.disarm();
                answer
            }
        }
    }

    pub(super) async fn notify(&self, notification: &OutgoingNotification) -> Result<()> {
        let OutgoingNotification { method, params, .. } = notification;
        let body = write_notification(method, params.as_ref())
            .map_err(|error| Error::misuse(format!("cannot encode the notification: {error}")))?;
        let phase = self.phase().clone();
        match phase {
            Phase::New => Err(unbegun()),
            Phase::Closed => dropped(method),
            Phase::HttpSse(older) if older.is_over() => dropped(method),
            Phase::HttpSse(older) => {
                let response = older.route.post(body).await?;
                response::acceptance(response, self.limit()).await
            }
            Phase::Open(session) => {
                let (session, response) = self.post(session, body).await?;
                response::acceptance(response, self.limit()).await?;
                if method == INITIALIZED {
                    self.listen(&session).await;
                }
                Ok(())
            }
        }
    }

    /// Ends the connection and tells the server.
    pub(super) async fn close(&self) {
        let phase = std::mem::replace(&mut *self.phase(), Phase::Closed);
        lock(&self.standing).abort_all();
        match phase {
            Phase::New | Phase::Closed => {}
            Phase::HttpSse(older) => older.close(&closed()),
            Phase::Open(session) => self.courtesies.take().part(&session.route).await,
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        lock(&self.phase)
    }

    fn limit(&self) -> usize {
        self.link.remote.max_response_size
    }

    /// Begins the connection: a session, or the transport of 2024-11-05 with a server that has
    /// no other.
    async fn initialize(&self, hello: Hello, inbound: &Inbound) -> Result<Raw> {
        let (phase, answer) = match self.greet(&hello, inbound).await {
            Ok((session, answer)) => (Phase::Open(Arc::new(session)), answer),
            Err(Unwelcome::Older(refusal)) => {
                let (older, answer) = self.fall_back(&hello, inbound, refusal).await?;
                (Phase::HttpSse(Arc::new(older)), answer)
            }
            Err(Unwelcome::Failed(error)) => return Err(error),
        };
        *self.phase() = phase;
        if self.was_probed.load(Ordering::Relaxed) {
            self.link.remote.era.learn(true);
        }
        Ok(answer)
    }

    /// Sends `initialize`, which belongs to no session and names no revision.
    async fn greet(&self, hello: &Hello, inbound: &Inbound) -> Result<(Session, Raw), Unwelcome> {
        let remote = &self.link.remote;
        let body = write(&hello.id, Initialize::NAME, &hello.params)?;
        let route = Route::new(remote, remote.url.clone(), None);
        let response = route.post(body).await?;
        let status = response.status();
        if !status.is_success() {
            let refusal = response::refusal(response, self.limit()).await;
            return Err(if http_sse::may_speak(status, &refusal) {
                Unwelcome::Older(refusal)
            } else {
                Unwelcome::Failed(refusal)
            });
        }
        let session = session_id(response.headers())?;
        let route = Arc::new(Route::new(remote, remote.url.clone(), session));
        let exchange = Exchange {
            link: &self.link,
            route: &route,
            version: None,
            id: &hello.id,
            inbound,
        };
        let answer = exchange.answer(response).await?;
        let version = chosen(&answer)?;
        route.agree(&version)?;
        let session = Session {
            route,
            version,
            hello: hello.clone(),
        };
        Ok((session, answer))
    }

    async fn fall_back(
        &self,
        hello: &Hello,
        inbound: &Inbound,
        refusal: Error,
    ) -> Result<(HttpSse, Raw)> {
        let older = match HttpSse::connect(&self.link).await {
            Ok(older) => older,
            Err(error) => {
                tracing::debug!(%error, "the server does not speak HTTP with SSE either");
                return Err(refusal);
            }
        };
        let body = write(&hello.id, Initialize::NAME, &hello.params)?;
        let waiting = self
            .link
            .inflight
            .begin(hello.id.clone(), inbound.clone())?;
        let answer = older.request(waiting, body).await?;
        older.route.agree(&chosen(&answer)?)?;
        Ok((older, answer))
    }

    /// Posts a message in a session; in a new one, once, if the server has forgotten it.
    async fn post(&self, session: Arc<Session>, body: String) -> Result<(Arc<Session>, Response)> {
        let response = session.route.post(body.clone()).await?;
        if !is_over(&session, &response) {
            return Ok((session, response));
        }
        drop(response);
        let session = self.renew(&session).await?;
        let response = session.route.post(body).await?;
        if !is_over(&session, &response) {
            return Ok((session, response));
        }
        let refusal = response::refusal(response, self.limit()).await;
        if refusal.as_rpc().is_some() {
            return Err(refusal);
        }
        let error = Error::transport("the server forgets every session at once: try again later");
        Err(error.detail(response::shown(StatusCode::NOT_FOUND)))
    }

    /// Begins a session anew that the server has forgotten, unless another request has done it.
    async fn renew(&self, forgotten: &Arc<Session>) -> Result<Arc<Session>> {
        let _turn = self.renewing.lock().await;
        match &*self.phase() {
            Phase::Open(current) if !Arc::ptr_eq(current, forgotten) => {
                return Ok(Arc::clone(current));
            }
            Phase::Open(_) => {}
            Phase::New | Phase::HttpSse(_) | Phase::Closed => return Err(closed()),
        }
        tracing::info!("the server has forgotten the session: it is begun anew");
        let inbound = self.link.attached().ok_or_else(|| {
            Error::transport("the server has forgotten the session: connect again")
        })?;
        // The client goes on in the revision that it has agreed on.
        let hello = Hello {
            params: asking_for(&forgotten.version, &forgotten.hello.params)?,
            id: forgotten.hello.id.clone(),
        };
        let (session, _) = self
            .greet(&hello, &inbound)
            .await
            .map_err(Unwelcome::error)?;
        if session.version != forgotten.version {
            return Err(Error::peer(format!(
                "the server began the session anew in revision {}, not {}: connect again",
                session.version, forgotten.version
            )));
        }
        let initialized = write_notification(INITIALIZED, None::<&Raw>)
            .map_err(|error| Error::misuse(format!("cannot encode the notification: {error}")))?;
        let response = session.route.post(initialized).await?;
        response::acceptance(response, self.limit()).await?;

        let session = Arc::new(session);
        {
            let mut phase = self.phase();
            if matches!(*phase, Phase::Closed) {
                return Err(closed());
            }
            *phase = Phase::Open(Arc::clone(&session));
        }
        self.listen(&session).await;
        Ok(session)
    }

    /// Begins to listen to what belongs to no request; returns when the stream is there, if it
    /// comes at once: what the server says from then on is not missed.
    async fn listen(&self, session: &Session) {
        let Some(inbound) = self.link.attached() else {
            return;
        };
        let standing = Standing {
            link: Arc::clone(&self.link),
            route: Arc::clone(&session.route),
            version: session.version.clone(),
            inbound,
        };
        let (opened, is_open) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(standing.listen(opened));
        // Ends the one of an earlier session.
        *lock(&self.standing) = task;
        if matches!(*self.phase(), Phase::Closed) {
            return lock(&self.standing).abort_all();
        }
        // Late or never is no error.
        let _ = tokio::time::timeout(PROMPT, is_open).await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let phase = std::mem::replace(&mut *self.phase(), Phase::Closed);
        if let Phase::Open(session) = phase {
            self.courtesies.take().part_later(&session.route);
        }
    }
}

/// Why a handshake led to no session.
enum Unwelcome {
    /// The server may speak the transport of 2024-11-05 only.
    Older(Error),
    Failed(Error),
}

impl Unwelcome {
    fn error(self) -> Error {
        match self {
            Self::Older(error) | Self::Failed(error) => error,
        }
    }
}

impl From<Error> for Unwelcome {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns whether the server says that the session is no more.
fn is_over(session: &Session, response: &Response) -> bool {
    session.route.has_session() && response.status() == StatusCode::NOT_FOUND
}

/// Returns the revision that the server chose.
fn chosen(answer: &Raw) -> Result<ProtocolVersion> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Chosen {
        protocol_version: ProtocolVersion,
    }
    let chosen: Chosen = answer
        .parse()
        .map_err(|error| Error::peer(format!("{}: {error}", Initialize::NAME)))?;
    Ok(chosen.protocol_version)
}

/// Returns the params of `initialize`, asking for another revision.
fn asking_for(version: &ProtocolVersion, params: &Raw) -> Result<Raw> {
    let mut members: Extra = params.parse()?;
    members.insert("protocolVersion", Raw::encode(version)?);
    Ok(Raw::encode(&members)?)
}

fn write(id: &RequestId, method: &str, params: &Raw) -> Result<String> {
    write_request(id, method, params)
        .map_err(|error| Error::misuse(format!("cannot encode the request: {error}")))
}

/// Logs a notification that nobody would get, which is no error.
fn dropped(method: &str) -> Result<()> {
    tracing::debug!(method, "notification dropped: the connection is closed");
    Ok(())
}

fn unbegun() -> Error {
    Error::misuse("a message before the handshake: send `initialize` first")
}

fn closed() -> Error {
    Error::transport("the connection was closed")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long the stream to listen to may take before calls begin without it.
const PROMPT: Duration = Duration::from_millis(200);
