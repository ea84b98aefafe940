use serde_json::{Value, json};

use super::check;

fn conversation(messages: &Value) -> Result<(), String> {
    let params = json!({ "messages": messages, "maxTokens": 10 });
    check(&serde_json::from_value(params).unwrap())
}

fn used(ids: &[&str]) -> Value {
    let blocks: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "type": "tool_use", "id": id, "name": "add", "input": {} }))
        .collect();
    json!({ "role": "assistant", "content": blocks })
}

fn results(ids: &[&str]) -> Value {
    let blocks: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "type": "tool_result", "toolUseId": id, "content": [] }))
        .collect();
    json!({ "role": "user", "content": blocks })
}

#[test]
fn results_answer_exactly_the_uses_before() {
    let text = json!({ "role": "user", "content": { "type": "text", "text": "1 + 1?" } });
    assert_eq!(conversation(&json!([text])), Ok(()));
    assert_eq!(
        conversation(&json!([text, used(&["a", "b"]), results(&["b", "a"])])),
        Ok(())
    );
    for wrong in [
        json!([text, results(&["a"])]),
        json!([results(&["a"])]),
        json!([used(&["a", "b"]), results(&["a"])]),
        json!([used(&["a"]), results(&["a", "b"])]),
        json!([used(&["a"]), text]),
    ] {
        assert!(conversation(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn results_stand_alone() {
    let text = json!({ "type": "text", "text": "here" });
    let result = json!({ "type": "tool_result", "toolUseId": "a", "content": [] });
    let mixed = json!({ "role": "user", "content": [result, text] });
    let told = conversation(&json!([used(&["a"]), mixed]));
    assert_eq!(
        told,
        Err("a message with tool results must hold nothing else".to_owned())
    );
}
