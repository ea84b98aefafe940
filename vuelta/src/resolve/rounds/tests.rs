use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use vuelta_wire::{
    ClientCapabilities, CreateMessageParams, Declared, ElicitAction, ElicitForm, ElicitUrl,
    ElicitationCapability, ErrorCode, FormSchema, InputRequest, InputRequired, InputResponses,
    ListRootsParams, Raw, SamplingCapability, SamplingMessage, StringSchema,
};

use super::{Halt, Round, Settled, digest_of};
use crate::resolve::state::FlowState;

fn everything() -> ClientCapabilities {
    ClientCapabilities::new()
        .elicitation(
            ElicitationCapability::new()
                .form(Declared::new())
                .url(Declared::new()),
        )
        .sampling(SamplingCapability::new())
        .roots(Declared::new())
}

fn form(message: &str) -> InputRequest {
    ElicitForm::new(
        message,
        FormSchema::new().required("name", StringSchema::new()),
    )
    .into()
}

fn visit() -> InputRequest {
    ElicitUrl::new("Sign in", "https://example.com/sign-in").into()
}

fn sample() -> InputRequest {
    CreateMessageParams::new([SamplingMessage::user("Capital of France?")], 16_u64).into()
}

fn roots() -> InputRequest {
    ListRootsParams::new().into()
}

fn answers<const N: usize>(given: [(&str, serde_json::Value); N]) -> InputResponses {
    let mut answers = InputResponses::new();
    for (key, answer) in given {
        answers.insert(key, answer);
    }
    answers
}

fn accept(name: &str) -> serde_json::Value {
    json!({ "action": "accept", "content": { "name": name } })
}

fn has_name(content: &Raw) -> bool {
    content
        .parse::<serde_json::Value>()
        .is_ok_and(|content| content["name"].is_string())
}

fn ask(round: &Round, key: &str, request: InputRequest) -> Result<Settled, Halt> {
    round.ask(round.visit(), key, request, &has_name)
}

fn start() -> Round {
    Round::new(None, InputResponses::new(), everything(), 5)
}

fn next(question: &InputRequired, answers: InputResponses) -> Round {
    Round::new(question.request_state.as_deref(), answers, everything(), 5)
}

fn state(question: &InputRequired) -> FlowState {
    FlowState::read(question.request_state.as_deref())
}

fn keys(question: &InputRequired) -> Vec<&str> {
    question.requests().map(|(key, _)| key).collect()
}

/// Asks one form in a first round and returns what goes out.
fn asked(key: &str, request: InputRequest) -> InputRequired {
    let round = start();
    assert!(matches!(ask(&round, key, request), Ok(Settled::Pending)));
    round.question().expect("a question")
}

fn failure(result: Result<Settled, Halt>) -> String {
    match result {
        Err(Halt::Failed(text)) => text,
        other => panic!("expected a failed tool, got {other:?}"),
    }
}

fn answered(result: Result<Settled, Halt>) -> (ElicitAction, Option<String>) {
    match result {
        Ok(Settled::Answered(action, data)) => (action, data.map(|data| data.get().to_owned())),
        other => panic!("expected an answer, got {other:?}"),
    }
}

#[test]
fn a_round_that_asks_nothing_has_no_question() {
    assert_eq!(start().question(), None);
}

#[test]
fn digests_are_those_of_a_peer() {
    assert_eq!(digest_of(&roots()), "dCNOmK_nSY-12vHzasLXig");
    assert_eq!(digest_of(&sample()), "6bBMEYbBg8MsCM51DCIajA");
}

#[test]
fn a_digest_covers_what_is_shown() {
    let other_schema = ElicitForm::new(
        "Name?",
        FormSchema::new().optional("name", StringSchema::new()),
    );
    let all = [
        form("Name?"),
        form("Name"),
        form("\u{4e2d}"),
        other_schema.into(),
        visit(),
    ]
    .map(|q| digest_of(&q));
    for (index, digest) in all.iter().enumerate() {
        assert!(!all[..index].contains(digest), "{index}");
    }
    assert_eq!(digest_of(&form("Name?")), all[0]);
    // Over ASCII: the same text as a reader that escapes everything else.
    assert_eq!(
        super::ascii("{\"a\":\"\u{e9}\u{1f600}\u{7f}\"}"),
        r#"{"a":"\u00e9\ud83d\ude00\u007f"}"#
    );
}

#[test]
fn questions_go_out_in_the_order_of_their_visits() {
    let round = start();
    let (first, second, third) = (round.visit(), round.visit(), round.visit());
    for (visit, key) in [(third, "a"), (first, "c"), (second, "b")] {
        round.ask(visit, key, form(key), &has_name).unwrap();
    }
    assert_eq!(keys(&round.question().unwrap()), ["c", "b", "a"]);
}

#[test]
fn an_answer_to_the_question_that_was_asked_counts() {
    let question = asked("who", form("Name?"));
    assert_eq!(state(&question).asked["who"], digest_of(&form("Name?")));
    let round = next(&question, answers([("who", accept("Ada"))]));
    assert_eq!(
        answered(ask(&round, "who", form("Name?"))),
        (ElicitAction::Accept, Some(r#"{"name":"Ada"}"#.to_owned()))
    );
    assert_eq!(round.question(), None);
}

#[test]
fn an_answer_without_state_counts_for_nothing() {
    let round = Round::new(None, answers([("who", accept("Ada"))]), everything(), 5);
    assert!(matches!(
        ask(&round, "who", form("Name?")),
        Ok(Settled::Pending)
    ));
}

#[test]
fn an_answer_to_another_text_is_asked_again() {
    let question = asked("who", form("Name?"));
    let round = next(&question, answers([("who", accept("Ada"))]));
    assert!(matches!(
        ask(&round, "who", form("Your name?")),
        Ok(Settled::Pending)
    ));
    let again = round.question().unwrap();
    assert_eq!(state(&again).asked["who"], digest_of(&form("Your name?")));
    assert!(state(&again).outcomes.is_empty());
}

#[test]
fn a_missing_answer_is_asked_again() {
    let question = asked("who", form("Name?"));
    let round = next(&question, answers([]));
    assert!(matches!(
        ask(&round, "who", form("Name?")),
        Ok(Settled::Pending)
    ));
    assert_eq!(keys(&round.question().unwrap()), ["who"]);
}

#[test]
fn what_nobody_asked_for_is_ignored_and_not_kept() {
    let question = asked("who", form("Name?"));
    let ghost = r#"{"action":"accept","data":{"name":"Eve"},"q":"x"}"#;
    let with_ghost = question.request_state.clone().unwrap().replacen(
        r#""outcomes":{"#,
        &format!(r#""outcomes":{{"ghost":{ghost}"#),
        1,
    );
    let given = answers([
        ("who", accept("Ada")),
        ("zzz", json!(17)),
        ("yyy", accept("Eve")),
    ]);
    let round = Round::new(Some(&with_ghost), given, everything(), 5);
    answered(ask(&round, "who", form("Name?")));
    ask(&round, "next", form("Next?")).unwrap();
    let state = state(&round.question().unwrap());
    assert_eq!(state.outcomes.keys().collect::<Vec<_>>(), ["who"]);
    assert_eq!(state.asked.keys().collect::<Vec<_>>(), ["next"]);
}

#[test]
fn a_recorded_answer_is_carried_to_the_letter_and_beats_a_later_one() {
    let question = asked("who", form("Name?"));
    let mut given = answers([]);
    let content =
        Raw::from_json(r#"{"action":"accept","content":{"name" : "A\u0064a","n":1.0}}"#.to_owned());
    given.insert("who", content.unwrap());
    let second = next(&question, given);
    answered(ask(&second, "who", form("Name?")));
    ask(&second, "next", form("Next?")).unwrap();
    let question = second.question().unwrap();
    let entry = format!(
        r#""who":{{"action":"accept","data":{{"name" : "A\u0064a","n":1.0}},"q":"{}"}}"#,
        digest_of(&form("Name?"))
    );
    let text = question.request_state.as_deref().unwrap();
    assert!(text.contains(&entry), "{text}");

    let third = next(&question, answers([("who", accept("Eve"))]));
    let (_, data) = answered(ask(&third, "who", form("Name?")));
    assert_eq!(data.unwrap(), r#"{"name" : "A\u0064a","n":1.0}"#);
    ask(&third, "next", form("Next?")).unwrap();
    let again = third.question().unwrap();
    assert!(again.request_state.as_deref().unwrap().contains(&entry));
}

#[test]
fn refusals_are_recorded_without_what_came_with_them() {
    for (name, action) in [
        ("decline", ElicitAction::Decline),
        ("cancel", ElicitAction::Cancel),
    ] {
        let question = asked("who", form("Name?"));
        let refusal = json!({ "action": name, "content": { "name": "Ada" } });
        let round = next(&question, answers([("who", refusal)]));
        assert_eq!(answered(ask(&round, "who", form("Name?"))), (action, None));
        ask(&round, "next", form("Next?")).unwrap();
        let question = round.question().unwrap();
        assert_eq!(state(&question).outcomes["who"].data, None);
        let round = next(&question, answers([]));
        assert_eq!(
            answered(ask(&round, "who", form("Name?"))),
            (action, None),
            "not asked again"
        );
        // A refusal of one text is none of another.
        let round = next(&question, answers([]));
        assert!(matches!(
            ask(&round, "who", form("Your name?")),
            Ok(Settled::Pending)
        ));
    }
}

#[test]
fn content_that_does_not_fit_is_asked_again() {
    let question = asked("who", form("Name?"));
    for content in [
        json!({}),
        json!({ "name": 3 }),
        json!(["name"]),
        json!("name"),
    ] {
        let answer = json!({ "action": "accept", "content": content });
        let round = next(&question, answers([("who", answer)]));
        assert!(
            matches!(ask(&round, "who", form("Name?")), Ok(Settled::Pending)),
            "{content}"
        );
        let again = round.question().unwrap();
        assert!(
            state(&again).changed.is_empty(),
            "the question is the same one"
        );
    }
}

#[test]
fn a_recorded_answer_that_no_longer_fits_is_asked_again() {
    let q = digest_of(&form("Name?"));
    for entry in [
        format!(r#"{{"action":"accept","data":{{"name":3}},"q":"{q}"}}"#),
        format!(r#"{{"action":"accept","q":"{q}"}}"#),
        format!(r#"{{"action":"accept","data":null,"q":"{q}"}}"#),
    ] {
        let text = format!(r#"{{"v":3,"outcomes":{{"who":{entry}}},"asked":{{}}}}"#);
        let round = Round::new(Some(&text), answers([]), everything(), 5);
        assert!(
            matches!(ask(&round, "who", form("Name?")), Ok(Settled::Pending)),
            "{entry}"
        );
    }
}

#[test]
fn an_answer_of_the_wrong_kind_ends_the_call() {
    let model =
        json!({ "role": "assistant", "content": { "type": "text", "text": "x" }, "model": "m" });
    let listed = json!({ "roots": [] });
    let empty = json!({ "action": "accept" });
    let null = json!({ "action": "accept", "content": null });
    for (request, answer, expected) in [
        (
            form("Name?"),
            &model,
            "Resolver 'k' received a non-elicitation response",
        ),
        (
            form("Name?"),
            &listed,
            "Resolver 'k' received a non-elicitation response",
        ),
        (
            form("Name?"),
            &json!(null),
            "Resolver 'k' received a non-elicitation response",
        ),
        (
            form("Name?"),
            &json!({ "action": "maybe" }),
            "Resolver 'k' received a non-elicitation response",
        ),
        (
            form("Name?"),
            &empty,
            "Resolver 'k' received an accepted elicitation with no content",
        ),
        (
            form("Name?"),
            &null,
            "Resolver 'k' received an accepted elicitation with no content",
        ),
        (
            visit(),
            &listed,
            "Resolver 'k' received a non-elicitation response",
        ),
        (
            sample(),
            &listed,
            "Resolver 'k' received a response of the wrong kind",
        ),
        (
            sample(),
            &accept("Ada"),
            "Resolver 'k' received a response of the wrong kind",
        ),
        (
            roots(),
            &model,
            "Resolver 'k' received a response of the wrong kind",
        ),
        (
            roots(),
            &accept("Ada"),
            "Resolver 'k' received a response of the wrong kind",
        ),
    ] {
        let question = asked("k", request.clone());
        let round = next(&question, answers([("k", answer.clone())]));
        assert_eq!(failure(ask(&round, "k", request)), expected, "{answer}");
    }
}

#[test]
fn a_visit_needs_no_content() {
    let question = asked("k", visit());
    let round = next(&question, answers([("k", json!({ "action": "accept" }))]));
    assert_eq!(
        answered(ask(&round, "k", visit())),
        (ElicitAction::Accept, None)
    );
    // What a client sends along is nobody's answer.
    let round = next(&question, answers([("k", accept("Ada"))]));
    assert_eq!(
        answered(ask(&round, "k", visit())),
        (ElicitAction::Accept, None)
    );
}

#[test]
fn sampled_and_listed_answers_are_kept_as_they_came() {
    let one = r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","_meta":{"a":1},"later":true}"#;
    let many = r#"{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m"}"#;
    let listed = r#"{"roots":[{"uri":"file:///w","name":"w"}]}"#;
    for (request, answer) in [(sample(), one), (sample(), many), (roots(), listed)] {
        let question = asked("k", request.clone());
        let mut given = InputResponses::new();
        given.insert("k", Raw::from_json(answer.to_owned()).unwrap());
        let round = next(&question, given);
        assert_eq!(
            answered(ask(&round, "k", request.clone())),
            (ElicitAction::Accept, Some(answer.to_owned()))
        );
        ask(&round, "next", form("Next?")).unwrap();
        let round = next(&round.question().unwrap(), answers([]));
        assert_eq!(
            answered(ask(&round, "k", request)).1.as_deref(),
            Some(answer)
        );
    }
}

#[test]
fn nobody_declines_a_sampling_or_the_roots() {
    for request in [sample(), roots()] {
        let q = digest_of(&request);
        for action in ["decline", "cancel"] {
            let text = format!(
                r#"{{"v":3,"outcomes":{{"k":{{"action":"{action}","q":"{q}"}}}},"asked":{{}}}}"#
            );
            let round = Round::new(Some(&text), answers([]), everything(), 5);
            assert!(matches!(
                ask(&round, "k", request.clone()),
                Ok(Settled::Pending)
            ));
        }
    }
}

#[test]
fn a_question_that_the_client_cannot_answer_ends_the_call() {
    let bare = ClientCapabilities::new().elicitation(ElicitationCapability::new());
    let url_only =
        ClientCapabilities::new().elicitation(ElicitationCapability::new().url(Declared::new()));
    let no_tools = ClientCapabilities::new().sampling(SamplingCapability::new());
    let InputRequest::Sample(mut with_tools) = sample() else {
        unreachable!()
    };
    with_tools.tools = Some(Vec::new());
    let with_tools = InputRequest::Sample(with_tools);
    let nothing = ClientCapabilities::new();
    for (capabilities, request, needed) in [
        (
            &nothing,
            form("Name?"),
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            &url_only,
            form("Name?"),
            json!({ "elicitation": { "form": {} } }),
        ),
        (&nothing, visit(), json!({ "elicitation": { "url": {} } })),
        (&bare, visit(), json!({ "elicitation": { "url": {} } })),
        (&nothing, sample(), json!({ "sampling": {} })),
        (
            &no_tools,
            with_tools,
            json!({ "sampling": { "tools": {} } }),
        ),
        (&nothing, roots(), json!({ "roots": {} })),
    ] {
        let round = Round::new(None, answers([]), capabilities.clone(), 5);
        let Err(Halt::Protocol(error)) = ask(&round, "k", request) else {
            panic!("{needed}")
        };
        assert_eq!(error.code, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY);
        let data: serde_json::Value = error.data.unwrap().parse().unwrap();
        assert_eq!(data, json!({ "requiredCapabilities": needed }));
    }
    let round = Round::new(None, answers([]), bare, 5);
    assert!(
        ask(&round, "k", form("Name?")).is_ok(),
        "an empty object is a form"
    );
}

#[test]
fn an_answer_that_is_there_needs_no_capability() {
    let question = asked("who", form("Name?"));
    let state = question.request_state.as_deref();
    let round = Round::new(
        state,
        answers([("who", accept("Ada"))]),
        ClientCapabilities::new(),
        5,
    );
    answered(ask(&round, "who", form("Name?")));
}

#[test]
fn one_key_has_one_question_in_a_round() {
    let round = start();
    ask(&round, "who", form("Name?")).unwrap();
    assert!(
        ask(&round, "who", form("Name?")).is_ok(),
        "the same question again is no other one"
    );
    assert_eq!(
        failure(ask(&round, "who", form("Your name?"))),
        "Two different questions of one round have the key \"who\": give one another key"
    );
    // Also when the first one is answered already: its answer would be given to the other.
    let question = asked("who", form("Name?"));
    let round = next(&question, answers([("who", accept("Ada"))]));
    answered(ask(&round, "who", form("Name?")));
    failure(ask(&round, "who", form("Your name?")));
}

#[test]
fn a_question_that_never_settles_ends_the_call() {
    let mut question = asked("when", form("It is 0"));
    for change in 1..5 {
        let round = next(&question, answers([("when", accept("Ada"))]));
        ask(&round, "when", form(&format!("It is {change}"))).unwrap();
        question = round.question().unwrap();
        assert_eq!(state(&question).changed["when"], change);
        assert_eq!(state(&question).rounds, change + 1);
    }
    let round = next(&question, answers([("when", accept("Ada"))]));
    let text = failure(ask(&round, "when", form("It is 5")));
    assert_eq!(
        text,
        "The question \"when\" never settles: its text changed in 5 rounds. It must depend on \
         the arguments only, not on the time or on live data."
    );
}

#[test]
fn changes_count_across_answers() {
    // Two questions that take turns in changing keep a flow alive for ever, although each is
    // answered in between.
    let mut texts = [0, 0];
    let mut question = None;
    let mut rounds = 0;
    let text = loop {
        rounds += 1;
        assert!(rounds < 20, "the call never ends");
        let given = answers([("a", accept("Ada")), ("b", accept("Ada"))]);
        let round = match &question {
            None => start(),
            Some(question) => next(question, given),
        };
        texts[rounds % 2] += 1;
        let [a, b] = texts.map(|text| form(&text.to_string()));
        let asked = ask(&round, "a", a).and_then(|_| ask(&round, "b", b));
        match asked {
            Ok(_) => question = round.question(),
            Err(halt) => break failure(Err(halt)),
        }
    };
    assert!(text.contains("never settles"), "{text}");
}

#[test]
fn results_are_kept_once() {
    let round = start();
    assert_eq!(round.once("count"), None);
    round.keep_once("count", json!(3).into());
    assert_eq!(round.once("count").unwrap().get(), "3");
    ask(&round, "who", form("Name?")).unwrap();
    let question = round.question().unwrap();
    let round = next(&question, answers([]));
    assert_eq!(round.once("count").unwrap().get(), "3");
    ask(&round, "who", form("Name?")).unwrap();
    assert_eq!(state(&round.question().unwrap()).once["count"].get(), "3");
}

#[test]
fn the_first_end_of_a_call_stays() {
    let round = start();
    assert!(round.halted().is_none());
    round.halt(Halt::Failed("first".to_owned()));
    round.halt(Halt::Failed("second".to_owned()));
    assert!(matches!(round.halted(), Some(Halt::Failed(text)) if text == "first"));
}

/// Log records as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                write!(self.0, "{}={value:?} ", field.name()).unwrap();
            }
        }
        let mut text = Text(format!("{} ", event.metadata().level()));
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_change_is_logged_with_its_key_both_digests_and_its_round() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        // Two quiet rounds first: the count is that of the flow, not that of the changes.
        let question = asked("when", form("It is 0"));
        let round = next(&question, answers([]));
        ask(&round, "when", form("It is 0")).unwrap();
        let question = round.question().unwrap();
        assert!(log.0.lock().unwrap().is_empty(), "nothing has changed");
        let round = next(&question, answers([]));
        ask(&round, "when", form("It is 1")).unwrap();
    });
    let log = log.0.lock().unwrap();
    assert_eq!(log.len(), 1, "{log:?}");
    for part in [
        "WARN ".to_owned(),
        "key=\"when\" ".to_owned(),
        format!("previous=\"{}\" ", digest_of(&form("It is 0"))),
        format!("digest=\"{}\" ", digest_of(&form("It is 1"))),
        "round=3 ".to_owned(),
    ] {
        assert!(log[0].contains(&part), "{part} is not in {log:?}");
    }
    assert!(
        !log[0].contains("It is"),
        "the text of a question is not for the log"
    );
}

#[test]
fn an_answer_that_does_not_count_is_logged_without_its_content() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let question = asked("who", form("Name?"));
        let round = next(&question, answers([("who", accept("Ada"))]));
        ask(&round, "who", form("Your name?")).unwrap();
        let round = next(
            &question,
            answers([(
                "who",
                json!({ "action": "accept", "content": { "name": 7 } }),
            )]),
        );
        ask(&round, "who", form("Name?")).unwrap();
    });
    let log = log.0.lock().unwrap();
    assert!(log[0].contains("answer discarded"), "{log:?}");
    assert!(log[2].contains("does not fit"), "{log:?}");
    assert!(
        log.iter()
            .all(|line| line.contains("who") && !line.contains("Ada")),
        "{log:?}"
    );
}
