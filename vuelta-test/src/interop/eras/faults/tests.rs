use super::*;

const COLUMN: Column = Column {
    role: Role::Server,
    wire: Wire::Http,
    era: Era::Modern,
};

fn judged(peer: Peer, story: &str, checked: Checked) -> Cell {
    judge(peer, COLUMN, story, checked)
}

#[test]
fn a_fault_that_shows_as_listed_is_excused() {
    let checked = Err("expected an error, found [Unknown tool: nope]".into());
    let cell = judged(Peer::PythonV2, "unknown_tool", checked);
    assert!(matches!(cell, Cell::Excused(_)), "{cell:?}");
}

#[test]
fn a_listed_cell_that_passes_fails() {
    let cell = judged(Peer::PythonV2, "unknown_tool", Ok(()));
    assert!(matches!(cell, Cell::Failed(_)), "{cell:?}");
}

#[test]
fn a_listed_cell_that_fails_otherwise_fails() {
    let cell = judged(Peer::PythonV2, "unknown_tool", Err("not connected".into()));
    assert!(matches!(cell, Cell::Failed(_)), "{cell:?}");
}

#[test]
fn what_is_not_listed_is_taken_as_it_comes() {
    let cell = judged(Peer::TypescriptV2, "unknown_tool", Ok(()));
    assert!(matches!(cell, Cell::Passed), "{cell:?}");
    let cell = judged(Peer::PythonV2, "call", Err("Unknown tool: nope".into()));
    assert!(matches!(cell, Cell::Failed(_)), "{cell:?}");
}
