use vuelta_wire::{ElicitAction, Raw};

use super::{FlowState, Recorded};

/// The state of a peer's flow with three questions, of which one is answered.
const PEER: &str = r#"{"v":3,"outcomes":{"__main__:ask_age":{"action":"accept","data":{"age":5},"q":"ewQeC-kSio0ERIfi0f_Z3w"}},"asked":{"__main__:ask_roots":"dCNOmK_nSY-12vHzasLXig","__main__:ask_llm":"6bBMEYbBg8MsCM51DCIajA"}}"#;

/// The same flow later: a sampled answer is kept with its metadata.
const PEER_LATER: &str = r#"{"v":3,"outcomes":{"__main__:ask_age":{"action":"accept","data":{"age":5},"q":"ewQeC-kSio0ERIfi0f_Z3w"},"__main__:ask_llm":{"action":"accept","data":{"_meta":{"a":1},"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"endTurn"},"q":"6bBMEYbBg8MsCM51DCIajA"}},"asked":{"__main__:ask_roots":"dCNOmK_nSY-12vHzasLXig"}}"#;

fn raw(json: &str) -> Raw {
    Raw::from_json(json.to_owned()).unwrap()
}

#[test]
fn the_state_of_a_peer_is_read() {
    let state = FlowState::read(Some(PEER));
    assert_eq!(state.outcomes.len(), 1);
    let age = &state.outcomes["__main__:ask_age"];
    assert_eq!(age.action, ElicitAction::Accept);
    assert_eq!(age.data, Some(raw(r#"{"age":5}"#)));
    assert_eq!(age.question, "ewQeC-kSio0ERIfi0f_Z3w");
    assert_eq!(state.asked["__main__:ask_roots"], "dCNOmK_nSY-12vHzasLXig");
    assert_eq!(state.asked["__main__:ask_llm"], "6bBMEYbBg8MsCM51DCIajA");
    assert_eq!(state.rounds, 1, "whoever has a state has had a round");
}

#[test]
fn what_was_read_is_written_as_it_came() {
    // One entry in each map: their order is ours, the entries are the peer's to the letter.
    let text = r#"{"v":3,"outcomes":{"k":{"action":"decline","q":"d","x": [1.0,  2e0]}},"asked":{"a":"b"}}"#;
    assert_eq!(FlowState::read(Some(text)).write(), text);
    let later = FlowState::read(Some(PEER_LATER)).write();
    let values = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(values(&later), values(PEER_LATER));
    let sampled = r#"{"action":"accept","data":{"_meta":{"a":1},"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"endTurn"},"q":"6bBMEYbBg8MsCM51DCIajA"}"#;
    assert!(later.contains(sampled));
}

#[test]
fn every_action_survives() {
    let mut state = FlowState {
        rounds: 1,
        ..FlowState::default()
    };
    let accepted = Some(raw(r#"{"a": 1.50, "b": "\ud83d"}"#));
    for (key, action, data) in [
        ("accept", ElicitAction::Accept, accepted),
        ("visit", ElicitAction::Accept, None),
        ("decline", ElicitAction::Decline, None),
        ("cancel", ElicitAction::Cancel, None),
    ] {
        state
            .outcomes
            .insert(key.to_owned(), Recorded::new(action, data, "q".to_owned()));
    }
    let read = FlowState::read(Some(&state.write()));
    assert_eq!(read, state);
    assert_eq!(read.write(), state.write());
    assert!(
        state
            .write()
            .contains(r#""decline":{"action":"decline","q":"q"}"#)
    );
    // Digit for digit, escape for escape: also what is no Unicode text.
    assert!(
        state
            .write()
            .contains(r#""data":{"a": 1.50, "b": "\ud83d"}"#)
    );
}

#[test]
fn an_empty_state_has_three_members() {
    let state = FlowState {
        rounds: 1,
        ..FlowState::default()
    };
    assert_eq!(state.write(), r#"{"v":3,"outcomes":{},"asked":{}}"#);
}

#[test]
fn our_own_members_survive() {
    let text =
        r#"{"v":3,"outcomes":{},"asked":{},"once":{"count":  3},"changed":{"k":2},"rounds":4}"#;
    let state = FlowState::read(Some(text));
    assert_eq!(state.once["count"].get(), "3");
    assert_eq!(state.changed["k"], 2);
    assert_eq!(state.rounds, 4);
    assert_eq!(FlowState::read(Some(&state.write())), state);
}

#[test]
fn what_is_malformed_is_no_progress() {
    for text in [
        "",
        "null",
        "provision-v1",
        "[]",
        "{}",
        r#"{"v":3}"#,
        r#"{"v":2,"outcomes":{},"asked":{}}"#,
        r#"{"v":4,"outcomes":{},"asked":{"a":"b"}}"#,
        r#"{"v":true,"outcomes":{},"asked":{"a":"b"}}"#,
        r#"{"v":3.0,"outcomes":{},"asked":{"a":"b"}}"#,
        r#"{"v":"3","outcomes":{},"asked":{"a":"b"}}"#,
        r#"{"v":3,"outcomes":[],"asked":{"a":"b"}}"#,
        r#"{"v":3,"outcomes":{},"asked":["a"]}"#,
        r#"{"v":3,"outcomes":{},"asked":{"a":1}}"#,
        r#"{"v":3,"outcomes":{},"asked":{"a":"b"},"once":[]}"#,
        r#"{"v":3,"outcomes":{},"asked":{"a":"b"},"rounds":-1}"#,
        r#"{"v":3,"outcomes":{},"asked":{"a":"b"}} "#
            .trim_end_matches(' ')
            .trim_end_matches('}'),
    ] {
        assert_eq!(FlowState::read(Some(text)), FlowState::default(), "{text}");
    }
    assert_eq!(FlowState::read(None), FlowState::default());
}

#[test]
fn a_bad_entry_loses_only_itself() {
    let good = r#"{"action":"accept","data":{},"q":"d"}"#;
    for bad in [
        "1",
        "null",
        r#"{"action":"accept","data":{}}"#,
        r#"{"action":"accept","data":{},"q":null}"#,
        r#"{"action":"maybe","data":{},"q":"d"}"#,
        r#"{"data":{},"q":"d"}"#,
    ] {
        let text = format!(r#"{{"v":3,"outcomes":{{"bad":{bad},"good":{good}}},"asked":{{}}}}"#);
        let state = FlowState::read(Some(&text));
        assert_eq!(state.outcomes.keys().collect::<Vec<_>>(), ["good"], "{bad}");
    }
}
