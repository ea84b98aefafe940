//! One round of a function: what it asks, what it gives, or why it ends.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{self, Error};
use crate::outcome::Outcome;
use crate::resolve::{Halt, Halted, Round, Scope, States};
use crate::service::Context;
use crate::trace;

/// What all functions of a server share.
pub(super) struct Shared {
    pub(super) states: Arc<States>,
    pub(super) max_changes: u32,
    /// Whether text in place of a value is parsed.
    pub(super) repairs: bool,
}

pub(super) type Running<T> = Pin<Box<dyn Future<Output = Result<Outcome<T>, Halted>> + Send>>;

/// How one round came out.
pub(super) enum Ended<T> {
    /// With its result, or with a question built by hand.
    Outcome(Outcome<T>),
    /// With a reason for the model.
    Failed(String),
    /// With an error of the protocol.
    Error(Error),
}

impl Shared {
    pub(super) fn scope(&self, cx: &Context, target: &str) -> Arc<Scope> {
        let round = Round::new(
            cx.state(),
            cx.answers().clone(),
            cx.client_capabilities().clone(),
            self.max_changes,
        );
        let (number, flow) = round.place(|| trace::new_flow(cx.span()));
        trace::round(cx.span(), number, &flow);
        Scope::new(cx.clone(), target, Arc::clone(&self.states), round)
    }
}

/// Runs a function and decides what its round came to.
pub(super) async fn round<T>(
    scope: Arc<Scope>,
    running: Running<T>,
    timeout: Option<Duration>,
) -> Ended<T> {
    let Some(result) = within(timeout, &scope, running).await else {
        let limit = timeout.unwrap_or_default();
        return Ended::Failed(format!("it took longer than {limit:?}"));
    };
    // A question lives in the round, not in what the body returned: whatever the body made
    // of the error that ended it is dropped here.
    let halt = scope.round.halted().or_else(|| match &result {
        Err(halted) if !scope.round.body_waits() => halted.clone().into_halt(),
        _ => None,
    });
    match halt {
        Some(Halt::Failed(reason)) => return Ended::Failed(reason),
        Some(Halt::Broken(reason)) => return Ended::Error(Error::handler(reason)),
        Some(Halt::Protocol(object)) => return Ended::Error(object.into()),
        None => {}
    }
    match (scope.round.question(), result) {
        (Some(question), _) => Ended::Outcome(Outcome::InputRequired(question)),
        (None, Ok(outcome)) => Ended::Outcome(outcome),
        (None, Err(_)) => {
            tracing::error!("a function waits for an answer that it did not ask for");
            Ended::Error(error::internal().into())
        }
    }
}

/// Runs to the end, or to the end of its time: `None`. The time that a client takes for a
/// question does not count; what was left starts anew.
async fn within<T>(
    limit: Option<Duration>,
    scope: &Scope,
    mut running: Running<T>,
) -> Option<Result<Outcome<T>, Halted>> {
    let Some(limit) = limit else {
        return Some(running.await);
    };
    let mut asking = scope.asking.subscribe();
    loop {
        let is_asking = *asking.borrow_and_update() > 0;
        tokio::select! {
            biased;
            result = &mut running => return Some(result),
            _ = asking.changed() => {}
            () = tokio::time::sleep(limit), if !is_asking => return None,
        }
    }
}
