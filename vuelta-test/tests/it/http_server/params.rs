//! Arguments that a tool wants mirrored into headers, against the tools that the caller sees.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use vuelta::{
    CacheScope, CallToolParams, CallToolResult, Context, Error, ListToolsResult, Outcome,
    PaginatedParams, Principal, Server, Tool,
};
use vuelta_http::Endpoint;

use super::post::Post;

/// A tool whose arguments have headers: `Region`, `N`, `Flag`, and `Zone` further in.
fn annotated() -> Tool {
    Tool::new(
        "query",
        json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "n": { "type": "integer", "x-mcp-header": "N" },
                "flag": { "type": "boolean", "x-mcp-header": "Flag" },
                "at": {
                    "type": "object",
                    "properties": { "zone": { "type": "string", "x-mcp-header": "Zone" } },
                },
                "text": { "type": "string" },
            },
        }),
    )
}

fn plain(name: &str) -> Tool {
    Tool::new(name, json!({ "type": "object" }))
}

type Listed = Result<ListToolsResult, Error>;

/// A server that lists its tools in this way, and counts how often it does.
struct Lister {
    endpoint: Endpoint,
    listed: Arc<AtomicUsize>,
    called: Arc<AtomicUsize>,
}

impl Lister {
    fn new<L: Fn(&Context, Option<&str>) -> Listed + Send + Sync + 'static>(list: L) -> Self {
        let (listed, called) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (listings, calls) = (Arc::clone(&listed), Arc::clone(&called));
        let server = Server::builder("s", "1")
            .on_list_tools(move |cx: Context, params: PaginatedParams| {
                listings.fetch_add(1, Ordering::SeqCst);
                let page = list(&cx, params.cursor.as_deref());
                async move { page }
            })
            .on_call_tool(move |_: Context, _: CallToolParams| {
                calls.fetch_add(1, Ordering::SeqCst);
                async { Ok::<_, Error>(Outcome::from(CallToolResult::text("called"))) }
            })
            .build()
            .unwrap();
        Self {
            endpoint: Endpoint::new(server),
            listed,
            called,
        }
    }

    fn fixed(result: ListToolsResult) -> Self {
        Self::new(move |_, _| Ok(result.clone()))
    }

    fn listed(&self) -> usize {
        self.listed.load(Ordering::SeqCst)
    }

    /// Sends a call; returns the message of the refusal if it is refused.
    async fn send(&self, post: Post) -> Result<(), String> {
        let before = self.called.load(Ordering::SeqCst);
        let response = post.send(&self.endpoint).await;
        let ran = self.called.load(Ordering::SeqCst) > before;
        if response.status == 200 {
            response.result();
            assert!(ran);
            return Ok(());
        }
        assert!(!ran, "a refused call has run");
        Err(response.refused(400, &json!(1), -32020))
    }
}

/// A call to `query` with these arguments and `Mcp-Param-` headers.
fn query(arguments: Value, headers: &[(&'static str, &str)]) -> Post {
    headers
        .iter()
        .fold(Post::call("query", arguments), |post, (name, value)| {
            post.and(name, value)
        })
}

const REGION: &str = "Mcp-Param-Region";

#[tokio::test]
async fn headers_that_agree_with_the_arguments_are_served() {
    let lister = Lister::fixed(ListToolsResult::new([plain("other"), annotated()]));
    let table = [
        query(json!({ "region": "eu" }), &[(REGION, "eu")]),
        query(json!({ "region": "eu" }), &[("mcp-param-region", "eu")]),
        query(json!({ "region": "eu" }), &[(REGION, "  eu  ")]),
        query(json!({ "region": "eu" }), &[(REGION, "=?base64?ZXU=?=")]),
        query(
            json!({ "region": "Hello" }),
            &[(REGION, "=?base64?SGVsbG8=?=")],
        ),
        query(
            json!({ "region": "Hello, 世界" }),
            &[(REGION, "=?base64?SGVsbG8sIOS4lueVjA==?=")],
        ),
        query(
            json!({ "region": " padded " }),
            &[(REGION, "=?base64?IHBhZGRlZCA=?=")],
        ),
        query(
            json!({ "region": "line1\nline2" }),
            &[(REGION, "=?base64?bGluZTEKbGluZTI=?=")],
        ),
        // Without the suffix it is plain text.
        query(json!({ "region": "SGVsbG8=" }), &[(REGION, "SGVsbG8=")]),
        query(
            json!({ "region": "=?base64?SGVsbG8=" }),
            &[(REGION, "=?base64?SGVsbG8=")],
        ),
        query(json!({ "region": null }), &[]),
        query(json!({}), &[]),
        query(json!({ "region": { "a": 1 } }), &[]),
        query(json!({ "n": 42 }), &[("Mcp-Param-N", "42")]),
        query(json!({ "n": 42 }), &[("Mcp-Param-N", "42.0")]),
        query(json!({ "n": -7 }), &[("Mcp-Param-N", "-7")]),
        query(json!({ "flag": true }), &[("Mcp-Param-Flag", "true")]),
        query(json!({ "at": { "zone": "z" } }), &[("Mcp-Param-Zone", "z")]),
        query(json!({ "text": "unmarked" }), &[]),
        query(
            json!({ "region": "eu" }),
            &[(REGION, "eu"), ("Mcp-Param-Zzz", "1")],
        ),
    ];
    for post in table {
        let shown = format!("{} {:?}", post.body, post.headers);
        assert_eq!(lister.send(post).await, Ok(()), "{shown}");
    }
}

#[tokio::test]
async fn headers_that_disagree_with_the_arguments_are_refused() {
    let lister = Lister::fixed(ListToolsResult::new([annotated()]));
    let eu = || json!({ "region": "eu" });
    let table = [
        query(eu(), &[]),
        query(eu(), &[(REGION, "us")]),
        query(eu(), &[(REGION, "EU")]),
        query(eu(), &[(REGION, "")]),
        query(eu(), &[(REGION, "=?base64?@@?=")]),
        query(eu(), &[(REGION, "=?BASE64?ZXU=?=")]),
        query(eu(), &[(REGION, "eu"), ("mcp-param-region", "eu")]),
        query(
            json!({ "region": "Hello" }),
            &[(REGION, "=?base64?SGVsbG8?=")],
        ),
        query(
            json!({ "region": "Hello" }),
            &[(REGION, "=?base64?SGVs!!!bG8=?=")],
        ),
        query(json!({}), &[(REGION, "us")]),
        query(json!({ "region": null }), &[(REGION, "null")]),
        query(json!({ "n": 42 }), &[("Mcp-Param-N", "43")]),
        query(json!({ "n": 42 }), &[]),
        query(json!({ "flag": true }), &[("Mcp-Param-Flag", "True")]),
        query(json!({ "at": { "zone": "z" } }), &[]),
        query(json!({ "at": {} }), &[("Mcp-Param-Zone", "z")]),
        // The header of the state would be refused later: -32020 comes first.
        query(eu(), &[]).replace("\"arguments\"", "\"requestState\":\"zzz\",\"arguments\""),
    ];
    for post in table {
        let shown = format!("{} {:?}", post.body, post.headers);
        let message = lister.send(post).await.expect_err(&shown);
        assert!(message.contains("Mcp-Param-"), "{message}");
    }
}

#[tokio::test]
async fn every_page_of_the_list_is_searched() {
    let lister = Lister::new(|_, cursor| match cursor {
        None => Ok(ListToolsResult::new([plain("a")]).next_cursor("2")),
        Some("2") => Ok(ListToolsResult::new([plain("b")]).next_cursor("3")),
        Some("3") => Ok(ListToolsResult::new([annotated()]).next_cursor("4")),
        Some(other) => panic!("page {other} is not needed"),
    });
    lister
        .send(query(json!({ "region": "eu" }), &[]))
        .await
        .unwrap_err();
    assert_eq!(lister.listed(), 3);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_compares_nothing() {
    let eu = || query(json!({ "region": "eu" }), &[]);
    let failing = Lister::new(|_, _| Err(Error::handler("no database")));
    assert_eq!(failing.send(eu()).await, Ok(()));

    let panicking = Lister::new(|_, _| panic!("no database"));
    assert_eq!(panicking.send(eu()).await, Ok(()));

    let circle = Lister::new(|_, cursor| {
        let next = if cursor == Some("a") { "b" } else { "a" };
        Ok(ListToolsResult::new([plain("other")]).next_cursor(next))
    });
    assert_eq!(circle.send(eu()).await, Ok(()));
    assert_eq!(circle.listed(), 3);

    let endless = Lister::new(|_, cursor| {
        let page: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        Ok(ListToolsResult::new([plain("other")]).next_cursor((page + 1).to_string()))
    });
    assert_eq!(endless.send(eu()).await, Ok(()));
    assert_eq!(endless.listed(), 100);

    let invalid = Lister::fixed(ListToolsResult::new([Tool::new(
        "query",
        json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "not a token" } } }),
    )]));
    assert_eq!(invalid.send(eu()).await, Ok(()));

    let unlisted = Server::builder("s", "1")
        .on_call_tool(|_, _| async { Ok::<_, Error>(CallToolResult::text("called")) })
        .build()
        .unwrap();
    eu().send(&Endpoint::new(unlisted)).await.result();
}

#[tokio::test]
async fn each_caller_is_judged_by_its_own_list() {
    // Alice's tool has the header, Bob's has not; a header tells which of them asks.
    let lister = Lister::new(|cx, _| {
        let alice = cx.headers().unwrap().get("authorization").unwrap() == "alice";
        let tool = if alice { annotated() } else { plain("query") };
        Ok(ListToolsResult::new([tool]).ttl_ms(Duration::from_secs(60)))
    });
    let eu = |who: &str| query(json!({ "region": "eu" }), &[("Authorization", who)]);
    for _ in 0..2 {
        assert_eq!(lister.send(eu("bob")).await, Ok(()));
        lister.send(eu("alice")).await.unwrap_err();
        assert_eq!(lister.send(eu("alice").and(REGION, "eu")).await, Ok(()));
        assert_eq!(lister.send(eu("bob").and(REGION, "us")).await, Ok(()));
    }
}

#[tokio::test]
async fn the_list_is_asked_for_as_the_caller_but_without_its_tokens() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let lister = {
        let seen = Arc::clone(&seen);
        Lister::new(move |cx, _| {
            seen.lock().unwrap().push(cx.clone());
            Ok(ListToolsResult::new([plain("query")]))
        })
    };
    let mut meta = super::post::meta(json!({ "elicitation": {} }));
    meta["progressToken"] = json!("t");
    meta["io.modelcontextprotocol/logLevel"] = json!("debug");
    meta["com.example/trace"] = json!("x");
    let params = json!({ "name": "query", "arguments": { "region": "eu" } });
    let post = Post::with_meta("tools/call", params, meta).set("Authorization", "alice");
    assert_eq!(lister.send(post).await, Ok(()));

    let seen = seen.lock().unwrap();
    let [cx] = &seen[..] else {
        panic!("listed {} times", seen.len())
    };
    assert_eq!(cx.progress_token(), None);
    assert!(cx.meta().is_empty());
    assert_eq!(cx.client_info().unwrap().name, "probe");
    assert!(cx.client_capabilities().elicitation.is_some());
    assert_eq!(cx.headers().unwrap()["authorization"], "alice");
}

#[tokio::test]
async fn the_list_is_asked_for_with_the_principal_of_the_caller() {
    let lister = Lister::new(|cx, _| {
        let alice = cx.principal() == Some(&Principal::new("alice"));
        assert_eq!(cx.extensions().get::<u8>(), Some(&7));
        Ok(ListToolsResult::new([if alice {
            annotated()
        } else {
            plain("query")
        }]))
    });
    for (who, status) in [("alice", 400), ("bob", 200)] {
        let mut request = http::Request::new(http_body_util::Full::<bytes::Bytes>::default());
        let post = query(json!({ "region": "eu" }), &[]);
        *request.method_mut() = http::Method::POST;
        for (name, value) in &post.headers {
            let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        *request.body_mut() = post.body.into();
        request.extensions_mut().insert(Principal::new(who));
        request.extensions_mut().insert(7_u8);
        let Ok(response) =
            tower_service::Service::call(&mut lister.endpoint.clone(), request).await;
        assert_eq!(response.status(), status, "{who}");
    }
}

#[tokio::test]
async fn a_call_with_nothing_to_compare_lists_nothing() {
    let lister = Lister::fixed(ListToolsResult::new([annotated()]));
    assert_eq!(lister.send(query(json!({}), &[])).await, Ok(()));
    assert_eq!(
        lister
            .send(Post::new("tools/call", json!({ "name": "query" })))
            .await,
        Ok(())
    );
    assert_eq!(lister.listed(), 0);
    assert_eq!(
        lister.send(query(json!({ "text": "t" }), &[])).await,
        Ok(())
    );
    assert_eq!(lister.listed(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_public_list_is_kept_as_long_as_it_is_fresh() {
    let public = ListToolsResult::new([annotated()])
        .cache_scope(CacheScope::Public)
        .ttl_ms(Duration::from_secs(10));
    let lister = Lister::fixed(public);
    let eu = || query(json!({ "region": "eu" }), &[(REGION, "eu")]);
    for _ in 0..3 {
        assert_eq!(lister.send(eu()).await, Ok(()));
    }
    assert_eq!(lister.listed(), 1);
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(lister.send(eu()).await, Ok(()));
    assert_eq!(lister.listed(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_public_list_is_kept_for_a_minute_at_most() {
    let forever = ListToolsResult::new([annotated()])
        .cache_scope(CacheScope::Public)
        .ttl_ms(Duration::MAX);
    let lister = Lister::fixed(forever);
    let eu = || query(json!({ "region": "eu" }), &[(REGION, "eu")]);
    assert_eq!(lister.send(eu()).await, Ok(()));
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(lister.send(eu()).await, Ok(()));
    assert_eq!(lister.listed(), 1);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(lister.send(eu()).await, Ok(()));
    assert_eq!(lister.listed(), 2);
}

#[tokio::test]
async fn a_list_that_may_not_be_shared_is_asked_for_on_every_call() {
    let eu = || query(json!({ "region": "eu" }), &[(REGION, "eu")]);
    let hour = Duration::from_secs(3600);
    for list in [
        ListToolsResult::new([annotated()]),
        ListToolsResult::new([annotated()]).ttl_ms(hour),
        ListToolsResult::new([annotated()]).cache_scope(CacheScope::Public),
    ] {
        let lister = Lister::fixed(list);
        for _ in 0..3 {
            assert_eq!(lister.send(eu()).await, Ok(()));
        }
        assert_eq!(lister.listed(), 3);
    }
    // One page that may not be shared is enough.
    let lister = Lister::new(move |_, cursor| {
        let page = ListToolsResult::new([plain("a")]).ttl_ms(hour);
        Ok(match cursor {
            None => page.cache_scope(CacheScope::Public).next_cursor("2"),
            Some(_) => page,
        })
    });
    for _ in 0..2 {
        assert_eq!(lister.send(eu()).await, Ok(()));
    }
    assert_eq!(lister.listed(), 4);
}

#[tokio::test]
async fn a_call_that_disagrees_with_a_kept_list_is_judged_by_a_new_one() {
    let tools = Arc::new(Mutex::new(annotated()));
    let lister = {
        let tools = Arc::clone(&tools);
        Lister::new(move |_, _| {
            Ok(ListToolsResult::new([tools.lock().unwrap().clone()])
                .cache_scope(CacheScope::Public)
                .ttl_ms(Duration::from_secs(60)))
        })
    };
    let eu = |headers: &[(&'static str, &str)]| query(json!({ "region": "eu" }), headers);
    assert_eq!(lister.send(eu(&[(REGION, "eu")])).await, Ok(()));
    *tools.lock().unwrap() = plain("query");
    assert_eq!(lister.send(eu(&[])).await, Ok(()));
    assert_eq!(lister.listed(), 2);
    // Which is kept from now on.
    assert_eq!(lister.send(eu(&[])).await, Ok(()));
    assert_eq!(lister.listed(), 2);
}
