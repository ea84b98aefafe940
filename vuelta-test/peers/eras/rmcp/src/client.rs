//! A connected client of rmcp, with its user.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
    ClientRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData, Implementation,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RoleClient,
    RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::Notify;

use crate::Failure;
use crate::stories::GUEST;

/// Where a server is.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    Url(&'a str),
    Program(&'a str, &'a [&'a str]),
}

/// What the server has asked and told.
#[derive(Clone, Default)]
pub(crate) struct User(Arc<Heard>);

#[derive(Default)]
pub(crate) struct Heard {
    asked: Mutex<Vec<ElicitRequestParams>>,
    progress: Mutex<Vec<ProgressNotificationParam>>,
    pub(crate) progressed: Notify,
    pub(crate) tools_changed: Notify,
}

impl Heard {
    pub(crate) fn asked(&self) -> MutexGuard<'_, Vec<ElicitRequestParams>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn progress(&self) -> MutexGuard<'_, Vec<ProgressNotificationParam>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("eras-client", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let is_guest = matches!(
            &request,
            ElicitRequestParams::FormElicitationParams { message, .. } if message == GUEST
        );
        self.0.asked().push(request);
        Ok(if is_guest {
            ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" }))
        } else {
            ElicitResult::new(ElicitationAction::Decline)
        })
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.progress().push(params);
        self.0.progressed.notify_one();
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.tools_changed.notify_one();
    }
}

pub(crate) struct Session {
    pub(crate) service: RunningService<RoleClient, User>,
    pub(crate) heard: Arc<Heard>,
}

impl Session {
    pub(crate) async fn connect(target: Target<'_>, modern: bool) -> Result<Self, Failure> {
        let user = User::default();
        let heard = Arc::clone(&user.0);
        let lifecycle = if modern {
            ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let service = match target {
            Target::Url(url) => {
                let transport = StreamableHttpClientTransport::from_uri(url);
                user.serve_with_lifecycle(transport, lifecycle).await?
            }
            Target::Program(program, arguments) => {
                let mut command = Command::new(program);
                command.args(arguments);
                let transport = TokioChildProcess::new(command)?;
                user.serve_with_lifecycle(transport, lifecycle).await?
            }
        };
        Ok(Self { service, heard })
    }

    /// Calls a tool; questions are answered on the way.
    pub(crate) async fn call(
        &self,
        name: &'static str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        self.service.call_tool(params(name, arguments)).await
    }

    /// Begins to call a tool, whose updates are [`Heard`].
    pub(crate) async fn begin(
        &self,
        name: &'static str,
        arguments: Value,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let request = CallToolRequest::new(params(name, arguments));
        let request = ClientRequest::CallToolRequest(request);
        self.service
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
    }
}

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(name);
    match arguments {
        Value::Object(arguments) => params.with_arguments(arguments),
        _ => params,
    }
}
