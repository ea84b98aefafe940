//! The types of 2026-07-28.

use serde_json::json;
use vuelta::wire::meta::SUBSCRIPTION_ID;
use vuelta::wire::methods::*;
use vuelta::wire::modern::*;
use vuelta::wire::*;

use super::{Table, add_choices, add_envelopes, values};
use crate::row::modern::*;
use crate::row::{Row, error, error_response, plain, some};
use crate::values::{Sample, answer_samples};

const EXCUSED: &[(&str, &str)] = &[
    ("Data", "the data of an error is raw JSON here"),
    ("Data1", "the data of an error is raw JSON here"),
    ("InputSchema", "JSON Schema, raw here; a part of Tool"),
    ("OutputSchema", "JSON Schema, raw here; a part of Tool"),
    (
        "ServerResult",
        "results are decoded by the method that was called; each arm has a row",
    ),
];

/// What only older revisions have.
const FOREIGN: &[&str] = &["elicitationId", "taskSupport"];

pub(super) fn table() -> Table {
    let mut rows = values();
    add_own_values(&mut rows);
    add_choices(&mut rows);
    add_questions(&mut rows);
    add_errors(&mut rows);
    add_envelopes(&mut rows, &custom(&Extra::new()));
    add_notifications(&mut rows);
    add_methods(&mut rows);
    add_open_results(&mut rows);
    Table {
        revision: ProtocolVersion::V2026_07_28,
        rows,
        excused: EXCUSED,
        unwritten: &[],
        foreign: FOREIGN,
    }
}

/// Types that are themselves the counterpart, only in this revision.
fn add_own_values(rows: &mut Vec<Row>) {
    rows.extend([
        plain::<CancelledParams>("CancelledNotificationParams"),
        plain::<ClientCapabilities>("ClientCapabilities"),
        plain::<CreateMessageParams>("CreateMessageRequestParams"),
        plain::<CreateMessageResult>("CreateMessageResult"),
        plain::<ElicitForm>("ElicitRequestFormParams"),
        plain::<ElicitParams>("ElicitRequestParams"),
        plain::<ElicitUrl>("ElicitRequestURLParams"),
        plain::<ElicitResult>("ElicitResult"),
        plain::<InputRequest>("InputRequest"),
        plain::<OrderedMap<InputRequest>>("InputRequests"),
        plain::<InputResponses>("InputResponses"),
        plain::<ListRootsResult>("ListRootsResult"),
        plain::<LogParams>("LoggingMessageNotificationParams"),
        plain::<Meta>("MetaObject"),
        plain::<Meta>("NotificationMetaObject"),
        plain::<ListChangedParams>("NotificationParams"),
        plain::<ListRootsParams>("Params"),
        plain::<ProgressParams>("ProgressNotificationParams"),
        plain::<RequestMeta>("RequestMetaObject"),
        plain::<ResourceUpdatedParams>("ResourceUpdatedNotificationParams"),
        plain::<Meta>("ResultMetaObject"),
        plain::<ServerCapabilities>("ServerCapabilities"),
        plain::<SubscriptionFilter>("SubscriptionFilter"),
        plain::<AcknowledgedParams>("SubscriptionsAcknowledgedNotificationParams"),
        plain::<Tool>("Tool"),
        plain::<ListCapability>("Tools"),
    ]);
}

/// Questions, and answers.
fn add_questions(rows: &mut Vec<Row>) {
    for (name, method) in [
        ("CreateMessageRequest", "sampling/createMessage"),
        ("ElicitRequest", "elicitation/create"),
        ("ListRootsRequest", "roots/list"),
    ] {
        rows.push(some::<InputRequest>(name, move |request| {
            request.method() == method
        }));
    }
    let written = answer_samples().into_iter();
    rows.push(Row::new(
        "InputResponse",
        reread_answer,
        written.map(|answer| answer.get().to_owned()),
    ));
}

/// Errors and the responses that carry them.
fn add_errors(rows: &mut Vec<Row>) {
    const MISSING: ErrorCode = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
    const UNSUPPORTED: ErrorCode = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    rows.extend([
        error("Error", ErrorCode(-32000), None),
        error("ParseError", ErrorCode::PARSE_ERROR, None),
        error("InvalidRequestError", ErrorCode::INVALID_REQUEST, None),
        error("MethodNotFoundError", ErrorCode::METHOD_NOT_FOUND, None),
        error("InvalidParamsError", ErrorCode::INVALID_PARAMS, None),
        error("InternalError", ErrorCode::INTERNAL_ERROR, None),
        error("Error1", ErrorCode::HEADER_MISMATCH, None),
        error("Error2", MISSING, Some(missing())),
        error("Error3", UNSUPPORTED, Some(unsupported())),
        error_response("JSONRPCErrorResponse", ErrorCode(1), None),
        error_response("HeaderMismatchError", ErrorCode::HEADER_MISMATCH, None),
        error_response(
            "MissingRequiredClientCapabilityError",
            MISSING,
            Some(missing()),
        ),
        error_response(
            "UnsupportedProtocolVersionError",
            UNSUPPORTED,
            Some(unsupported()),
        ),
    ]);
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
        rows.push(Row::new(name, reread_told, written));
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
    let mut open = Extra::new();
    open.insert("com.example/member", json!([1]));
    let written = [Extra::new(), open].map(|result| custom(&result).get().to_owned());
    for name in ["EmptyResult", "Result", "ClientResult"] {
        let reread = |json: &str| Ok(custom(&decode_custom_result(json)?).get().to_owned());
        rows.push(Row {
            expected: stamp,
            ..Row::new(name, reread, written.clone())
        });
    }

    let names_it = |meta: &Meta| meta.get(SUBSCRIPTION_ID).is_some();
    rows.push(some::<Meta>("SubscriptionsListenResultMeta", names_it));
    let ids = RequestId::samples().into_iter().cycle();
    let ends = ListenResult::samples().into_iter().zip(ids);
    let written = ends.map(|(result, id)| {
        let end = encode_listen_result(result, &id, &server()).expect("encodes");
        end.get().to_owned()
    });
    rows.push(Row {
        expected: stamp,
        ..Row::new(
            "SubscriptionsListenResult",
            |json| Ok(reread_end(json)?.get().to_owned()),
            written,
        )
    });
}
