use super::{Check, Tally, Verdict};
use crate::conformance::lists::{self, Skip};

fn check(id: &str, status: &str) -> Check {
    Check {
        id: id.to_owned(),
        name: id.to_uppercase(),
        status: status.to_owned(),
        error_message: None,
    }
}

fn skips(text: &str) -> Vec<Skip> {
    lists::skips(text).unwrap()
}

#[test]
fn an_entry_of_the_suite_is_understood() {
    let text = r#"[{"id":"a","name":"A","description":"d","status":"FAILURE",
        "timestamp":"t","errorMessage":"no","details":{"x":1},"specReferences":[]}]"#;
    let checks: Vec<Check> = serde_json::from_str(text).unwrap();
    let verdict = Verdict::of(&checks, &[]);
    assert_eq!(verdict.objections(), ["FAILURE a (A): no"]);
}

#[test]
fn successes_and_remarks_pass() {
    let verdict = Verdict::of(&[check("a", "SUCCESS"), check("b", "INFO")], &[]);
    assert!(verdict.passed());
    assert_eq!(verdict.tally().to_string(), "1 succeeded");
}

#[test]
fn failures_warnings_and_unknown_statuses_do_not_pass() {
    for status in ["FAILURE", "WARNING", "NEW"] {
        let verdict = Verdict::of(&[check("a", "SUCCESS"), check("b", status)], &[]);
        assert_eq!(
            verdict.objections(),
            [format!("{status} b (B): no message")]
        );
    }
}

#[test]
fn a_scenario_without_checks_does_not_pass() {
    for checks in [&[][..], &[check("a", "INFO")][..]] {
        let verdict = Verdict::of(checks, &[]);
        assert_eq!(verdict.objections(), ["the suite checked nothing"]);
    }
}

#[test]
fn a_skipped_check_must_be_listed_and_a_listed_one_skipped() {
    let checks = [check("a", "SUCCESS"), check("b", "SKIPPED")];
    assert_eq!(
        Verdict::of(&checks, &[]).objections(),
        ["SKIPPED b (B): no message"]
    );
    let listed = skips("server s v B because");
    let allowed: Vec<&Skip> = listed.iter().collect();
    assert!(Verdict::of(&checks, &allowed).passed());
    assert_eq!(
        Verdict::of(&checks[..1], &allowed).objections(),
        ["skipped.txt lists B, which was not skipped: delete the line"]
    );
}

#[test]
fn a_tally_names_what_there_is() {
    let mut tally = Tally {
        succeeded: 3,
        failed: 1,
        ..Tally::default()
    };
    tally += Tally {
        skipped: 2,
        ..Tally::default()
    };
    assert_eq!(tally.to_string(), "3 succeeded, 1 failed, 2 skipped");
}
