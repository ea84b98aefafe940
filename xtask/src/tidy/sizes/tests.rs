use super::lines_of_code;

#[test]
fn blanks_and_comments_do_not_count() {
    let text = "\
//! What the file decides.

/* a note
   over two lines */
/// Adds.
fn add(a: u8, b: u8) -> u8 {
    // cannot overflow here
    a + b // the sum
}
";
    assert_eq!(lines_of_code(text), 3);
}

#[test]
fn a_block_comment_that_ends_on_its_line_hides_nothing_below() {
    assert_eq!(lines_of_code("/* one */\nfn f() {}\n"), 1);
}
