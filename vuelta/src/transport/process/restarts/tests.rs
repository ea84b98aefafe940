use super::*;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn restarts() -> Restarts {
    Restarts::new()
        .delays(100 * MS, SECOND)
        .at_most(6, 60 * SECOND)
}

#[test]
fn the_wait_doubles_up_to_the_longest_and_then_ends() {
    let mut restarts = restarts();
    let now = Instant::now();
    let waits: Vec<_> = (0..8).map(|_| restarts.again_at(now, u32::MAX)).collect();
    let expected = [100, 200, 400, 800, 1000, 1000].map(|wait| Some(wait * MS));
    assert_eq!(waits[..6], expected);
    assert_eq!(waits[6..], [None, None]);
}

#[test]
fn at_least_half_of_the_wait_is_sure() {
    let now = Instant::now();
    assert_eq!(restarts().again_at(now, 0), Some(50 * MS));
    assert_eq!(restarts().again_at(now, u32::MAX), Some(100 * MS));
    let middle = restarts().again_at(now, u32::MAX / 2).unwrap();
    assert!((74 * MS..=76 * MS).contains(&middle), "{middle:?}");
}

#[test]
fn a_loss_that_is_past_does_not_count() {
    let mut restarts = restarts();
    let start = Instant::now();
    for second in 0..6 {
        assert!(restarts.again_at(start + second * SECOND, 0).is_some());
    }
    assert_eq!(restarts.again_at(start + 59 * SECOND, 0), None);
    // The first loss has left the window, five are in it.
    assert_eq!(
        restarts.again_at(start + 60 * SECOND, u32::MAX),
        Some(SECOND)
    );
    assert_eq!(restarts.again_at(start + 60 * SECOND, u32::MAX), None);
    // All of them have.
    assert_eq!(
        restarts.again_at(start + 120 * SECOND, u32::MAX),
        Some(100 * MS)
    );
}

#[test]
fn refusals_do_not_prolong_the_end() {
    let mut restarts = Restarts::new().at_most(1, SECOND);
    let start = Instant::now();
    assert!(restarts.again_at(start, 0).is_some());
    for step in 1..10 {
        assert_eq!(restarts.again_at(start + step * 100 * MS, 0), None);
    }
    assert!(restarts.again_at(start + SECOND, 0).is_some());
}

#[test]
fn extremes_do_no_harm() {
    let now = Instant::now();
    assert_eq!(Restarts::new().at_most(0, SECOND).again_at(now, 0), None);
    let mut many = Restarts::new()
        .delays(SECOND, Duration::MAX)
        .at_most(200, SECOND);
    for _ in 0..199 {
        assert!(many.again_at(now, u32::MAX).is_some());
    }
    assert!(many.again_at(now, u32::MAX).unwrap() > Duration::from_secs(u64::from(u32::MAX / 2)));
    // A clock that seems to go back.
    let mut restarts = restarts();
    assert!(restarts.again_at(now + SECOND, 0).is_some());
    assert!(restarts.again_at(now, 0).is_some());
}

#[test]
fn the_clock_and_chance_are_read() {
    let wait = Restarts::new().again().unwrap();
    assert!((250 * MS..=500 * MS).contains(&wait), "{wait:?}");
}
