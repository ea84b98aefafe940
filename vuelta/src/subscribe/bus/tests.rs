use futures_util::FutureExt as _;

use super::{BACKLOG, ChangeEvent, ChangeStream, Lagged, LocalBus, SubscriptionBus};

fn ready(changes: &mut ChangeStream) -> Option<Option<Result<ChangeEvent, Lagged>>> {
    changes.next().now_or_never()
}

fn page(number: usize) -> ChangeEvent {
    ChangeEvent::resource_updated(format!("mem://{number}"))
}

#[test]
fn every_subscriber_hears_what_is_published_after_it_came() {
    let bus = LocalBus::new();
    bus.publish(page(0));
    let mut first = bus.subscribe();
    bus.clone().publish(page(1));
    let mut second = bus.subscribe();
    bus.publish(page(2));
    assert_eq!(ready(&mut first), Some(Some(Ok(page(1)))));
    assert_eq!(ready(&mut first), Some(Some(Ok(page(2)))));
    assert_eq!(ready(&mut first), None);
    assert_eq!(ready(&mut second), Some(Some(Ok(page(2)))));
    assert_eq!(ready(&mut second), None);
}

#[test]
fn a_subscriber_that_is_too_slow_is_told_so_and_goes_on() {
    let bus = LocalBus::new();
    let (mut slow, mut full) = (bus.subscribe(), bus.subscribe());
    for number in 0..BACKLOG {
        bus.publish(page(number));
    }
    assert_eq!(ready(&mut full), Some(Some(Ok(page(0)))));
    bus.publish(page(BACKLOG));
    assert_eq!(ready(&mut full), Some(Some(Ok(page(1)))));
    assert_eq!(ready(&mut slow), Some(Some(Err(Lagged::new()))));
    assert_eq!(ready(&mut slow), Some(Some(Ok(page(1)))));
}

#[test]
fn changes_end_with_their_bus() {
    let bus = LocalBus::new();
    let mut changes = bus.subscribe();
    bus.publish(page(1));
    drop(bus);
    assert_eq!(ready(&mut changes), Some(Some(Ok(page(1)))));
    assert_eq!(ready(&mut changes), Some(None));
}
