//! The same functions, asked by clients of both eras, over every transport that needs no port.

mod asking;
mod changes;
mod handshake;
mod older;
mod verbs;

use vuelta::transport::{StreamServer, StreamTransport};
use vuelta::{Client, ClientBuilder, Mode, Result, Server};

/// How a client reaches its server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// In the same process, without framing.
    Memory,
    /// Over a pipe, one message a line.
    Stream,
    /// Over HTTP, with a listener of its own.
    Http,
}

/// Connects to a server over one of the transports.
pub(crate) async fn connect(way: Way, builder: ClientBuilder, server: &Server) -> Result<Client> {
    match way {
        Way::Memory => builder.connect(server).await,
        Way::Stream => {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (read, write) = tokio::io::split(theirs);
            tokio::spawn(StreamServer::new(server)?.serve(read, write));
            let (read, write) = tokio::io::split(ours);
            builder.connect(StreamTransport::new(read, write)).await
        }
        Way::Http => {
            let listener = vuelta_http::Listener::bind("127.0.0.1:0").await?;
            let url = listener.url();
            tokio::spawn(listener.serve(server.clone(), std::future::pending()));
            builder.connect(vuelta_http::url(url)?).await
        }
    }
}

/// Every era over every transport.
pub(crate) fn everywhere() -> Vec<(Way, Mode)> {
    let ways = [Way::Memory, Way::Stream, Way::Http];
    let each = |way| [(way, Mode::auto()), (way, Mode::legacy())];
    ways.into_iter().flat_map(each).collect()
}
