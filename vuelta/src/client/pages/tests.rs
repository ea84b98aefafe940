use super::Walk;

/// Walks until the end or an error, as a server leads that names these cursors in turn.
fn walk(cursors: &[Option<&str>], max_pages: usize) -> (Vec<Option<String>>, Option<String>) {
    let mut walk = Walk::default();
    let mut asked = Vec::new();
    let mut next = cursors.iter();
    while let Some(step) = walk.step("tools/list", max_pages) {
        match step {
            Ok(cursor) => asked.push(cursor),
            Err(error) => return (asked, Some(error.to_string())),
        }
        walk.arrived(
            next.next()
                .expect("the server names no more cursors")
                .as_deref(),
        );
    }
    (asked, None)
}

fn cursors(cursors: &[&str]) -> Vec<Option<String>> {
    let named = cursors.iter().map(|&cursor| Some(cursor.to_owned()));
    std::iter::once(None).chain(named).collect()
}

#[test]
fn a_walk_follows_cursors_to_the_page_that_has_none() {
    assert_eq!(walk(&[None], 100), (cursors(&[]), None));
    let pages = [Some("eyJwYWdlIjogMn0="), Some("eyJwYWdlIjogM30="), None];
    let expected = cursors(&["eyJwYWdlIjogMn0=", "eyJwYWdlIjogM30="]);
    assert_eq!(walk(&pages, 3), (expected, None));
}

#[test]
fn an_empty_cursor_is_not_the_end() {
    assert_eq!(walk(&[Some(""), None], 100), (cursors(&[""]), None));
}

#[test]
fn a_cursor_that_came_before_ends_the_walk() {
    let (asked, error) = walk(&[Some("a"), Some("b"), Some("a")], 100);
    assert_eq!(asked, cursors(&["a", "b"]));
    assert_eq!(
        error.as_deref(),
        Some(r#"tools/list: the list goes in a circle: the cursor "a" came before"#)
    );
    let endless = "x".repeat(1000);
    let (_, error) = walk(&[Some(&endless), Some(&endless)], 100);
    assert!(error.is_some_and(|error| error.len() < 200));
}

#[test]
fn a_list_without_end_is_cut_off() {
    let (asked, error) = walk(&[Some("a"), Some("b"), Some("c")], 2);
    assert_eq!(asked, cursors(&["a"]));
    assert_eq!(
        error.as_deref(),
        Some("tools/list: more than 2 pages: raise `max_pages`, if the list is that long")
    );
    assert!(walk(&[], 0).1.is_some());
}

#[test]
fn a_walk_is_over_after_an_error() {
    let mut walk = Walk::default();
    assert!(walk.step("tools/list", 1).is_some());
    // The page does not arrive.
    assert!(walk.step("tools/list", 1).is_none());
}
