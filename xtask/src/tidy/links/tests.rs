use super::{Link, relative_links};

fn targets(page: &str) -> Vec<&str> {
    relative_links(page)
        .into_iter()
        .map(|link| link.target)
        .collect()
}

#[test]
fn links_and_images_to_files_are_listed_with_their_line() {
    let page =
        "# Title\n\nSee [the design](ARCHITECTURE.md#crates \"Design\") and ![a](img/a.svg).\n";
    assert_eq!(
        relative_links(page),
        [
            Link {
                line: 3,
                target: "ARCHITECTURE.md"
            },
            Link {
                line: 3,
                target: "img/a.svg"
            },
        ]
    );
}

#[test]
fn definitions_are_links_but_footnotes_are_not() {
    assert_eq!(
        targets("[design]: docs/design.md\n[^1]: a note\n"),
        ["docs/design.md"]
    );
}

#[test]
fn links_elsewhere_and_within_the_page_are_left_alone() {
    assert_eq!(
        targets("[a](https://example.com/b.md) [c](#d) [e](mailto:f@example.com)"),
        [""; 0]
    );
}

#[test]
fn code_has_no_links() {
    assert_eq!(
        targets("```\n[a](b.md)\n```\n`[c](d.md)` [e](f.md)"),
        ["f.md"]
    );
}
