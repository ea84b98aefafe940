//! The tools: one table, which is both the list and the way to each of them.

use std::pin::Pin;

use serde::Deserialize;
use serde_json::{Value, json};
use vuelta::wire::TextResourceContents;
use vuelta::{
    Arguments, CallToolParams, CallToolResult, ContentBlock, Context, CreateMessageParams,
    EmbeddedResource, Error, InputRequired, ListToolsResult, LoggingLevel, Outcome,
    PaginatedParams, ProgressUpdate, Result, SamplingMessage, Tool,
};

use crate::{rounds, samples};

type Called = Result<Outcome<CallToolResult>>;
type Running = Pin<Box<dyn Future<Output = Called> + Send>>;

/// What the list says of a tool, and what calling it does.
struct Entry {
    name: &'static str,
    description: &'static str,
    schema: fn() -> Value,
    call: fn(Context, Arguments) -> Running,
}

/// The suite probes with the first tool and without arguments: it must succeed.
const TOOLS: &[Entry] = &[
    Entry {
        name: "test_simple_text",
        description: "Answers with text.",
        schema: no_arguments,
        call: |_, _| complete(simple_text()),
    },
    Entry {
        name: "test_image_content",
        description: "Answers with a picture.",
        schema: no_arguments,
        call: |_, _| complete(CallToolResult::new().content([samples::image().into()])),
    },
    Entry {
        name: "test_audio_content",
        description: "Answers with a sound.",
        schema: no_arguments,
        call: |_, _| complete(CallToolResult::new().content([samples::audio().into()])),
    },
    Entry {
        name: "test_embedded_resource",
        description: "Answers with a resource's contents.",
        schema: no_arguments,
        call: |_, _| complete(embedded_resource()),
    },
    Entry {
        name: "test_multiple_content_types",
        description: "Answers with text, a picture and a resource's contents.",
        schema: no_arguments,
        call: |_, _| complete(multiple_content_types()),
    },
    Entry {
        name: "test_error_handling",
        description: "Always fails, as a tool does.",
        schema: no_arguments,
        call: |_, _| {
            let reason = "This tool intentionally returns an error for testing";
            complete(CallToolResult::error(reason))
        },
    },
    Entry {
        name: "test_tool_with_progress",
        description: "Tells its progress three times.",
        schema: no_arguments,
        call: |cx, _| Box::pin(with_progress(cx)),
    },
    Entry {
        name: "test_logging_tool",
        description: "Logs to whom asked for it.",
        schema: no_arguments,
        call: |cx, _| Box::pin(with_logging(cx)),
    },
    Entry {
        name: "test_missing_capability",
        description: "Needs a client that samples.",
        schema: no_arguments,
        call: |cx, _| ready(missing_capability(&cx)),
    },
    Entry {
        name: "test_streaming_elicitation",
        description: "Tells its progress, then asks.",
        schema: no_arguments,
        call: |cx, _| Box::pin(streaming_elicitation(cx)),
    },
    Entry {
        name: "test_x_mcp_header",
        description: "Repeats a region that is mirrored in a header.",
        schema: region_in_header,
        call: |_, arguments| ready(x_mcp_header(&arguments)),
    },
    Entry {
        name: "json_schema_2020_12_tool",
        description: "Shows that keywords of JSON Schema 2020-12 are kept.",
        schema: contact_schema,
        call: |_, arguments| complete(CallToolResult::text(arguments.get())),
    },
    Entry {
        name: "test_input_required_result_elicitation",
        description: "Asks for a name.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::elicitation(&cx)),
    },
    Entry {
        name: "test_input_required_result_sampling",
        description: "Asks the client's model.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::sampling(&cx)),
    },
    Entry {
        name: "test_input_required_result_list_roots",
        description: "Asks for the client's roots.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::list_roots(&cx)),
    },
    Entry {
        name: "test_input_required_result_request_state",
        description: "Asks for a confirmation, with state.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::request_state(&cx)),
    },
    Entry {
        name: "test_input_required_result_multiple_inputs",
        description: "Asks three kinds of questions in one round.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::multiple_inputs(&cx)),
    },
    Entry {
        name: "test_input_required_result_multi_round",
        description: "Asks one question after the other.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::multi_round(&cx)),
    },
    Entry {
        name: "test_input_required_result_tampered_state",
        description: "Asks for a confirmation; its state must come back as it was.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::request_state(&cx)),
    },
    Entry {
        name: "test_input_required_result_capabilities",
        description: "Asks only what the client can answer.",
        schema: no_arguments,
        call: |cx, _| ready(rounds::capabilities(&cx)),
    },
];

pub(crate) async fn list(_: Context, _: PaginatedParams) -> Result<ListToolsResult> {
    let tools = TOOLS
        .iter()
        .map(|entry| Tool::new(entry.name, (entry.schema)()).description(entry.description));
    Ok(ListToolsResult::new(tools.collect::<Vec<_>>()))
}

pub(crate) async fn call(cx: Context, params: CallToolParams) -> Called {
    let entry = TOOLS
        .iter()
        .find(|entry| entry.name == params.name)
        .ok_or_else(|| Error::unknown_tool(&params.name))?;
    (entry.call)(cx, params.arguments.unwrap_or_default()).await
}

fn ready(called: Called) -> Running {
    Box::pin(std::future::ready(called))
}

fn complete(result: CallToolResult) -> Running {
    ready(Ok(result.into()))
}

fn simple_text() -> CallToolResult {
    CallToolResult::text("This is a simple text response for testing.")
}

fn embedded_resource() -> CallToolResult {
    let text = "This is an embedded resource content.";
    let contents =
        TextResourceContents::new("test://embedded-resource", text).mime_type("text/plain");
    CallToolResult::new().content([EmbeddedResource::new(contents).into()])
}

fn multiple_content_types() -> CallToolResult {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    let contents = TextResourceContents::new("test://mixed-content-resource", data)
        .mime_type("application/json");
    CallToolResult::new().content([
        ContentBlock::text("Multiple content types test:"),
        samples::image().into(),
        EmbeddedResource::new(contents).into(),
    ])
}

async fn with_progress(cx: Context) -> Called {
    for progress in [0, 50, 100] {
        cx.report(ProgressUpdate::new(progress).total(100)).await?;
    }
    Ok(CallToolResult::text("Tool execution completed").into())
}

async fn with_logging(cx: Context) -> Called {
    for step in ["started", "processing data", "completed"] {
        cx.log(
            LoggingLevel::Info,
            format!("Tool execution {step}").as_str(),
        )
        .await?;
    }
    Ok(CallToolResult::text("Tool execution completed").into())
}

/// Asks what the client may not have declared: the server refuses to send it then.
fn missing_capability(cx: &Context) -> Called {
    if cx.answers().get("sampled").is_some() {
        return Ok(CallToolResult::text("The client sampled.").into());
    }
    let sample = CreateMessageParams::new([SamplingMessage::user("Say anything.")], 16_u64);
    Ok(InputRequired::new().ask("sampled", sample).into())
}

async fn streaming_elicitation(cx: Context) -> Called {
    cx.progress(1).await?;
    rounds::elicitation(&cx)
}

fn x_mcp_header(arguments: &Arguments) -> Called {
    #[derive(Deserialize)]
    struct Query {
        #[serde(default)]
        region: String,
    }

    let Query { region } = arguments.parse()?;
    Ok(CallToolResult::text(format!("Region: {region}")).into())
}

fn no_arguments() -> Value {
    json!({ "type": "object", "properties": {} })
}

fn region_in_header() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    })
}

fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
