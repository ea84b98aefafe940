use super::MemoryEventStore;
use crate::server::session::store::{EventId, EventStore as _, Replay};

fn id(stream: u64, sequence: u64) -> EventId {
    EventId { stream, sequence }
}

/// Keeps messages of a session, each under its id.
async fn fill(store: &MemoryEventStore, session: &str, messages: &[(u64, u64, &str)]) {
    for (stream, sequence, message) in messages {
        let id = id(*stream, *sequence);
        store.append(session, id, message).await.unwrap();
    }
}

fn events(messages: &[(u64, u64, &str)]) -> Vec<(EventId, String)> {
    messages
        .iter()
        .map(|(stream, sequence, message)| (id(*stream, *sequence), (*message).to_owned()))
        .collect()
}

#[tokio::test]
async fn a_replay_is_of_one_stream_of_one_session() {
    let store = MemoryEventStore::new();
    fill(
        &store,
        "a",
        &[(1, 1, "x"), (2, 1, "y"), (1, 2, "z"), (1, 3, "w")],
    )
    .await;
    fill(&store, "b", &[(1, 1, "other")]).await;

    let all = store.after("a", id(1, 0)).await.unwrap();
    let expected = events(&[(1, 1, "x"), (1, 2, "z"), (1, 3, "w")]);
    assert_eq!(all, Replay::new(expected));
    let rest = store.after("a", id(1, 2)).await.unwrap();
    assert_eq!(rest, Replay::new(events(&[(1, 3, "w")])));
    for last in [3, 4, u64::MAX] {
        let none = store.after("a", id(1, last)).await.unwrap();
        assert_eq!(none, Replay::new([]), "{last}");
    }
}

#[tokio::test]
async fn what_was_dropped_is_told_apart_from_what_never_came() {
    let store = MemoryEventStore::new().session_events(2);
    fill(&store, "a", &[(1, 1, "x"), (1, 2, "y"), (1, 3, "z")]).await;
    let kept = events(&[(1, 2, "y"), (1, 3, "z")]);
    let replay = store.after("a", id(1, 0)).await.unwrap();
    assert_eq!(replay, Replay::new(kept.clone()).with_gap());
    let replay = store.after("a", id(1, 1)).await.unwrap();
    assert_eq!(replay, Replay::new(kept));

    for (session, stream) in [("a", 2), ("b", 1)] {
        let replay = store.after(session, id(stream, 0)).await.unwrap();
        assert_eq!(replay, Replay::new([]).with_gap());
    }
}

#[tokio::test]
async fn the_oldest_of_a_session_goes_when_it_has_too_much() {
    let store = MemoryEventStore::new().session_bytes(10);
    fill(&store, "a", &[(1, 1, "12345"), (2, 1, "12345")]).await;
    fill(&store, "b", &[(1, 1, "12345")]).await;
    fill(&store, "a", &[(2, 2, "1")]).await;
    assert!(store.after("a", id(1, 0)).await.unwrap().has_gap);
    let second = store.after("a", id(2, 0)).await.unwrap();
    assert_eq!(second, Replay::new(events(&[(2, 1, "12345"), (2, 2, "1")])));
    let other = store.after("b", id(1, 0)).await.unwrap();
    assert_eq!(other, Replay::new(events(&[(1, 1, "12345")])));

    // One that no session may have is not kept, and drives none out.
    let refused = store.append("a", id(3, 1), "12345678901").await;
    assert!(refused.unwrap_err().is_transport());
    assert_eq!(store.after("a", id(2, 0)).await.unwrap(), second);
}

#[tokio::test]
async fn the_oldest_of_all_goes_when_all_have_too_much() {
    let store = MemoryEventStore::new().total_bytes(10);
    fill(&store, "a", &[(1, 1, "1234"), (1, 2, "1234")]).await;
    fill(&store, "b", &[(1, 1, "1234")]).await;
    let replay = store.after("a", id(1, 0)).await.unwrap();
    assert_eq!(replay, Replay::new(events(&[(1, 2, "1234")])).with_gap());
    fill(&store, "b", &[(1, 2, "123456")]).await;
    assert_eq!(
        store.after("a", id(1, 0)).await.unwrap(),
        Replay::new([]).with_gap()
    );
    assert_eq!(
        store.after("b", id(1, 0)).await.unwrap(),
        Replay::new(events(&[(1, 1, "1234"), (1, 2, "123456")]))
    );
}

#[tokio::test]
async fn a_session_that_is_forgotten_leaves_nothing() {
    let store = MemoryEventStore::new();
    fill(&store, "a", &[(1, 1, "x"), (2, 1, "y")]).await;
    fill(&store, "b", &[(1, 1, "z")]).await;
    store.forget("a").await;
    store.forget("unknown").await;
    let shown = format!("{store:?}");
    assert!(
        shown.contains("Kept { sessions: 1, events: 1, bytes: 1, .. }"),
        "{shown}"
    );
    assert_eq!(
        store.after("a", id(1, 0)).await.unwrap(),
        Replay::new([]).with_gap()
    );
}
