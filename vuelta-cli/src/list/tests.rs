use serde_json::json;
use vuelta::{Prompt, PromptArgument, Raw, Resource, Tool};

use super::{arguments, described, prompt, tool};

#[test]
fn the_arguments_of_a_tool_are_in_the_order_of_its_schema() {
    let schema = r#"{
        "type": "object",
        "properties": { "name": { "type": "string" }, "in": true, "count": {} },
        "required": ["name", "count"]
    }"#;
    assert_eq!(
        arguments(&Raw::from_json(schema.to_owned()).unwrap()),
        "name [in] count"
    );
    for other in [
        json!(true),
        json!({ "type": "object" }),
        json!({ "properties": 1 }),
    ] {
        assert_eq!(arguments(&other.into()), "");
    }
}

#[test]
fn each_kind_has_its_columns() {
    let schema = json!({ "type": "object" });
    assert_eq!(tool(&Tool::new("add", schema.clone())), ["add", "", ""]);
    let titled = Tool::new("add", schema).title("Adds");
    assert_eq!(tool(&titled), ["add", "", "Adds"]);
    assert_eq!(
        tool(&titled.description("Adds numbers.")),
        ["add", "", "Adds numbers."]
    );

    let greet = Prompt::new("greet").arguments([
        PromptArgument::new("who").required(true),
        PromptArgument::new("how"),
    ]);
    assert_eq!(prompt(&greet), ["greet", "who [how]", ""]);

    let readme = Resource::new("file:///readme", "readme").mime_type("text/plain");
    let what = (&readme.mime_type, &readme.description);
    assert_eq!(
        described(&readme.uri, &readme.name, what),
        ["file:///readme", "readme", "text/plain", ""]
    );
}
