//! What the suite asks for: read from the environment and the command line.

use std::env;

use serde::Deserialize;
use serde_json::Value;
use vuelta::{
    Client, ClientBuilder, CreateMessageParams, CreateMessageResult, ElicitForm, ElicitResult,
    Error, Implementation, ListRootsParams, ListRootsResult, ProtocolVersion, Result, Root,
};

/// One run of the client.
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// The calls to make, where the suite prescribes them.
    pub(crate) calls: Vec<Call>,
    url: String,
    /// The revision that the suite's server speaks.
    version: ProtocolVersion,
}

/// A call that the suite prescribes.
#[derive(Deserialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// What the suite says of a scenario beyond its name; many have nothing.
#[derive(Default, Deserialize)]
struct Details {
    #[serde(default, rename = "toolCalls")]
    calls: Vec<Call>,
}

impl Scenario {
    pub(crate) fn read() -> Result<Self> {
        let url = env::args().nth(1);
        let url = url.ok_or_else(|| Error::misuse("usage: everything-client URL"))?;
        let details = match env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(json) => serde_json::from_str(&json)?,
            Err(_) => Details::default(),
        };
        Ok(Self {
            name: variable("MCP_CONFORMANCE_SCENARIO")?,
            calls: details.calls,
            url,
            version: variable("MCP_CONFORMANCE_PROTOCOL_VERSION")?
                .as_str()
                .into(),
        })
    }

    /// Connects a client that can answer every kind of question.
    pub(crate) async fn connect(&self) -> Result<Client> {
        self.connect_with(builder()).await
    }

    /// Connects a client, and checks that it found out by itself what the server speaks.
    pub(crate) async fn connect_with(&self, client: ClientBuilder) -> Result<Client> {
        let client = client.connect(vuelta_http::url(&self.url)?).await?;
        let found = client.protocol_version();
        if found.is_modern() == self.version.is_modern() {
            return Ok(client);
        }
        Err(Error::peer(format!(
            "the server speaks {}, but the client settled on {found}",
            self.version
        )))
    }
}

/// Returns a client that accepts forms as they are, and has a model and one root.
pub(crate) fn builder() -> ClientBuilder {
    Client::builder()
        .info(Implementation::new(
            "everything-client",
            env!("CARGO_PKG_VERSION"),
        ))
        .on_elicit(|form: ElicitForm| async move {
            ElicitResult::accept(form.requested_schema.defaults())
        })
        .on_sample(|_: CreateMessageParams| async {
            CreateMessageResult::text("everything-model", "Paris")
        })
        .on_list_roots(|_: ListRootsParams| async {
            ListRootsResult::new([Root::new("file:///projects/everything")])
        })
}

fn variable(name: &str) -> Result<String> {
    env::var(name).map_err(|_| Error::misuse(format!("the suite sets {name}")))
}
