use super::scenario_of;

#[test]
fn the_name_of_a_folder_tells_its_scenario() {
    for (folder, scenario) in [
        (
            "server-tools-list-2026-07-28T18-04-05-699Z",
            Some("tools-list"),
        ),
        (
            "server-server-sse-polling-2026-07-28T18-04-05-699Z",
            Some("server-sse-polling"),
        ),
        ("tools_call-2026-07-28T18-04-05-699Z", None),
        ("server-2026", None),
        ("suite.log", None),
    ] {
        assert_eq!(scenario_of(folder), scenario);
    }
}
