//! One call through its rounds, of either era: when to ask, and when to give up.
//!
//! The rounds of revision 2026-07-28 are driven by hand, as nothing may be asked before it is
//! known whether the whole round can be answered. Servers of older revisions ask while the call
//! runs: there the client's callbacks lead to the same responder.

use std::time::Duration;

use vuelta::wire::methods::AskingMethod;
use vuelta::{CallBuilder, Client, InputRequest, Step};

use crate::exit::Failure;
use crate::observers::Observers;
use crate::responder::Responder;

/// How often a call is sent again, as many times as the client library does by itself.
const MAX_RETRIES: u32 = 10;
/// How long to wait where nothing is asked; doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// Drives a call to its result.
///
/// # Errors
///
/// Returns a failure if a question has no answer, if an answer does not fit, or if the
/// protocol or the connection failed.
pub(crate) async fn drive<M: AskingMethod>(
    client: &Client,
    call: CallBuilder<M>,
    responder: &Responder,
    observers: &Observers,
) -> Result<M::Result, Failure> {
    let result = if client.is_legacy() {
        observers.watch(call).send().await.map_err(Failure::Call)
    } else {
        by_hand(client, call, responder, observers).await
    };
    observers.clear();
    result
}

async fn by_hand<M: AskingMethod>(
    client: &Client,
    call: CallBuilder<M>,
    responder: &Responder,
    observers: &Observers,
) -> Result<M::Result, Failure> {
    let mut wait = FIRST_WAIT;
    let mut step = observers.watch(call).step().await?;
    loop {
        let mut flow = match step {
            Step::Done(result) => return Ok(result),
            Step::Asked(flow) => flow,
        };
        if flow.retries() >= MAX_RETRIES {
            let message = format!("the server still asks after {MAX_RETRIES} rounds");
            return Err(Failure::Failed(message));
        }
        let questions: Vec<(&str, &InputRequest)> = flow.questions().collect();
        if questions.is_empty() {
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        } else {
            wait = FIRST_WAIT;
            let answers = responder.respond(&questions).await?;
            observers.answered(&answers);
            for (key, answer) in answers.iter() {
                flow.answer(key, answer);
            }
        }
        step = observers.watch(client.flow(flow)).step().await?;
    }
}
