//! Requests over a real connection, byte by byte.

use std::future::pending;
use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use vuelta_http::{Endpoint, Listener};

use super::post::{Post, Response};

/// Serves an endpoint on a free port until the test is over.
pub(super) async fn listen(endpoint: impl Into<Endpoint>) -> SocketAddr {
    let endpoint = endpoint.into();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    tokio::spawn(listener.serve(endpoint, pending()));
    addr
}

/// A connection whose bytes are written and read by hand.
pub(super) struct Socket {
    tcp: TcpStream,
    read: Vec<u8>,
}

impl Socket {
    pub(super) async fn open(addr: SocketAddr) -> Self {
        let tcp = TcpStream::connect(addr).await.unwrap();
        Self {
            tcp,
            read: Vec::new(),
        }
    }

    /// Writes bytes; a peer that stopped reading has answered already.
    pub(super) async fn write(&mut self, bytes: &[u8]) {
        let _ = self.try_write(bytes).await;
    }

    /// Writes bytes to a peer that reads them all.
    pub(super) async fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tcp.write_all(bytes).await
    }

    pub(super) async fn post(&mut self, post: &Post) {
        self.write(&wire(post)).await;
    }

    /// Reads until `text` has come.
    pub(super) async fn read_until(&mut self, text: &str) -> String {
        loop {
            let read = String::from_utf8_lossy(&self.read).into_owned();
            if let Some(at) = read.find(text) {
                self.read.drain(..at + text.len());
                return read[..at + text.len()].to_owned();
            }
            assert!(self.read_more().await, "closed before {text:?}: {read}");
        }
    }

    /// Returns whether more came before the connection was closed.
    async fn read_more(&mut self) -> bool {
        self.tcp.read_buf(&mut self.read).await.unwrap_or(0) > 0
    }

    /// Reads one response with a declared length.
    pub(super) async fn response(&mut self) -> Response {
        let (status, headers) = self.head().await;
        let length: usize = headers["content-length"].to_str().unwrap().parse().unwrap();
        while self.read.len() < length {
            assert!(self.read_more().await, "closed within a body");
        }
        let body = String::from_utf8(self.read.drain(..length).collect()).unwrap();
        Response {
            status,
            headers,
            body,
        }
    }

    /// Reads the status line and the headers.
    pub(super) async fn head(&mut self) -> (u16, http::HeaderMap) {
        let head = self.read_until("\r\n\r\n").await;
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let mut headers = http::HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap();
            let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, value.parse().unwrap());
        }
        (status, headers)
    }

    /// Waits until the peer closes the connection; returns what came before.
    pub(super) async fn rest(mut self) -> String {
        while self.read_more().await {}
        String::from_utf8_lossy(&self.read).into_owned()
    }
}

/// Sends a request on a connection of its own and reads a response with a declared length.
pub(super) async fn exchange(addr: SocketAddr, post: &Post) -> Response {
    let mut socket = Socket::open(addr).await;
    socket.post(post).await;
    socket.response().await
}

/// Writes a request, with its length unless a header says how it is framed.
pub(super) fn wire(post: &Post) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\r\n", post.verb, post.path);
    let framing = ["content-length", "transfer-encoding"];
    let is_framed = post.headers.iter().any(|(name, _)| {
        framing
            .iter()
            .any(|framing| framing.eq_ignore_ascii_case(name))
    });
    for (name, value) in &post.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !is_framed {
        text.push_str(&format!("Content-Length: {}\r\n", post.body.len()));
    }
    text.push_str("\r\n");
    text.push_str(&post.body);
    text.into_bytes()
}
