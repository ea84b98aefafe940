//! Which wire type stands for which type of the peer.

use serde_json::json;
use vuelta::wire::jsonrpc::{write_error, write_notification, write_request, write_result};
use vuelta::wire::meta::SUBSCRIPTION_ID;
use vuelta::wire::methods::*;
use vuelta::wire::modern::*;
use vuelta::wire::*;

use crate::row::*;
use crate::values::{Sample, answer_samples, full, least};

/// Types of the peer that have no counterpart here, and why.
pub(crate) const EXCUSED: &[(&str, &str)] = &[
    ("Data", "the data of an error is raw JSON here"),
    ("Data1", "the data of an error is raw JSON here"),
    ("InputSchema", "JSON Schema, raw here; a part of Tool"),
    ("OutputSchema", "JSON Schema, raw here; a part of Tool"),
    (
        "ServerResult",
        "results are decoded by the method that was called; each arm has a row",
    ),
];

/// Returns the rows.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = values();
    add_choices(&mut rows);
    add_errors(&mut rows);
    add_envelopes(&mut rows);
    add_notifications(&mut rows);
    add_methods(&mut rows);
    add_open_results(&mut rows);
    rows
}

/// Types that are themselves the counterpart.
fn values() -> Vec<Row> {
    vec![
        plain::<Annotations>("Annotations"),
        plain::<EnumOption>("AnyOfItem"),
        plain::<EnumOption>("OneOfItem"),
        plain::<CompletionArgument>("Argument"),
        plain::<AudioContent>("AudioContent"),
        plain::<BlobResourceContents>("BlobResourceContents"),
        plain::<BooleanSchema>("BooleanSchema"),
        plain::<CancelledParams>("CancelledNotificationParams"),
        plain::<ClientCapabilities>("ClientCapabilities"),
        plain::<Completion>("Completion"),
        plain::<ContentBlock>("ContentBlock"),
        plain::<CompletionContext>("Context"),
        plain::<CreateMessageParams>("CreateMessageRequestParams"),
        plain::<CreateMessageResult>("CreateMessageResult"),
        plain::<ElicitForm>("ElicitRequestFormParams"),
        plain::<ElicitParams>("ElicitRequestParams"),
        plain::<ElicitUrl>("ElicitRequestURLParams"),
        plain::<ElicitResult>("ElicitResult"),
        plain::<ElicitationCapability>("Elicitation"),
        plain::<EmbeddedResource>("EmbeddedResource"),
        plain::<Icon>("Icon"),
        plain::<ImageContent>("ImageContent"),
        plain::<Implementation>("Implementation"),
        plain::<InputRequest>("InputRequest"),
        plain::<OrderedMap<InputRequest>>("InputRequests"),
        plain::<InputResponses>("InputResponses"),
        plain::<TitledItems>("Items"),
        plain::<PlainItems>("Items1"),
        plain::<SingleSelectSchema>("LegacyTitledEnumSchema"),
        plain::<ListRootsResult>("ListRootsResult"),
        plain::<LoggingLevel>("LoggingLevel"),
        plain::<LogParams>("LoggingMessageNotificationParams"),
        plain::<Meta>("MetaObject"),
        plain::<ModelHint>("ModelHint"),
        plain::<ModelPreferences>("ModelPreferences"),
        plain::<MultiSelectSchema>("MultiSelectEnumSchema"),
        plain::<Meta>("NotificationMetaObject"),
        plain::<ListChangedParams>("NotificationParams"),
        plain::<NumberSchema>("NumberSchema"),
        plain::<ListRootsParams>("Params"),
        plain::<PrimitiveSchema>("PrimitiveSchemaDefinition"),
        plain::<ProgressParams>("ProgressNotificationParams"),
        plain::<ProgressToken>("ProgressToken"),
        plain::<Prompt>("Prompt"),
        plain::<PromptArgument>("PromptArgument"),
        plain::<PromptMessage>("PromptMessage"),
        plain::<PromptReference>("PromptReference"),
        plain::<ListCapability>("Prompts"),
        plain::<RequestId>("RequestId"),
        plain::<RequestMeta>("RequestMetaObject"),
        plain::<FormSchema>("RequestedSchema"),
        plain::<Resource>("Resource"),
        plain::<ResourceLink>("ResourceLink"),
        plain::<ResourceTemplate>("ResourceTemplate"),
        plain::<ResourceTemplateReference>("ResourceTemplateReference"),
        plain::<ResourceUpdatedParams>("ResourceUpdatedNotificationParams"),
        plain::<ResourcesCapability>("Resources"),
        plain::<Meta>("ResultMetaObject"),
        plain::<Role>("Role"),
        plain::<Root>("Root"),
        plain::<SamplingCapability>("Sampling"),
        plain::<SamplingMessage>("SamplingMessage"),
        plain::<SamplingBlock>("SamplingMessageContentBlock"),
        plain::<ServerCapabilities>("ServerCapabilities"),
        plain::<StringSchema>("StringSchema"),
        plain::<SubscriptionFilter>("SubscriptionFilter"),
        plain::<AcknowledgedParams>("SubscriptionsAcknowledgedNotificationParams"),
        plain::<TextContent>("TextContent"),
        plain::<TextResourceContents>("TextResourceContents"),
        plain::<TitledSingleSelectSchema>("TitledSingleSelectEnumSchema"),
        plain::<Tool>("Tool"),
        plain::<ToolAnnotations>("ToolAnnotations"),
        plain::<ToolChoice>("ToolChoice"),
        plain::<ToolResultContent>("ToolResultContent"),
        plain::<ToolUseContent>("ToolUseContent"),
        plain::<ListCapability>("Tools"),
    ]
}

/// Unions: of the choices that a form offers, of questions, and of answers.
fn add_choices(rows: &mut Vec<Row>) {
    let is_choice = |schema: &PrimitiveSchema| {
        matches!(
            schema,
            PrimitiveSchema::SingleSelect(_)
                | PrimitiveSchema::TitledSingleSelect(_)
                | PrimitiveSchema::MultiSelect(_)
        )
    };
    rows.push(some::<PrimitiveSchema>("EnumSchema", is_choice));
    rows.push(some::<PrimitiveSchema>(
        "SingleSelectEnumSchema",
        |schema| match schema {
            PrimitiveSchema::SingleSelect(schema) => schema.names.is_none(),
            PrimitiveSchema::TitledSingleSelect(_) => true,
            _ => false,
        },
    ));
    let mut untitled: SingleSelectSchema = full();
    untitled.names = None;
    rows.push(Row {
        written: vec![json_of(&least::<SingleSelectSchema>()), json_of(&untitled)],
        ..plain::<SingleSelectSchema>("UntitledSingleSelectEnumSchema")
    });
    let items = |items: SelectItems| {
        let mut full: MultiSelectSchema = full();
        full.items = items.clone();
        vec![json_of(&MultiSelectSchema::new(items)), json_of(&full)]
    };
    rows.push(Row {
        written: items(full::<PlainItems>().into()),
        ..plain::<MultiSelectSchema>("UntitledMultiSelectEnumSchema")
    });
    rows.push(Row {
        written: items(full::<TitledItems>().into()),
        ..plain::<MultiSelectSchema>("TitledMultiSelectEnumSchema")
    });
    for (name, method) in [
        ("CreateMessageRequest", "sampling/createMessage"),
        ("ElicitRequest", "elicitation/create"),
        ("ListRootsRequest", "roots/list"),
    ] {
        rows.push(some::<InputRequest>(name, move |request| {
            request.method() == method
        }));
    }
    rows.push(Row {
        name: "InputResponse",
        reread: reread_answer,
        stamped: unchanged,
        written: answer_samples()
            .iter()
            .map(|answer| answer.get().to_owned())
            .collect(),
    });
}

/// Errors and the responses that carry them.
fn add_errors(rows: &mut Vec<Row>) {
    for (name, code, data) in [
        ("Error", ErrorCode(-32000), None),
        ("ParseError", ErrorCode::PARSE_ERROR, None),
        ("InvalidRequestError", ErrorCode::INVALID_REQUEST, None),
        ("MethodNotFoundError", ErrorCode::METHOD_NOT_FOUND, None),
        ("InvalidParamsError", ErrorCode::INVALID_PARAMS, None),
        ("InternalError", ErrorCode::INTERNAL_ERROR, None),
        ("Error1", ErrorCode::HEADER_MISMATCH, None),
        (
            "Error2",
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
            Some(missing()),
        ),
        (
            "Error3",
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            Some(unsupported()),
        ),
    ] {
        rows.push(Row {
            name,
            reread: reread::<ErrorObject>,
            stamped: unchanged,
            written: errors(code, data).iter().map(json_of).collect(),
        });
    }
    for (name, code, data) in [
        ("JSONRPCErrorResponse", ErrorCode(1), None),
        ("HeaderMismatchError", ErrorCode::HEADER_MISMATCH, None),
        (
            "MissingRequiredClientCapabilityError",
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
            Some(missing()),
        ),
        (
            "UnsupportedProtocolVersionError",
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            Some(unsupported()),
        ),
    ] {
        let responses = errors(code, data);
        let ids = RequestId::samples();
        let written = ids.iter().flat_map(|id| {
            responses
                .iter()
                .map(move |error| write_error(Some(id), error))
        });
        rows.push(message(name, written.collect()));
    }
}

/// The envelope alone, whatever it carries.
fn add_envelopes(rows: &mut Vec<Row>) {
    let id = RequestId::from(1);
    let request = write_request(&id, "com.example/method", &json!({"key": 1})).expect("encodes");
    let notification =
        write_notification("com.example/told", Some(&json!({"key": 1}))).expect("encodes");
    let response = write_result(&id, &custom(&Extra::new()));
    rows.push(message("JSONRPCRequest", vec![request.clone()]));
    rows.push(message("JSONRPCNotification", vec![notification.clone()]));
    rows.push(message("JSONRPCResultResponse", vec![response.clone()]));
    let error = write_error(Some(&id), &ErrorObject::new(ErrorCode(1), "m"));
    rows.push(message(
        "JSONRPCResponse",
        vec![response.clone(), error.clone()],
    ));
    rows.push(message(
        "JSONRPCMessage",
        vec![request, notification, response, error],
    ));
}

fn add_notifications(rows: &mut Vec<Row>) {
    for (name, method) in [
        ("CancelledNotification", "notifications/cancelled"),
        ("ClientNotification", "notifications/cancelled"),
        ("LoggingMessageNotification", "notifications/message"),
        ("ProgressNotification", "notifications/progress"),
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
            "SubscriptionsAcknowledgedNotification",
            "notifications/subscriptions/acknowledged",
        ),
        (
            "ToolListChangedNotification",
            "notifications/tools/list_changed",
        ),
        ("ServerNotification", "notifications/"),
    ] {
        let samples = ServerNotification::samples().into_iter();
        let written = samples
            .filter(|told| told.method().starts_with(method))
            .map(|told| write_told(&told).expect("encodes"));
        rows.push(Row {
            name,
            reread: reread_told,
            stamped: unchanged,
            written: written.collect(),
        });
    }
}

/// The params, requests, results and responses of every method.
fn add_methods(rows: &mut Vec<Row>) {
    rows.push(params::<Discover>("RequestParams"));
    rows.push(params::<ListTools>("PaginatedRequestParams"));
    rows.push(params::<CallTool>("CallToolRequestParams"));
    rows.push(params::<GetPrompt>("GetPromptRequestParams"));
    rows.push(params::<ReadResource>("ReadResourceRequestParams"));
    rows.push(params::<Complete>("CompleteRequestParams"));
    rows.push(params::<Listen>("SubscriptionsListenRequestParams"));
    let mut all = Vec::new();
    macro_rules! method {
        ($method:ident $(, $may_ask:literal)?) => {
            all.extend(requests::<$method>());
            rows.push(request::<$method>(concat!(stringify!($method), "Request")));
            let complete = results::<$method>();
            rows.push(result::<$method>(concat!(stringify!($method), "Result"), &complete));
            #[allow(unused_mut, reason = "only some methods may ask")]
            let mut any = complete;
            $(
                any.extend(questions());
                rows.push(result::<$method>($may_ask, &any));
            )?
            rows.push(response::<$method>(concat!(stringify!($method), "ResultResponse"), &any));
        };
    }
    method!(CallTool, "AnyCallToolResult");
    method!(GetPrompt, "AnyGetPromptResult");
    method!(ReadResource, "AnyReadResourceResult");
    method!(Complete);
    method!(Discover);
    method!(ListPrompts);
    method!(ListResources);
    method!(ListResourceTemplates);
    method!(ListTools);
    all.extend(requests::<Listen>());
    rows.push(request::<Listen>("SubscriptionsListenRequest"));
    rows.push(Row {
        written: all,
        ..request::<CallTool>("ClientRequest")
    });
    rows.push(result::<CallTool>("InputRequiredResult", &questions()));
}

/// Results of no method of the table, and the end of a subscription, which names it.
fn add_open_results(rows: &mut Vec<Row>) {
    for name in ["EmptyResult", "Result", "ClientResult"] {
        let mut open = Extra::new();
        open.insert("com.example/member", json!([1]));
        rows.push(Row {
            name,
            reread: |json| Ok(custom(&decode_custom_result(json)?).get().to_owned()),
            stamped: stamp,
            written: [Extra::new(), open]
                .iter()
                .map(|result| custom(result).get().to_owned())
                .collect(),
        });
    }

    let names_it = |meta: &Meta| meta.get(SUBSCRIPTION_ID).is_some();
    rows.push(some::<Meta>("SubscriptionsListenResultMeta", names_it));
    let ids = RequestId::samples().into_iter().cycle();
    let ends: Vec<_> = ListenResult::samples()
        .into_iter()
        .zip(ids)
        .map(|(result, id)| encode_listen_result(result, &id, &server()).expect("encodes"))
        .collect();
    rows.push(Row {
        name: "SubscriptionsListenResult",
        reread: |json| Ok(reread_end(json)?.get().to_owned()),
        stamped: stamp,
        written: ends.iter().map(|end| end.get().to_owned()).collect(),
    });
}
