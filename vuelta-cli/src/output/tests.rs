use serde_json::json;
use vuelta::{CallToolResult, ContentBlock, ImageContent, ResourceLink};

use super::{Shown, show};

#[test]
fn text_is_printed_and_the_rest_is_named() {
    let result = CallToolResult::new().content([
        ContentBlock::text("one"),
        ContentBlock::Image(ImageContent::new("AAAA", "image/png")),
        ContentBlock::text("two"),
        ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a")),
    ]);
    assert_eq!(
        show(&result),
        Shown {
            text: Some("one\ntwo".to_owned()),
            left_out: vec![
                "image (image/png)".to_owned(),
                "link to resource file:///a".to_owned()
            ],
        }
    );
}

#[test]
fn data_is_printed_where_there_is_no_text() {
    let result = CallToolResult::new().structured_content(json!({ "sum": 3 }));
    assert_eq!(show(&result).text.as_deref(), Some(r#"{"sum":3}"#));
    let result = CallToolResult::text("3").structured_content(json!({ "sum": 3 }));
    assert_eq!(show(&result).text.as_deref(), Some("3"));
    assert_eq!(show(&CallToolResult::new()).text, None);
}
