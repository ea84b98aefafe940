use std::path::Path;

use super::{Link, Names, has_test, in_line, in_repository, links};

const SOURCE: &str = "\
#[test]
fn it_holds() {}

#[tokio::test(
    start_paused = true,
)]
async fn it_holds_in_time() {}

fn it_helps() {}
";

/// What is wrong with a row, in a repository of one file.
fn check(row: &str) -> Vec<String> {
    let read = |path: &Path| (path == Path::new("a/tests.rs")).then(|| SOURCE.to_owned());
    in_line(row, &mut Names::default(), &read)
}

fn holds(how: &str) -> Vec<String> {
    check(&format!(
        "| stdio-1 | A message is a line. | MUST | {how} |"
    ))
}

#[test]
fn a_row_names_a_test_that_exists() {
    assert_eq!(holds("[`it_holds`](../a/tests.rs)"), [""; 0]);
    assert_eq!(
        holds("[`it_holds`](../a/tests.rs), [`it_holds_in_time`](../a/tests.rs); and more"),
        [""; 0]
    );
    assert_eq!(
        holds("[`it_holds`](../a/tests.rs), [`it_broke`](../a/tests.rs)"),
        ["stdio-1: there is no test `it_broke` in `a/tests.rs`"]
    );
    assert_eq!(
        holds("[`it_holds`](../b/tests.rs)")[0],
        "stdio-1: there is no file `b/tests.rs`"
    );
}

#[test]
fn a_function_that_is_no_test_shows_nothing() {
    assert!(has_test(SOURCE, "it_holds"));
    assert!(has_test(SOURCE, "it_holds_in_time"));
    for name in ["it_helps", "it_hold", "holds"] {
        assert!(!has_test(SOURCE, name), "{name}");
    }
}

#[test]
fn a_row_without_a_test_says_what_there_is_instead() {
    for how in [
        "host's: it has the user",
        "another's: of an intermediary",
        "declined: the page on subscriptions wants another thing",
        "not yet: nothing checks it",
        "authorization: not served yet",
        "by construction: the type holds no other, [`a/tests.rs`](../a/tests.rs)",
    ] {
        assert_eq!(holds(how), [""; 0], "{how}");
    }
    for how in ["", "it holds", "see [the guide](../a/tests.rs)"] {
        let found = holds(how);
        assert_eq!(found.len(), 1, "{how}: {found:?}");
        assert!(
            found[0].starts_with("stdio-1: name a test"),
            "{how}: {found:?}"
        );
    }
    assert_eq!(
        holds("by construction: it cannot be otherwise"),
        ["stdio-1: name the file that sees to it"]
    );
}

#[test]
fn a_row_has_four_cells_and_known_levels() {
    assert_eq!(
        check("| stdio-1 | It is. | MUST |"),
        ["a row has 4 cells, not 3"]
    );
    assert_eq!(
        check("| stdio-1 | It is. | MUST, OUGHT | host's: it is there |"),
        ["stdio-1: `OUGHT` is no level"]
    );
    assert_eq!(
        check("| stdio-1 | | SHOULD NOT | host's: it is there |"),
        ["stdio-1 demands nothing"]
    );
    for line in [
        "",
        "# A title",
        "| | requirement | level | holds by |",
        "| --- | --- | --- | --- |",
    ] {
        assert_eq!(check(line), [""; 0], "{line}");
    }
}

#[test]
fn rows_count_from_1_on_each_page() {
    let mut names = Names::default();
    for name in ["stdio-1", "stdio-2", "auth-security-1"] {
        assert_eq!(names.refuse(name), None);
    }
    assert_eq!(
        names.refuse("auth-security-3").as_deref(),
        Some("this row is auth-security-2, not auth-security-3")
    );
    assert_eq!(
        names.refuse("stdio-3").as_deref(),
        Some("stdio-3: the rows of a page stand together")
    );
    assert_eq!(
        names.refuse("roots").as_deref(),
        Some("this row is roots-1, not roots")
    );
}

#[test]
fn links_are_read_from_the_folder_of_the_page() {
    let found: Vec<_> = links("[`a`](../b.rs), [c](#d) and e](f").collect();
    let link = |text, target| Link { text, target };
    assert_eq!(found, [link("`a`", "../b.rs"), link("c", "#d")]);
    let path = |target| in_repository(target);
    assert_eq!(path("../b.rs").as_deref(), Some(Path::new("b.rs")));
    assert_eq!(path("b.md").as_deref(), Some(Path::new("docs/b.md")));
    assert_eq!(path("#d"), None);
    assert_eq!(path("https://example.com/b.rs"), None);
}
