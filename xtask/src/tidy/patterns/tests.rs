use super::{check, foreign_source, in_any_text, in_rust, registry_host, sleep};
use crate::repo::TextFile;

/// Joins what must not stand in this file in one piece.
fn joined(pieces: &[&str]) -> String {
    pieces.concat()
}

#[test]
fn unfinished_rust_is_found() {
    for line in [
        joined(&["    to", "do!()"]),
        joined(&["let x = unimpl", "emented!();"]),
        joined(&["db", "g!(&x);"]),
        joined(&["#[", "ignore = \"slow\"]"]),
        joined(&["/// ```", "ignore"]),
    ] {
        assert_eq!(in_rust(&line, "").len(), 1, "{line}");
    }
    assert_eq!(in_rust(&joined(&["my_db", "g!(x)"]), ""), [""; 0]);
}

#[test]
fn an_untagged_enum_needs_a_reason_on_the_line_before() {
    let attribute = joined(&["#[serde(unt", "agged)]"]);
    assert_eq!(in_rust(&attribute, "/// An id.").len(), 1);
    assert_eq!(in_rust(&attribute, "#[derive(Deserialize)]").len(), 1);
    assert_eq!(
        in_rust(&attribute, "// string or integer: there is no tag"),
        [""; 0]
    );
}

#[test]
fn markers_are_found_unless_they_are_only_spoken_about() {
    let marker = joined(&["FIX", "ME"]);
    assert_eq!(in_any_text(&format!("# {marker}: later")).len(), 1);
    assert_eq!(in_any_text(&format!("no `{marker}` is left")), [""; 0]);
    assert_eq!(in_any_text(&format!("PRE{marker}D")), [""; 0]);
}

#[test]
fn paths_of_a_machine_are_found_but_not_uris_and_deeper_folders() {
    for line in [
        joined(&["cd /ho", "me/me/src"]),
        joined(&["\"/tm", "p/x\""]),
        joined(&["`/wo", "rk/x`"]),
    ] {
        assert_eq!(in_any_text(&line).len(), 1, "{line}");
    }
    for line in [
        "file:///home/user/project",
        "https://example.com/work/1",
        "../tmp/x and target/tmp/x",
        "{root}/home/x",
    ] {
        assert_eq!(in_any_text(line), [""; 0], "{line}");
    }
}

#[test]
fn only_public_registries_are_named() {
    let private = joined(&["https://user@py", "pi.example.com/simple"]);
    assert_eq!(registry_host(&private), Some("pypi.example.com"));
    let mirror = joined(&["see http://np", "m-mirror.example:8081/x"]);
    assert_eq!(registry_host(&mirror), Some("npm-mirror.example"));
    for line in [
        "https://crates.io/crates/serde",
        "https://www.npmjs.com/package/x",
        "https://registry.npmjs.org/x",
        "https://example.com/registry/mirror",
    ] {
        assert_eq!(registry_host(line), None, "{line}");
    }
}

#[test]
fn lock_files_name_the_canonical_registries() {
    let cargo = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    assert_eq!(foreign_source(cargo), None);
    let npm = "      \"resolved\": \"https://registry.npmjs.org/zod/-/zod-4.0.0.tgz\",";
    assert_eq!(foreign_source(npm), None);
    assert_eq!(
        foreign_source("source = \"sparse+https://cargo.example/\""),
        Some("sparse+https://cargo.example/")
    );
    assert_eq!(
        foreign_source("      \"resolved\": \"http://localhost:4873/zod.tgz\","),
        Some("http://localhost:4873/zod.tgz")
    );
    assert_eq!(foreign_source("name = \"serde\""), None);
}

#[test]
fn tests_sleep_only_in_paused_time() {
    let tokio = joined(&["tokio::time::", "sleep(long).await;"]);
    assert!(sleep(&tokio, false).is_some());
    assert!(sleep(&tokio, true).is_none());
    assert!(sleep(&joined(&["thread::", "sleep(long);"]), true).is_some());
}

#[test]
fn unwrap_is_for_tests_and_documentation() {
    let text = joined(&["/// x.unw", "rap();\nlet y = x.unw", "rap();\n"]);
    let lines = |path: &str| {
        let file = TextFile {
            path: path.to_owned(),
            text: text.clone(),
        };
        check_lines(&file)
    };
    assert_eq!(lines("vuelta/src/seal.rs"), [2]);
    assert_eq!(lines("vuelta/src/seal/tests.rs"), [0; 0]);
    assert_eq!(lines("vuelta/tests/flow.rs"), [0; 0]);
    assert_eq!(lines("vuelta-test/src/story.rs"), [0; 0]);
}

fn check_lines(file: &TextFile) -> Vec<usize> {
    check(file)
        .into_iter()
        .map(|finding| finding.line)
        .collect()
}
