//! A test kit for tools, prompts and resources that ask.
//!
//! A [`TestServer`] runs in the test's process. A call of it is a [`Script`]: answers by the
//! keys of the questions. It runs to its end and gives a [`Run`], the transcript; or it stops
//! at a question and is [`Waiting`], to be attacked.
//!
//! The kit fails as assertions do: it panics, and shows the transcript.
//!
//! # Example: the answers of a user
//!
//! ```
//! use serde_json::json;
//! use vuelta::testing::TestServer;
//! use vuelta::{Elicit, Form, McpServer, resolver, tool};
//!
//! #[derive(Form)]
//! struct Region {
//!     /// AWS region
//!     region: String,
//! }
//!
//! #[resolver]
//! async fn region(name: String) -> Elicit<Region> {
//!     Elicit::ask(format!("Which region should {name} live in?"))
//! }
//!
//! /// Provision a database. Asks which region to put it in.
//! #[tool]
//! async fn provision(name: String, #[resolve(region)] at: Region) -> String {
//!     format!("Provisioned {name} in {}.", at.region)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> vuelta::Result<()> {
//! let server = TestServer::new(McpServer::new("Provisioner", "1.0.0").tool::<provision>())?;
//! let call = server.tool("provision", json!({ "name": "orders" }));
//!
//! let run = call.clone().accept("region", json!({ "region": "eu-west-1" })).run().await;
//! assert_eq!(run.text(), "Provisioned orders in eu-west-1.");
//! assert_eq!(run.keys(), ["region"]);
//! assert_eq!(run.question("region").message(), "Which region should orders live in?");
//! assert_eq!(run.rounds(), 2);
//!
//! let run = call.clone().decline("region").run().await;
//! assert!(run.failure().contains("elicitation was decline"));
//!
//! let run = call.error("region", "the window was closed").run().await;
//! assert_eq!(run.rounds(), 1);
//! assert!(run.error().to_string().contains("the window was closed"));
//! # Ok(()) }
//! ```
//!
//! # Example: a question that changes
//!
//! ```should_panic
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! use serde_json::json;
//! use vuelta::testing::TestServer;
//! use vuelta::{Ask, Form, McpServer, ToolError, tool};
//!
//! #[derive(Form)]
//! struct Confirm {
//!     confirm: bool,
//! }
//!
//! static FILES: AtomicU32 = AtomicU32::new(0);
//!
//! /// Empties the bin.
//! #[tool]
//! async fn empty_bin(ask: Ask) -> Result<String, ToolError> {
//!     let files = FILES.fetch_add(1, Ordering::Relaxed); // another one has come meanwhile
//!     let sure: Confirm = ask.form("sure", format!("Delete {files} files?")).await?.accepted()?;
//!     Ok(format!("{}", sure.confirm))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> vuelta::Result<()> {
//! let server = TestServer::new(McpServer::new("Bin", "1.0.0").tool::<empty_bin>())?;
//! // Panics: the question "sure" changes from .. "Delete 0 files?" .. to .. "Delete 1 files?"
//! server.tool("empty_bin", json!({})).accept("sure", json!({ "confirm": true })).converges().await;
//! # Ok(()) }
//! ```
//!
//! # Example: somebody else's state
//!
//! ```
//! use serde_json::json;
//! use vuelta::testing::TestServer;
//! use vuelta::{Ask, Form, McpServer, Principal, ToolError, tool};
//!
//! #[derive(Form)]
//! struct Confirm {
//!     confirm: bool,
//! }
//!
//! /// Deletes what is at a path.
//! #[tool]
//! async fn delete(path: String, ask: Ask) -> Result<String, ToolError> {
//!     let sure: Confirm = ask.form("sure", format!("Delete {path}?")).await?.accepted()?;
//!     Ok(if sure.confirm { format!("Deleted {path}.") } else { "Kept.".to_owned() })
//! }
//!
//! /// Lists what is at a path.
//! #[tool]
//! async fn list(path: String) -> String {
//!     path
//! }
//!
//! fn files() -> McpServer {
//!     McpServer::new("Files", "1.0.0").tool::<delete>().tool::<list>()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> vuelta::Result<()> {
//! let server = TestServer::new(files())?.principal(Principal::new("app").subject("ada"));
//! let call = server.tool("delete", json!({ "path": "/srv/a" })).accept("sure", json!({ "confirm": true }));
//! let waiting = call.until("sure").await;
//!
//! // Each panics unless the server refuses.
//! waiting.tamper().await;
//! waiting.expire().await;
//! waiting.other_arguments(json!({ "path": "/" })).await;
//! waiting.other_tool("list").await;
//! waiting.other_principal(Principal::new("app").subject("eve")).await;
//! waiting.other_server(&TestServer::new(files())?).await;
//!
//! assert_eq!(waiting.finish().await.text(), "Deleted /srv/a.");
//! // A state is good until it expires; what must happen once needs an idempotency key.
//! assert_eq!(waiting.replay().await.text(), "Deleted /srv/a.");
//! # Ok(()) }
//! ```

mod attack;
mod clock;
mod run;
mod script;
mod server;

pub use self::attack::Waiting;
pub use self::clock::Clock;
pub use self::run::{Question, Run};
pub use self::script::Script;
pub use self::server::TestServer;

#[cfg(test)]
mod tests;
