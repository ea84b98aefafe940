//! A command's connection: how it begins, what can end it, and that it is closed in order.

use std::future;
use std::sync::Arc;

use serde::Deserialize;
use vuelta::wire::methods::AskingMethod;
use vuelta::{CallBuilder, Client, ClientCapabilities, ErrorCode, Implementation, Mode};

use crate::answers::Answers;
use crate::args::Options;
use crate::exit::{Ending, Failure, with_causes};
use crate::observers::Observers;
use crate::output::{Stream, print_json};
use crate::responder::Responder;
use crate::rounds;
use crate::target::Target;

/// A connection to a server, with who answers its questions.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    responder: Arc<Responder>,
    observers: Observers,
}

impl Connection {
    /// Sends a call, `told` as it is, and drives it to its result.
    ///
    /// # Errors
    ///
    /// As [`rounds::drive`].
    pub(crate) async fn drive<M: AskingMethod>(
        &self,
        told: &str,
        call: CallBuilder<M>,
    ) -> Result<M::Result, Failure> {
        self.observers.begin(told);
        let ended = rounds::drive(&self.client, call, &self.responder, &self.observers).await;
        ended.map_err(|failure| match failure {
            Failure::Call(error) => explain(error),
            failure => failure,
        })
    }

    /// Tells what the call came to, and what of the command line was of no use for it.
    pub(crate) fn end(&self, what: &str) {
        self.observers.end(what);
        self.responder.note_unasked();
    }
}

/// Connects to a server, does `work` and closes the connection; Ctrl-C ends all of it.
///
/// # Errors
///
/// Returns a failure if the server cannot be reached, what `work` returns, and why a question
/// that came while it ran has no answer.
pub(crate) async fn with(
    target: Target,
    options: Options,
    work: impl AsyncFnOnce(&Connection) -> Result<Ending, Failure>,
) -> Result<Ending, Failure> {
    let ended = with_inner(target, &options, work).await;
    if let Err(Failure::InputNeeded(needed)) = &ended
        && options.json
    {
        print_json(&needed.to_json())?;
    }
    ended
}

async fn with_inner(
    target: Target,
    options: &Options,
    work: impl AsyncFnOnce(&Connection) -> Result<Ending, Failure>,
) -> Result<Ending, Failure> {
    let answers = Answers::new(options.answers.clone()).map_err(Failure::Usage)?;
    let mut observers = Observers::default().progress();
    if options.verbose {
        observers = observers.timeline(Stream::Err);
    }
    let (address, roots) = (target.to_string(), options.roots.clone());
    let responder = Arc::new(Responder::new(answers, roots, address, observers.clone()));
    let builder = |mode: Mode| {
        let info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let mut builder = Client::builder().info(info).mode(mode);
        if let Some(timeout) = options.timeout {
            builder = builder.timeout(timeout).probe_timeout(timeout);
        }
        // Forms and URLs are declared also where nobody sits at a terminal: what is asked then
        // is reported, and can be answered on the command line.
        responder.answer_for(builder)
    };
    let client = tokio::select! {
        biased;
        failure = responder.failed() => return Err(failure),
        () = interrupted() => return Err(Failure::Interrupted),
        client = target.connect(options, builder) => client?,
    };
    responder.meet(&client);
    observers.connected(&client);

    let connection = Connection {
        client,
        responder,
        observers,
    };
    let ended = tokio::select! {
        // The server may go on when it gets no answer: then its result does not count.
        biased;
        failure = connection.responder.failed() => Err(failure),
        () = interrupted() => Err(Failure::Interrupted),
        ended = work(&connection) => ended,
    };
    let close = async {
        // A question may still be in the terminal, whose server has gone.
        let _turn = connection.observers.turn().await;
        connection.client.close().await;
    };
    // Who presses Ctrl-C again does not wait for the server to end by itself.
    tokio::select! {
        () = close => {}
        () = interrupted() => {}
    }
    ended
}

/// Adds to a server's error what to do about a capability that was not declared.
fn explain(error: vuelta::Error) -> Failure {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        required_capabilities: ClientCapabilities,
    }
    let data = match error.as_rpc() {
        Some(object) if object.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            object.data.as_ref().and_then(|data| data.parse().ok())
        }
        _ => None,
    };
    let hint = match data {
        Some(Data {
            required_capabilities: missing,
        }) if missing.roots.is_some() => "name a directory with --root",
        Some(Data {
            required_capabilities: missing,
        }) if missing.sampling.is_some() => "this program has no model to sample",
        _ => return error.into(),
    };
    Failure::Failed(format!("{}; {hint}", with_causes(&error)))
}

/// Waits for Ctrl-C.
pub(crate) async fn interrupted() {
    // Without the signal there is no way to stop but to be killed.
    if tokio::signal::ctrl_c().await.is_err() {
        future::pending::<()>().await;
    }
}
