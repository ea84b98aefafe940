//! How an answer is sent: as one JSON object or as a stream of events, decided while its
//! handler runs. And the answers that no handler gives.
//!
//! The handler's future lives in the response's future, later in its body: when the client
//! disconnects, the HTTP server drops them, and with them the handler.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use vuelta::server::classify::Era;
use vuelta::wire::jsonrpc::write_error;
use vuelta::{ErrorObject, Inlet, Outlet, Raw, RequestId};

use super::body::Body;
use super::{sse, status};

/// The outcome of a request, in the making.
pub(super) type Answer = Pin<Box<dyn Future<Output = Result<Raw, ErrorObject>> + Send>>;

/// In which form an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON object.
    Json,
    /// A stream, from the first moment that the handler waits.
    Stream,
    /// One JSON object, unless a notification comes first or the handler stays silent.
    Either,
}

/// How a request is answered whose handler lives as long as its response.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) id: RequestId,
    /// Only at the new one, errors have a status of their own.
    pub(super) era: Era,
    pub(super) form: Form,
    /// The silence after which a stream is opened, and then commented on.
    pub(super) keep_alive: Duration,
}

impl Reply {
    /// Runs a request and answers it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future, or the response's body, cancels the request.
    pub(super) async fn send(self, run: impl FnOnce(Outlet) -> Answer) -> Response<Body> {
        if self.form == Form::Json {
            let answer = run(Outlet::closed()).await;
            return outcome(&self.id, self.era, &answer);
        }
        let (outlet, inlet) = Outlet::open();
        let answer = run(outlet);
        streamed(self, answer, inlet).await
    }
}

/// Answers with a stream of events, or, in [`Form::Either`], perhaps without.
async fn streamed(reply: Reply, mut answer: Answer, mut inlet: Inlet) -> Response<Body> {
    let Reply {
        id,
        era,
        form,
        keep_alive,
    } = reply;
    let patience = async {
        if form == Form::Either {
            tokio::time::sleep(keep_alive).await;
        }
    };
    let mut head = String::new();
    let done = tokio::select! {
        biased;
        Some(frame) = inlet.recv() => {
            sse::push_frame(&mut head, &frame);
            None
        }
        done = &mut answer => Some(done),
        () = patience => {
            if form == Form::Either {
                head.push_str(sse::COMMENT);
            }
            None
        }
    };
    let Some(done) = done else {
        let live = Live {
            id,
            answer,
            inlet,
            keep_alive,
        };
        return events(live.into_body(head));
    };
    drain(&mut inlet, &mut head);
    // Before anything was sent, an error can still have its status.
    let has_status = status_of(era, &done) != StatusCode::OK;
    if head.is_empty() && (form == Form::Either || has_status) {
        return outcome(&id, era, &done);
    }
    sse::push_response(&mut head, &id, &done);
    events(Body::whole(head))
}

/// A stream whose handler still runs.
struct Live {
    id: RequestId,
    answer: Answer,
    inlet: Inlet,
    keep_alive: Duration,
}

impl Live {
    /// Goes on as a body that begins with `head`.
    fn into_body(self, head: String) -> Body {
        let head = (!head.is_empty()).then(|| Bytes::from(head));
        let rest = stream::unfold(Some(self), |live| async {
            let mut live = live?;
            let mut chunk = String::new();
            let done = live.next(&mut chunk).await;
            Some((Bytes::from(chunk), (!done).then_some(live)))
        });
        Body::events(futures_util::StreamExt::chain(stream::iter(head), rest))
    }

    /// Writes what comes next; returns whether it was the last.
    async fn next(&mut self, chunk: &mut String) -> bool {
        tokio::select! {
            biased;
            Some(frame) = self.inlet.recv() => sse::push_frame(chunk, &frame),
            done = &mut self.answer => {
                drain(&mut self.inlet, chunk);
                sse::push_response(chunk, &self.id, &done);
                return true;
            }
            () = tokio::time::sleep(self.keep_alive) => chunk.push_str(sse::COMMENT),
        }
        false
    }
}

/// Writes the notifications that were sent before the answer; later ones are dropped.
fn drain(inlet: &mut Inlet, chunk: &mut String) {
    inlet.close();
    while let Some(frame) = inlet.try_recv() {
        sse::push_frame(chunk, &frame);
    }
}

fn outcome(id: &RequestId, era: Era, done: &Result<Raw, ErrorObject>) -> Response<Body> {
    json(status_of(era, done), sse::write_response(id, done))
}

/// Returns the status of an answer. Clients of the revisions before take every other status
/// than 200 for a failure of the transport, and do not read the error.
fn status_of(era: Era, done: &Result<Raw, ErrorObject>) -> StatusCode {
    match done {
        Err(error) if era == Era::Modern => status::of(error.code),
        _ => StatusCode::OK,
    }
}

/// Answers with a stream of events.
pub(super) fn events(body: Body) -> Response<Body> {
    let mut response = typed(StatusCode::OK, "text/event-stream", body);
    let headers = response.headers_mut();
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    // Some proxies collect a response before they pass it on.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Answers with a JSON-RPC error, under the status of its code.
pub(super) fn error(id: Option<&RequestId>, error: &ErrorObject) -> Response<Body> {
    error_as(status::of(error.code), id, error)
}

/// Answers with a JSON-RPC error under a status of HTTP's own.
pub(super) fn error_as(
    status: StatusCode,
    id: Option<&RequestId>,
    error: &ErrorObject,
) -> Response<Body> {
    json(status, write_error(id, error))
}

/// Takes what is not answered.
pub(super) fn accepted() -> Response<Body> {
    bare(StatusCode::ACCEPTED)
}

/// Answers that there is nothing to answer.
pub(super) fn no_content() -> Response<Body> {
    bare(StatusCode::NO_CONTENT)
}

/// Refuses every method but those that are `allowed`.
pub(super) fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = bare(StatusCode::METHOD_NOT_ALLOWED);
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(ALLOW, allowed);
    response
}

/// Answers in words, for people.
pub(super) fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = typed(status, "text/plain; charset=utf-8", Body::whole(text));
    // The text may quote the request: it must not be taken for a page.
    let value = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, value);
    response
}

/// Answers with JSON that is written already.
pub(super) fn json(status: StatusCode, message: String) -> Response<Body> {
    typed(status, "application/json", Body::whole(message))
}

fn typed(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

fn bare(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
