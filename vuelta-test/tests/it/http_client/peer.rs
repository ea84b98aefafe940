//! A peer that plays back the bytes of responses and keeps the requests: a double of the wire.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex as AsyncMutex, Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// A peer on a free port of this machine; it ends when it is dropped.
pub(super) struct Peer {
    address: SocketAddr,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

struct Shared {
    answer: Mutex<Box<Answer>>,
    received: Mutex<Vec<Received>>,
    connections: Mutex<usize>,
    arrived: Notify,
    closed: Notify,
}

/// What answers the requests.
type Answer = dyn FnMut(&Received) -> Reply + Send;

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// The request line.
    pub(super) line: String,
    /// The names in lower case, and the values, in the order of the wire.
    pub(super) headers: Vec<(String, String)>,
    /// The body; null if there is none.
    pub(super) body: Value,
    /// When it came.
    pub(super) at: Instant,
}

impl Received {
    /// Returns the only value of a header.
    #[track_caller]
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(found, _)| found == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} came more than once");
        value
    }

    /// Returns the method of HTTP.
    pub(super) fn verb(&self) -> &str {
        self.line.split(' ').next().unwrap_or_default()
    }

    /// Returns the method of the message; empty if there is none.
    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// Returns the params without the envelope.
    pub(super) fn params(&self) -> Value {
        let mut params = self.body["params"].clone();
        params
            .as_object_mut()
            .expect("a request has params")
            .remove("_meta");
        params
    }
}

/// What the peer answers; `$ID` in it becomes the id of the request.
#[derive(Clone)]
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Body,
    after: After,
}

#[derive(Clone)]
enum Body {
    /// With its length.
    Whole(String),
    /// Piece by piece: each is a chunk of its own in HTTP, so that it arrives as one.
    Pieces(Vec<Vec<u8>>),
    /// The same, as the test sends them.
    Live(Arc<AsyncMutex<mpsc::UnboundedReceiver<String>>>),
}

/// The test's end of a stream; dropping it ends the stream.
pub(super) struct Live(mpsc::UnboundedSender<String>);

impl Live {
    /// Sends a piece, unless the stream is gone.
    pub(super) fn send(&self, piece: impl Into<String>) {
        let _ = self.0.send(piece.into());
    }
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    /// The body is ended, and the connection is kept.
    Keep,
    /// The connection is closed; pieces are not ended before.
    Close,
    /// Nothing more is written until the client closes the connection.
    Hold,
}

impl Reply {
    /// A response with a body of a type.
    pub(super) fn new(status: u16, content_type: &str, body: &str) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self {
            status,
            headers,
            body: Body::Whole(body.to_owned()),
            after: After::Keep,
        }
    }

    /// A response without content.
    pub(super) fn empty(status: u16) -> Self {
        Self {
            headers: Vec::new(),
            ..Self::new(status, "", "")
        }
    }

    /// A JSON body.
    pub(super) fn json(body: &str) -> Self {
        Self::new(200, "application/json", body)
    }

    /// The response to a request, as JSON.
    pub(super) fn result(result: &Value) -> Self {
        Self::json(&response(result))
    }

    /// A stream of events, in these pieces.
    pub(super) fn stream<P: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = P>) -> Self {
        let body = Body::Pieces(pieces.into_iter().map(Into::into).collect());
        Self {
            body,
            ..Self::new(200, "text/event-stream", "")
        }
    }

    /// A stream of events that the test sends.
    pub(super) fn live() -> (Live, Self) {
        let (sender, pieces) = mpsc::unbounded_channel();
        let body = Body::Live(Arc::new(AsyncMutex::new(pieces)));
        let reply = Self {
            body,
            ..Self::new(200, "text/event-stream", "")
        };
        (Live(sender), reply)
    }

    /// No response at all; the connection is held open.
    pub(super) fn silence() -> Self {
        Self {
            status: 0,
            ..Self::empty(200)
        }
        .hold()
    }

    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(super) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn media_type(self, media_type: &str) -> Self {
        Self {
            headers: vec![("content-type", media_type.to_owned())],
            ..self
        }
    }

    pub(super) fn close(self) -> Self {
        Self {
            after: After::Close,
            ..self
        }
    }

    pub(super) fn hold(self) -> Self {
        Self {
            after: After::Hold,
            ..self
        }
    }

    fn bytes(&self, id: &str) -> Vec<u8> {
        if self.status == 0 {
            return Vec::new();
        }
        let mut head = format!("HTTP/1.1 {} Status\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match &self.body {
            Body::Whole(body) => {
                let body = body.replace("$ID", id);
                if !self
                    .headers
                    .iter()
                    .any(|(name, _)| *name == "content-length")
                {
                    head.push_str(&format!("content-length: {}\r\n", body.len()));
                }
                format!("{head}\r\n{body}").into_bytes()
            }
            Body::Pieces(pieces) => {
                let mut bytes = format!("{head}{CHUNKED}").into_bytes();
                for piece in pieces {
                    bytes.extend(chunk(piece));
                }
                if self.after == After::Keep {
                    bytes.extend_from_slice(LAST_CHUNK);
                }
                bytes
            }
            Body::Live(_) => format!("{head}{CHUNKED}").into_bytes(),
        }
    }
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend_from_slice(piece);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

const CHUNKED: &str = "transfer-encoding: chunked\r\n\r\n";
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Returns the response that carries a result.
pub(super) fn response(result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#)
}

/// Returns a message as an event.
pub(super) fn event(message: &str) -> String {
    format!("event: message\ndata: {message}\n\n")
}

impl Peer {
    /// Starts a peer that answers each request, whatever its connection, with the next reply;
    /// a request beyond the script fails its test.
    pub(super) async fn script(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        Self::start(move |request| {
            replies
                .pop_front()
                .unwrap_or_else(|| panic!("beyond the script: {request:?}"))
        })
        .await
    }

    /// Starts a peer that answers each request with what `answer` returns.
    pub(super) async fn start(answer: impl FnMut(&Received) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answer: Mutex::new(Box::new(answer)),
            received: Mutex::default(),
            connections: Mutex::default(),
            arrived: Notify::new(),
            closed: Notify::new(),
        });
        let mut tasks = JoinSet::new();
        let accepting = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                *accepting.connections.lock().unwrap() += 1;
                connections.spawn(serve(Arc::clone(&accepting), stream));
            }
        });
        Self {
            address,
            shared,
            _tasks: tasks,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the requests so far.
    #[track_caller]
    pub(super) fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Returns how many connections there were so far.
    pub(super) fn connections(&self) -> usize {
        *self.shared.connections.lock().unwrap()
    }

    /// Waits for a request that was not waited for before.
    pub(super) async fn arrived(&self) {
        self.shared.arrived.notified().await;
    }

    /// Waits until the requests so far are as `wanted`; returns them.
    pub(super) async fn until(&self, wanted: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        loop {
            let received = self.received();
            if wanted(&received) {
                return received;
            }
            self.arrived().await;
        }
    }

    /// Waits until the client has closed a connection that was held.
    pub(super) async fn closed(&self) {
        self.shared.closed.notified().await;
    }
}

async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = receive(&mut stream).await {
        let id = request
            .body
            .get("id")
            .map(Value::to_string)
            .unwrap_or_default();
        let reply = (shared.answer.lock().unwrap())(&request);
        shared.received.lock().unwrap().push(request);
        shared.arrived.notify_one();
        // A client that has what it wants may be gone.
        let _ = stream.write_all(&reply.bytes(&id)).await;
        let _ = stream.flush().await;
        if let Body::Live(pieces) = &reply.body
            && !relay(&mut stream, pieces).await
        {
            shared.closed.notify_one();
            return;
        }
        match reply.after {
            After::Keep => {}
            After::Close => return,
            After::Hold => {
                while stream.read(&mut [0; 64]).await.is_ok_and(|count| count > 0) {}
                shared.closed.notify_one();
                return;
            }
        }
    }
}

/// Sends the pieces of a live stream; `false` if the client closed the connection before its
/// end.
async fn relay(
    stream: &mut BufReader<TcpStream>,
    pieces: &AsyncMutex<mpsc::UnboundedReceiver<String>>,
) -> bool {
    let mut pieces = pieces.lock().await;
    let mut rest = [0; 64];
    loop {
        tokio::select! {
            piece = pieces.recv() => match piece {
                Some(piece) => {
                    let _ = stream.write_all(&chunk(piece.as_bytes())).await;
                    let _ = stream.flush().await;
                }
                None => {
                    let _ = stream.write_all(LAST_CHUNK).await;
                    let _ = stream.flush().await;
                    return true;
                }
            },
            read = stream.read(&mut rest) => {
                assert!(read.is_ok_and(|count| count == 0), "nothing follows an open stream");
                return false;
            }
        }
    }
}

async fn receive(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let line = read_line(stream).await?;
    let mut headers = Vec::new();
    loop {
        let header = read_line(stream).await?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut received = Received {
        line,
        headers,
        body: Value::Null,
        at: Instant::now(),
    };
    if let Some(length) = received.header("content-length") {
        let mut body = vec![0; length.parse().ok()?];
        stream.read_exact(&mut body).await.ok()?;
        received.body = serde_json::from_slice(&body).ok()?;
    }
    Some(received)
}

/// Reads a line without its end; `None` at the end of the stream.
async fn read_line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let count = stream.read_line(&mut line).await.ok()?;
    (count > 0).then(|| line.trim_end().to_owned())
}
