//! Asks now or later: on a connection that can push questions a resolver or a body waits for
//! its answer; otherwise the question goes out with the round.

use tokio::sync::watch;
use vuelta_wire::{InputRequest, Raw};

use crate::error;
use crate::resolve::engine::Scope;
use crate::resolve::rounds::{Halt, Settled, read};

/// The questions of a call that are with the client now: their time is not the call's.
pub(crate) type Asking = watch::Sender<usize>;

/// One question that is with the client.
struct Live<'a>(&'a Asking);

impl<'a> Live<'a> {
    fn begin(asking: &'a Asking) -> Self {
        asking.send_modify(|asking| *asking += 1);
        Self(asking)
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|asking| *asking -= 1);
    }
}

impl Scope {
    /// Finds the answer to `request`: in what the round knows, or from the client now, or the
    /// question goes out with this round.
    ///
    /// `fits` says whether the content of an accepted form is one that the question allows.
    pub(crate) async fn ask(
        &self,
        visit: usize,
        key: &str,
        request: InputRequest,
        fits: fn(&Raw) -> bool,
    ) -> Result<Settled, Halt> {
        if !self.context.is_legacy() {
            return self.round.ask(visit, key, request, &fits);
        }
        let digest = self.round.think_of(key, &request)?;
        if let Some(settled) = self.round.given(key, &digest) {
            return Ok(settled);
        }
        let Some(backchannel) = self.context.backchannel() else {
            let refused = error::no_back_channel(&request.method());
            return Err(Halt::Protocol(refused));
        };
        if let Some(missing) = self.context.client_capabilities().missing_for(&request) {
            return Err(Halt::Protocol(error::missing_capability(key, &missing)));
        }
        let _live = Live::begin(&self.asking);
        for _ in 0..MAX_TRIES {
            let answer = backchannel.ask(&request).await.map_err(|error| {
                Halt::Failed(format!("The client did not answer {key:?}: {error}"))
            })?;
            if let Some((action, data)) = read(key, &request, &answer, &fits)? {
                self.round.give(key, action, data.clone(), digest);
                return Ok(Settled::Answered(action, data));
            }
        }
        Err(Halt::Failed(format!(
            "The answer to {key:?} did not fit the form, {MAX_TRIES} times"
        )))
    }
}

/// How often a form is put to a client whose answers do not fit it.
const MAX_TRIES: usize = 3;
