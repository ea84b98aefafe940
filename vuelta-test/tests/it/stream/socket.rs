//! Servers on a socket of the file system.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;
use tokio::sync::oneshot;
use vuelta::transport::StreamServer;
use vuelta::unix::Listener;
use vuelta::{Client, Mode};
use vuelta_test::fixture;

/// A folder that is removed with its content.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("vuelta-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("server.sock")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn clients_of_both_eras_share_a_socket() {
    let folder = Folder::new("eras");
    let listener = Listener::bind(folder.socket()).unwrap();
    let mode = std::fs::metadata(folder.socket())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else may connect");
    let (stop, stopped) = oneshot::channel::<()>();
    let options = StreamServer::new(fixture::server(None)).unwrap();
    let serving = tokio::spawn(listener.serve(options, async {
        let _ = stopped.await;
    }));
    for mode in [Mode::auto(), Mode::legacy()] {
        let socket = vuelta::unix::path(folder.socket());
        let client = Client::builder().mode(mode).connect(socket).await.unwrap();
        let sum = client
            .call_tool("add", json!({ "a": 1, "b": 2 }))
            .await
            .unwrap();
        assert_eq!(sum.structured_content.unwrap().get(), r#"{"sum":3}"#);
    }
    // A client that stays does not keep the server from ending.
    let socket = vuelta::unix::path(folder.socket());
    let client = Client::builder().connect(socket).await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    assert!(client.list_tools().await.unwrap_err().is_transport());
    assert!(!folder.socket().exists(), "its file is gone");
}

#[tokio::test]
async fn a_socket_in_use_is_refused_and_one_left_behind_is_replaced() {
    let folder = Folder::new("left");
    let listener = Listener::bind(folder.socket()).unwrap();
    let refused = Listener::bind(folder.socket()).unwrap_err();
    assert!(refused.is_transport());
    assert!(refused.to_string().contains("server.sock"), "{refused}");
    drop(listener);
    // A server that was killed leaves its file.
    drop(std::os::unix::net::UnixListener::bind(folder.socket()).unwrap());
    assert!(folder.socket().exists());
    Listener::bind(folder.socket()).unwrap();
}

#[tokio::test]
async fn a_socket_that_is_none_is_named() {
    let folder = Folder::new("none");
    let socket = vuelta::unix::path(folder.socket());
    let error = Client::builder().connect(socket).await.unwrap_err();
    assert!(
        error.is_transport() && error.to_string().contains("server.sock"),
        "{error}"
    );
}
