//! Several messages in one body, which only revision 2025-03-26 has.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server).

use std::sync::Arc;

use futures_util::future::join_all;
use http::{Response, StatusCode};
use tokio::sync::oneshot;
use vuelta::server::Incoming;
use vuelta::wire::jsonrpc::{Message, Request, write_error};
use vuelta::wire::methods::{Initialize, Method as _};
use vuelta::{ErrorCode, ErrorObject, Outlet, ProtocolVersion, Raw};

use super::body::Body;
use super::endpoint::Inner;
use super::legacy::{Refusal, check_revision, opening, take};
use super::respond::{self, Form};
use super::serve::{Head, no_single_message, not_acceptable};
use super::session::{Live, Sink};
use super::{sse, stateless, stream};

impl Inner {
    /// Serves a body that is no single message, in a session.
    pub(super) async fn batch_in_session(&self, body: &[u8], head: Head) -> Response<Body> {
        let found = self.session(&head.headers, &head.extensions);
        let live = match found.and_then(|live| check_revision(&head.headers, live)) {
            Ok(live) => live,
            Err(refusal) => return refusal.response(None),
        };
        let has_batches = *live.revision() == ProtocolVersion::V2025_03_26;
        let Some(messages) = has_batches.then(|| split(body)).flatten() else {
            return no_single_message();
        };
        let form = match self.form(head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(None, needed),
        };
        let mut requests = Vec::new();
        let mut answers = Vec::new();
        for message in &messages {
            match part(message) {
                Part::Run(request) => requests.push(head.incoming_of(request)),
                Part::Refused(answer) => answers.push(answer),
                Part::Take(message) => take(&live, message).await,
            }
        }
        if requests.is_empty() && answers.is_empty() {
            return respond::accepted();
        }
        if form == Form::Json {
            answers.extend(gather(&live, requests).await);
            if answers.is_empty() {
                // All of it was cancelled.
                return respond::no_content();
            }
            return join(&answers);
        }
        let (stream, reading) = live.open_stream();
        for request in requests {
            let sink = Sink::Stream(Arc::clone(&stream));
            answers.extend(start(&live, request, sink).err());
        }
        let mut opening = opening(&live, &reading);
        for answer in &answers {
            sse::push_event(&mut opening, answer);
        }
        respond::events(stream::body(reading, opening, self.keep_alive))
    }

    /// Serves a body that is no single message, where there are no sessions.
    pub(super) async fn batch_alone(&self, body: &[u8], head: Head) -> Response<Body> {
        let revision = stateless::revision_of(&head.headers);
        let has_batches = revision == ProtocolVersion::V2025_03_26;
        let Some(messages) = has_batches.then(|| split(body)).flatten() else {
            return no_single_message();
        };
        let form = match self.form(head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(None, needed),
        };
        let session = self.server.stateless_session(revision);
        let mut requests = Vec::new();
        let mut answers = Vec::new();
        for message in &messages {
            match part(message) {
                Part::Run(request) => {
                    let (session, id) = (session.clone(), request.id.clone());
                    let incoming = head.incoming_of(request);
                    requests.push(async move {
                        let answer = session.dispatch(incoming, Outlet::closed()).await;
                        sse::write_response(&id, &answer)
                    });
                }
                Part::Refused(answer) => answers.push(answer),
                Part::Take(message) => stateless::take(&session, message).await,
            }
        }
        answers.extend(join_all(requests).await);
        if answers.is_empty() {
            return respond::accepted();
        }
        if form != Form::Stream {
            return join(&answers);
        }
        let mut events = String::new();
        for answer in &answers {
            sse::push_event(&mut events, answer);
        }
        respond::events(Body::whole(events))
    }
}

/// Reads the messages of a batch, each as text; `None` if the body is none.
fn split(body: &[u8]) -> Option<Vec<Raw>> {
    let messages: Vec<Raw> = serde_json::from_slice(body).ok()?;
    (!messages.is_empty()).then_some(messages)
}

/// What is done with one message of a batch.
enum Part<'a> {
    Run(Request<'a>),
    /// It is answered with this, and not run.
    Refused(String),
    /// It is not answered.
    Take(Message<'a>),
}

fn part(message: &Raw) -> Part<'_> {
    match Message::parse(message.get().as_bytes()) {
        Ok(Message::Request(request)) if request.method == Initialize::NAME => {
            let message = "Invalid Request: a handshake is no part of a batch";
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
            Part::Refused(write_error(Some(&request.id), &error))
        }
        Ok(Message::Request(request)) => Part::Run(request),
        Ok(other) => Part::Take(other),
        Err(_) => {
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "Invalid Request");
            Part::Refused(write_error(None, &error))
        }
    }
}

/// Starts a request of a batch; the error is its answer.
fn start(live: &Arc<Live>, request: Incoming, sink: Sink) -> Result<(), String> {
    let id = request.id.clone();
    let started = live.start(request, sink);
    started.map_err(|reason| write_error(Some(&id), &Refusal::from(reason).error()))
}

/// Runs requests and waits for their answers; those that are cancelled have none.
async fn gather(live: &Arc<Live>, requests: Vec<Incoming>) -> Vec<String> {
    let mut answers = Vec::new();
    let mut waiting = Vec::new();
    for request in requests {
        let (answer, answered) = oneshot::channel();
        match start(live, request, Sink::Single(answer)) {
            Ok(()) => waiting.push(answered),
            Err(refused) => answers.push(refused),
        }
    }
    answers.extend(join_all(waiting).await.into_iter().flatten());
    answers
}

/// Joins answers to the answer of a batch.
fn join(answers: &[String]) -> Response<Body> {
    respond::json(StatusCode::OK, format!("[{}]", answers.join(",")))
}
