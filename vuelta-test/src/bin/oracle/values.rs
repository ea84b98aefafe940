//! Values of every wire type: one with its required members, and more until every member is
//! set at least once.

use serde_json::{Value, json};
use vuelta::wire::legacy::{
    ElicitationCompleteParams, EmptyResult, InitializeParams, InitializeResult, SetLevelParams,
    SubscribeParams, UrlElicitations,
};
use vuelta::wire::meta::{SERVER_INFO, SUBSCRIPTION_ID};
use vuelta::wire::*;

/// Builds values of a type.
pub(crate) trait Sample: Sized {
    /// Returns them: the one with the fewest members first, the one with the most last.
    fn samples() -> Vec<Self>;
}

/// Returns the value with the fewest members.
pub(crate) fn least<T: Sample>() -> T {
    T::samples().swap_remove(0)
}

/// Returns the value with the most members.
pub(crate) fn full<T: Sample>() -> T {
    T::samples().pop().expect("every type has samples")
}

/// Writes `Sample` for types with a constructor: its arguments for the least value, then
/// those for the full one and every setter.
macro_rules! samples {
    ($( $ty:ident: ($($least:expr),*), ($($full:expr),*) $(.$setter:ident($value:expr))*; )+) => {
        $(
            impl Sample for $ty {
                fn samples() -> Vec<Self> {
                    vec![$ty::new($($least),*), $ty::new($($full),*)$(.$setter($value))*]
                }
            }
        )+
    };
}

/// Writes `Sample` for enums: the samples of every variant.
macro_rules! variants {
    ($( $ty:ident: $($variant:ident($inner:ty)),+; )+) => {
        $(
            impl Sample for $ty {
                fn samples() -> Vec<Self> {
                    let mut all = Vec::new();
                    $( all.extend(<$inner>::samples().into_iter().map(Self::$variant)); )+
                    all
                }
            }
        )+
    };
}

/// Writes `Sample` for types whose values are listed.
macro_rules! listed {
    ($( $ty:ty: $($value:expr),+; )+) => {
        $( impl Sample for $ty { fn samples() -> Vec<Self> { vec![$($value),+] } } )+
    };
}

/// A value of a member that may hold anything.
fn open() -> Value {
    json!({"items": [1, 2.5, "text", true, null], "wide": 9_007_199_254_740_993_u64})
}

fn meta(members: &[(&str, Value)]) -> Meta {
    let mut meta = Meta::new();
    meta.insert("com.example/extra", open());
    for (name, value) in members {
        meta.insert(*name, value.clone());
    }
    meta
}

/// The metadata of a frame on a listen stream.
fn told() -> Meta {
    meta(&[(SUBSCRIPTION_ID, json!("text"))])
}

/// The metadata of a result, which may be the last frame of such a stream.
fn stamped() -> Meta {
    let server = serde_json::to_value(full::<Implementation>()).expect("encodes");
    meta(&[(SERVER_INFO, server), (SUBSCRIPTION_ID, json!("text"))])
}

fn texts() -> [String; 2] {
    ["one", "two"].map(str::to_owned)
}

const TIME: &str = "2026-07-28T12:00:00Z";
const URI: &str = "file:///project/notes.txt";
const URL: &str = "https://example.com/";
const DATA: &str = "aGVsbG8=";

listed! {
    Extra: Extra::new(), told(), stamped();
    Role: Role::User, Role::Assistant;
    RequestId: 1.into(), i64::from(u32::MAX).into(), "".into(), "text".into();
    ProgressToken: RequestId::from(0).into(), RequestId::from("text").into();
    LoggingLevel: LoggingLevel::Debug, LoggingLevel::Info, LoggingLevel::Notice,
        LoggingLevel::Warning, LoggingLevel::Error, LoggingLevel::Critical,
        LoggingLevel::Alert, LoggingLevel::Emergency;
    OrderedMap<InputRequest>: OrderedMap::new(), questions();
    InputResponses: InputResponses::new(), answers();
    ElicitResult: ElicitResult::decline(), ElicitResult::cancel(), ElicitResult::accept_url(),
        ElicitResult::accept(json!({"text": "a", "integer": 1, "boolean": true, "list": ["a"]}));
    FormSchema: FormSchema::new(), form();
    NumberSchema: NumberSchema::integer(),
        NumberSchema::number().title("t").description("d").minimum(-1).maximum(1.5).default(0);
    InputRequired: InputRequired::new().state(""), InputRequired::new()
        .ask("key", least::<ListRootsParams>()),
        InputRequired::new().input_requests(questions()).state("text").meta(stamped());
    SamplingContent: SamplingContent::One(least()), SamplingContent::Many(Vec::new()),
        SamplingContent::Many(SamplingBlock::samples());
}

fn questions() -> OrderedMap<InputRequest> {
    keys().zip(InputRequest::samples()).collect()
}

fn answers() -> InputResponses {
    let mut answers = InputResponses::new();
    for (key, answer) in keys().zip(answer_samples()) {
        answers.insert(key, answer);
    }
    answers
}

/// The key that the peer uses for every map, and more.
fn keys() -> impl Iterator<Item = String> {
    (1..).map(|length| "key".repeat(length))
}

/// Values that answer a question of each kind.
pub(crate) fn answer_samples() -> Vec<Raw> {
    fn raw<T: Sample + serde::Serialize>() -> impl Iterator<Item = Raw> {
        let encode = |value| Raw::encode(&value).expect("encodes");
        T::samples().into_iter().map(encode)
    }
    raw::<ElicitResult>()
        .chain(raw::<CreateMessageResult>())
        .chain(raw::<ListRootsResult>())
        .collect()
}

fn form() -> FormSchema {
    let fields = keys().zip(PrimitiveSchema::samples());
    fields
        .fold(FormSchema::new(), |form, (key, field)| {
            form.optional(key, field)
        })
        .required("key", least::<StringSchema>())
        .schema("https://json-schema.org/draft/2020-12/schema")
}

variants! {
    ContentBlock: Text(TextContent), Image(ImageContent), Audio(AudioContent),
        ResourceLink(ResourceLink), Resource(EmbeddedResource);
    ResourceContents: Text(TextResourceContents), Blob(BlobResourceContents);
    SamplingBlock: Text(TextContent), Image(ImageContent), Audio(AudioContent),
        ToolUse(ToolUseContent), ToolResult(ToolResultContent);
    PrimitiveSchema: String(StringSchema), Number(NumberSchema), Boolean(BooleanSchema),
        SingleSelect(SingleSelectSchema), TitledSingleSelect(TitledSingleSelectSchema),
        MultiSelect(MultiSelectSchema);
    SelectItems: Plain(PlainItems), Titled(TitledItems);
    CompletionReference: Prompt(PromptReference), ResourceTemplate(ResourceTemplateReference);
    ElicitParams: Form(ElicitForm), Url(ElicitUrl);
    ServerNotification: Progress(ProgressParams), Message(LogParams), Cancelled(CancelledParams),
        Acknowledged(AcknowledgedParams), ToolsListChanged(ListChangedParams),
        PromptsListChanged(ListChangedParams), ResourcesListChanged(ListChangedParams),
        ResourceUpdated(ResourceUpdatedParams);
}

impl Sample for InputRequest {
    fn samples() -> Vec<Self> {
        let roots = ListRootsParams::samples().into_iter().map(Self::from);
        let sampling = CreateMessageParams::samples().into_iter().map(Self::from);
        roots
            .chain(sampling)
            .chain(ElicitParams::samples().into_iter().map(Self::from))
            .collect()
    }
}

samples! {
    Implementation: ("n", "1"), ("n", "1").title("t").description("d").website_url(URL)
        .icons([least::<Icon>(), full::<Icon>()]);
    Icon: (URL), (URL).mime_type("image/png").sizes(["48x48".to_owned(), "any".to_owned()])
        .theme(Theme::Dark);
    Annotations: (), ().audience(Role::samples()).priority(0.5).last_modified(TIME);
    Declared: (), ();
    ClientCapabilities: (), ().experimental([("key", Raw::from(json!({"a": 1})))])
        .roots(least::<Declared>())
        .sampling(full::<SamplingCapability>()).elicitation(full::<ElicitationCapability>())
        .extensions([("com.example/extension", Raw::from(json!({})))]);
    SamplingCapability: (), ().context(least::<Declared>()).tools(least::<Declared>());
    ElicitationCapability: (), ().form(least::<Declared>()).url(least::<Declared>());
    ServerCapabilities: (), ().experimental([("key", Raw::from(json!({})))])
        .logging(least::<Declared>())
        .completions(least::<Declared>()).prompts(full::<ListCapability>())
        .resources(full::<ResourcesCapability>()).tools(least::<ListCapability>())
        .extensions([("com.example/extension", Raw::from(json!({"a": [1]})))]);
    ListCapability: (), ().list_changed(true);
    ResourcesCapability: (), ().subscribe(false).list_changed(true);

    TextContent: (""), ("t").annotations(full::<Annotations>()).meta(meta(&[]));
    ImageContent: (DATA, "image/png"), (DATA, "image/png").annotations(least::<Annotations>())
        .meta(meta(&[]));
    AudioContent: (DATA, "audio/wav"), (DATA, "audio/wav").annotations(full::<Annotations>())
        .meta(meta(&[]));
    ResourceLink: (URI, "n"), (URI, "n").title("t").description("d").mime_type("text/plain")
        .size(9_007_199_254_740_993_u64).icons([full::<Icon>()]).annotations(full::<Annotations>())
        .meta(meta(&[]));
    EmbeddedResource: (least::<ResourceContents>()), (full::<ResourceContents>())
        .annotations(full::<Annotations>()).meta(meta(&[]));
    TextResourceContents: (URI, ""), (URI, "t").mime_type("text/plain").meta(meta(&[]));
    BlobResourceContents: (URI, DATA), (URI, DATA).mime_type("text/plain").meta(meta(&[]));
    PromptMessage: (Role::User, least::<ContentBlock>()), (Role::Assistant, full::<ContentBlock>());

    StringSchema: (), ().title("t").description("d").min_length(1_u64).max_length(9_u64)
        .format(StringFormat::DateTime).default("text");
    BooleanSchema: (), ().title("t").description("d").default(false);
    SingleSelectSchema: (texts()), (texts()).title("t").description("d").names(texts())
        .default("one");
    TitledSingleSelectSchema: ([]), ([least::<EnumOption>()]).title("t").description("d")
        .default("v");
    EnumOption: ("v", "t"), ("v", "t");
    MultiSelectSchema: (least::<SelectItems>()), (full::<SelectItems>()).title("t").description("d")
        .min_items(0_u64).max_items(2_u64).default(texts());
    PlainItems: ([]), (texts());
    TitledItems: ([]), ([least::<EnumOption>()]);
    ElicitForm: ("m", least::<FormSchema>()), ("m", full::<FormSchema>());
    ElicitUrl: ("m", URL), ("m", URL);

    CreateMessageParams: ([], 1_u64), (SamplingMessage::samples(), 1_000_u64)
        .model_preferences(full::<ModelPreferences>()).system_prompt("p")
        .include_context(IncludeContext::ThisServer).temperature(0.5).stop_sequences(texts())
        .metadata(open()).tools(Tool::samples()).tool_choice(full::<ToolChoice>());
    SamplingMessage: (Role::User, least::<SamplingContent>()),
        (Role::Assistant, full::<SamplingContent>()).meta(meta(&[]));
    CreateMessageResult: (Role::User, least::<SamplingContent>(), "m"),
        (Role::Assistant, full::<SamplingContent>(), "m").stop_reason("endTurn").meta(meta(&[]));
    ModelPreferences: (), ().hints(ModelHint::samples()).cost_priority(0).speed_priority(0.5)
        .intelligence_priority(1.0);
    ModelHint: (), ().name("n");
    ToolChoice: (), ().mode(ToolChoiceMode::Required);
    ToolUseContent: ("i", "n", json!({})), ("i", "n", open()).meta(meta(&[]));
    ToolResultContent: ("i"), ("i").content(ContentBlock::samples()).structured_content(open())
        .is_error(true).meta(meta(&[]));
    ListRootsParams: (), ().meta(meta(&[]));
    ListRootsResult: ([]), (Root::samples());
    Root: (URI), (URI).name("n").meta(meta(&[]));

    Tool: ("n", json!({"type": "object"})),
        ("n", json!({"type": "object", "properties": {"a": {"type": "string"}}}))
        .title("t").description("d").output_schema(json!({"type": "object"}))
        .annotations(full::<ToolAnnotations>())
        .icons([full::<Icon>()]).meta(meta(&[]));
    ToolAnnotations: (), ().title("t").read_only_hint(true).destructive_hint(false)
        .idempotent_hint(true).open_world_hint(false);
    Prompt: ("n"), ("n").title("t").description("d").arguments(PromptArgument::samples())
        .icons([full::<Icon>()]).meta(meta(&[]));
    PromptArgument: ("n"), ("n").title("t").description("d").required(true);
    Resource: (URI, "n"), (URI, "n").title("t").description("d").mime_type("text/plain").size(0_u64)
        .annotations(full::<Annotations>()).icons([full::<Icon>()]).meta(meta(&[]));
    ResourceTemplate: ("note:///{name}", "n"), ("note:///{name}", "n").title("t").description("d")
        .mime_type("text/plain")
        .annotations(full::<Annotations>()).icons([full::<Icon>()]).meta(meta(&[]));
    PromptReference: ("n"), ("n").title("t");
    ResourceTemplateReference: (URI), ("note:///{name}");
    CompletionArgument: ("n", ""), ("n", "v");
    CompletionContext: (), ().arguments([("key", "text".to_owned())]);
    Completion: ([]), (texts()).total(200_u64).has_more(true);
    SubscriptionFilter: (), ().tools_list_changed(true).prompts_list_changed(true)
        .resources_list_changed(false)
        .resource_subscriptions([URI.to_owned()]);

    RequestMeta: (ProtocolVersion::V2026_07_28, least::<ClientCapabilities>()),
        (ProtocolVersion::V2026_07_28, full::<ClientCapabilities>())
        .client_info(full::<Implementation>())
        .log_level(LoggingLevel::Info).progress_token(full::<ProgressToken>());
    NoParams: (), ();
    PaginatedParams: (), ().cursor("c");
    CallToolParams: ("n"), ("n")
        .arguments(Arguments::encode(&open()).expect("encodes").expect("an object"))
        .input_responses(answers()).request_state("s");
    GetPromptParams: ("n"), ("n").arguments([("key", "text".to_owned())])
        .input_responses(answers()).request_state("s");
    ReadResourceParams: (URI), (URI).input_responses(answers()).request_state("");
    CompleteParams: (least::<CompletionReference>(), least::<CompletionArgument>()),
        (full::<CompletionReference>(), full::<CompletionArgument>())
        .context(full::<CompletionContext>());
    ListenParams: (least::<SubscriptionFilter>()), (full::<SubscriptionFilter>());

    CallToolResult: (), ().content(ContentBlock::samples()).structured_content(open())
        .is_error(false).meta(stamped());
    GetPromptResult: ([]), (PromptMessage::samples()).description("d").meta(stamped());
    ReadResourceResult: ([]), (ResourceContents::samples())
        .ttl_ms(std::time::Duration::from_secs(60))
        .cache_scope(CacheScope::Public).meta(stamped());
    ListToolsResult: ([]), (Tool::samples()).next_cursor("c").cache_scope(CacheScope::Public)
        .meta(stamped());
    ListPromptsResult: ([]), (Prompt::samples()).next_cursor("c").meta(stamped());
    ListResourcesResult: ([]), (Resource::samples()).next_cursor("c").meta(stamped());
    ListResourceTemplatesResult: ([]), (ResourceTemplate::samples()).next_cursor("c")
        .meta(stamped());
    CompleteResult: (least::<Completion>()), (full::<Completion>()).meta(stamped());
    DiscoverResult: ([], least::<ServerCapabilities>()),
        ([ProtocolVersion::V2026_07_28], full::<ServerCapabilities>())
        .instructions("i").meta(stamped());
    ListenResult: (), ().meta(stamped());

    ProgressParams: (RequestId::from(1), 1), (RequestId::from("t"), 0.5).total(1).message("m")
        .meta(told());
    LogParams: (LoggingLevel::Info, "text"), (LoggingLevel::Emergency, open()).logger("l")
        .meta(told());
    CancelledParams: (RequestId::from(1)), (RequestId::from("i")).reason("r").meta(told());
    AcknowledgedParams: (least::<SubscriptionFilter>()), (full::<SubscriptionFilter>())
        .meta(told());
    ListChangedParams: (), ().meta(told());
    ResourceUpdatedParams: (URI), (URI).meta(told());

    InitializeParams: (ProtocolVersion::V2025_11_25, least::<ClientCapabilities>(),
            least::<Implementation>()),
        (ProtocolVersion::V2024_11_05, full::<ClientCapabilities>(), full::<Implementation>());
    InitializeResult: (ProtocolVersion::V2025_11_25, least::<ServerCapabilities>(),
            least::<Implementation>()),
        (ProtocolVersion::V2025_11_25, full::<ServerCapabilities>(), full::<Implementation>())
        .instructions("i").meta(stamped());
    SetLevelParams: (LoggingLevel::Debug), (LoggingLevel::Emergency);
    SubscribeParams: (URI), (URI);
    EmptyResult: (), ().meta(stamped());
    UrlElicitations: ([]), ([full::<ElicitUrl>().elicitation_id("e")]);
    ElicitationCompleteParams: ("e"), ("elicitation-1");
}
