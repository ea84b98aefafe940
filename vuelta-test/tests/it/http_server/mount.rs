//! The endpoint in an axum router, behind layers of others.

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response as AxumResponse;
use axum::{Router, serve};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use serde_json::json;
use tower_http::cors::CorsLayer;
use vuelta::{CallToolParams, CallToolResult, Context, Error, Outcome, Principal, Server};
use vuelta_http::Endpoint;
use vuelta_test::fixture;

use super::dialogue::initialize;
use super::post::Post;
use super::socket::{Socket, exchange};

async fn mount(router: Router) -> std::net::SocketAddr {
    let tcp = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = tcp.local_addr().unwrap();
    tokio::spawn(serve(tcp, router).into_future());
    addr
}

const APP: &str = "https://app.example.org";

fn with_cors() -> Router {
    let endpoint = Endpoint::new(fixture::server(None)).allowed_origins([APP]);
    let headers = ["mcp-protocol-version", "mcp-method", "mcp-name"].map(HeaderName::from_static);
    let cors = CorsLayer::new()
        .allow_origin(HeaderValue::from_static(APP))
        .allow_methods([Method::POST])
        .allow_headers(
            headers
                .into_iter()
                .chain([CONTENT_TYPE, AUTHORIZATION])
                .collect::<Vec<_>>(),
        );
    Router::new()
        .route_service("/mcp", endpoint.clone())
        .route_service("/mcp/", endpoint)
        .layer(cors)
}

#[tokio::test]
async fn a_router_serves_the_endpoint() {
    let addr = mount(with_cors()).await;
    for path in ["/mcp", "/mcp/"] {
        let post = Post::call("add", json!({ "a": 1, "b": 2 })).path(path);
        let result = exchange(addr, &post).await.result();
        assert_eq!(result["structuredContent"]["sum"], 3);
    }
}

#[tokio::test]
async fn a_preflight_is_answered_by_the_cors_layer() {
    let addr = mount(with_cors()).await;
    let wanted = "content-type, mcp-protocol-version, mcp-method, mcp-name, authorization";
    let preflight = Post::bare("")
        .verb("OPTIONS")
        .without("Content-Type")
        .without("MCP-Protocol-Version")
        .set("Origin", APP)
        .set("Access-Control-Request-Method", "POST")
        .set("Access-Control-Request-Headers", wanted);
    let response = exchange(addr, &preflight).await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("access-control-allow-origin"), Some(APP));
    assert_eq!(
        response.header("access-control-allow-methods"),
        Some("POST")
    );
    let allowed = response
        .header("access-control-allow-headers")
        .unwrap()
        .to_ascii_lowercase();
    for name in wanted.split(", ") {
        assert!(
            allowed.split(',').any(|other| other.trim() == name),
            "{name} in {allowed}"
        );
    }
}

#[tokio::test]
async fn errors_carry_the_allowed_origin_too() {
    let addr = mount(with_cors()).await;
    let add = || Post::call("add", json!({ "a": 1, "b": 2 })).set("Origin", APP);
    let table = [
        (add(), 200),
        (add().set("Mcp-Name", "other"), 400),
        (Post::new("foo/bar", json!({})).set("Origin", APP), 404),
        (add().verb("GET"), 405),
        (add().set("Accept", "text/html"), 406),
        (add().path("/other"), 404),
    ];
    for (post, status) in table {
        let response = exchange(addr, &post).await;
        assert_eq!(response.status, status);
        assert_eq!(
            response.header("access-control-allow-origin"),
            Some(APP),
            "{status}"
        );
    }
    let evil = exchange(addr, &add().set("Origin", "https://evil.example")).await;
    assert_eq!(evil.status, 403);
}

/// What a page needs that speaks a revision with a handshake.
fn with_cors_for_sessions() -> Router {
    let endpoint = Endpoint::new(fixture::server(None)).allowed_origins([APP]);
    let sent = ["mcp-protocol-version", "mcp-session-id", "last-event-id"];
    let cors = CorsLayer::new()
        .allow_origin(HeaderValue::from_static(APP))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(
            sent.map(HeaderName::from_static)
                .into_iter()
                .chain([CONTENT_TYPE, AUTHORIZATION])
                .collect::<Vec<_>>(),
        )
        .expose_headers([HeaderName::from_static("mcp-session-id")]);
    Router::new().route_service("/mcp", endpoint).layer(cors)
}

#[tokio::test]
async fn pages_may_have_sessions_too() {
    let addr = mount(with_cors_for_sessions()).await;
    let begun = exchange(addr, &initialize("2025-11-25").set("Origin", APP)).await;
    begun.result();
    let exposed = begun.header("access-control-expose-headers");
    assert_eq!(exposed, Some("mcp-session-id"));
    let session = begun.header("mcp-session-id").unwrap();
    let delete = Post::bare("")
        .verb("DELETE")
        .set("Origin", APP)
        .set("MCP-Protocol-Version", "2025-11-25")
        .set("Mcp-Session-Id", session);
    let mut socket = Socket::open(addr).await;
    socket.post(&delete).await;
    let (status, headers) = socket.head().await;
    assert_eq!(status, 204);
    assert_eq!(headers["access-control-allow-origin"], APP);
    // A session that is not found can be read about.
    let gone = exchange(addr, &delete).await;
    assert_eq!(gone.status, 404);
    assert_eq!(gone.header("access-control-allow-origin"), Some(APP));
}

async fn whoami(cx: Context, _: CallToolParams) -> Result<Outcome<CallToolResult>, Error> {
    let who = cx
        .principal()
        .map_or("nobody", |principal| principal.client_id.as_str());
    Ok(CallToolResult::text(who).into())
}

/// Lets in who says who it is.
async fn authorize(mut request: Request, next: Next) -> AxumResponse {
    let Some(who) = request.headers().get(AUTHORIZATION) else {
        let mut response = AxumResponse::new("who are you?".into());
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        let challenge = HeaderValue::from_static("Bearer");
        response
            .headers_mut()
            .insert(http::header::WWW_AUTHENTICATE, challenge);
        return response;
    };
    let principal = Principal::new(who.to_str().unwrap());
    request.extensions_mut().insert(principal);
    next.run(request).await
}

#[tokio::test]
async fn a_layer_in_front_refuses_in_its_own_words_or_names_the_principal() {
    let server = Server::builder("s", "1")
        .on_call_tool(whoami)
        .build()
        .unwrap();
    let router = Router::new()
        .route_service("/mcp", Endpoint::from(server))
        .layer(middleware::from_fn(authorize));
    let addr = mount(router).await;

    let call = Post::call("whoami", json!({}));
    let refused = exchange(addr, &call).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    assert_eq!(refused.body, "who are you?");

    let result = exchange(addr, &call.set("Authorization", "alice"))
        .await
        .result();
    assert_eq!(result["content"][0]["text"], "alice");
}
