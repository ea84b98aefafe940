//! The types of 2025-11-25.

use serde_json::{Value, json};
use vuelta::wire::legacy::*;
use vuelta::wire::methods::*;
use vuelta::wire::*;

use super::{Table, add_choices, add_envelopes, values};
use crate::row::legacy::*;
use crate::row::{Row, error, error_response, json_of, plain, reread};
use crate::values::{Sample, full, least};

const TASKS: &str = "tasks are an experimental feature of this revision, and not spoken here";

const EXCUSED: &[(&str, &str)] = &[
    ("CancelTaskRequest", TASKS),
    ("CancelTaskResult", TASKS),
    ("Elicitation1", TASKS),
    ("GetTaskPayloadRequest", TASKS),
    ("GetTaskPayloadResult", TASKS),
    ("GetTaskRequest", TASKS),
    ("GetTaskResult", TASKS),
    ("ListTasksRequest", TASKS),
    ("ListTasksResult", TASKS),
    ("Params", TASKS),
    ("Params2", TASKS),
    ("Params3", TASKS),
    ("Requests", TASKS),
    ("Requests1", TASKS),
    ("Sampling1", TASKS),
    ("Task", TASKS),
    ("TaskMetadata", TASKS),
    ("TaskStatus", TASKS),
    ("TaskStatusNotification", TASKS),
    ("TaskStatusNotificationParams", TASKS),
    ("Tasks", TASKS),
    ("Tasks1", TASKS),
    ("ToolExecution", TASKS),
    ("Tools", TASKS),
    ("InputSchema", "JSON Schema, raw here; a part of Tool"),
    ("OutputSchema", "JSON Schema, raw here; a part of Tool"),
    (
        "ClientResult",
        "answers are decoded by the question that was put; each arm has a row",
    ),
    (
        "ServerResult",
        "results are decoded by the method that was called; each arm has a row",
    ),
];

const UNWRITTEN: &[(&str, &str)] = &[("task", TASKS), ("tasks", TASKS), ("execution", TASKS)];

/// What only 2026-07-28 has.
const FOREIGN: &[&str] = &[
    "resultType",
    "ttlMs",
    "cacheScope",
    "inputRequests",
    "inputResponses",
    "requestState",
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
    meta::LOG_LEVEL,
    meta::SERVER_INFO,
    meta::SUBSCRIPTION_ID,
];

pub(super) fn table() -> Table {
    let mut rows = values();
    add_own_values(&mut rows);
    add_choices(&mut rows);
    add_tools(&mut rows);
    add_questions(&mut rows);
    add_answers(&mut rows);
    add_errors(&mut rows);
    add_envelopes(&mut rows, &write_custom(&Extra::new()));
    add_notifications(&mut rows);
    add_methods(&mut rows);
    add_open_results(&mut rows);
    Table {
        revision: REVISION,
        rows,
        excused: EXCUSED,
        unwritten: UNWRITTEN,
        foreign: FOREIGN,
    }
}

/// Types that are themselves the counterpart, only in this revision.
fn add_own_values(rows: &mut Vec<Row>) {
    let mut changing = least::<Declared>();
    changing.extra.insert("listChanged", json!(true));
    rows.extend([
        Row {
            kept: without_extensions,
            ..plain::<ClientCapabilities>("ClientCapabilities")
        },
        Row {
            kept: without_extensions,
            ..plain::<ServerCapabilities>("ServerCapabilities")
        },
        Row::new(
            "Roots",
            reread::<Declared>,
            [json_of(&least::<Declared>()), json_of(&changing)],
        ),
        plain::<ListCapability>("Tools1"),
        plain::<UrlElicitations>("Data"),
        plain::<ElicitationCompleteParams>("Params1"),
    ]);
    let metadata = written_params::<Ping>().into_iter().filter_map(|params| {
        let params: Extra = params.parse().expect("an object");
        Some(params.get("_meta")?.get().to_owned())
    });
    rows.push(Row::new("Meta", reread::<Meta>, metadata));
}

/// SEP-2133 puts extensions into the capabilities of every revision, which are no closed set.
fn without_extensions(mut value: Value) -> Value {
    if let Some(capabilities) = value.as_object_mut() {
        capabilities.remove("extensions");
    }
    for path in ["/capabilities", "/params/capabilities"] {
        let capabilities = value.pointer_mut(path).and_then(Value::as_object_mut);
        if let Some(capabilities) = capabilities {
            capabilities.remove("extensions");
        }
    }
    value
}

/// Tools, also with what only 2026-07-28 lets their schemas be.
fn tools() -> Vec<Tool> {
    let schema = json!({"type": "object", "properties": {"a": true, "b": false, "c": {}}});
    let mut tools = Tool::samples();
    tools.push(Tool::new("n", schema.clone()).output_schema(schema));
    tools.push(full::<Tool>().output_schema(json!({"type": "array"})));
    tools.push(full::<Tool>().output_schema(json!(true)));
    tools
}

fn add_tools(rows: &mut Vec<Row>) {
    let written = tools().into_iter();
    rows.push(Row {
        expected: object_properties,
        ..Row::new(
            "Tool",
            reread_tool,
            written.map(|tool| write_tool(tool).expect("encodes")),
        )
    });
}

fn sampling() -> Vec<CreateMessageParams> {
    let mut params = CreateMessageParams::samples();
    let result = ToolResultContent::new("i").structured_content(json!([1]));
    let message = SamplingMessage::new(Role::User, SamplingBlock::from(result));
    let mut odd = full::<CreateMessageParams>().tools(tools());
    odd.messages.push(message);
    params.push(odd);
    params
}

fn forms() -> Vec<ElicitForm> {
    let mut forms = ElicitForm::samples();
    forms.extend(marked(forms.clone(), |form| &mut form.extra));
    forms
}

fn urls() -> Vec<ElicitUrl> {
    let mut urls = ElicitUrl::samples();
    urls.push(full::<ElicitUrl>().elicitation_id("e"));
    urls.extend(marked(urls.clone(), |url| &mut url.extra));
    urls
}

/// Puts metadata beside the members of values that have none of their own at 2026-07-28.
fn marked<T>(values: Vec<T>, extra: fn(&mut T) -> &mut Extra) -> impl Iterator<Item = T> {
    values.into_iter().map(move |mut value| {
        extra(&mut value).insert(
            "_meta",
            json!({"com.example/extra": [1], "progressToken": 1}),
        );
        value
    })
}

/// The requests of the server.
fn add_questions(rows: &mut Vec<Row>) {
    let mut sampling = sampling();
    sampling.extend(marked(sampling.clone(), |params| &mut params.extra));
    let forms = forms();
    let urls = urls();
    let elicitations: Vec<InputRequest> = forms
        .iter()
        .cloned()
        .map(InputRequest::from)
        .chain(urls.iter().cloned().map(InputRequest::from))
        .collect();
    rows.push(question_params(
        "ElicitRequestFormParams",
        reread_elicitation,
        forms,
    ));
    rows.push(question_params(
        "ElicitRequestURLParams",
        reread_elicitation,
        urls,
    ));
    rows.push(question_params(
        "ElicitRequestParams",
        reread_elicitation,
        elicitations.clone(),
    ));
    rows.push(questions("ElicitRequest", &elicitations));

    let mut row = question_params(
        "CreateMessageRequestParams",
        reread_sampling,
        sampling.clone(),
    );
    row.expected = object_properties;
    rows.push(row);
    let sampling: Vec<InputRequest> = sampling.into_iter().map(InputRequest::from).collect();
    let mut row = questions("CreateMessageRequest", &sampling);
    row.expected = object_properties;
    rows.push(row);

    let roots = ListRootsParams::samples().into_iter();
    let roots: Vec<InputRequest> = roots.map(InputRequest::from).collect();
    rows.push(questions("ListRootsRequest", &roots));

    let all: Vec<_> = [elicitations, sampling, roots].concat();
    let mut row = questions("ServerRequest", &all);
    row.written.extend(requests::<Ping>());
    row.expected = object_properties;
    row.is_spoken = is_no_task;
    rows.push(row);
}

/// Messages about tasks; and a cancellation that names no request is for a task.
fn is_no_task(message: &Value) -> bool {
    let method = message["method"].as_str().unwrap_or_default();
    let is_nameless =
        method == "notifications/cancelled" && message["params"]["requestId"].is_null();
    !is_nameless && !method.starts_with("tasks/") && method != "notifications/tasks/status"
}

/// What the client answers.
fn add_answers(rows: &mut Vec<Row>) {
    let mut elicited = ElicitResult::samples();
    elicited.extend(marked(elicited.clone(), |answer| &mut answer.extra));
    let mut roots = ListRootsResult::samples();
    roots.extend(marked(roots.clone(), |answer| &mut answer.extra));
    let mut sampled = CreateMessageResult::samples();
    let odd = ToolResultContent::new("i").structured_content(json!(null));
    sampled.push(CreateMessageResult::new(
        Role::User,
        SamplingBlock::from(odd),
        "m",
    ));
    rows.push(answer(
        "ElicitResult",
        reread::<ElicitResult>,
        &elicited,
        &least::<ElicitParams>().into(),
    ));
    rows.push(answer(
        "ListRootsResult",
        reread::<ListRootsResult>,
        &roots,
        &least::<ListRootsParams>().into(),
    ));
    rows.push(answer(
        "CreateMessageResult",
        reread_sampled,
        &sampled,
        &least::<CreateMessageParams>().into(),
    ));
}

/// Errors and the responses that carry them.
fn add_errors(rows: &mut Vec<Row>) {
    const REQUIRED: ErrorCode = ErrorCode::URL_ELICITATION_REQUIRED;
    let data = || Some(serde_json::to_value(full::<UrlElicitations>()).expect("encodes"));
    rows.extend([
        error("Error", ErrorCode(-32000), None),
        error("Error1", REQUIRED, data()),
        Row {
            reread: reread_error,
            ..error_response("URLElicitationRequiredError", REQUIRED, data())
        },
        Row {
            reread: reread_error,
            ..error_response("JSONRPCErrorResponse", ErrorCode(1), None)
        },
    ]);
}

/// The params of notifications.
fn add_told(rows: &mut Vec<Row>) {
    macro_rules! params {
        ($($name:literal => $variant:ident;)+) => {
            rows.extend([$( told(
                $name,
                |json| write_told_params(ServerNotification::$variant(decode(json)?)),
                ServerNotification::$variant,
            ) ),+]);
        };
    }
    params! {
        "LoggingMessageNotificationParams" => Message;
        "NotificationParams" => ToolsListChanged;
        "ProgressNotificationParams" => Progress;
        "ResourceUpdatedNotificationParams" => ResourceUpdated;
    }
    rows.push(Row {
        is_spoken: |params| !params["requestId"].is_null(),
        ..told(
            "CancelledNotificationParams",
            |json| write_told_params(ServerNotification::Cancelled(decode(json)?)),
            ServerNotification::Cancelled,
        )
    });
}

const CANCELLED: &str = "notifications/cancelled";
const PROGRESS: &str = "notifications/progress";

/// The notifications that both revisions have.
const TOLD: [(&str, &str); 7] = [
    ("CancelledNotification", CANCELLED),
    ("LoggingMessageNotification", "notifications/message"),
    ("ProgressNotification", PROGRESS),
    (
        "PromptListChangedNotification",
        "notifications/prompts/list_changed",
    ),
    (
        "ResourceListChangedNotification",
        "notifications/resources/list_changed",
    ),
    (
        "ResourceUpdatedNotification",
        "notifications/resources/updated",
    ),
    (
        "ToolListChangedNotification",
        "notifications/tools/list_changed",
    ),
];

fn add_notifications(rows: &mut Vec<Row>) {
    add_told(rows);
    let of = |methods: &[&str]| -> Vec<String> {
        let samples = ServerNotification::samples().into_iter();
        let chosen = samples.filter(|told| methods.contains(&told.method()));
        chosen.map(write_told).collect()
    };
    let mut marked = Meta::new();
    marked.insert("com.example/extra", json!([1]));
    let params = [
        ListChangedParams::new(),
        ListChangedParams::new().meta(marked),
    ];
    let initialized = write_own(INITIALIZED, &params);
    let roots_changed = write_own(ROOTS_CHANGED, &params);
    let complete = write_own(ELICITATION_COMPLETE, &ElicitationCompleteParams::samples());

    let mut notifications: Vec<_> = TOLD
        .iter()
        .map(|(name, method)| (*name, of(&[method])))
        .collect();
    let server = of(&TOLD.map(|(_, method)| method));
    let client = of(&[CANCELLED, PROGRESS]);
    notifications.extend([
        ("ServerNotification", [server, complete.clone()].concat()),
        (
            "ClientNotification",
            [client, initialized.clone(), roots_changed.clone()].concat(),
        ),
        ("ElicitationCompleteNotification", complete),
        ("InitializedNotification", initialized),
        ("RootsListChangedNotification", roots_changed),
    ]);
    rows.extend(notifications.into_iter().map(|(name, written)| Row {
        is_spoken: is_no_task,
        ..Row::new(name, reread_told, written)
    }));
}

/// The params, requests and results of every method.
fn add_methods(rows: &mut Vec<Row>) {
    rows.push(params::<Ping>("RequestParams"));
    rows.push(params::<ListTools>("PaginatedRequestParams"));
    rows.push(params::<CallTool>("CallToolRequestParams"));
    rows.push(params::<GetPrompt>("GetPromptRequestParams"));
    rows.push(params::<ReadResource>("ReadResourceRequestParams"));
    rows.push(params::<Complete>("CompleteRequestParams"));
    rows.push(params::<SetLevel>("SetLevelRequestParams"));
    rows.push(params::<Subscribe>("SubscribeRequestParams"));
    rows.push(params::<Unsubscribe>("UnsubscribeRequestParams"));
    let mut initialize = params::<Initialize>("InitializeRequestParams");
    initialize.kept = without_extensions;
    rows.push(initialize);

    let mut all = Vec::new();
    macro_rules! requests {
        ($($method:ident),+) => {$(
            all.extend(requests::<$method>());
            rows.push(Row {
                kept: without_extensions,
                ..request::<$method>(concat!(stringify!($method), "Request"))
            });
        )+};
    }
    requests!(
        CallTool,
        Complete,
        GetPrompt,
        Initialize,
        ListPrompts,
        ListResources,
        ListResourceTemplates,
        ListTools,
        Ping,
        ReadResource,
        SetLevel,
        Subscribe,
        Unsubscribe
    );
    rows.push(Row {
        kept: without_extensions,
        is_spoken: is_no_task,
        ..Row::new("ClientRequest", reread_request, all)
    });

    rows.extend([
        result::<Complete>("CompleteResult"),
        result::<GetPrompt>("GetPromptResult"),
        result::<ListPrompts>("ListPromptsResult"),
        result::<ListResources>("ListResourcesResult"),
        result::<ListResourceTemplates>("ListResourceTemplatesResult"),
        result::<ReadResource>("ReadResourceResult"),
    ]);
    let mut initialized = result::<Initialize>("InitializeResult");
    initialized.kept = without_extensions;
    rows.push(initialized);
    let mut called = result::<CallTool>("CallToolResult");
    called.written.extend(results(vec![
        CallToolResult::new().structured_content(json!([1])),
        CallToolResult::text("t").structured_content(json!(null)),
    ]));
    rows.push(called);
    let mut listed = result::<ListTools>("ListToolsResult");
    listed
        .written
        .extend(results(vec![ListToolsResult::new(tools())]));
    listed.expected = object_properties;
    rows.push(listed);
}

/// Results that hold nothing, or what their method defines.
fn add_open_results(rows: &mut Vec<Row>) {
    let mut open = Extra::new();
    open.insert("com.example/member", json!([1]));
    open.insert(
        "_meta",
        json!({"com.example/extra": 1, meta::SERVER_INFO: 1}),
    );
    open.insert("resultType", "complete");
    open.insert("ttlMs", json!(1));
    let written = [Extra::new(), open].map(|result| write_custom(&result).get().to_owned());
    let custom = |json: &str| Ok(write_custom(&decode_result(json)?).get().to_owned());
    let mut row = result::<Ping>("EmptyResult");
    row.written.extend(written.clone());
    rows.push(row);
    rows.push(Row::new("Result", custom, written));
}
