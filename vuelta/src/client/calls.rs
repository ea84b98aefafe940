//! The verbs of a client, and the one way in which a request goes out.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use vuelta_wire::methods::{
    self, AskingMethod, CallTool, Complete, Discover, GetPrompt, Method, ReadResource,
};
use vuelta_wire::modern::{Decoded, decode_result};
use vuelta_wire::{
    Arguments, CallToolParams, CallToolResult, CompleteParams, CompleteResult, DiscoverResult,
    Extra, GetPromptParams, GetPromptResult, LoggingLevel, Members, NoParams, ProgressParams,
    ProgressToken, Raw, ReadResourceParams, ReadResourceResult, RequestId, RequestMeta,
    ServerNotification, legacy, meta, modern,
};

use crate::error::{Error, Result};
use crate::service::NotificationFrame;

use super::known_tools::KnownTools;
use super::transport::{Inbound, Outgoing, OutgoingNotification};
use super::{CallBuilder, Client, Flow, Step};

/// What rides with each request of a call.
#[derive(Clone, Default)]
pub(super) struct Options {
    pub(super) timeout: Option<Duration>,
    pub(super) meta: Extra,
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) on_progress: Option<Arc<OnProgress>>,
}

/// What sees the progress of a call.
pub(super) type OnProgress = dyn Fn(ProgressParams) + Send + Sync;

/// The keys of `_meta` that are the client's to write.
const RESERVED: [&str; 5] = [
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
    meta::LOG_LEVEL,
    meta::PROGRESS_TOKEN,
];

impl Client {
    /// Calls a tool; its questions go to the callbacks.
    ///
    /// `arguments` must encode to an object, or to null for none.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, a callback's error,
    /// or that the server still asks after the last round. A tool that failed is no error:
    /// see [`CallToolResult::failed`].
    pub async fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<CallToolResult> {
        self.tool(name).arguments(arguments).send().await
    }

    /// Gets a prompt; its questions go to the callbacks.
    ///
    /// `arguments` must encode to an object of strings, or to null for none.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult> {
        self.prompt(name).arguments(arguments).send().await
    }

    /// Reads a resource; its questions go to the callbacks.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn read_resource(&self, uri: impl Into<String>) -> Result<ReadResourceResult> {
        self.resource(uri).send().await
    }

    /// Prepares a call of a tool, with options of its own.
    pub fn tool(&self, name: impl Into<String>) -> CallBuilder<CallTool> {
        CallBuilder::new(self.clone(), Ok(CallToolParams::new(name)))
    }

    /// Prepares a request for a prompt, with options of its own.
    pub fn prompt(&self, name: impl Into<String>) -> CallBuilder<GetPrompt> {
        CallBuilder::new(self.clone(), Ok(GetPromptParams::new(name)))
    }

    /// Prepares the reading of a resource, with options of its own.
    pub fn resource(&self, uri: impl Into<String>) -> CallBuilder<ReadResource> {
        CallBuilder::new(self.clone(), Ok(ReadResourceParams::new(uri)))
    }

    /// Sends the next request of a flow whose questions are answered.
    ///
    /// # Errors
    ///
    /// Returns an error that names the questions without an answer, or as
    /// [`call_tool`](Self::call_tool).
    pub async fn resume<M: AskingMethod>(&self, flow: Flow<M>) -> Result<Step<M>> {
        self.flow(flow).step().await
    }

    /// Prepares the next request of a flow, with options of its own.
    pub fn flow<M: AskingMethod>(&self, flow: Flow<M>) -> CallBuilder<M> {
        CallBuilder::resumed(self.clone(), flow)
    }

    /// Asks the server anew what it speaks and offers.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn discover(&self) -> Result<DiscoverResult> {
        self.plain::<Discover>(&NoParams::new()).await
    }

    /// Completes an argument.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn complete(&self, params: CompleteParams) -> Result<CompleteResult> {
        self.plain::<Complete>(&params).await
    }

    /// Sends a request of any method and returns its raw result, whatever its type.
    ///
    /// A `_meta` among `params` is kept; the keys of the protocol stay the client's.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection; and an error if
    /// `params` do not encode to an object or null.
    pub async fn request(&self, method: impl Into<String>, params: impl Serialize) -> Result<Raw> {
        let raw = Raw::encode(&params).map_err(unencodable)?;
        let mut options = Options::default();
        let mut members = Extra::default();
        if !raw.is_null() {
            members = raw.parse().map_err(|error| {
                Error::misuse(format!(
                    "the params of a request must be an object or null: {error}"
                ))
            })?;
            if let Some(meta) = members.remove("_meta") {
                options.meta = meta.parse().map_err(|error| {
                    Error::misuse(format!("`_meta` must be an object: {error}"))
                })?;
            }
        }
        let id = self.next_id();
        let params = self.encode(&members, &options, &id)?;
        let version = self.protocol_version().clone();
        let mut outgoing = Outgoing::new(id, method, params, version);
        // The rules of what is mirrored beside the body hold for every request.
        outgoing.target = methods::lookup(&outgoing.method, &outgoing.protocol_version)
            .and_then(|info| members.get(info.target?)?.parse().ok());
        if let (CallTool::NAME, Some(tool)) = (outgoing.method.as_str(), &outgoing.target) {
            outgoing.mirrored = self.mirrored(tool, &outgoing.params)?;
        }
        self.exchange(outgoing, &options).await
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// Returns an error if it could not be sent, or `params` do not encode to an object or
    /// null.
    pub async fn notify(&self, method: impl Into<String>, params: impl Serialize) -> Result<()> {
        let params = Raw::encode(&params).map_err(unencodable)?;
        if !params.is_null() && !params.is_object() {
            return Err(Error::misuse(
                "the params of a notification must be an object or null",
            ));
        }
        let params = (!params.is_null()).then_some(params);
        let version = self.protocol_version().clone();
        let notification = OutgoingNotification::new(method, params, version);
        self.0.transport.notify(notification).await
    }

    pub(super) async fn plain<M: Method>(&self, params: &M::Params) -> Result<M::Result> {
        let options = Options::default();
        let id = self.next_id();
        let encoded = self.encode(params, &options, &id)?;
        let version = self.protocol_version().clone();
        let raw = self
            .exchange(Outgoing::new(id, M::NAME, encoded, version), &options)
            .await?;
        match self.read::<M>(&raw)? {
            Decoded::Complete(result) => Ok(result),
            Decoded::InputRequired(_) => Err(Error::peer(format!(
                "{} was answered with a question",
                M::NAME
            ))),
        }
    }

    /// Sends one request of a call that may ask.
    pub(super) async fn leg<M: AskingMethod>(
        &self,
        id: RequestId,
        params: &M::Params,
        options: &Options,
    ) -> Result<Decoded<M::Result>> {
        use vuelta_wire::methods::AskingParams as _;

        let encoded = self.encode(params, options, &id)?;
        let version = self.protocol_version().clone();
        let mut outgoing = Outgoing::new(id, M::NAME, encoded, version);
        outgoing.target = Some(params.target().to_owned());
        if M::NAME == CallTool::NAME {
            outgoing.mirrored = self.mirrored(params.target(), &outgoing.params)?;
        }
        self.read::<M>(&self.exchange(outgoing, options).await?)
    }

    /// Reads a result by the method and the era.
    pub(super) fn read<M: Method>(&self, raw: &Raw) -> Result<Decoded<M::Result>> {
        if self.is_legacy() {
            let result = legacy::decode_result::<M::Result>(raw.get());
            return result
                .map(Decoded::Complete)
                .map_err(|error| Error::peer(format!("{}: malformed result: {error}", M::NAME)));
        }
        decode_result::<M>(raw.get()).map_err(|error| Error::peer(format!("{}: {error}", M::NAME)))
    }

    pub(super) fn next_id(&self) -> RequestId {
        self.0.next_id.fetch_add(1, Ordering::Relaxed).into()
    }

    pub(super) fn encode(
        &self,
        params: &impl Members,
        options: &Options,
        id: &RequestId,
    ) -> Result<Raw> {
        let inner = &self.0;
        let version = self.protocol_version();
        let progress = options.on_progress.as_ref();
        let progress = progress.map(|_| ProgressToken(id.clone()));
        if self.is_legacy() {
            let mut extra = options.meta.clone();
            extra.remove(meta::PROGRESS_TOKEN);
            #[cfg(feature = "otel")]
            crate::trace::otel::give(&mut extra);
            return legacy::encode_params(params, progress.as_ref(), &extra).map_err(unencodable);
        }
        let mut meta = RequestMeta::new(version.clone(), inner.capabilities.clone())
            .client_info(inner.info.clone());
        meta.log_level = options.log_level.or(inner.log_level);
        meta.progress_token = progress;
        for (key, value) in options
            .meta
            .iter()
            .filter(|(key, _)| !RESERVED.contains(key))
        {
            meta.extra.insert(key, value.clone());
        }
        #[cfg(feature = "otel")]
        crate::trace::otel::give(&mut meta.extra);
        modern::encode_params(params, &meta).map_err(unencodable)
    }

    /// Sends a request and waits for its raw result, no longer than the call allows; each
    /// sign of progress starts that time anew.
    async fn exchange(&self, outgoing: Outgoing, options: &Options) -> Result<Raw> {
        let method = outgoing.method.clone();
        let token = ProgressToken(outgoing.id.clone());
        let client = self.clone();
        let on_progress = options.on_progress.clone();
        let progressed = Arc::new(Notify::new());
        let inbound = self.answering(Inbound::new({
            let progressed = Arc::clone(&progressed);
            move |frame| {
                let progress = client.see(&frame, |notification| match notification {
                    ServerNotification::Progress(progress) if progress.progress_token == token => {
                        Some(progress.clone())
                    }
                    _ => None,
                });
                if let Some(progress) = progress
                    && let Some(on_progress) = &on_progress
                {
                    progressed.notify_one();
                    on_progress(progress);
                }
            }
        }));
        let mut answer = pin!(self.0.transport.request(outgoing, inbound));
        let Some(limit) = options.timeout.or(self.0.limits.timeout) else {
            return answer.await;
        };
        let mut asking = self.0.desk.asking.subscribe();
        loop {
            let is_asking = *asking.borrow_and_update() > 0;
            tokio::select! {
                biased;
                answer = &mut answer => return answer,
                () = progressed.notified() => {}
                // The time of people does not count, nor what was left before it.
                _ = asking.changed() => {}
                () = tokio::time::sleep(limit), if !is_asking => {
                    return Err(Error::timeout(method, limit));
                }
            }
        }
    }

    /// Shows a notification to the observer of the client; returns what `pick` takes of it.
    pub(super) fn see<T>(
        &self,
        frame: &NotificationFrame,
        pick: impl FnOnce(&ServerNotification) -> Option<T>,
    ) -> Option<T> {
        let params = frame.params.as_ref().map(Raw::get);
        let notification = match ServerNotification::decode(&frame.method, params) {
            Ok(notification) => notification,
            Err(error) => {
                tracing::debug!(method = frame.method, %error, "malformed notification ignored");
                return None;
            }
        };
        // Before anybody hears of a change: who does lists again.
        self.notice(&notification);
        let picked = pick(&notification);
        if let Some(see) = &self.0.on_notification {
            see(notification);
        }
        picked
    }

    /// Forgets what a notification says has changed.
    pub(super) fn notice(&self, notification: &ServerNotification) {
        self.0.cache.notice(notification);
        if let ServerNotification::ToolsListChanged(_) = notification {
            self.known_tools(KnownTools::changed);
        }
    }

    fn mirrored(&self, tool: &str, params: &Raw) -> Result<Vec<(String, String)>> {
        if self.is_legacy() {
            return Ok(Vec::new());
        }
        let Some(headers) = self.known_tools(|known| known.headers(tool).cloned()) else {
            return Ok(Vec::new());
        };
        let params: CallToolParams = params.parse()?;
        let arguments = params.arguments.as_ref().map(Arguments::get);
        let rendered = headers.render(arguments);
        Ok(rendered
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form of `map_err`")]
pub(super) fn unencodable(error: serde_json::Error) -> Error {
    Error::misuse(format!("cannot encode the params: {error}"))
}
