//! A server with a tool for each thing that a call can meet, behind a URL and on a socket.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, mpsc};
use std::thread::JoinHandle;
use std::{env, future, process, thread};

use serde::Deserialize;
use serde_json::json;
use tokio::sync::oneshot;
use vuelta::transport::StreamServer;
use vuelta::wire::{EnumOption, MultiSelectSchema, PlainItems, TitledSingleSelectSchema};
use vuelta::{
    BlobResourceContents, BooleanSchema, CallToolParams, CallToolResult, ContentBlock, Context,
    CreateMessageParams, ElicitAction, ElicitForm, ElicitResult, ElicitUrl, Error, FormSchema,
    GetPromptParams, GetPromptResult, ImageContent, InputRequired, ListPromptsResult,
    ListResourcesResult, ListRootsParams, ListRootsResult, ListToolsResult, NumberSchema, Outcome,
    PaginatedParams, Prompt, PromptArgument, PromptMessage, Raw, ReadResourceParams,
    ReadResourceResult, Resource, ResourceContents, Result, Role, SamplingMessage, Server,
    StringSchema, Tool,
};
use vuelta_http::Listener;

/// Returns the URL of the server, which runs as long as the tests.
pub(crate) fn url() -> &'static str {
    static URL: LazyLock<String> = LazyLock::new(|| {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = Listener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.url()).unwrap();
                listener.serve(server(), future::pending()).await.unwrap();
            });
        });
        told.recv().unwrap()
    });
    &URL
}

/// The server on a socket, until this is dropped.
pub(crate) struct Socket {
    target: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves on a socket of its own.
pub(crate) fn socket() -> Socket {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("vuelta-cli-{}-{number}.sock", process::id()));
    let (stop, stopped) = oneshot::channel();
    let (tell, told) = mpsc::channel();
    let thread = thread::spawn({
        let path = path.clone();
        move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = vuelta::unix::Listener::bind(path).unwrap();
                tell.send(()).unwrap();
                let options = StreamServer::new(server()).unwrap();
                let stopped = async { drop(stopped.await) };
                listener.serve(options, stopped).await.unwrap();
            });
        }
    });
    told.recv().unwrap();
    Socket {
        target: format!("unix:{}", path.display()),
        stop: Some(stop),
        thread: Some(thread),
    }
}

impl Socket {
    /// Returns the server as it is typed.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

fn server() -> Server {
    Server::builder("Test", "1.0.0")
        .on_list_tools(list_tools)
        .on_call_tool(call_tool)
        .on_list_prompts(list_prompts)
        .on_get_prompt(get_prompt)
        .on_list_resources(list_resources)
        .on_read_resource(read_resource)
        .legacy_bridge(true)
        .build()
        .unwrap()
}

async fn list_prompts(_: Context, _: PaginatedParams) -> Result<ListPromptsResult> {
    let arguments = [
        PromptArgument::new("who").required(true),
        PromptArgument::new("style"),
    ];
    let greet = Prompt::new("greet")
        .arguments(arguments)
        .description("Greets somebody.");
    Ok(ListPromptsResult::new([greet]))
}

/// Asks in which style to greet, if it is not told.
async fn get_prompt(cx: Context, params: GetPromptParams) -> Result<Outcome<GetPromptResult>> {
    if params.name != "greet" {
        return Err(Error::unknown_prompt(&params.name));
    }
    let arguments = params.arguments.unwrap_or_default();
    let who = arguments.get("who").map_or("nobody", String::as_str);
    let style = match cx.answers().parse::<ElicitResult>("style")? {
        Some(answer) => answer.accepted::<Style>()?.map(|Style { style }| style),
        None => arguments.get("style").cloned(),
    };
    let Some(style) = style else {
        let form = FormSchema::new().required("style", StringSchema::new());
        let ask = ElicitForm::new("In which style?", form);
        return Ok(InputRequired::new().ask("style", ask).into());
    };
    let image = ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
    Ok(GetPromptResult::new([
        PromptMessage::user(format!("Greet {who}.\nBe {style}.")),
        PromptMessage::assistant("Hello!"),
        PromptMessage::new(Role::User, image),
    ])
    .into())
}

#[derive(Deserialize)]
struct Style {
    style: String,
}

async fn list_resources(_: Context, _: PaginatedParams) -> Result<ListResourcesResult> {
    Ok(ListResourcesResult::new([
        Resource::new("file:///readme", "readme").mime_type("text/plain"),
        Resource::new("file:///logo", "logo").description("A picture."),
    ]))
}

async fn read_resource(
    _: Context,
    params: ReadResourceParams,
) -> Result<Outcome<ReadResourceResult>> {
    let uri = params.uri;
    let contents = match uri.as_str() {
        "file:///readme" => ResourceContents::text(&uri, "Read\nme."),
        "file:///logo" => {
            ResourceContents::Blob(BlobResourceContents::new(&uri, "AAAA").mime_type("image/png"))
        }
        _ => return Err(Error::unknown_resource(&uri)),
    };
    Ok(ReadResourceResult::new([contents]).into())
}

/// Two pages; `hidden` is on none.
async fn list_tools(_: Context, page: PaginatedParams) -> Result<ListToolsResult> {
    let tool = |name: &str| Tool::new(name, json!({ "type": "object" }));
    if page.cursor.is_none() {
        return Ok(ListToolsResult::new([tool("echo"), tool("fail")]).next_cursor("2"));
    }
    let integers = json!({ "a": { "type": "integer" }, "b": { "type": "integer" } });
    let add = Tool::new("add", json!({ "type": "object", "properties": integers }));
    Ok(ListToolsResult::new([add]))
}

async fn call_tool(cx: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>> {
    match params.name.as_str() {
        "add" => add(params),
        "echo" | "hidden" => {
            let arguments = params.arguments.unwrap_or_default();
            Ok(CallToolResult::text(arguments.get()).into())
        }
        "fail" => Ok(CallToolResult::error("no disk\nleft").into()),
        "picture" => Ok(CallToolResult::new()
            .content([ContentBlock::Image(ImageContent::new("AAAA", "image/png"))])
            .into()),
        "header" => {
            let header = cx.headers().and_then(|headers| headers.get("x-key"));
            let value = header.map_or("none", |value| value.to_str().unwrap());
            Ok(CallToolResult::text(value).into())
        }
        "never" => future::pending().await,
        "wait" => Ok(wait(&cx)),
        "contact" => contact(&cx),
        "steps" => steps(&cx),
        "moody" => moody(&cx),
        "sign_in" => sign_in(&cx),
        "sign_in_first" => sign_in_first(&params),
        "pair" => pair(&cx),
        "roots" => roots(&cx),
        "sample" => {
            let ask = CreateMessageParams::new([SamplingMessage::user("?")], 16_u64);
            Ok(InputRequired::new().ask("model", ask).into())
        }
        unknown => Err(Error::unknown_tool(unknown)),
    }
}

fn add(params: CallToolParams) -> Result<Outcome<CallToolResult>> {
    #[derive(Deserialize)]
    struct Summands {
        a: i64,
        b: i64,
    }
    let Summands { a, b } = params.arguments.unwrap_or_default().parse()?;
    let sum = a + b;
    Ok(CallToolResult::text(sum.to_string())
        .structured_content(json!({ "sum": sum }))
        .into())
}

/// Asks nothing twice: the client is to come back.
fn wait(cx: &Context) -> Outcome<CallToolResult> {
    match cx.state() {
        None => InputRequired::new().state("1").into(),
        Some("1") => InputRequired::new().state("2").into(),
        Some(_) => CallToolResult::text("waited").into(),
    }
}

/// A form with a field of each kind; gives back what was answered.
fn contact(cx: &Context) -> Result<Outcome<CallToolResult>> {
    if let Some(answer) = cx.answers().get("contact") {
        return Ok(CallToolResult::text(answer.get()).into());
    }
    let plans = TitledSingleSelectSchema::new([
        EnumOption::new("s", "Small"),
        EnumOption::new("l", "Large"),
    ]);
    let days = MultiSelectSchema::new(PlainItems::new(["mon", "tue", "wed"].map(str::to_owned)));
    let form = FormSchema::new()
        .required(
            "name",
            StringSchema::new().title("Your name").min_length(2_u64),
        )
        .required("age", NumberSchema::integer().minimum(18))
        .optional("news", BooleanSchema::new().default(true))
        .required("plan", plans.description("What you pay for").default("s"))
        .optional("days", days.min_items(1_u64));
    Ok(InputRequired::new()
        .ask("contact", ElicitForm::new("Who are you?", form))
        .into())
}

/// Asks `first`, then `second`; the state holds the first answer.
fn steps(cx: &Context) -> Result<Outcome<CallToolResult>> {
    #[derive(Deserialize)]
    struct Value {
        value: String,
    }
    let ask = |key: &str| {
        let form = FormSchema::new().required("value", StringSchema::new());
        InputRequired::new().ask(key, ElicitForm::new(format!("The {key}?"), form))
    };
    let answer = |key: &str| -> Result<Option<String>> {
        let answer: Option<ElicitResult> = cx.answers().parse(key)?;
        let value = answer
            .map(|answer| answer.accepted::<Value>())
            .transpose()?;
        Ok(value.flatten().map(|Value { value }| value))
    };
    Ok(match (cx.state(), answer("first")?, answer("second")?) {
        (Some(first), _, Some(second)) => CallToolResult::text(format!("{first},{second}")).into(),
        (None, Some(first), _) => ask("second").state(first).into(),
        (None, None, _) => ask("first").into(),
        (Some(first), _, None) => ask("second").state(first).into(),
    })
}

/// Asks in other words each time, and is never content.
fn moody(cx: &Context) -> Result<Outcome<CallToolResult>> {
    let round = cx.state().unwrap_or_default().len();
    let form = FormSchema::new().required("mood", StringSchema::new());
    let ask = ElicitForm::new(format!("And how about now, after {round}?"), form);
    Ok(InputRequired::new()
        .ask("mood", ask)
        .state("*".repeat(round + 1))
        .into())
}

/// Asks to sign in until it was accepted.
fn sign_in(cx: &Context) -> Result<Outcome<CallToolResult>> {
    match cx.answers().parse::<ElicitResult>("auth")? {
        Some(answer) if answer.action == ElicitAction::Accept => {
            Ok(CallToolResult::text("signed in").into())
        }
        _ => {
            let url = ElicitUrl::new("Sign in", "https://example.com/sign-in");
            Ok(InputRequired::new().ask("auth", url).into())
        }
    }
}

/// Wants a URL visited before the first request with these arguments is served.
fn sign_in_first(params: &CallToolParams) -> Result<Outcome<CallToolResult>> {
    static TOLD: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let arguments = params.arguments.clone().unwrap_or_default();
    if TOLD.lock().unwrap().insert(arguments.get().to_owned()) {
        let mut url = ElicitUrl::new("Sign in", "https://example.com/first");
        url.extra.insert("elicitationId", Raw::from("1"));
        return Err(Error::url_elicitation_required([url]));
    }
    Ok(CallToolResult::text("signed in").into())
}

/// Asks two things at once.
fn pair(cx: &Context) -> Result<Outcome<CallToolResult>> {
    let ask = |key: &str| {
        let form = FormSchema::new().required("value", StringSchema::new());
        ElicitForm::new(format!("The {key}?"), form)
    };
    match (cx.answers().get("left"), cx.answers().get("right")) {
        (Some(left), Some(right)) => {
            let text = format!("{} {}", left.get(), right.get());
            Ok(CallToolResult::text(text).into())
        }
        _ => Ok(InputRequired::new()
            .ask("left", ask("left"))
            .ask("right", ask("right"))
            .into()),
    }
}

fn roots(cx: &Context) -> Result<Outcome<CallToolResult>> {
    Ok(match cx.answers().parse::<ListRootsResult>("roots")? {
        Some(result) => {
            let uris: Vec<String> = result.roots.into_iter().map(|root| root.uri).collect();
            CallToolResult::text(uris.join(" ")).into()
        }
        None => InputRequired::new()
            .ask("roots", ListRootsParams::new())
            .into(),
    })
}
