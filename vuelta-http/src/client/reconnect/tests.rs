use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn attempts_that_bring_nothing_grow_apart_and_end() {
    let mut reconnect = Reconnect::new(7);
    let waits: Vec<_> = std::iter::from_fn(|| reconnect.next(false, None)).collect();
    let seconds = [1, 2, 4, 8, 16, 30, 30].map(Duration::from_secs);
    assert_eq!(waits, seconds);
    assert_eq!(reconnect.next(false, None), None, "it stays given up");
    assert_eq!(Reconnect::new(0).next(true, None), None);
}

#[test]
fn a_stream_that_brought_something_begins_anew_at_the_servers_pace() {
    let pace = Duration::from_millis(500);
    let mut reconnect = Reconnect::new(2);
    for _ in 0..100 {
        assert_eq!(reconnect.next(true, Some(pace)), Some(pace));
    }
    assert_eq!(reconnect.next(false, Some(pace)), Some(2 * pace));
    assert_eq!(reconnect.next(false, Some(pace)), None);
}

#[test]
fn the_server_may_slow_attempts_down_but_not_speed_them_up_without_end() {
    let next = |retry| Reconnect::new(1).next(true, Some(retry));
    assert_eq!(next(Duration::ZERO), Some(Duration::from_millis(100)));
    assert_eq!(next(3600 * SECOND), Some(3600 * SECOND));
    let mut reconnect = Reconnect::new(usize::MAX);
    for _ in 0..1000 {
        let wait = reconnect.next(false, Some(Duration::MAX));
        assert_eq!(wait, Some(Duration::MAX));
    }
}
