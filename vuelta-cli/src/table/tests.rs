use super::render;

fn row<const N: usize>(cells: [&str; N]) -> [String; N] {
    cells.map(str::to_owned)
}

#[test]
fn cells_of_a_column_are_below_each_other() {
    let rows = [
        row(["add", "a b", "Adds."]),
        row(["subtract", "", "Subtracts\nnumbers."]),
        row(["none", "", ""]),
    ];
    assert_eq!(
        render(&rows),
        "  add       a b  Adds.
  subtract       Subtracts numbers.
  none
"
    );
    assert_eq!(render::<2>(&[]), "");
}

#[test]
fn a_long_cell_moves_its_own_row_alone() {
    let long = "x".repeat(49);
    let rows = [row(["é", "first"]), row([&long, "second"])];
    assert_eq!(render(&rows), format!("  é  first\n  {long}  second\n"));
}

#[test]
fn the_last_cell_is_cut() {
    let fits = "x".repeat(80);
    assert_eq!(render(&[row([&fits])]), format!("  {fits}\n"));
    let long = "é".repeat(81);
    assert_eq!(
        render(&[row([&long])]),
        format!("  {}...\n", "é".repeat(77))
    );
}

#[test]
fn what_a_server_wrote_cannot_steer_the_terminal() {
    assert_eq!(
        render(&[row(["a\u{1b}[2Jb", "c\rd"])]),
        "  a\\u{1b}[2Jb  c\\u{d}d\n"
    );
}
