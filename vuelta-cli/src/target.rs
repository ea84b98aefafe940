//! Which server a command line names, and how it is reached.

use std::ffi::OsString;
use std::fmt;

use vuelta::{Client, ClientBuilder, IntoTransport as _, Mode, process};
use vuelta_http::HttpTransport;

use crate::args::{Begin, Header, Options};
use crate::exit::{Failure, with_causes};
use crate::output::note;

/// A server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// Behind a URL.
    Url(String),
    /// On a socket of this machine, by its path.
    Socket(String),
    /// To be started.
    Command {
        program: OsString,
        args: Vec<OsString>,
    },
}

impl Target {
    /// Takes the server off the words of a command line; `least` of them are left at least.
    ///
    /// # Errors
    ///
    /// Returns an error that names the fix if the line names no server, or two.
    pub(crate) fn take(
        mut words: Vec<String>,
        command: &[OsString],
        least: usize,
    ) -> Result<(Self, Vec<String>), String> {
        let named = words.first().and_then(|word| Self::parse(word));
        if let [program, args @ ..] = command {
            // What is left may look like a server: the URI of a resource does.
            if named.is_some() && words.len() > least {
                return Err(format!(
                    "`{}` and the command behind `--` are two servers: keep one",
                    words[0]
                ));
            }
            let (program, args) = (program.clone(), args.to_vec());
            return Ok((Self::Command { program, args }, words));
        }
        match (named, words.first()) {
            (Some(target), _) => {
                words.remove(0);
                Ok((target, words))
            }
            (None, Some(word)) => Err(format!("`{word}` is no server: {SERVERS}")),
            (None, None) => Err(format!("no server is given: {SERVERS}")),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let scheme = word.split_once(':').map(|(scheme, _)| scheme)?;
        match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => Some(Self::Url(word.to_owned())),
            "unix" => Some(Self::Socket(word[scheme.len() + 1..].to_owned())),
            _ => None,
        }
    }

    /// Connects a client; `builder` gives it as often as the server has to be tried.
    ///
    /// # Errors
    ///
    /// Returns a failure if what was typed cannot be used for this server, or if the server
    /// cannot be reached.
    pub(crate) async fn connect(
        &self,
        options: &Options,
        builder: impl Fn(Mode) -> ClientBuilder,
    ) -> Result<Client, Failure> {
        if !options.headers.is_empty()
            && let Some(instead) = self.instead_of_headers()
        {
            return Err(Failure::Usage(format!(
                "--header is for a server behind a URL; {instead}"
            )));
        }
        let mode = Mode::from(options.mode);
        match self {
            Self::Url(url) => {
                let transport = http(url, &options.headers)?;
                Ok(builder(mode).connect(transport).await?)
            }
            Self::Socket(path) => {
                let socket = socket(path)?;
                Ok(builder(mode).connect(socket).await?)
            }
            Self::Command { program, args } => {
                let start = || {
                    let command = process::command(program).args(args).inherit_env();
                    // Who looks on sees it as it comes; else it is kept for the error.
                    let command = if options.verbose {
                        command.inherit_stderr()
                    } else {
                        command
                    };
                    command.into_transport()
                };
                match builder(mode).connect(start()?).await {
                    // Some servers that know only the handshake end at anything else.
                    Err(error) if error.is_transport() && options.mode == Begin::Auto => {
                        if options.verbose {
                            note("the server ended: it is started again, with a handshake");
                        }
                        Ok(builder(Mode::legacy()).connect(start()?).await?)
                    }
                    connected => Ok(connected?),
                }
            }
        }
    }

    /// Returns what to do without headers; `None` where they can be sent.
    fn instead_of_headers(&self) -> Option<&'static str> {
        match self {
            Self::Url(_) => None,
            Self::Socket(_) => Some("leave it out"),
            Self::Command { .. } => {
                Some("one that is started sees the environment: NAME=VALUE vuelta ..")
            }
        }
    }
}

impl fmt::Display for Target {
    /// Shows the address, or the program without its arguments, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => f.write_str(url),
            Self::Socket(path) => write!(f, "unix:{path}"),
            Self::Command { program, .. } => f.write_str(&program.to_string_lossy()),
        }
    }
}

fn http(url: &str, headers: &[Header]) -> Result<HttpTransport, Failure> {
    let mut transport = HttpTransport::builder(url);
    for header in headers {
        transport = transport.header(&header.name, &header.value);
    }
    transport
        .build()
        .map_err(|error| Failure::Usage(with_causes(&error)))
}

#[cfg(unix)]
fn socket(path: &str) -> Result<vuelta::unix::SocketPath, Failure> {
    if path.is_empty() {
        return Err(Failure::Usage(
            "`unix:` has no path: write unix:/run/user/1000/server.sock".to_owned(),
        ));
    }
    Ok(vuelta::unix::path(path))
}

#[cfg(not(unix))]
fn socket(_: &str) -> Result<vuelta::transport::Memory, Failure> {
    Err(Failure::Usage(
        "`unix:` needs a Unix system: give a URL, or a command behind `--`".to_owned(),
    ))
}

const SERVERS: &str = "give a URL (http or https), unix:PATH, or a command behind `--`";

#[cfg(test)]
mod tests;
