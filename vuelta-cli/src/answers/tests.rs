use vuelta::ElicitForm;

use super::{Answers, FormAnswer};

fn answers(typed: &[&str]) -> Answers {
    Answers::new(typed.iter().map(|typed| typed.parse().unwrap()).collect()).unwrap()
}

/// Returns a form from the JSON of its properties, whose order it keeps.
fn form(properties: &str, required: &str) -> ElicitForm {
    let schema =
        format!(r#"{{ "type": "object", "properties": {properties}, "required": {required} }}"#);
    let form = format!(r#"{{ "message": "?", "requestedSchema": {schema} }}"#);
    serde_json::from_str(&form).unwrap()
}

fn region() -> ElicitForm {
    form(r#"{ "region": { "type": "string" } }"#, r#"["region"]"#)
}

fn contact() -> ElicitForm {
    let properties = r#"{
        "name": { "type": "string" },
        "age": { "type": "integer", "minimum": 18 },
        "news": { "type": "boolean", "default": true }
    }"#;
    form(properties, r#"["name", "age", "news"]"#)
}

/// Answers a form under `key` and returns the answer's JSON, or what was given so far.
fn check(form: &ElicitForm, typed: &[&str], expected: &str) {
    let answer = answers(typed).form("key", form, &["key"]);
    let found = match answer {
        Ok(FormAnswer::Given(answer)) => serde_json::to_string(&answer).unwrap(),
        Ok(FormAnswer::Open(values)) => {
            format!("open {}", serde_json::to_string(&values).unwrap())
        }
        Err(error) => error,
    };
    assert_eq!(found, expected, "{typed:?}");
}

#[test]
fn a_form_of_one_field_needs_no_field_name() {
    let sent = r#"{"action":"accept","content":{"region":"eu=west"}}"#;
    check(&region(), &["key=eu=west"], sent);
    check(&region(), &["key.region=eu=west"], sent);
}

#[test]
fn an_action_is_no_value() {
    check(&region(), &["key=decline"], r#"{"action":"decline"}"#);
    check(&region(), &["key=cancel"], r#"{"action":"cancel"}"#);
    let sent = r#"{"action":"accept","content":{"region":"decline"}}"#;
    check(&region(), &["key.region=decline"], sent);
}

#[test]
fn values_are_typed_by_the_form_and_defaults_fill_the_rest() {
    check(
        &contact(),
        &["key.age=42", "key.name=42"],
        r#"{"action":"accept","content":{"name":"42","age":42,"news":true}}"#,
    );
    check(
        &contact(),
        &["key.age=42", "key.name=Ana", "key.news=no"],
        r#"{"action":"accept","content":{"name":"Ana","age":42,"news":false}}"#,
    );
}

#[test]
fn an_incomplete_form_stays_open() {
    check(&contact(), &["key.age=42"], r#"open {"age":42}"#);
    check(&contact(), &["key=accept"], "open {}");
    check(&contact(), &["other=1"], "open {}");
}

#[test]
fn a_form_that_needs_nothing_is_sent_when_it_is_accepted() {
    let optional = form(r#"{ "note": { "type": "string" } }"#, "[]");
    check(&optional, &[], "open {}");
    check(
        &optional,
        &["key=accept"],
        r#"{"action":"accept","content":{}}"#,
    );
}

#[test]
fn what_does_not_fit_is_named() {
    check(
        &contact(),
        &["key.age=17"],
        "--answer key.age: it must be a whole number, at least 18",
    );
    check(
        &contact(),
        &["key.agee=18"],
        "--answer key.agee: the form has no such field; it has name, age, news",
    );
    check(
        &contact(),
        &["key=Ana"],
        "--answer key=Ana: write key.FIELD=VALUE (it has name, age, news), or key=accept, \
         key=decline or key=cancel",
    );
    check(
        &contact(),
        &["key=decline", "key.age=18"],
        "--answer key: it is refused and filled in; keep one",
    );
}

#[test]
fn keys_and_fields_may_have_dots() {
    let dotted = form(r#"{ "b.c": { "type": "string" } }"#, r#"["b.c"]"#);
    let content = |typed: &str, keys: &[&str]| match answers(&[typed]).form("a", &dotted, keys) {
        Ok(FormAnswer::Given(answer)) => answer.content.unwrap().get().to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(content("a.b.c=1", &["a"]), r#"{"b.c":"1"}"#);
    // Where both `a` and `a.b` are asked, the longer key owns what begins with it.
    assert_eq!(
        content("a.b.c=1", &["a", "a.b"]),
        "Ok(Open(OrderedMap([])))"
    );
}

#[test]
fn a_url_takes_an_action_only() {
    let url = |typed: &[&str]| answers(typed).url("auth", &["auth"]);
    let action = |typed: &[&str]| {
        url(typed)
            .unwrap()
            .map(|answer| serde_json::to_string(&answer).unwrap())
    };
    assert_eq!(action(&[]), None);
    assert_eq!(
        action(&["auth=accept"]).as_deref(),
        Some(r#"{"action":"accept"}"#)
    );
    assert_eq!(
        action(&["auth=decline"]).as_deref(),
        Some(r#"{"action":"decline"}"#)
    );
    for typed in [
        &["auth=yes"][..],
        &["auth.done=accept"],
        &["auth=accept", "auth.x=1"],
    ] {
        assert!(
            url(typed).unwrap_err().contains("write auth=accept"),
            "{typed:?}"
        );
    }
}

#[test]
fn an_answer_given_twice_is_refused() {
    let twice = ["a=1", "a=2"].map(|typed| typed.parse().unwrap());
    assert_eq!(
        Answers::new(twice.into()).unwrap_err(),
        "--answer a is given twice; keep one"
    );
}

#[test]
fn what_nobody_asked_is_known() {
    let answers = answers(&["a.x=1", "b=2", "ab=3"]);
    assert_eq!(answers.unasked(&["a"]), ["b", "ab"]);
    assert!(answers.unasked(&["a", "b", "ab"]).is_empty());
}
