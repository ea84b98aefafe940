//! The fixture of the eras as a server of rmcp.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, ErrorData, Implementation, InputRequest,
    InputRequests, InputRequiredResult, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{ElicitationError, RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    Json, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool, tool_handler,
    tool_router,
};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use crate::Failure;
use crate::tickets::Tickets;

pub(crate) async fn serve_stdio() -> Result<(), Failure> {
    let service = Eras::new().serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}

pub(crate) async fn serve_http() -> Result<(), Failure> {
    let server = Eras::new();
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let served = axum::serve(listener, axum::Router::new().nest_service("/mcp", service));
    let input =
        tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    tokio::select! {
        served = async { served.await } => Ok(served?),
        // Whatever ends the reading ends the server.
        _ = input => Ok(()),
    }
}

#[derive(Clone)]
struct Eras {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
    tickets: Tickets,
    changes: broadcast::Sender<()>,
    /// For those who are about to listen.
    heard: Arc<Mutex<VecDeque<broadcast::Receiver<()>>>>,
}

impl Eras {
    fn new() -> Self {
        Self {
            tool_router: Self::tool_router(),
            prompt_router: Self::prompt_router(),
            tickets: Tickets::default(),
            changes: broadcast::Sender::new(16),
            heard: Arc::default(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Summands {
    a: i32,
    b: i32,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i32,
}

#[derive(Deserialize, JsonSchema)]
struct Greeted {
    whom: Whom,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Whom {
    Guest,
    Ghost,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

rmcp::elicit_safe!(Name);

#[derive(Deserialize, JsonSchema)]
struct Ticket {
    ticket: String,
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    topic: String,
}

fn text(value: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(value)])
}

/// Reports to whoever asked for it.
async fn report(
    context: &RequestContext<RoleServer>,
    progress: impl FnOnce(ProgressNotificationParam) -> ProgressNotificationParam,
) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else {
        return Ok(());
    };
    let update = progress(ProgressNotificationParam::new(token, 1.0));
    let sent = context.peer.notify_progress(update).await;
    sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

#[tool_router]
impl Eras {
    #[tool(description = "Adds two numbers.")]
    fn add(&self, Parameters(Summands { a, b }): Parameters<Summands>) -> Json<Sum> {
        Json(Sum {
            sum: a.saturating_add(b),
        })
    }

    #[tool(description = "Asks for a name, and greets who has it.")]
    async fn greet(
        &self,
        Parameters(Greeted { whom }): Parameters<Greeted>,
        InputResponses(responses): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let message = match whom {
            Whom::Guest => "What is the name of the guest?",
            Whom::Ghost => "What is the name of the ghost?",
        };
        // Each era asks in its own way.
        if context.protocol_version() != Some(ProtocolVersion::V_2026_07_28) {
            let said = match context.peer.elicit::<Name>(message).await {
                Ok(Some(Name { name })) => format!("Hello, {name}!"),
                Ok(None) | Err(ElicitationError::NoContent | ElicitationError::UserDeclined) => {
                    "Nobody to greet: decline.".to_owned()
                }
                Err(ElicitationError::UserCancelled) => "Nobody to greet: cancel.".to_owned(),
                Err(error) => return Err(ErrorData::internal_error(error.to_string(), None)),
            };
            return Ok(text(said).into());
        }
        let answer = responses.and_then(|mut responses| responses.remove("name"));
        let Some(answer) = answer else {
            let requested_schema = ElicitationSchema::from_type::<Name>()
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let params = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: message.to_owned(),
                requested_schema,
            };
            let mut questions = InputRequests::new();
            let question = InputRequest::Elicitation(ElicitRequest::new(params));
            questions.insert("name".to_owned(), question);
            return Ok(InputRequiredResult::new(Some(questions), None).into());
        };
        let unusable =
            |error: serde_json::Error| ErrorData::invalid_params(error.to_string(), None);
        let answer: ElicitResult = serde_json::from_value(answer).map_err(unusable)?;
        let said = match answer.action {
            ElicitationAction::Accept => {
                let content = answer.content.unwrap_or_default();
                let Name { name } = serde_json::from_value(content).map_err(unusable)?;
                format!("Hello, {name}!")
            }
            ElicitationAction::Decline => "Nobody to greet: decline.".to_owned(),
            _ => "Nobody to greet: cancel.".to_owned(),
        };
        Ok(text(said).into())
    }

    #[tool(description = "Counts to three, aloud, and waits until it may end.")]
    async fn count(
        &self,
        Parameters(Ticket { ticket }): Parameters<Ticket>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        for done in 1..=3 {
            report(&context, |mut update| {
                update.progress = f64::from(done);
                update.with_total(3.0).with_message(format!("{done} of 3"))
            })
            .await?;
        }
        self.tickets.may_proceed(&ticket).await;
        Ok(text("counted"))
    }

    #[tool(description = "Lets a call of `count` end.")]
    fn proceed(&self, Parameters(Ticket { ticket }): Parameters<Ticket>) -> CallToolResult {
        self.tickets.proceed(&ticket);
        text("proceeding")
    }

    #[tool(description = "Works until it is cancelled.")]
    async fn slow(
        &self,
        Parameters(Ticket { ticket }): Parameters<Ticket>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let end = self.tickets.work(&ticket);
        report(&context, |update| update).await?;
        context.ct.cancelled().await;
        end.send_replace(true);
        Ok(text("never"))
    }

    #[tool(description = "Tells what became of a call of `slow`.")]
    async fn was_cancelled(
        &self,
        Parameters(Ticket { ticket }): Parameters<Ticket>,
    ) -> CallToolResult {
        text(self.tickets.was_cancelled(&ticket).await)
    }

    #[tool(description = "Fails.")]
    fn fail(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("out of paper")])
    }

    #[tool(description = "Says that there are other tools now.")]
    async fn change(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if context.protocol_version() == Some(ProtocolVersion::V_2026_07_28) {
            // Nobody may listen.
            let _ = self.changes.send(());
        } else {
            let told = context.peer.notify_tool_list_changed().await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok(text("changed"))
    }
}

#[prompt_router]
impl Eras {
    #[prompt(description = "Asks for a brief.")]
    async fn brief(&self, Parameters(Topic { topic }): Parameters<Topic>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(
            Role::User,
            format!("Write a brief about {topic}."),
        )]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Eras {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("eras", "1.0.0"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let note = Resource::new("mem://note", "note");
        Ok(ListResourcesResult::with_all_items(vec![note]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let greeting = ResourceTemplate::new("mem://greeting/{name}", "greeting");
        Ok(ListResourceTemplatesResult::with_all_items(vec![greeting]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let text = match uri.strip_prefix("mem://greeting/") {
            Some(name) => format!("Hello, {name}!"),
            None if uri == "mem://note" => "A note.".to_owned(),
            None => return Err(ErrorData::resource_not_found("no such resource", None)),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]).into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // The acknowledgment goes out between this and `listen`: from it on, no change is lost.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push_back(self.changes.subscribe());
        drop(heard);
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard
                .pop_front()
                .unwrap_or_else(|| self.changes.subscribe())
        };
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => {
                    if change.is_err() {
                        return Ok(());
                    }
                    let told = context.sink().notify_tool_list_changed().await;
                    told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                }
            }
        }
    }
}
