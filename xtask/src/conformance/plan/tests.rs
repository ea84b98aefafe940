use super::{Choice, Listed, REVISIONS, Role, SERVED, Scenario, check, listed};
use crate::conformance::lists::{exclusions, skips};

/// Two of each role as the suite writes them.
const LIST: &str = "\
Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]
  - tools-list [2025-06-18,2025-11-25,2026-07-28]
  - tasks-lifecycle [extension]

Client scenarios (test against a client):
  - tools_call [2025-06-18,2025-11-25,2026-07-28]
  - auth/dpop [extension]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2026-07-28]
";

fn entry(role: Role, name: &str, versions: &[&str]) -> Listed {
    Listed {
        role,
        name: name.to_owned(),
        versions: versions.iter().map(|&version| version.to_owned()).collect(),
    }
}

/// As many scenarios as the suite should have, with nothing beside.
fn complete() -> Vec<Listed> {
    let mut all = Vec::new();
    for revision in REVISIONS {
        for (role, count) in [
            (Role::Server, revision.server),
            (Role::Client, revision.client),
        ] {
            for index in 0..count {
                all.push(entry(
                    role,
                    &format!("{}-{index}", revision.version),
                    &[revision.version],
                ));
            }
        }
    }
    all
}

#[test]
fn the_list_of_the_suite_is_read_by_its_headings() {
    let all = ["2025-06-18", "2025-11-25", "2026-07-28"];
    assert_eq!(
        listed(LIST),
        [
            entry(Role::Server, "ping", &all[..2]),
            entry(Role::Server, "tools-list", &all),
            entry(Role::Server, "tasks-lifecycle", &["extension"]),
            entry(Role::Client, "tools_call", &all),
            entry(Role::Client, "auth/dpop", &["extension"]),
        ]
    );
}

#[test]
fn a_scenario_that_went_missing_is_noticed() {
    let mut all = complete();
    assert_eq!(check(&all, &[], &[]), Ok(()));
    let lost = all.pop().unwrap();
    assert_eq!(
        check(&all, &[], &[]).unwrap_err(),
        "the suite lists 32 client scenarios of 2026-07-28, not 33"
    );
    all.push(lost);
    all.push(entry(Role::Server, "new", &["2026-07-28"]));
    assert_eq!(
        check(&all, &[], &[]).unwrap_err(),
        "the suite lists 41 server scenarios of 2026-07-28, not 40"
    );
}

#[test]
fn what_is_of_no_known_revision_must_be_excluded() {
    let mut all = complete();
    all.push(entry(Role::Server, "tasks-lifecycle", &["extension"]));
    assert!(check(&all, &[], &[]).is_err());
    let of_the_client = exclusions("client tasks-* why").unwrap();
    assert!(check(&all, &of_the_client, &[]).is_err());
    let excluded = exclusions("server tasks-* why").unwrap();
    assert_eq!(check(&all, &excluded, &[]), Ok(()));
}

#[test]
fn a_line_of_the_lists_that_is_about_nothing_is_refused() {
    let all = complete();
    let stale = exclusions("server tasks-* why").unwrap();
    assert_eq!(
        check(&all, &stale, &[]).unwrap_err(),
        "excluded.txt names server tasks-*, which the suite does not have: delete the line"
    );
    for (line, good) in [
        ("server 2026-07-28-0 2026-07-28 C why", true),
        ("server 2026-07-28-0 2025-11-25 C why", false),
        ("client 2026-07-28-40 2026-07-28 C why", false),
        ("server other 2026-07-28 C why", false),
    ] {
        let skips = skips(line).unwrap();
        assert_eq!(check(&all, &[], &skips).is_ok(), good, "{line}");
    }
}

#[test]
fn the_command_line_chooses_by_role_revision_and_name() {
    let all = listed(LIST);
    let excluded = exclusions("client auth/* why").unwrap();
    let chosen = |choice: Choice| choice.of(&all, &excluded);
    let newest = SERVED[SERVED.len() - 1];
    let default = chosen(Choice::default()).unwrap();
    assert!(default.contains(&Scenario::new(Role::Server, "tools-list", newest)));
    assert!(default.contains(&Scenario::new(Role::Client, "tools_call", newest)));
    let choice = Choice {
        role: Some(Role::Server),
        version: Some("2025-11-25".to_owned()),
        names: Vec::new(),
    };
    assert_eq!(
        chosen(choice).unwrap(),
        [
            Scenario::new(Role::Server, "ping", "2025-11-25"),
            Scenario::new(Role::Server, "tools-list", "2025-11-25"),
        ]
    );
    let named = |name: &str| Choice {
        names: vec![name.to_owned()],
        ..Choice::default()
    };
    let all_tools = chosen(named("tools-list")).unwrap();
    assert!(
        all_tools
            .iter()
            .all(|scenario| scenario.name == "tools-list")
    );
    for name in ["auth/dpop", "tasks-lifecycle", "nothing"] {
        assert_eq!(
            chosen(named(name)).unwrap_err(),
            format!("no scenario that would run is called `{name}`")
        );
    }
    let choice = Choice {
        version: Some("2024-11-05".to_owned()),
        ..Choice::default()
    };
    assert!(chosen(choice).unwrap_err().contains("2025-03-26"));
}
