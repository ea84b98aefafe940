//! Which wire type stands for which type of the peer: what both revisions share.

mod legacy;
mod modern;

use serde_json::json;
use vuelta::wire::jsonrpc::{write_error, write_notification, write_request, write_result};
use vuelta::wire::*;

use crate::row::{Row, json_of, message, plain, some};
use crate::values::{full, least};

/// One revision of the peer.
pub(crate) struct Table {
    /// The revision.
    pub(crate) revision: ProtocolVersion,
    /// Its types and their counterparts.
    pub(crate) rows: Vec<Row>,
    /// Types of the peer that have no counterpart here, and why.
    pub(crate) excused: &'static [(&'static str, &'static str)],
    /// Members that no value of ours has, and why.
    pub(crate) unwritten: &'static [(&'static str, &'static str)],
    /// What must not occur anywhere in a value of ours: names of other revisions.
    pub(crate) foreign: &'static [&'static str],
}

/// Returns a table for each revision that the peer has models of.
pub(crate) fn tables() -> [Table; 2] {
    [modern::table(), legacy::table()]
}

/// Types that are themselves the counterpart, in every revision.
fn values() -> Vec<Row> {
    vec![
        plain::<Annotations>("Annotations"),
        plain::<EnumOption>("AnyOfItem"),
        plain::<EnumOption>("OneOfItem"),
        plain::<CompletionArgument>("Argument"),
        plain::<AudioContent>("AudioContent"),
        plain::<BlobResourceContents>("BlobResourceContents"),
        plain::<BooleanSchema>("BooleanSchema"),
        plain::<Completion>("Completion"),
        plain::<ContentBlock>("ContentBlock"),
        plain::<CompletionContext>("Context"),
        plain::<ElicitationCapability>("Elicitation"),
        plain::<EmbeddedResource>("EmbeddedResource"),
        plain::<Icon>("Icon"),
        plain::<ImageContent>("ImageContent"),
        plain::<Implementation>("Implementation"),
        plain::<TitledItems>("Items"),
        plain::<PlainItems>("Items1"),
        plain::<SingleSelectSchema>("LegacyTitledEnumSchema"),
        plain::<LoggingLevel>("LoggingLevel"),
        plain::<ModelHint>("ModelHint"),
        plain::<ModelPreferences>("ModelPreferences"),
        plain::<MultiSelectSchema>("MultiSelectEnumSchema"),
        plain::<NumberSchema>("NumberSchema"),
        plain::<PrimitiveSchema>("PrimitiveSchemaDefinition"),
        plain::<ProgressToken>("ProgressToken"),
        plain::<Prompt>("Prompt"),
        plain::<PromptArgument>("PromptArgument"),
        plain::<PromptMessage>("PromptMessage"),
        plain::<PromptReference>("PromptReference"),
        plain::<ListCapability>("Prompts"),
        plain::<RequestId>("RequestId"),
        plain::<FormSchema>("RequestedSchema"),
        plain::<Resource>("Resource"),
        plain::<ResourceLink>("ResourceLink"),
        plain::<ResourceTemplate>("ResourceTemplate"),
        plain::<ResourceTemplateReference>("ResourceTemplateReference"),
        plain::<ResourcesCapability>("Resources"),
        plain::<Role>("Role"),
        plain::<Root>("Root"),
        plain::<SamplingCapability>("Sampling"),
        plain::<SamplingMessage>("SamplingMessage"),
        plain::<SamplingBlock>("SamplingMessageContentBlock"),
        plain::<StringSchema>("StringSchema"),
        plain::<TextContent>("TextContent"),
        plain::<TextResourceContents>("TextResourceContents"),
        plain::<TitledSingleSelectSchema>("TitledSingleSelectEnumSchema"),
        plain::<ToolAnnotations>("ToolAnnotations"),
        plain::<ToolChoice>("ToolChoice"),
        plain::<ToolResultContent>("ToolResultContent"),
        plain::<ToolUseContent>("ToolUseContent"),
    ]
}

/// Unions of the choices that a form offers.
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
}

/// The envelope alone, whatever it carries; `result` is one that holds nothing.
fn add_envelopes(rows: &mut Vec<Row>, result: &Raw) {
    let id = RequestId::from(1);
    let request = write_request(&id, "com.example/method", &json!({"key": 1})).expect("encodes");
    let notification =
        write_notification("com.example/told", Some(&json!({"key": 1}))).expect("encodes");
    let response = write_result(&id, result);
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
