//! Forms: every kind of field, and every constraint.
#![deny(warnings)]

use serde_json::{Value, json};
use vuelta::{Form, Raw};

#[derive(Form, Debug, PartialEq)]
enum Plan {
    Free,
    #[form(rename = "pro-plus")]
    Pro,
}

/// Titled, because one of them has a title.
#[derive(Form, Debug, PartialEq)]
enum Size {
    /// A small one
    S,
    #[form(title = "A large one")]
    L,
    M,
}

type Name = String;

#[derive(Form, Debug, PartialEq)]
struct Everything {
    /// Your name
    #[form(title = "Name", min_length = 1, max_length = 20)]
    name: Name,
    #[form(format = "email")]
    email: Option<String>,
    #[form(format = "date-time", rename = "startsAt")]
    starts_at: String,
    #[form(min = 18, max = 120, default = 30)]
    age: u8,
    #[form(min = -0.5, max = 1)]
    ratio: f64,
    #[form(default = true)]
    news: bool,
    #[form(default = "none", title = "Note")]
    note: String,
    /// What to pay
    #[form(default = Plan::Pro)]
    plan: Plan,
    size: Size,
    #[form(min_items = 1, max_items = 2, default = vec![Size::S])]
    sizes: Vec<Size>,
    plans: Option<Vec<Plan>>,
    #[form(default = "x")]
    hint: Option<String>,
    #[form(allow_secret)]
    pin: i64,
    r#type: bool,
}

#[test]
fn runs() -> Result<(), Box<dyn std::error::Error>> {
    let schema = serde_json::to_value(Everything::schema())?;
    let titled = json!([
        { "const": "S", "title": "A small one" },
        { "const": "L", "title": "A large one" },
        { "const": "M", "title": "M" }
    ]);
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string", "title": "Name", "description": "Your name",
                    "minLength": 1, "maxLength": 20
                },
                "email": { "type": "string", "format": "email" },
                "startsAt": { "type": "string", "format": "date-time" },
                "age": { "type": "integer", "minimum": 18, "maximum": 120, "default": 30 },
                "ratio": { "type": "number", "minimum": -0.5, "maximum": 1 },
                "news": { "type": "boolean", "default": true },
                "note": { "type": "string", "title": "Note", "default": "none" },
                "plan": {
                    "type": "string", "enum": ["Free", "pro-plus"],
                    "description": "What to pay", "default": "pro-plus"
                },
                "size": { "type": "string", "oneOf": titled.clone() },
                "sizes": {
                    "type": "array", "items": { "anyOf": titled }, "minItems": 1, "maxItems": 2,
                    "default": ["S"]
                },
                "plans": {
                    "type": "array", "items": { "type": "string", "enum": ["Free", "pro-plus"] }
                },
                "hint": { "type": "string", "default": "x" },
                "pin": { "type": "integer" },
                "type": { "type": "boolean" }
            },
            "required": ["name", "startsAt", "ratio", "size", "pin", "type"]
        })
    );

    let content = json!({
        "name": "Ada", "startsAt": "2026-07-28T12:00:00Z", "ratio": 1, "size": "L", "pin": 1,
        "type": false
    });
    let read = |content: &Value| Everything::read(&Raw::from(content.clone()));
    let form = read(&content)?;
    // What is left empty has its default; what may be left empty is empty.
    let expected = Everything {
        name: "Ada".to_owned(),
        email: None,
        starts_at: "2026-07-28T12:00:00Z".to_owned(),
        age: 30,
        ratio: 1.0,
        news: true,
        note: "none".to_owned(),
        plan: Plan::Pro,
        size: Size::L,
        sizes: vec![Size::S],
        plans: None,
        hint: None,
        pin: 1,
        r#type: false,
    };
    assert_eq!(form, expected);
    assert_eq!(form.duplicate(), expected);

    for (field, value) in [
        ("name", json!("")),
        ("age", json!(17)),
        ("email", json!("nobody")),
        ("plan", json!("Pro")),
        ("sizes", json!([])),
        ("startsAt", json!("soon")),
        ("ratio", json!("1")),
    ] {
        let mut content = content.clone();
        content[field] = value;
        let error = read(&content).unwrap_err();
        assert!(error.to_string().contains(field), "{field}: {error}");
    }
    Ok(())
}
