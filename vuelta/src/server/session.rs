//! A connection of a revision with a handshake: what its requests do not carry themselves.
//!
//! A request of 2026-07-28 says who asks and what it can do; before, a connection said it once.
//! Sessions hold that, and the questions that wait for the client. Each transport decides what
//! a connection is: a stream of bytes, an HTTP session, a client in the same process.
//!
//! Source: [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).

mod feed;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tracing::Instrument as _;
use vuelta_wire::legacy::{
    self, EmptyResult, InitializeParams, InitializeResult, SetLevelParams, SubscribeParams,
};
use vuelta_wire::methods::{self, Initialize, Method, Ping, SetLevel, Subscribe, Unsubscribe};
use vuelta_wire::{
    ClientCapabilities, ErrorCode, ErrorObject, Extra, Implementation, InputRequired,
    InputResponses, LoggingLevel, ProgressToken, ProtocolVersion, Raw, RequestId, RequestMeta,
    SubscriptionFilter, decode,
};

use crate::error::{self, Error};
use crate::outcome::Outcome;
use crate::peer::Inflight;
use crate::service::{Backchannel, Inlet, Outlet};
use crate::subscribe::Hub;
use crate::trace;

use self::feed::{Feed, Watched};
use super::dispatch::{Incoming, check_capabilities, check_question};
use super::{Server, classify};

/// A connection of a revision with a handshake, as a transport serves it; cheap to clone.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    server: Server,
    handshake: OnceLock<Handshake>,
    /// The lowest level at which the client wants log notifications; all if it never said.
    log_level: Mutex<Option<LoggingLevel>>,
    /// The resources whose changes the client wants to be told.
    watched: Watched,
    /// What tells them; `None` if the server tells no changes.
    feed: OnceLock<Feed>,
    /// The questions that wait for the client; `None` if it cannot be asked.
    inflight: Option<Arc<Inflight>>,
    /// The stream of messages that belong to no request.
    outlet: Outlet,
}

/// What the two sides said of themselves.
struct Handshake {
    revision: ProtocolVersion,
    capabilities: ClientCapabilities,
    info: Option<Implementation>,
}

impl Server {
    /// Begins a connection of a revision with a handshake: the session, and the end from which
    /// a transport takes messages that belong to no request.
    #[must_use]
    pub fn open_session(&self) -> (Session, Inlet) {
        let (outlet, inlet) = Outlet::open();
        let session = Session::new(self, Some(Arc::default()), outlet, OnceLock::new());
        (session, inlet)
    }

    /// Begins a connection that knows nothing of the requests before, for transports without
    /// sessions: its client cannot be asked, and has declared nothing.
    #[must_use]
    pub fn stateless_session(&self, revision: ProtocolVersion) -> Session {
        let handshake = Handshake {
            revision,
            capabilities: ClientCapabilities::new(),
            info: None,
        };
        Session::new(self, None, Outlet::closed(), OnceLock::from(handshake))
    }
}

impl Session {
    fn new(
        server: &Server,
        inflight: Option<Arc<Inflight>>,
        outlet: Outlet,
        handshake: OnceLock<Handshake>,
    ) -> Self {
        Self(Arc::new(Inner {
            server: server.clone(),
            handshake,
            log_level: Mutex::default(),
            watched: Watched::default(),
            feed: OnceLock::new(),
            inflight,
            outlet,
        }))
    }

    /// Returns the revision that the connection speaks; `None` before the handshake.
    #[must_use]
    pub fn protocol_version(&self) -> Option<&ProtocolVersion> {
        let handshake = self.0.handshake.get()?;
        Some(&handshake.revision)
    }

    /// Serves one request. For transports.
    ///
    /// # Errors
    ///
    /// Returns the error that the peer is to read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request, as with [`Server::dispatch`].
    pub async fn dispatch(&self, incoming: Incoming, outlet: Outlet) -> Result<Raw, ErrorObject> {
        let span = trace::served(&incoming.method, &incoming.id, incoming.params.as_ref());
        self.dispatch_inner(incoming, outlet).instrument(span).await
    }

    async fn dispatch_inner(&self, incoming: Incoming, outlet: Outlet) -> Result<Raw, ErrorObject> {
        let server = &self.0.server;
        server.check_legacy(&incoming)?;
        match incoming.method.as_str() {
            Initialize::NAME => return self.initialize(&incoming).await,
            Ping::NAME => return empty(),
            _ => {}
        }
        let method = incoming.method.as_str();
        let newest = &ProtocolVersion::V2025_11_25;
        let is_known = match methods::find(method) {
            Some(info) => info.is_in(newest) && self.offers(method),
            None => server.serves(method),
        };
        if !is_known {
            return Err(error::method_not_found(method));
        }
        let Some(handshake) = self.0.handshake.get() else {
            tracing::debug!(method, "request before `initialize`");
            return Err(error::invalid_params());
        };
        match method {
            SetLevel::NAME => {
                let params: SetLevelParams = params(&incoming)?;
                *lock(&self.0.log_level) = Some(params.level);
                return empty();
            }
            Subscribe::NAME => return self.watch(incoming, handshake).await,
            Unsubscribe::NAME => {
                let params: SubscribeParams = params(&incoming)?;
                lock(&self.0.watched).remove(&params.uri);
                return empty();
            }
            _ => {}
        }
        self.call(incoming, outlet, handshake).await
    }

    /// Returns whether the server offers a method of the specification.
    fn offers(&self, method: &str) -> bool {
        let server = &self.0.server;
        match method {
            SetLevel::NAME => server.0.logs,
            Subscribe::NAME | Unsubscribe::NAME => server
                .legacy_capabilities()
                .resources
                .is_some_and(|resources| resources.subscribe == Some(true)),
            _ => server.serves(method),
        }
    }

    /// Answers the handshake. A second one is answered as the first was: the connection speaks
    /// what it speaks.
    async fn initialize(&self, incoming: &Incoming) -> Result<Raw, ErrorObject> {
        let started = self.0.server.start().await;
        started.map_err(|error| error.to_object())?;
        let InitializeParams {
            protocol_version,
            capabilities,
            client_info,
            ..
        } = params(incoming)?;
        let handshake = self.0.handshake.get_or_init(|| Handshake {
            revision: classify::negotiate(&protocol_version),
            capabilities,
            info: Some(client_info),
        });
        self.tell_changes(incoming, handshake).await?;
        let server = &self.0.server;
        let revision = &handshake.revision;
        let capabilities = server.legacy_capabilities();
        let info = server.info().clone();
        let mut result = InitializeResult::new(revision.clone(), capabilities, info);
        result
            .instructions
            .clone_from(&server.discover().instructions);
        legacy::encode_result(result, revision).map_err(unencodable)
    }

    /// Begins to tell the client what changes, as far as it may know.
    async fn tell_changes(
        &self,
        incoming: &Incoming,
        handshake: &Handshake,
    ) -> Result<(), ErrorObject> {
        let Some(hub) = self.0.server.subscriptions() else {
            return Ok(());
        };
        if self.0.inflight.is_none() || self.0.feed.get().is_some() {
            return Ok(());
        }
        let lists = SubscriptionFilter::new()
            .tools_list_changed(true)
            .prompts_list_changed(true)
            .resources_list_changed(true);
        let lists = self
            .honoured(hub, incoming.again(), handshake, lists)
            .await?;
        let outlet = self.0.outlet.clone();
        let feed = || Feed::begin(hub, &lists, Arc::clone(&self.0.watched), outlet);
        self.0.feed.get_or_init(feed);
        Ok(())
    }

    /// Returns what of a filter this client may be told.
    async fn honoured(
        &self,
        hub: &Hub,
        incoming: Incoming,
        handshake: &Handshake,
        filter: SubscriptionFilter,
    ) -> Result<SubscriptionFilter, ErrorObject> {
        let meta = self.meta(&incoming, handshake)?;
        let admitted = self
            .0
            .server
            .admit(incoming, meta, Outlet::closed(), None)
            .await?;
        let honoured = hub.honoured(admitted.call.context(), filter).await;
        honoured.map_err(|error| error.to_object())
    }

    async fn watch(&self, incoming: Incoming, handshake: &Handshake) -> Result<Raw, ErrorObject> {
        let params: SubscribeParams = params(&incoming)?;
        if let Some(hub) = self.0.server.subscriptions() {
            let wanted = SubscriptionFilter::new().resource_subscriptions([params.uri.clone()]);
            let honoured = self.honoured(hub, incoming, handshake, wanted).await?;
            if honoured.resource_subscriptions.is_none() {
                let message = format!("resource {:?} cannot be subscribed to", params.uri);
                return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
            }
        }
        let mut watched = lock(&self.0.watched);
        if watched.len() >= MAX_WATCHED && !watched.contains(&params.uri) {
            let message = format!("at most {MAX_WATCHED} resources can be subscribed to");
            return Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message));
        }
        watched.insert(params.uri);
        drop(watched);
        empty()
    }

    async fn call(
        &self,
        mut incoming: Incoming,
        outlet: Outlet,
        handshake: &Handshake,
    ) -> Result<Raw, ErrorObject> {
        let may_ask = methods::find(&incoming.method).is_some_and(|info| info.may_ask);
        // Without a stream there is no way to the client.
        let inflight = self.0.inflight.clone().filter(|_| outlet.is_open());
        let revision = handshake.revision.clone();
        let backchannel =
            inflight.map(|inflight| Backchannel::new(outlet.clone(), inflight, revision.clone()));
        let meta = self.meta(&incoming, handshake)?;
        let mut rounds = 0;
        let mut is_first = true;
        loop {
            let mut admitted = self
                .0
                .server
                .admit(
                    incoming.again(),
                    meta.clone(),
                    outlet.clone(),
                    backchannel.clone(),
                )
                .await?;
            if is_first {
                // Whatever a client of these revisions sends as answers or state is none.
                admitted.call = admitted.call.without_rounds();
            }
            let question = match self.0.server.settle(admitted).await? {
                Outcome::Complete(result) => return Ok(result),
                Outcome::InputRequired(question) => question,
            };
            check_question(&question, may_ask)?;
            let Some(backchannel) = backchannel.as_ref().filter(|_| self.0.server.0.bridges) else {
                tracing::error!(
                    method = incoming.method,
                    "a handler returned a question to a client of an older revision: ask with \
                     `Ask` or a resolver, or turn on `legacy_bridge`"
                );
                return Err(error::invalid_result());
            };
            rounds += 1;
            if rounds > MAX_ROUNDS {
                tracing::error!(
                    rounds = MAX_ROUNDS,
                    "a handler still asks after the last round"
                );
                return Err(error::internal());
            }
            check_capabilities(&question, &handshake.capabilities)?;
            let answers = answer_all(backchannel, &question).await?;
            incoming.params = Some(next_round(incoming.params.as_ref(), &question, &answers)?);
            is_first = false;
        }
    }

    /// Puts the context that the connection knows beside what the request brings.
    fn meta(&self, incoming: &Incoming, handshake: &Handshake) -> Result<RequestMeta, ErrorObject> {
        #[derive(Default, Deserialize)]
        struct Sent {
            #[serde(default, rename = "_meta")]
            meta: Option<Extra>,
        }
        let mut meta = RequestMeta::new(handshake.revision.clone(), handshake.capabilities.clone());
        meta.client_info.clone_from(&handshake.info);
        // Who never said which log notifications it wants gets all of them.
        let level = *lock(&self.0.log_level);
        meta.log_level = Some(level.unwrap_or(LoggingLevel::Debug));
        let sent: Sent = match &incoming.params {
            Some(params) => params.parse().map_err(|_| error::invalid_params())?,
            None => Sent::default(),
        };
        let mut extra = sent.meta.unwrap_or_default();
        meta.progress_token = extra
            .remove(vuelta_wire::meta::PROGRESS_TOKEN)
            .and_then(|token| token.parse::<ProgressToken>().ok());
        meta.extra = extra;
        Ok(meta)
    }

    /// Hands a notification of the client to its handler; one that nobody handles is ignored.
    pub async fn notify(&self, method: &str, params: Option<Raw>) {
        if method == legacy::INITIALIZED
            && let Some(feed) = self.0.feed.get()
        {
            feed.initialized();
        }
        self.0.server.notify(method, params).await;
    }

    /// Hands the client's answer to the question that waits for it; `false` if none does.
    pub fn settle(&self, id: &RequestId, answer: Result<Raw, ErrorObject>) -> bool {
        let inflight = self.0.inflight.as_ref();
        let settled =
            inflight.is_some_and(|inflight| inflight.settle(id, answer.map_err(Error::from)));
        if !settled {
            tracing::debug!(%id, "response ignored: nobody waits for it");
        }
        settled
    }

    /// Ends the connection: questions that wait fail, and none is asked any more.
    pub fn close(&self) {
        if let Some(inflight) = &self.0.inflight {
            inflight.close(&Error::transport("the client has left"));
        }
    }
}

impl Incoming {
    /// Returns the same request once more.
    fn again(&self) -> Self {
        Self {
            id: self.id.clone(),
            method: self.method.clone(),
            params: self.params.clone(),
            headers: self.headers.clone(),
            principal: self.principal.clone(),
            extensions: self.extensions.clone(),
        }
    }
}

/// Puts every question of a round to the client, all at the same time.
async fn answer_all(
    backchannel: &Backchannel,
    question: &InputRequired,
) -> Result<InputResponses, ErrorObject> {
    let mut asked = Vec::new();
    for (key, request) in question.requests() {
        asked.push(async move {
            let answer = backchannel.ask(request).await;
            answer.map(|answer| (key.to_owned(), answer))
        });
    }
    let answers = futures_util::future::try_join_all(asked).await;
    let mut responses = InputResponses::new();
    for (key, answer) in answers.map_err(|error| error.to_object())? {
        responses.insert(key, answer);
    }
    Ok(responses)
}

/// Returns the params of the next round: the same, with the answers and the state.
fn next_round(
    params: Option<&Raw>,
    question: &InputRequired,
    answers: &InputResponses,
) -> Result<Raw, ErrorObject> {
    let encode = || {
        let mut members: Extra = match params {
            Some(params) => serde_json::from_str(params.get())?,
            None => Extra::new(),
        };
        members.insert("inputResponses", Raw::encode(answers)?);
        members.remove("requestState");
        if let Some(state) = &question.request_state {
            members.insert("requestState", state.as_str());
        }
        Raw::encode(&members)
    };
    encode().map_err(unencodable)
}

fn params<P: DeserializeOwned>(incoming: &Incoming) -> Result<P, ErrorObject> {
    let json = incoming.params.as_ref().map_or("{}", Raw::get);
    decode(json).map_err(|error| {
        tracing::debug!(%error, "malformed params");
        error::invalid_params()
    })
}

fn empty() -> Result<Raw, ErrorObject> {
    Raw::encode(&EmptyResult::new()).map_err(unencodable)
}

#[expect(clippy::needless_pass_by_value, reason = "the form of `map_err`")]
fn unencodable(error: serde_json::Error) -> ErrorObject {
    tracing::error!(%error, "a result cannot be encoded");
    error::internal()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("protocol_version", &self.protocol_version())
            .finish_non_exhaustive()
    }
}

/// How many rounds a hand-built question may go over the back-channel.
const MAX_ROUNDS: u32 = 10;
/// How many resources one connection may watch.
const MAX_WATCHED: usize = 1024;
