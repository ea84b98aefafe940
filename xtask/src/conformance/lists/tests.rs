use super::{Scenario, choose, scenarios, skips, skips_belong_to};

fn scenario(name: &str, version: &str) -> Scenario {
    Scenario {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

#[test]
fn scenarios_are_lines_of_two_words() {
    let text = "# why\n\ncaching 2026-07-28\nping   2025-11-25\n";
    assert_eq!(
        scenarios(text).unwrap(),
        [
            scenario("caching", "2026-07-28"),
            scenario("ping", "2025-11-25")
        ]
    );
    assert_eq!(
        scenarios("caching").unwrap_err(),
        "scenarios.txt:1: expected `scenario version`, found `caching`"
    );
    assert_eq!(
        scenarios("ping 2025-11-25\nping 2025-11-25").unwrap_err(),
        "scenarios.txt:2: ping @ 2025-11-25 is listed twice"
    );
}

#[test]
fn a_skip_needs_a_reason() {
    let found = skips("caching 2026-07-28 read-hints no resource is listed").unwrap();
    assert_eq!(found[0].check, "read-hints");
    assert!(skips("caching 2026-07-28 read-hints").is_err());
}

#[test]
fn a_skip_of_a_scenario_that_does_not_run_is_refused() {
    let found = skips("caching 2026-07-28 read-hints because").unwrap();
    assert!(skips_belong_to(&found, &[scenario("caching", "2026-07-28")]).is_ok());
    assert!(skips_belong_to(&found, &[scenario("caching", "2025-11-25")]).is_err());
}

#[test]
fn names_choose_every_version_and_must_be_listed() {
    let listed = scenarios("a 1\na 2\nb 1").unwrap();
    let chosen = choose(listed.clone(), &["a".to_owned()]).unwrap();
    assert_eq!(chosen, [scenario("a", "1"), scenario("a", "2")]);
    assert_eq!(choose(listed.clone(), &[]).unwrap(), listed);
    assert_eq!(
        choose(listed, &["c".to_owned()]).unwrap_err(),
        "scenarios.txt does not list `c`"
    );
}
