//! The client's transport over HTTP, against a peer that answers by a script.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, beside those that clippy knows as tests"
)]

mod handshake;
mod peer;

mod answers;
mod connections;
mod http_sse;
mod redirects;
mod refusals;
mod resume;
mod rounds;
mod sends;
mod sessions;
mod standing_stream;

use vuelta::{Client, Mode, ProtocolVersion};

use self::peer::Peer;

/// Connects a client that sends nothing on its own.
async fn connect(peer: &Peer) -> Client {
    let transport = vuelta_http::url(peer.url()).unwrap();
    pinned(Client::builder(), transport).await
}

async fn pinned(builder: vuelta::ClientBuilder, transport: vuelta_http::HttpTransport) -> Client {
    builder
        .mode(Mode::pinned(ProtocolVersion::V2026_07_28))
        .connect(transport)
        .await
        .unwrap()
}
