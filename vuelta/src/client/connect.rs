//! How a client and a server come to agree: the probe, the handshake, or neither.
//!
//! Source: [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning),
//! [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).

use std::time::Duration;

use vuelta_wire::legacy::{self, InitializeParams, InitializeResult};
use vuelta_wire::methods::{Discover, Initialize, Method};
use vuelta_wire::modern::{Decoded, decode_result};
use vuelta_wire::{
    DiscoverResult, Extra, NoParams, ProtocolVersion, Raw, RequestMeta, ServerCapabilities, meta,
    modern,
};

use crate::error::{Error, Result};

use super::builder::{Kind, Mode};
use super::probe::{Greeting, Probe, SPOKEN, decide, greet};
use super::transport::{Outgoing, OutgoingNotification};
use super::{Agreed, Client};

impl Client {
    /// Agrees with the server on a revision, in the way that `mode` says.
    pub(super) async fn agree(&self, mode: Mode, probe_timeout: Duration) -> Result<()> {
        self.attach();
        let agreed = match mode.0 {
            Kind::Pinned { version, .. } if !version.is_modern() => {
                return Err(Error::misuse(format!(
                    "revision {version} cannot be pinned: it begins with a handshake; pin {}, or \
                     use `Mode::legacy()`",
                    ProtocolVersion::V2026_07_28
                )));
            }
            Kind::Pinned {
                version,
                discovered,
            } => {
                let unknown = || DiscoverResult::new([version.clone()], ServerCapabilities::new());
                Agreed {
                    server: discovered.map_or_else(unknown, |discovered| *discovered),
                    protocol_version: version,
                }
            }
            Kind::Legacy => self.handshake(probe_timeout, true).await?,
            Kind::Auto if self.0.transport.is_known_legacy() => {
                match self.handshake(probe_timeout, false).await {
                    Ok(agreed) => agreed,
                    // It may have become another server since.
                    Err(error) => {
                        tracing::debug!(%error, "handshake refused: the server is probed");
                        self.probe(SPOKEN, false, probe_timeout).await?
                    }
                }
            }
            Kind::Auto => self.probe(SPOKEN, false, probe_timeout).await?,
        };
        // Nobody else sets it: the client is not yet given to anybody.
        let _ = self.0.desk.revision.set(agreed.protocol_version.clone());
        let _ = self.0.agreed.set(agreed);
        Ok(())
    }

    /// Asks the server what it speaks; begins a handshake if it does not know the question.
    async fn probe(
        &self,
        mut version: ProtocolVersion,
        mut again: bool,
        timeout: Duration,
    ) -> Result<Agreed> {
        loop {
            match decide(self.ask(&version, timeout).await, again) {
                Probe::Adopt(protocol_version, server) => {
                    return Ok(Agreed {
                        protocol_version,
                        server: *server,
                    });
                }
                Probe::Again(common) => (version, again) = (common, true),
                Probe::Handshake => return self.handshake(timeout, again).await,
                Probe::Refuse(error) => return Err(error),
            }
        }
    }

    async fn ask(&self, version: &ProtocolVersion, timeout: Duration) -> Result<DiscoverResult> {
        let meta = RequestMeta::new(version.clone(), self.0.capabilities.clone())
            .client_info(self.0.info.clone());
        let params = modern::encode_params(&NoParams::new(), &meta)?;
        let request = Outgoing::new(self.next_id(), Discover::NAME, params, version.clone());
        let answer = self.0.transport.request(request, self.inbound());
        let raw = tokio::time::timeout(timeout, answer)
            .await
            .map_err(|_| Error::timeout(Discover::NAME, timeout))??;
        match decode_result::<Discover>(raw.get()) {
            Ok(Decoded::Complete(result)) => Ok(result),
            Ok(Decoded::InputRequired(_)) => {
                Err(Error::peer("server/discover was answered with a question"))
            }
            Err(error) => Err(Error::peer(format!("{}: {error}", Discover::NAME))),
        }
    }

    /// Begins with a handshake. A server that refuses it and names a revision without one is
    /// probed once, unless it was before.
    async fn handshake(&self, timeout: Duration, was_probed: bool) -> Result<Agreed> {
        match greet(self.initialize().await, was_probed) {
            Greeting::Welcome(result) => {
                let protocol_version = result.protocol_version.clone();
                let initialized =
                    OutgoingNotification::new(legacy::INITIALIZED, None, protocol_version.clone());
                self.0.transport.notify(initialized).await?;
                Ok(Agreed {
                    protocol_version,
                    server: described(*result)?,
                })
            }
            Greeting::Probe(version) => Box::pin(self.probe(version, true, timeout)).await,
            Greeting::Refuse(error) => Err(error),
        }
    }

    async fn initialize(&self) -> Result<InitializeResult> {
        let newest = ProtocolVersion::V2025_11_25;
        let mut capabilities = self.0.capabilities.clone();
        if let Some(roots) = &mut capabilities.roots {
            // Told with `Client::roots_changed`.
            roots
                .extra
                .insert("listChanged", Raw::from(serde_json::Value::Bool(true)));
        }
        let params = InitializeParams::new(newest.clone(), capabilities, self.0.info.clone());
        let params = legacy::encode_params(&params, None, &Extra::new())?;
        let request = Outgoing::new(self.next_id(), Initialize::NAME, params, newest);
        let answer = self.0.transport.request(request, self.inbound());
        let raw = match self.0.limits.timeout {
            Some(limit) => tokio::time::timeout(limit, answer)
                .await
                .map_err(|_| Error::timeout(Initialize::NAME, limit))??,
            None => answer.await?,
        };
        legacy::decode_result(raw.get())
            .map_err(|error| Error::peer(format!("{}: {error}", Initialize::NAME)))
    }
}

/// Puts what a server said in a handshake into the form of its discovery.
fn described(result: InitializeResult) -> Result<DiscoverResult> {
    let mut described = DiscoverResult::new([result.protocol_version], result.capabilities);
    described.instructions = result.instructions;
    let mut metadata = result.meta.unwrap_or_default();
    metadata.insert(meta::SERVER_INFO, Raw::encode(&result.server_info)?);
    described.meta = Some(metadata);
    Ok(described)
}
