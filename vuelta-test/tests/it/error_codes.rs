//! Codes that older revisions had for what has another one now.
//!
//! Source: [error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes),
//! [resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling).

use serde_json::{Value, json};
use vuelta::{Client, Error, ErrorCode, ErrorObject, ReadResourceResult, Server};

use crate::raw::Peer;
use crate::scripted::Scripted;

#[tokio::test]
async fn the_code_of_a_resource_that_is_not_there_is_that_of_the_revision() {
    let server = Server::builder("s", "1")
        .on_read_resource(async |_, params| {
            let object = ErrorObject::new(ErrorCode::RESOURCE_NOT_FOUND, "Resource not found");
            Err::<ReadResourceResult, Error>(object.data(json!({ "uri": params.uri })).into())
        })
        .build()
        .unwrap();
    let peer = Peer::new(&server);
    let read = peer.request("resources/read", json!({ "uri": "mem://nope" }));
    assert_eq!(
        serde_json::to_value(read.await.unwrap_err()).unwrap(),
        json!({
            "code": -32602,
            "message": "Resource not found",
            "data": { "uri": "mem://nope" },
        })
    );
}

#[tokio::test]
async fn a_resource_that_is_not_there_is_known_by_the_code_of_any_revision() {
    let check = async |error: Value, expected: bool| {
        let client = Scripted::new([error.clone()])
            .connect(Client::builder())
            .await;
        let read = client.read_resource("mem://nope").await.unwrap_err();
        assert_eq!(read.is_unknown_resource(), expected, "{error}");
        // What the server said is not changed.
        assert_eq!(read.code().map(|code| code.0), error["code"].as_i64());
    };
    let error = |code: i64, data: Value| json!({ "code": code, "message": "m", "data": data });
    let named = || json!({ "uri": "mem://nope" });
    check(error(-32602, named()), true).await;
    check(error(-32002, named()), true).await;
    check(
        json!({ "code": -32002, "message": "Resource not found" }),
        true,
    )
    .await;
    // Other params may be invalid, too.
    check(
        json!({ "code": -32602, "message": "Invalid cursor" }),
        false,
    )
    .await;
    for data in [
        json!(""),
        Value::Null,
        json!({ "uri": 5 }),
        json!({ "name": "t" }),
    ] {
        check(error(-32602, data), false).await;
    }
    check(error(-32603, named()), false).await;

    assert!(Error::unknown_resource("mem://nope").is_unknown_resource());
    assert!(!Error::unknown_tool("nope").is_unknown_resource());
    assert!(!Error::transport("gone").is_unknown_resource());
}
