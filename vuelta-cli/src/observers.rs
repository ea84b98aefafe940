//! Who sees a call on its way: the rounds as text, the progress as a line, and whose turn it is
//! on the terminal.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OwnedMutexGuard;
use vuelta::wire::methods::AskingMethod;
use vuelta::{CallBuilder, Client, InputRequest, InputResponses, Round};

use crate::output::{Stream, note};
use crate::printable;
use crate::progress::Progress;
use crate::timeline::Timeline;

/// Who sees a call on its way; clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observers {
    timeline: Option<(Arc<Mutex<Timeline>>, Stream)>,
    progress: Option<Arc<Progress>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// A turn on the terminal: as long as a clone is kept, nobody else asks there.
pub(crate) type Turn = Arc<OwnedMutexGuard<()>>;

impl Observers {
    /// Has the rounds told on a stream.
    pub(crate) fn timeline(mut self, stream: Stream) -> Self {
        self.timeline = Some((Arc::default(), stream));
        self
    }

    /// Has progress shown, if standard error is a terminal.
    pub(crate) fn progress(mut self) -> Self {
        if io::stderr().is_terminal() {
            self.progress = Some(Arc::default());
        }
        self
    }

    /// Waits for a turn on the terminal.
    pub(crate) async fn turn(&self) -> Turn {
        Arc::new(Arc::clone(&self.turn).lock_owned().await)
    }

    /// Tells who the server is and which revision is spoken.
    pub(crate) fn connected(&self, client: &Client) {
        if self.timeline.is_none() {
            return;
        }
        let server = match client.server_info() {
            Some(info) => printable::line(&format!("{} {}", info.name, info.version)),
            None => "a server without a name".to_owned(),
        };
        let begun = if client.is_legacy() {
            ", with a handshake"
        } else {
            ""
        };
        let revision = client.protocol_version();
        note(&format!(
            "connected to {server}, revision {revision}{begun}"
        ));
    }

    /// Watches a request.
    pub(crate) fn watch<M: AskingMethod>(&self, mut request: CallBuilder<M>) -> CallBuilder<M> {
        if let Some(progress) = self.progress.clone() {
            let turn = Arc::clone(&self.turn);
            request = request.on_progress(move |update| {
                // A question is on the screen that it would write over.
                if turn.try_lock().is_ok() {
                    progress.show(&update);
                }
            });
        }
        let observers = self.clone();
        request.on_round(move |round| observers.see(&round))
    }

    /// Sets what the rounds are told by, such as `tools/call add {}`.
    pub(crate) fn begin(&self, call: &str) {
        if let Some((timeline, _)) = &self.timeline {
            lock(timeline).begin(call);
        }
    }

    /// Tells a question that came while the request is served.
    pub(crate) fn pushed(&self, key: &str, request: &InputRequest) {
        self.tell(|_| Timeline::pushed(key, request));
    }

    /// Tells the answers that go back at once.
    pub(crate) fn answered_at_once(&self, answers: &InputResponses) {
        self.tell(|_| Timeline::answers(answers));
    }

    /// Tells the answers that go out with the next request.
    pub(crate) fn answered(&self, answers: &InputResponses) {
        self.tell(|timeline| timeline.answered(answers));
    }

    /// Tells what the call came to.
    pub(crate) fn end(&self, what: &str) {
        self.clear();
        self.tell(|_| Timeline::end(what));
    }

    /// Takes the progress off the screen.
    pub(crate) fn clear(&self) {
        if let Some(progress) = &self.progress {
            progress.clear();
        }
    }

    fn see(&self, round: &Round<'_>) {
        self.tell(|timeline| timeline.tell(round));
    }

    fn tell(&self, what: impl FnOnce(&mut Timeline) -> String) {
        if let Some((timeline, stream)) = &self.timeline {
            let text = what(&mut lock(timeline));
            self.clear();
            stream.tell(&text);
        }
    }
}

fn lock(timeline: &Mutex<Timeline>) -> MutexGuard<'_, Timeline> {
    timeline.lock().unwrap_or_else(PoisonError::into_inner)
}
