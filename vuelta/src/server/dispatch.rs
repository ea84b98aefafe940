//! One request from the transport to its answer.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::{Instrument as _, Span};
use vuelta_wire::methods::{self, Listen, Method};
use vuelta_wire::{
    ClientCapabilities, ErrorCode, ErrorObject, Extra, InputRequired, Raw, RequestId, RequestMeta,
    modern,
};

use crate::error;
use crate::outcome::Outcome;
use crate::service::{Backchannel, Call, Context, Next, Outlet, Parts, Principal, Reply};
use crate::trace;

use super::Server;
use super::classify::Envelope;

/// A request as a transport hands it over.
#[non_exhaustive]
pub struct Incoming {
    /// The id under which the answer goes back.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The params: an object, if any.
    pub params: Option<Raw>,
    /// The HTTP headers, on that transport.
    pub headers: Option<http::HeaderMap>,
    /// The caller, if one was validated.
    pub principal: Option<Principal>,
    /// What layers in front have attached.
    pub extensions: http::Extensions,
}

impl Incoming {
    /// Creates a request without HTTP parts.
    #[must_use]
    pub fn new(id: RequestId, method: impl Into<String>, params: Option<Raw>) -> Self {
        Self {
            id,
            method: method.into(),
            params,
            headers: None,
            principal: None,
            extensions: http::Extensions::new(),
        }
    }

    /// Sets the HTTP headers.
    #[must_use]
    pub fn headers(mut self, headers: http::HeaderMap) -> Self {
        self.headers = Some(headers);
        self
    }

    /// Sets what layers in front have attached; a [`Principal`] among it is the caller.
    #[must_use]
    pub fn extensions(mut self, extensions: http::Extensions) -> Self {
        self.principal = extensions.get::<Principal>().cloned();
        self.extensions = extensions;
        self
    }
}

impl fmt::Debug for Incoming {
    /// Shows which request it is; not the params, the headers or the caller.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("id", &self.id)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Serves one request: checks its envelope, runs the layers and the handler, and gives
    /// the answer in its wire form. For transports.
    ///
    /// # Errors
    ///
    /// Returns the error that the peer is to read.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request: the handler is dropped and its
    /// [`Cancellation`](crate::Cancellation) fires.
    pub async fn dispatch(&self, incoming: Incoming, outlet: Outlet) -> Result<Raw, ErrorObject> {
        let span = trace::served(&incoming.method, &incoming.id, incoming.params.as_ref());
        self.dispatch_inner(incoming, outlet).instrument(span).await
    }

    async fn dispatch_inner(&self, incoming: Incoming, outlet: Outlet) -> Result<Raw, ErrorObject> {
        let envelope = Envelope::find(incoming.params.as_ref().map(Raw::get))?;
        envelope.check_version(self.supported_versions())?;
        let info = methods::find(&incoming.method);
        // A vendor's method may put what it likes beside the required keys.
        let meta = request_meta(envelope.meta(), info.is_some())?;
        if info.is_some_and(|info| !info.is_in(&meta.protocol_version)) {
            return Err(error::method_not_found(&incoming.method));
        }
        let may_ask = info.is_some_and(|info| info.may_ask);
        let capabilities = meta.client_capabilities.clone();
        let call = self.admit(incoming, meta, outlet, None).await?;
        match self.settle(call).await.map_err(without_older_codes)? {
            Outcome::Complete(result) => Ok(result),
            Outcome::InputRequired(question) => {
                check_question(&question, may_ask)?;
                check_capabilities(&question, &capabilities)?;
                modern::encode_input_required(question, self.0.router.server_info()).map_err(
                    |error| {
                        tracing::error!(%error, "a question cannot be encoded");
                        error::invalid_result()
                    },
                )
            }
        }
    }

    /// Turns a request whose revision and context are known into a call, which cancels when it
    /// is dropped.
    pub(super) async fn admit(
        &self,
        incoming: Incoming,
        meta: RequestMeta,
        outlet: Outlet,
        backchannel: Option<Backchannel>,
    ) -> Result<Admitted, ErrorObject> {
        let started = self.0.lifespan.start().await;
        started.map_err(|error| error.to_object())?;
        let Incoming {
            id,
            method,
            params,
            headers,
            principal,
            extensions,
        } = incoming;
        let span = Span::current();
        trace::speaks(&span, &meta.protocol_version);
        let cancellation = CancellationToken::new();
        // Fires when the handler is done as well as when its future is dropped.
        let over = cancellation.clone().drop_guard();
        let context = Context::new(Parts {
            request_id: id,
            listens: method == Listen::NAME,
            meta,
            outlet,
            cancellation,
            headers,
            principal,
            extensions,
            logs: self.0.logs,
            backchannel,
            span,
            subscriptions: self.0.subscriptions.clone(),
        });
        let method = methods::find(&method)
            .map_or_else(|| Cow::Owned(method), |info| Cow::Borrowed(info.name));
        Ok(Admitted {
            call: Call::new(method, params, context),
            _over: over,
        })
    }

    /// Runs a call and turns what went wrong into what the peer reads.
    pub(super) async fn settle(&self, admitted: Admitted) -> Result<Outcome<Raw>, ErrorObject> {
        let Admitted { call, _over } = admitted;
        self.run(call).await.map_err(|error| {
            if error.is_invalid_params() {
                tracing::debug!(%error, "malformed params");
            } else if error.as_rpc().is_none() {
                tracing::error!(error = %error::with_causes(&error), "request failed");
            }
            error.to_object()
        })
    }

    /// Runs the layers and the handler; a panic becomes an error that tells nothing.
    async fn run(&self, call: Call) -> Reply {
        let next = Next::new(&self.0.layers, &self.0.router);
        AssertUnwindSafe(next.run(call))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                tracing::error!(panic = panic_message(&*panic), "a handler panicked");
                Err(error::internal().into())
            })
    }

    /// Hands a notification to its handler; one that nobody handles is ignored.
    pub async fn notify(&self, method: &str, params: Option<Raw>) {
        let notified = AssertUnwindSafe(self.0.router.notify(method, params))
            .catch_unwind()
            .await;
        if let Err(panic) = notified {
            tracing::error!(method, panic = panic_message(&*panic), "a handler panicked");
        }
    }
}

/// A call that is about to run.
pub(super) struct Admitted {
    pub(super) call: Call,
    _over: DropGuard,
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn request_meta(json: &str, strict: bool) -> Result<RequestMeta, ErrorObject> {
    let decoded = vuelta_wire::decode::<RequestMeta>(json);
    decoded.or_else(|error| {
        if strict {
            tracing::debug!(%error, "malformed envelope");
            return Err(error::invalid_params());
        }
        let extra: Extra = vuelta_wire::decode(json).map_err(|_| error::invalid_params())?;
        let member = |key: &str| extra.get(key).cloned();
        let version = member(vuelta_wire::meta::PROTOCOL_VERSION).and_then(|raw| raw.parse().ok());
        let capabilities =
            member(vuelta_wire::meta::CLIENT_CAPABILITIES).and_then(|raw| raw.parse().ok());
        let mut meta = RequestMeta::new(
            version.unwrap_or(vuelta_wire::ProtocolVersion::V2026_07_28),
            capabilities.unwrap_or_else(ClientCapabilities::new),
        );
        meta.client_info = member(vuelta_wire::meta::CLIENT_INFO).and_then(|raw| raw.parse().ok());
        meta.progress_token =
            member(vuelta_wire::meta::PROGRESS_TOKEN).and_then(|raw| raw.parse().ok());
        Ok(meta)
    })
}

/// Takes codes of older revisions, which are reserved since, out of what the peer reads.
///
/// Source: [error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes).
fn without_older_codes(mut error: ErrorObject) -> ErrorObject {
    match error.code {
        ErrorCode::RESOURCE_NOT_FOUND => error.code = ErrorCode::INVALID_PARAMS,
        ErrorCode::URL_ELICITATION_REQUIRED => {
            tracing::error!("an error of older revisions was returned: ask with `Ask::url`");
            error = error::internal();
        }
        _ => {}
    }
    error
}

/// Checks what the specification demands of every question, whoever built it.
pub(super) fn check_question(question: &InputRequired, may_ask: bool) -> Result<(), ErrorObject> {
    let reason = if !may_ask {
        "only tools/call, prompts/get and resources/read may answer with a question"
    } else if question.is_empty() {
        "a question needs at least one of `inputRequests` and `requestState`"
    } else if question.requests().any(|(_, request)| !request.is_known()) {
        "a question must be a form, a URL, a sampling or a list of roots"
    } else {
        return Ok(());
    };
    tracing::error!(reason, "a handler returned an invalid question");
    Err(error::invalid_result())
}

/// Checks that the client has declared what each question needs.
pub(super) fn check_capabilities(
    question: &InputRequired,
    declared: &ClientCapabilities,
) -> Result<(), ErrorObject> {
    for (key, request) in question.requests() {
        if let Some(missing) = declared.missing_for(request) {
            return Err(error::missing_capability(key, &missing));
        }
    }
    Ok(())
}
