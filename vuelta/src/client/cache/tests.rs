use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use vuelta_wire::methods::{ListResourceTemplates, ListResources, ListTools, Method, ReadResource};
use vuelta_wire::{ListChangedParams, ProtocolVersion, ResourceUpdatedParams, ServerNotification};

use super::{Cache, CacheMode, Found, Name, Pass, View};

const READ: &str = ReadResource::NAME;
const TOOLS: &str = ListTools::NAME;

/// The seconds of a clock.
#[derive(Clone, Default)]
struct Seconds(Arc<AtomicU64>);

impl Seconds {
    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::Relaxed);
    }

    fn cache(&self) -> Cache {
        let seconds = self.clone();
        self.set(1_000_000);
        Cache::new().clock(move || {
            SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.0.load(Ordering::Relaxed))
        })
    }
}

fn view(cache: &Cache, endpoint: Option<&str>, partition: Option<&str>) -> View {
    View::new(cache.clone(), endpoint, partition, CacheMode::Use)
}

fn one() -> View {
    view(&Seconds::default().cache(), None, None)
}

fn name(view: &View, method: &'static str, target: &str) -> Name {
    view.name(&ProtocolVersion::V2026_07_28, method, target)
}

/// What is kept, without asking.
fn kept(view: &View, method: &'static str, target: &str) -> Option<Value> {
    match view.find(name(view, method, target), CacheMode::Use) {
        Found::Kept(found) => Some(found),
        Found::Ask(_) => None,
    }
}

/// The request goes out.
fn ask(view: &View, method: &'static str, target: &str) -> Pass {
    match view.find::<Value>(name(view, method, target), CacheMode::Refresh) {
        Found::Ask(Some(pass)) => pass,
        _ => panic!("a refresh goes out"),
    }
}

fn put(view: &View, method: &'static str, target: &str, scope: &str, seconds: u64) {
    ask(view, method, target).keep(&answer(scope, seconds));
}

fn answer(scope: &str, seconds: u64) -> Value {
    json!({ "ttlMs": seconds * 1000, "cacheScope": scope, "contents": [] })
}

#[test]
fn an_answer_is_fresh_until_its_time_is_over_and_not_at_its_end() {
    let clock = Seconds::default();
    let view = view(&clock.cache(), None, None);
    put(&view, READ, "mem://a", "public", 60);
    assert_eq!(kept(&view, READ, "mem://a"), Some(answer("public", 60)));
    clock.set(1_000_059);
    assert!(kept(&view, READ, "mem://a").is_some());
    clock.set(1_000_060);
    assert_eq!(kept(&view, READ, "mem://a"), None);
    clock.set(1_000_059);
    assert_eq!(kept(&view, READ, "mem://a"), None, "it is gone");
}

#[test]
fn an_answer_is_not_fresh_before_it_came() {
    let clock = Seconds::default();
    let view = view(&clock.cache(), None, None);
    put(&view, TOOLS, "", "public", 60);
    clock.set(999_999);
    assert_eq!(kept(&view, TOOLS, ""), None);
}

#[test]
fn no_answer_is_kept_longer_than_a_day() {
    let clock = Seconds::default();
    let view = view(&clock.cache(), None, None);
    let day = 24 * 60 * 60;
    ask(&view, TOOLS, "").keep(&json!({ "ttlMs": u64::MAX }));
    clock.set(1_000_000 + day - 1);
    assert!(kept(&view, TOOLS, "").is_some());
    clock.set(1_000_000 + day);
    assert_eq!(kept(&view, TOOLS, ""), None);
}

#[test]
fn without_a_time_nothing_is_kept_and_what_was_is_superseded() {
    let view = one();
    for answer in [
        json!({ "ttlMs": 0, "cacheScope": "public" }),
        json!({ "ttlMs": -5 }),
        json!({ "contents": [] }),
        json!({ "ttlMs": "soon" }),
        json!([]),
    ] {
        put(&view, READ, "mem://a", "public", 60);
        ask(&view, READ, "mem://a").keep(&answer);
        assert_eq!(kept(&view, READ, "mem://a"), None, "{answer}");
    }
}

#[test]
fn answers_are_told_apart_by_method_and_target() {
    let view = one();
    put(&view, READ, "mem://a", "public", 60);
    assert_eq!(kept(&view, READ, "mem://b"), None);
    assert_eq!(kept(&view, READ, ""), None);
    assert_eq!(kept(&view, ListResources::NAME, "mem://a"), None);
}

#[test]
fn a_refresh_asks_and_keeps_and_a_bypass_leaves_the_cache_alone() {
    let view = one();
    put(&view, TOOLS, "", "public", 60);
    assert!(matches!(
        view.find::<Value>(name(&view, TOOLS, ""), CacheMode::Bypass),
        Found::Ask(None)
    ));
    put(&view, TOOLS, "", "private", 30);
    assert_eq!(kept(&view, TOOLS, ""), Some(answer("private", 30)));
}

#[test]
fn an_answer_to_a_request_that_went_out_before_the_eviction_is_not_kept() {
    let view = one();
    let before = ask(&view, READ, "mem://a");
    let other = ask(&view, READ, "mem://b");
    view.notice(&updated("mem://a"));
    let after = ask(&view, READ, "mem://a");
    after.keep(&answer("public", 1));
    before.keep(&answer("public", 2));
    other.keep(&answer("public", 3));
    assert_eq!(kept(&view, READ, "mem://a"), Some(answer("public", 1)));
    assert_eq!(kept(&view, READ, "mem://b"), Some(answer("public", 3)));

    let on_its_way = ask(&view, READ, "mem://a");
    view.cache.clear();
    on_its_way.keep(&answer("public", 4));
    assert_eq!(kept(&view, READ, "mem://a"), None);
}

#[test]
fn a_request_that_is_dropped_leaves_nothing() {
    let view = one();
    drop(ask(&view, READ, "mem://a"));
    ask(&view, READ, "mem://b").forget();
    ask(&view, READ, "mem://c").keep(&json!({}));
    assert_eq!(view.cache.store().departed(), 0);
}

#[test]
fn notifications_evict_what_they_name() {
    let fill = || {
        let view = one();
        put(&view, TOOLS, "", "public", 60);
        put(&view, "prompts/list", "", "private", 60);
        put(&view, "resources/list", "", "public", 60);
        put(&view, "resources/templates/list", "", "public", 60);
        put(&view, READ, "file:///a", "private", 60);
        put(&view, READ, "file:///a/b", "public", 60);
        put(&view, READ, "file:///c", "public", 60);
        view
    };
    let left = |notification: &ServerNotification| {
        let view = fill();
        view.notice(notification);
        let mut left = Vec::new();
        for (method, target) in [
            (TOOLS, ""),
            ("prompts/list", ""),
            (ListResources::NAME, ""),
            (ListResourceTemplates::NAME, ""),
            (READ, "file:///a"),
            (READ, "file:///a/b"),
            (READ, "file:///c"),
        ] {
            let is_left = kept(&view, method, target).is_some();
            left.push(if is_left { '1' } else { '0' });
        }
        left.into_iter().collect::<String>()
    };
    let list_changed = ListChangedParams::new;
    assert_eq!(
        left(&ServerNotification::ToolsListChanged(list_changed())),
        "0111111"
    );
    assert_eq!(
        left(&ServerNotification::PromptsListChanged(list_changed())),
        "1011111"
    );
    assert_eq!(
        left(&ServerNotification::ResourcesListChanged(list_changed())),
        "1100111"
    );
    assert_eq!(left(&updated("file:///a")), "1111011");
    assert_eq!(
        left(&updated("file:///a/b")),
        "1111001",
        "it may be a part of the other"
    );
    assert_eq!(left(&updated("file:///d")), "1111111");
}

fn updated(uri: &str) -> ServerNotification {
    ServerNotification::ResourceUpdated(ResourceUpdatedParams::new(uri))
}

#[test]
fn clients_that_share_a_cache_are_strangers_unless_they_say_otherwise() {
    let cache = Seconds::default().cache().share_public();
    let (url, ada) = (Some("http://127.0.0.1:8000/mcp"), Some("user:ada"));
    for (one, other) in [
        (view(&cache, None, ada), view(&cache, None, ada)),
        (view(&cache, url, None), view(&cache, url, None)),
        (view(&cache, url, ada), view(&cache, url, Some("user:eve"))),
        (
            view(&cache, url, ada),
            view(&cache, Some("http://127.0.0.1:9000/mcp"), ada),
        ),
    ] {
        put(&one, READ, "mem://a", "private", 60);
        assert!(kept(&one, READ, "mem://a").is_some());
        assert_eq!(kept(&other, READ, "mem://a"), None);
    }
    let (one, other) = (view(&cache, url, ada), view(&cache, url, ada));
    put(&one, READ, "mem://a", "private", 60);
    assert!(kept(&other, READ, "mem://a").is_some());

    let older = one.name(&ProtocolVersion::V2025_11_25, READ, "mem://a");
    assert!(
        matches!(one.find::<Value>(older, CacheMode::Use), Found::Ask(_)),
        "another revision"
    );
}

#[test]
fn what_is_public_is_shared_only_if_the_cache_says_so() {
    let url = Some("http://127.0.0.1:8000/mcp");
    let shy = Seconds::default().cache();
    let open = shy.clone().share_public();
    let ada = |cache: &Cache| view(cache, url, Some("user:ada"));
    let eve = |cache: &Cache| view(cache, url, Some("user:eve"));

    put(&ada(&shy), READ, "mem://a", "public", 60);
    assert_eq!(kept(&eve(&shy), READ, "mem://a"), None);
    assert_eq!(
        kept(&eve(&open), READ, "mem://a"),
        None,
        "it was not given to share"
    );

    put(&ada(&open), READ, "mem://b", "public", 60);
    assert!(kept(&eve(&open), READ, "mem://b").is_some());
    assert_eq!(
        kept(&eve(&shy), READ, "mem://b"),
        None,
        "it does not take what others share"
    );

    // An unknown scope is private; so is none.
    for scope in ["team", "private"] {
        put(&ada(&open), READ, "mem://c", scope, 60);
        assert_eq!(kept(&eve(&open), READ, "mem://c"), None);
    }
    ask(&ada(&open), READ, "mem://d").keep(&json!({ "ttlMs": 60_000 }));
    assert_eq!(kept(&eve(&open), READ, "mem://d"), None);

    // What is private now is taken back from everybody.
    put(&ada(&open), READ, "mem://b", "private", 60);
    assert_eq!(kept(&eve(&open), READ, "mem://b"), None);
    assert!(kept(&ada(&open), READ, "mem://b").is_some());
}

#[test]
fn an_eviction_holds_for_everybody() {
    let url = Some("http://127.0.0.1:8000/mcp");
    let cache = Seconds::default().cache().share_public();
    let ada = view(&cache, url, Some("user:ada"));
    let eve = view(&cache, url, Some("user:eve"));
    put(&ada, READ, "mem://a", "private", 60);
    put(&ada, READ, "mem://b", "public", 60);
    eve.notice(&updated("mem://a"));
    eve.notice(&updated("mem://b"));
    assert_eq!(kept(&ada, READ, "mem://a"), None);
    assert_eq!(kept(&ada, READ, "mem://b"), None);

    put(&ada, READ, "mem://a", "private", 60);
    view(&cache, None, None).notice(&updated("mem://a"));
    assert!(kept(&ada, READ, "mem://a").is_some(), "of another server");
}

#[test]
fn what_is_refused_to_one_stays_good_for_others() {
    let url = Some("http://127.0.0.1:8000/mcp");
    let cache = Seconds::default().cache();
    let ada = view(&cache, url, Some("user:ada"));
    let eve = view(&cache, url, Some("user:eve"));
    for view in [&ada, &eve] {
        put(view, READ, "mem://a", "private", 60);
        put(view, TOOLS, "", "private", 60);
    }
    ask(&eve, READ, "mem://a").forget();
    eve.forget(&name(&eve, TOOLS, ""));
    assert_eq!(kept(&eve, READ, "mem://a"), None);
    assert_eq!(kept(&eve, TOOLS, ""), None);
    assert!(kept(&ada, READ, "mem://a").is_some());
    assert!(kept(&ada, TOOLS, "").is_some());
}

#[test]
fn the_answer_that_was_not_asked_for_longest_goes_first() {
    let view = view(&Seconds::default().cache().max_entries(3), None, None);
    for uri in ["mem://1", "mem://2", "mem://3"] {
        put(&view, READ, uri, "public", 60);
    }
    kept(&view, READ, "mem://1").expect("it is fresh");
    put(&view, READ, "mem://4", "public", 60);
    assert_eq!(kept(&view, READ, "mem://2"), None);
    for uri in ["mem://1", "mem://3", "mem://4"] {
        assert!(kept(&view, READ, uri).is_some(), "{uri}");
    }
}

#[test]
fn a_thousand_and_twenty_four_answers_are_kept_by_default() {
    let view = one();
    for number in 0..1025 {
        put(&view, READ, &format!("mem://{number}"), "public", 60);
    }
    assert_eq!(view.cache.store().len(), 1024);
    assert_eq!(kept(&view, READ, "mem://0"), None);
    assert!(kept(&view, READ, "mem://1").is_some());
}

#[test]
fn bytes_are_bounded_and_what_is_too_large_is_not_kept() {
    let view = view(&Seconds::default().cache().max_bytes(1000), None, None);
    let sized = |bytes: usize| json!({ "ttlMs": 60_000, "x": "x".repeat(bytes) });
    ask(&view, READ, "mem://1").keep(&sized(400));
    ask(&view, READ, "mem://2").keep(&sized(400));
    assert!(kept(&view, READ, "mem://1").is_some());
    ask(&view, READ, "mem://3").keep(&sized(400));
    assert_eq!(kept(&view, READ, "mem://2"), None);
    assert!(kept(&view, READ, "mem://1").is_some());

    ask(&view, READ, "mem://1").keep(&sized(1000));
    assert_eq!(
        kept(&view, READ, "mem://1"),
        None,
        "what it supersedes is gone"
    );
    assert!(kept(&view, READ, "mem://3").is_some());

    // Nothing is counted twice, and nothing is forgotten in the count.
    for _ in 0..100 {
        ask(&view, READ, "mem://3").keep(&sized(400));
        ask(&view, READ, "mem://4").keep(&sized(400));
    }
    assert!(kept(&view, READ, "mem://3").is_some());
    view.cache.clear();
    assert_eq!(view.cache.store().bytes(), 0);
}

#[test]
fn a_cache_of_no_entries_keeps_nothing() {
    let view = view(&Seconds::default().cache().max_entries(0), None, None);
    put(&view, READ, "mem://1", "public", 60);
    assert_eq!(kept(&view, READ, "mem://1"), None);
}
