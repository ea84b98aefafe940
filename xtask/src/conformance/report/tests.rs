use std::path::PathBuf;

use super::Report;
use crate::conformance::checks::Check;
use crate::conformance::plan::{Role, Scenario};
use crate::conformance::suite::Run;

fn run(role: Role, name: &str, status: &str, finished: bool) -> Run {
    let checks = format!(r#"[{{"id":"a","name":"A","status":"{status}"}}]"#);
    let checks: Vec<Check> = serde_json::from_str(&checks).unwrap();
    Run {
        scenarios: vec![(Scenario::new(role, name, "2026-07-28"), checks)],
        finished,
        folder: PathBuf::from("out"),
    }
}

#[test]
fn the_table_has_a_row_for_each_role_and_revision() {
    let mut report = Report::new(&[]);
    report.add(&run(Role::Server, "one", "SUCCESS", true));
    report.add(&run(Role::Server, "two", "SUCCESS", true));
    report.add(&run(Role::Client, "one", "SUCCESS", true));
    assert_eq!(
        report.to_string(),
        "server 2026-07-28   2 of  2 scenarios passed; checks: 2 succeeded\n\
         client 2026-07-28   1 of  1 scenarios passed; checks: 1 succeeded\n"
    );
    assert_eq!(report.verdict(), Ok(()));
}

#[test]
fn a_check_that_failed_fails_its_scenario() {
    let mut report = Report::new(&[]);
    report.add(&run(Role::Server, "one", "WARNING", false));
    assert_eq!(
        report.verdict().unwrap_err(),
        "these scenarios failed: server one @ 2026-07-28"
    );
    assert!(report.to_string().contains(" 0 of  1 scenarios passed"));
}

#[test]
fn a_crash_after_the_last_check_is_a_failure() {
    let mut report = Report::new(&[]);
    report.add(&run(Role::Client, "one", "SUCCESS", false));
    assert!(report.verdict().is_err());
}
