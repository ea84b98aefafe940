//! How a server is reached, and a client of ours that is connected to it.

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;
use vuelta::{Client, ElicitResult, Mode, ServerNotification, process};

use crate::interop::Programs;
use crate::interop::check::Failure;
use crate::interop::user::User;

use super::columns::Era;
use super::stories::{GHOST, GUEST};

/// A program with its arguments.
#[derive(Clone, Debug)]
pub(super) struct CommandLine(pub(super) Vec<OsString>);

impl CommandLine {
    pub(super) fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self(words.into_iter().map(Into::into).collect())
    }

    /// Returns this command line with more arguments.
    pub(super) fn with(&self, words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let mut line = self.clone();
        line.0.extend(words.into_iter().map(Into::into));
        line
    }

    /// Returns a command that ends with this program.
    pub(super) fn owned(&self, programs: &Programs) -> Result<tokio::process::Command, Failure> {
        let (program, arguments) = self.0.split_first().ok_or("an empty command line")?;
        let mut command = tokio::process::Command::new(program);
        command.args(arguments);
        programs.owned(command)
    }
}

/// Where a server is.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// It listens at this URL.
    Url(String),
    /// It is started with this command line, for one client.
    Program(CommandLine),
}

impl Target {
    /// Returns the arguments that name it to a client program.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        match self {
            Self::Url(url) => vec![url.into()],
            Self::Program(line) => {
                let flags = ["--stdio", "--"].map(OsString::from);
                flags.into_iter().chain(line.0.iter().cloned()).collect()
            }
        }
    }
}

/// A connected client of ours, with its user.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) user: User,
    /// That the server has told of other tools, on a connection with a handshake.
    pub(super) tools_changed: Arc<Notify>,
}

impl Session {
    pub(super) async fn connect(target: &Target, era: Era) -> Result<Self, Failure> {
        let user = User::new([
            (GUEST, ElicitResult::accept(json!({ "name": "Ada" }))),
            (GHOST, ElicitResult::decline()),
        ]);
        let tools_changed = Arc::new(Notify::new());
        let told = Arc::clone(&tools_changed);
        let builder = user
            .client()
            .mode(match era {
                Era::Modern | Era::Fallback => Mode::auto(),
                Era::Legacy => Mode::legacy(),
            })
            .on_notification(move |notification| {
                if matches!(notification, ServerNotification::ToolsListChanged(_)) {
                    told.notify_one();
                }
            });
        let client = match target {
            Target::Url(url) => builder.connect(vuelta_http::url(url)?).await?,
            Target::Program(CommandLine(words)) => {
                let (program, arguments) = words.split_first().ok_or("an empty command line")?;
                builder
                    .connect(process::command(program).args(arguments))
                    .await?
            }
        };
        Ok(Self {
            client,
            user,
            tools_changed,
        })
    }
}
