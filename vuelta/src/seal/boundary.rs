//! The layer where state is sealed on the way out and opened on the way in.
//!
//! Handlers never see a sealed token and never call a codec. A token that does not open, for
//! whatever reason, is answered with one frozen error; the reason goes to the log.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde_json::value::RawValue;
use vuelta_wire::{Implementation, InputRequired, Raw, methods};

use crate::error::{self, Error, Result, with_causes};
use crate::outcome::Outcome;
use crate::seal::claims::{self, Binding};
use crate::seal::digest::arguments_digest;
use crate::seal::policy::{Audience, RequestStateSecurity};
use crate::seal::{InvalidRequestState, aead};
use crate::service::{Call, Context, Middleware, Next, Reply};

/// Why a token was refused or could not be made; for the log.
type Reason = Cow<'static, str>;

/// Seals the `requestState` of a low-level server: one line.
///
/// Every `requestState` of `tools/call`, `prompts/get` and `resources/read` that comes in is
/// checked, also one for a handler that never gives any.
///
/// # Example: a low-level server that seals
///
/// ```
/// use vuelta::Server;
/// use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
///
/// let key = b"a secret of at least 32 bytes, from your store";
/// let security = RequestStateSecurity::keys([key])?;
/// let server = Server::builder("Provisioner", "1.0.0")
///     .layer(RequestStateBoundary::new(security, Audience::Server))
///     .build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[derive(Debug)]
pub struct RequestStateBoundary {
    security: RequestStateSecurity,
    default: Audience,
    /// The audience, once the server is known.
    audience: Option<String>,
}

impl RequestStateBoundary {
    /// Creates a boundary.
    ///
    /// Building the server fails if its name is empty and `audience` depends on it, or if the
    /// policy cannot be used.
    #[must_use]
    pub fn new(security: RequestStateSecurity, audience: Audience) -> Self {
        let named = security.audience.clone();
        Self {
            security,
            default: audience,
            audience: named,
        }
    }

    fn now(&self) -> f64 {
        claims::epoch_seconds((self.security.clock)())
    }

    /// Finds out what the tokens of this round are bound to.
    fn round(
        &self,
        context: &Context,
        target: Option<&str>,
        arguments: Option<&RawValue>,
    ) -> Result<Round, Reason> {
        let arguments =
            arguments_digest(arguments.map(RawValue::get)).map_err(|e| with_causes(&e))?;
        let bind = AssertUnwindSafe(|| (self.security.bind)(context));
        let principal = match catch_unwind(bind) {
            Ok(Ok(principal)) => principal,
            Ok(Err(error)) => {
                return Err(format!("principal binding error: {}", with_causes(&*error)).into());
            }
            Err(_) => return Err("principal binding error: panic".into()),
        };
        Ok(Round {
            target: target.unwrap_or_default().to_owned(),
            arguments,
            principal,
        })
    }

    /// Opens a token: returns what it carries, claims not yet checked. The error is the
    /// reason for the log.
    fn open(&self, token: &RawValue) -> Result<Vec<u8>, Reason> {
        let token: String = serde_json::from_str(token.get()).map_err(|_| "not a string")?;
        if token.len() > self.security.max_size {
            return Err("over the size limit".into());
        }
        match catch_unwind(AssertUnwindSafe(|| self.security.codec.open(&token))) {
            Ok(opened) => opened.map_err(|error: InvalidRequestState| error.to_string().into()),
            Err(_) => Err("codec error: panic".into()),
        }
    }

    /// Seals the state of a question; the error is the reason for the log.
    fn seal(&self, state: &str, binding: &Binding<'_>) -> Result<String, Reason> {
        let mut salt = [0; claims::SALT];
        aead::fill_random(&mut salt).map_err(|error| with_causes(&error))?;
        let payload = claims::mint(state, binding, self.now(), self.security.ttl, salt);
        let sealed = catch_unwind(AssertUnwindSafe(|| self.security.codec.seal(&payload)));
        let token = match sealed {
            Ok(sealed) => sealed.map_err(|error| with_causes(&error))?,
            Err(_) => return Err("codec error: panic".into()),
        };
        let size = token.len();
        if size > self.security.max_size {
            return Err(
                format!("{size} bytes, over the limit of {}", self.security.max_size).into(),
            );
        }
        if size > self.security.warn_size {
            tracing::warn!(method = binding.method, size, "requestState is large");
        }
        Ok(token)
    }
}

/// What the tokens of one round are bound to.
struct Round {
    target: String,
    arguments: String,
    principal: Option<String>,
}

impl Round {
    fn binding<'a>(&'a self, method: &'a str, audience: Option<&'a str>) -> Binding<'a> {
        Binding {
            method,
            target: &self.target,
            arguments: &self.arguments,
            audience,
            principal: self.principal.as_deref(),
        }
    }
}

/// What of the params a token is bound to.
#[derive(Deserialize)]
struct Bound<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "requestState")]
    state: Option<&'a RawValue>,
}

impl Middleware for RequestStateBoundary {
    async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
        let Some(info) = methods::find(call.method()).filter(|info| info.may_ask) else {
            return next.run(call).await;
        };
        // The params outlive the call, which the handler consumes.
        let params = call.params().cloned();
        let json = params.as_ref().map_or("{}", Raw::get);
        let Ok(bound) = serde_json::from_str::<Bound<'_>>(json) else {
            // A member given twice: no reading of the params is the right one.
            return Err(error::invalid_params().into());
        };
        let target = if info.target == Some("uri") {
            bound.uri
        } else {
            bound.name
        };
        let target: Option<String> = target.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let arguments = bound.arguments.filter(|_| info.target == Some("name"));

        let audience = self.audience.as_deref();
        let context = call.context().clone();
        let mut round = None;
        let call = match bound.state {
            None => call,
            Some(token) => {
                // The codec first: nobody is identified for a token that is not authentic.
                let opened = self.open(token).and_then(|payload| {
                    let found = self.round(&context, target.as_deref(), arguments)?;
                    let binding = found.binding(info.name, audience);
                    let state = claims::verify(&payload, &binding, self.now())
                        .map_err(|rejection| rejection.to_string())?;
                    round = Some(found);
                    Ok(state)
                });
                match opened {
                    Ok(state) => call.with_state(state),
                    Err(reason) => {
                        let method = info.name;
                        tracing::warn!(method, reason = &*reason, "requestState rejected");
                        return Err(error::invalid_state().into());
                    }
                }
            }
        };

        let mut reply = next.run(call).await?;
        if let Outcome::InputRequired(InputRequired {
            request_state: Some(state),
            ..
        }) = &mut reply
        {
            let round = match round {
                Some(round) => Ok(round),
                None => self.round(&context, target.as_deref(), arguments),
            };
            let sealed =
                round.and_then(|round| self.seal(state, &round.binding(info.name, audience)));
            *state = sealed.map_err(|reason| {
                let method = info.name;
                tracing::error!(method, reason = &*reason, "requestState not sealed");
                Error::from(error::sealing_failed())
            })?;
        }
        Ok(reply)
    }

    fn attach(&mut self, server: &Implementation) -> Result<()> {
        self.security.check()?;
        if self.audience.is_some() || self.default == Audience::Shared {
            return Ok(());
        }
        if server.name.is_empty() {
            return Err(Error::misuse(
                "a server without a name cannot be the audience of its state: name it, or set \
                 `RequestStateSecurity::audience`",
            ));
        }
        self.audience = Some(server.name.clone());
        Ok(())
    }
}
