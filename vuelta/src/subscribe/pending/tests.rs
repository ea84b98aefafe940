use super::Pending;
use crate::subscribe::ChangeEvent;

#[test]
fn what_waits_already_is_not_added_and_keeps_its_place() {
    let mut pending = Pending::default();
    let page = || ChangeEvent::resource_updated("mem://page");
    for event in [page(), ChangeEvent::ToolsListChanged, page()] {
        pending.push(event);
    }
    assert_eq!(pending.len(), 2);
    assert!(pending.contains(&page()));
    assert_eq!(pending.pop(), Some(page()));
    assert!(!pending.contains(&page()));

    pending.push(page());
    assert_eq!(pending.pop(), Some(ChangeEvent::ToolsListChanged));
    assert_eq!(pending.pop(), Some(page()));
    assert_eq!(pending.pop(), None);
}
