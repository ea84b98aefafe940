use std::time::Duration;

use vuelta_wire::{InputRequired, ListRootsParams};

use super::{Next, Progress};

fn asks() -> InputRequired {
    InputRequired::new().ask("roots", ListRootsParams::new())
}

fn state_only() -> InputRequired {
    InputRequired::new().state("s")
}

fn millis(next: Next) -> u64 {
    match next {
        Next::Wait(wait) => u64::try_from(wait.as_millis()).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_state_only_round_waits_50_ms_doubling_to_250() {
    let mut progress = Progress::new(0, 10);
    let waits: Vec<u64> = (0..6)
        .map(|_| millis(progress.next(&state_only())))
        .collect();
    assert_eq!(waits, [50, 100, 200, 250, 250, 250]);
}

#[test]
fn a_round_with_questions_resets_the_wait() {
    let mut progress = Progress::new(0, 10);
    progress.next(&state_only());
    progress.next(&state_only());
    assert_eq!(progress.next(&asks()), Next::Answer);
    assert_eq!(
        progress.next(&state_only()),
        Next::Wait(Duration::from_millis(50))
    );
}

#[test]
fn no_one_is_asked_when_no_retry_is_left() {
    let mut progress = Progress::new(0, 2);
    assert_eq!(progress.next(&asks()), Next::Answer);
    assert_eq!(progress.next(&asks()), Next::Answer);
    assert_eq!(progress.next(&asks()), Next::GiveUp);
    assert_eq!(Progress::new(0, 0).next(&asks()), Next::GiveUp);
}

#[test]
fn an_empty_map_of_questions_is_a_state_only_round() {
    let mut question = state_only();
    question.input_requests = Some(vuelta_wire::OrderedMap::new());
    assert_eq!(
        Progress::new(0, 1).next(&question),
        Next::Wait(Duration::from_millis(50))
    );
}
