use vuelta_wire::{
    ClientCapabilities, Declared, ElicitForm, ElicitResult, ElicitUrl, ElicitationCapability,
};

use super::{Callbacks, callback};

fn declared(callbacks: &Callbacks) -> String {
    serde_json::to_string(&callbacks.capabilities()).unwrap()
}

#[test]
fn nothing_is_declared_without_callbacks() {
    assert_eq!(declared(&Callbacks::default()), "{}");
}

#[test]
fn what_is_answered_by_hand_is_declared_beside_what_callbacks_answer() {
    let callbacks = Callbacks {
        form: Some(callback(|_: ElicitForm| async { ElicitResult::decline() })),
        declared: ClientCapabilities::new().roots(Declared::new()),
        ..Callbacks::default()
    };
    assert_eq!(
        declared(&callbacks),
        r#"{"roots":{},"elicitation":{"form":{}}}"#
    );
}

#[test]
fn an_empty_elicitation_keeps_its_forms_beside_urls() {
    // The specification: an empty object is equivalent to declaring forms.
    let callbacks = Callbacks {
        url: Some(callback(|_: ElicitUrl| async { ElicitResult::decline() })),
        declared: ClientCapabilities::new().elicitation(ElicitationCapability::new()),
        ..Callbacks::default()
    };
    assert_eq!(
        declared(&callbacks),
        r#"{"elicitation":{"form":{},"url":{}}}"#
    );
}
