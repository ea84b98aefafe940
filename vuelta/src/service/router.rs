//! From a method to its handler, and back from the handler's result to the wire.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use vuelta_wire::methods::{AskingMethod, Discover, Listen, Method, ResultBody};
use vuelta_wire::{NoParams, ProtocolVersion, Raw, legacy, modern};

use crate::error::{self, Error, Result};
use crate::outcome::Outcome;
use crate::service::{Call, Context, Reply};

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Handler = Box<dyn Fn(Call) -> BoxFuture<Reply> + Send + Sync>;
type NotificationHandler = Box<dyn Fn(Option<Raw>) -> BoxFuture<()> + Send + Sync>;

/// Handlers by method.
pub(crate) struct Router {
    requests: HashMap<Cow<'static, str>, Handler>,
    notifications: HashMap<String, NotificationHandler>,
    server_info: Raw,
}

impl Router {
    pub(crate) fn new(server_info: Raw) -> Self {
        Self {
            requests: HashMap::new(),
            notifications: HashMap::new(),
            server_info,
        }
    }

    pub(crate) fn serves(&self, method: &str) -> bool {
        self.requests.contains_key(method)
    }

    pub(crate) fn server_info(&self) -> &Raw {
        &self.server_info
    }

    pub(crate) async fn handle(&self, call: Call) -> Reply {
        match self.requests.get(call.method()) {
            Some(handler) => handler(call).await,
            None => Err(error::method_not_found(call.method()).into()),
        }
    }

    pub(crate) async fn notify(&self, method: &str, params: Option<Raw>) {
        match self.notifications.get(method) {
            Some(handler) => handler(params).await,
            None => tracing::debug!(method, "notification ignored: nobody handles it"),
        }
    }

    /// Registers the handler of a method that answers with its result.
    pub(crate) fn plain<M, F, Fut, E>(&mut self, handler: F)
    where
        M: Method,
        F: Fn(Context, M::Params) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<M::Result, E>> + Send + 'static,
        E: Into<Error>,
    {
        let server_info = self.server_info.clone();
        self.insert(M::NAME, move |call| match call.decode::<M::Params>() {
            Ok(params) => {
                let context = call.into_context();
                let shape = Shape::of(&context, &server_info);
                let reply = handler(context, params);
                Box::pin(async move { complete(reply.await.map_err(Into::into)?, &shape) })
            }
            Err(error) => ready(Err(error)),
        });
    }

    /// Registers the handler of a method that may ask.
    pub(crate) fn asking<M, F, Fut, O, E>(&mut self, handler: F)
    where
        M: AskingMethod,
        F: Fn(Context, M::Params) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<Outcome<M::Result>>,
        E: Into<Error>,
    {
        let server_info = self.server_info.clone();
        self.insert(M::NAME, move |call| match call.decode::<M::Params>() {
            Ok(mut params) => {
                let context = call.into_round(&mut params);
                let shape = Shape::of(&context, &server_info);
                let reply = handler(context, params);
                Box::pin(async move {
                    match reply.await.map_err(Into::into)?.into() {
                        Outcome::Complete(result) => complete(result, &shape),
                        Outcome::InputRequired(question) => Ok(Outcome::InputRequired(question)),
                    }
                })
            }
            Err(error) => ready(Err(error)),
        });
    }

    /// Registers the handler of subscriptions, whose end names the subscription.
    pub(crate) fn listen<F, Fut, E>(&mut self, handler: F)
    where
        F: Fn(Context, <Listen as Method>::Params) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<<Listen as Method>::Result, E>> + Send + 'static,
        E: Into<Error>,
    {
        let server_info = self.server_info.clone();
        self.insert(Listen::NAME, move |call| match call.decode() {
            Ok(params) => {
                let context = call.into_context();
                let id = context.request_id().clone();
                let reply = handler(context, params);
                let server_info = server_info.clone();
                Box::pin(async move {
                    let result = reply.await.map_err(Into::into)?;
                    modern::encode_listen_result(result, &id, &server_info)
                        .map(Outcome::Complete)
                        .map_err(unencodable)
                })
            }
            Err(error) => ready(Err(error)),
        });
    }

    /// Registers `server/discover`, whose answer is already encoded.
    pub(crate) fn discover(&mut self, result: Raw) {
        self.insert(Discover::NAME, move |call| {
            ready(
                call.decode::<NoParams>()
                    .map(|_| Outcome::Complete(result.clone())),
            )
        });
    }

    /// Registers the handler of a method that the specification does not define.
    pub(crate) fn custom<P, F, Fut, R, E>(&mut self, method: String, handler: F)
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
        R: Serialize,
        E: Into<Error>,
    {
        let server_info = self.server_info.clone();
        self.insert(method, move |call| match call.decode::<P>() {
            Ok(params) => {
                let context = call.into_context();
                let shape = Shape::of(&context, &server_info);
                let reply = handler(context, params);
                Box::pin(async move {
                    let result = reply.await.map_err(Into::into)?;
                    let encoded = match &shape {
                        Shape::Modern(server_info) => {
                            modern::encode_custom_result(&result, server_info)
                        }
                        Shape::Legacy(_) => legacy::encode_custom_result(&result),
                    };
                    encoded.map(Outcome::Complete).map_err(|error| {
                        tracing::error!(%error, "a custom handler returned an invalid result");
                        error::invalid_result().into()
                    })
                })
            }
            Err(error) => ready(Err(error)),
        });
    }

    pub(crate) fn notification<F, Fut>(&mut self, method: String, handler: F)
    where
        F: Fn(Option<Raw>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.notifications
            .insert(method, Box::new(move |params| Box::pin(handler(params))));
    }

    fn insert<F>(&mut self, method: impl Into<Cow<'static, str>>, handler: F)
    where
        F: Fn(Call) -> BoxFuture<Reply> + Send + Sync + 'static,
    {
        self.requests.insert(method.into(), Box::new(handler));
    }
}

/// In whose shape a result goes out.
enum Shape {
    /// That of 2026-07-28, which names the server.
    Modern(Raw),
    /// That of a revision with a handshake.
    Legacy(ProtocolVersion),
}

impl Shape {
    fn of(context: &Context, server_info: &Raw) -> Self {
        if context.is_legacy() {
            Self::Legacy(context.protocol_version().clone())
        } else {
            Self::Modern(server_info.clone())
        }
    }
}

fn complete<R: ResultBody>(result: R, shape: &Shape) -> Reply {
    let encoded = match shape {
        Shape::Modern(server_info) => modern::encode_result(result, server_info),
        Shape::Legacy(revision) => legacy::encode_result(result, revision),
    };
    encoded.map(Outcome::Complete).map_err(unencodable)
}

#[expect(clippy::needless_pass_by_value, reason = "the form of `map_err`")]
fn unencodable(error: serde_json::Error) -> Error {
    tracing::error!(%error, "a handler's result cannot be encoded");
    error::invalid_result().into()
}

fn ready(reply: Reply) -> BoxFuture<Reply> {
    Box::pin(std::future::ready(reply))
}
