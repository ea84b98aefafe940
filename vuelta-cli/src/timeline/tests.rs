use serde_json::json;
use vuelta::wire::ElicitUrl;
use vuelta::{
    ElicitForm, ElicitResult, FormSchema, InputRequired, InputResponses, NumberSchema, Raw,
    RequestId, Round, StringSchema,
};

use super::Timeline;

fn answers(answers: &[(&str, serde_json::Value)]) -> InputResponses {
    let mut responses = InputResponses::new();
    for (key, answer) in answers {
        responses.insert(*key, answer.clone());
    }
    responses
}

#[test]
fn a_call_of_two_rounds() {
    let mut timeline = Timeline::default();
    timeline.begin(r#"tools/call provision {"name":"orders"}"#);
    let (first, second) = (RequestId::from(2), RequestId::from(3));
    let schema = FormSchema::new()
        .required(
            "region",
            StringSchema::new().description("As the\ncloud calls it"),
        )
        .optional("size", NumberSchema::integer().minimum(1).default(3));
    let question = InputRequired::new()
        .ask("region", ElicitForm::new("Which region?", schema))
        .ask("auth", ElicitUrl::new("Sign in", "https://example.com/"))
        .state("v1.0123456789abcdefghijklmnopqrstuvwxyz");
    let accepted = ElicitResult::accept(json!({ "region": "eu-west-1" }));
    let answers = answers(&[
        ("region", serde_json::to_value(accepted).unwrap()),
        ("auth", json!({ "action": "decline" })),
    ]);

    let told = [
        timeline.tell(&Round::Sent {
            number: 1,
            id: &first,
        }),
        timeline.tell(&Round::Asked {
            number: 1,
            question: &question,
        }),
        timeline.tell(&Round::Answered {
            number: 1,
            answers: &answers,
        }),
        timeline.tell(&Round::Sent {
            number: 2,
            id: &second,
        }),
        Timeline::end("result"),
    ];
    assert_eq!(
        told.concat(),
        r#"round 1
  -> tools/call provision {"name":"orders"}   id 2
  <- input required
     region: Which region?
       region (text; required): As the cloud calls it
       size (a whole number, at least 1; default 3)
     auth: Sign in
       https://example.com/
     requestState v1.01234..stuvwxyz (39 characters)
  == auth: decline
  == region: accept {"region":"eu-west-1"}
round 2
  -> tools/call provision {"name":"orders"}   id 3
     with answers to auth, region and requestState v1.01234..stuvwxyz (39 characters)
  <- result
"#
    );
}

#[test]
fn a_round_hands_back_only_what_the_last_one_gave() {
    let mut timeline = Timeline::default();
    timeline.begin("tools/call wait {}");
    let id = RequestId::from(1);
    let told = [
        timeline.tell(&Round::Answered {
            number: 1,
            answers: &answers(&[("a", json!(null))]),
        }),
        timeline.tell(&Round::Asked {
            number: 2,
            question: &InputRequired::new().state("w1"),
        }),
        timeline.tell(&Round::Sent { number: 3, id: &id }),
        timeline.tell(&Round::Asked {
            number: 3,
            question: &InputRequired::new().ask("roots", vuelta::ListRootsParams::new()),
        }),
        timeline.tell(&Round::Sent { number: 4, id: &id }),
        Timeline::end("the tool failed"),
    ];
    assert_eq!(
        told.concat(),
        "  == a: null
  <- input required
     requestState w1 (2 characters)
round 3
  -> tools/call wait {}   id 1
     with requestState w1 (2 characters)
  <- input required
     roots: roots/list
round 4
  -> tools/call wait {}   id 1
  <- the tool failed
"
    );
}

#[test]
fn a_question_while_the_call_runs() {
    let mut timeline = Timeline::default();
    timeline.begin("tools/call add {}");
    let id = RequestId::from(2);
    let schema = FormSchema::new().required("region", StringSchema::new());
    let form = ElicitForm::new("Which region?", schema).into();
    let given = answers(&[("form", json!({ "action": "decline" }))]);
    let told = [
        timeline.tell(&Round::Sent { number: 1, id: &id }),
        Timeline::pushed("form", &form),
        Timeline::answers(&given),
        // Its answer has gone back already.
        timeline.tell(&Round::Sent { number: 2, id: &id }),
    ];
    assert_eq!(
        told.concat(),
        "round 1
  -> tools/call add {}   id 2
  <- the server asks
     form: Which region?
       region (text; required)
  == form: decline
round 2
  -> tools/call add {}   id 2
"
    );
}

#[test]
fn what_a_server_wrote_cannot_steer_the_terminal() {
    let mut timeline = Timeline::default();
    timeline.begin("tools/call a\u{1b}[1m {}");
    let question = InputRequired::new()
        .ask("k\u{7}", ElicitForm::new("m\u{1b}[2J", FormSchema::new()))
        .state("s\u{9b}");
    let id = RequestId::from("i\u{1b}");
    let told = [
        timeline.tell(&Round::Sent { number: 1, id: &id }),
        timeline.tell(&Round::Asked {
            number: 1,
            question: &question,
        }),
        timeline.tell(&Round::Answered {
            number: 1,
            answers: &answers(&[("k", Raw::from("\u{1b}").parse().unwrap())]),
        }),
    ];
    assert!(!told.concat().contains(['\u{1b}', '\u{7}', '\u{9b}']));
}
