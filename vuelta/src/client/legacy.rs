//! The verbs of the revisions with a handshake that 2026-07-28 has not.
//!
//! Source: [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle),
//! [logging](https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging),
//! [resources](https://modelcontextprotocol.io/specification/2025-11-25/server/resources),
//! [roots](https://modelcontextprotocol.io/specification/2025-11-25/client/roots).

use vuelta_wire::legacy::{ROOTS_CHANGED, SetLevelParams, SubscribeParams};
use vuelta_wire::methods::{Method, Ping, SetLevel, Subscribe, Unsubscribe};
use vuelta_wire::{LoggingLevel, NoParams};

use crate::error::{Error, Result};

use super::Client;

impl Client {
    /// Asks whether the server is there: only on a connection with a handshake.
    ///
    /// # Errors
    ///
    /// Returns what went wrong with the connection; and an error at 2026-07-28, whose servers
    /// know no such request: any other tells the same.
    pub async fn ping(&self) -> Result<()> {
        self.only_legacy(
            Ping::NAME,
            "any other request tells whether the server is there",
        )?;
        self.plain::<Ping>(&NoParams::new()).await.map(drop)
    }

    /// Sets the lowest level at which the server sends log notifications: only on a connection
    /// with a handshake.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection; and an error at
    /// 2026-07-28, where each request says it: see
    /// [`ClientBuilder::log_level`](super::ClientBuilder::log_level).
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<()> {
        self.only_legacy(SetLevel::NAME, "set it with `ClientBuilder::log_level`")?;
        let params = SetLevelParams::new(level);
        self.plain::<SetLevel>(&params).await.map(drop)
    }

    /// Asks to be told when a resource changes: only on a connection with a handshake. What
    /// changes is told to [`on_notification`](super::ClientBuilder::on_notification).
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection; and an error at
    /// 2026-07-28, where a client [listens](Client::listen) instead.
    pub async fn subscribe(&self, uri: impl Into<String>) -> Result<()> {
        self.only_legacy(Subscribe::NAME, "use `Client::listen`")?;
        let params = SubscribeParams::new(uri);
        self.plain::<Subscribe>(&params).await.map(drop)
    }

    /// Asks to be told no more when a resource changes: only on a connection with a handshake.
    ///
    /// # Errors
    ///
    /// As [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, uri: impl Into<String>) -> Result<()> {
        self.only_legacy(Unsubscribe::NAME, "drop the subscription")?;
        let params = SubscribeParams::new(uri);
        self.plain::<Unsubscribe>(&params).await.map(drop)
    }

    /// Tells the server that the client's roots have changed, so that it asks for them anew.
    ///
    /// At 2026-07-28 a server asks when it needs them: nothing is sent.
    ///
    /// # Errors
    ///
    /// Returns an error if the notification could not be sent.
    pub async fn roots_changed(&self) -> Result<()> {
        if self.is_legacy() {
            return self.notify(ROOTS_CHANGED, ()).await;
        }
        Ok(())
    }

    fn only_legacy(&self, method: &str, instead: &str) -> Result<()> {
        if self.is_legacy() {
            return Ok(());
        }
        Err(Error::misuse(format!(
            "{method} is not part of revision {}: {instead}",
            self.protocol_version()
        )))
    }
}
