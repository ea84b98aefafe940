//! Structured content: whether it fits the tool's output schema, and as a type of the caller's.
//!
//! Source: [output
//! schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).

use std::any::Any;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use vuelta_wire::CallToolResult;
use vuelta_wire::methods::{CallTool, Method};

use crate::error::{Error, Result};

use super::known_tools::Output;
use super::{CallBuilder, Client};

impl Client {
    /// Calls a tool and reads its structured content as a `T`; its questions go to the
    /// callbacks.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool); and an error with the tool's text if the tool failed,
    /// or one that says what does not fit. The result can then be taken from the error with
    /// [`Error::into_tool_result`].
    ///
    /// # Example: the weather as a type
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct Weather {
    ///     temperature: f64,
    /// }
    ///
    /// # async fn temperature(client: &vuelta::Client) -> vuelta::Result<f64> {
    /// let arguments = serde_json::json!({ "location": "Seattle" });
    /// let weather: Weather = client.call_tool_as("get_weather_data", arguments).await?;
    /// # Ok(weather.temperature) }
    /// ```
    pub async fn call_tool_as<T: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<T> {
        self.tool(name).arguments(arguments).send_as().await
    }

    /// Checks the result of a call of `target` against the output schema of that tool; any
    /// other result is returned as it is.
    pub(super) async fn check_output<M: Method>(
        &self,
        target: &str,
        result: M::Result,
        deadline: Option<Instant>,
    ) -> Result<M::Result> {
        let Some(tool_result) = (&result as &dyn Any).downcast_ref::<CallToolResult>() else {
            return Ok(result);
        };
        if M::NAME != CallTool::NAME || !self.0.checks_output || tool_result.failed() {
            return Ok(result);
        }
        let mut output = self.known_tools(|known| known.output(target));
        if matches!(output, Output::Unknown) {
            self.list_once(deadline).await;
            output = self.known_tools(|known| known.output(target));
        }
        let Output::Schema(schema) = output else {
            return Ok(result);
        };
        match schema.check(tool_result) {
            Ok(()) => Ok(result),
            Err(problem) => Err(Error::tool_output(target, &problem, tool_result.clone())),
        }
    }

    /// Lists all tools, unless that was done since the list changed, or the server is not known
    /// to have any. What goes wrong is no fault of the call that is behind it.
    async fn list_once(&self, deadline: Option<Instant>) {
        if self.server_capabilities().tools.is_none() {
            return;
        }
        let limit = self.0.limits.timeout.unwrap_or(LONGEST_WALK);
        let mut until = Instant::now() + limit.min(LONGEST_WALK);
        until = deadline.map_or(until, |deadline| deadline.min(until));
        // Calls that end at the same time wait for one walk.
        let Ok(_turn) = timeout_at(until, self.0.listing.lock()).await else {
            return;
        };
        if self.known_tools(|known| known.is_listed()) {
            return;
        }
        let generation = self.known_tools(|known| known.generation());
        let walk = async {
            let mut pages = self.tools().pages();
            while let Some(page) = pages.next().await {
                page?;
            }
            Ok::<_, Error>(())
        };
        match timeout_at(until, walk).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "tools not listed: their results are not checked");
            }
            Err(_) => tracing::debug!("tools not listed in time: their results are not checked"),
        }
        self.known_tools(|known| known.listed(generation));
    }
}

impl CallBuilder<CallTool> {
    /// Sends the call as [`send`](Self::send) does, and reads its structured content as a `T`.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); and an error with the tool's text if the tool failed, or one that
    /// says what does not fit. The result can then be taken from the error with
    /// [`Error::into_tool_result`].
    pub async fn send_as<T: DeserializeOwned>(self) -> Result<T> {
        let tool = self.target().to_owned();
        let result = self.send().await?;
        if result.failed() {
            return Err(Error::tool_failed(&tool, result));
        }
        let Some(content) = &result.structured_content else {
            let problem = "it returned no structured content";
            return Err(Error::tool_output(&tool, problem, result));
        };
        content.parse().map_err(|error| {
            let problem =
                format!("its structured content does not fit the type asked for: {error}");
            Error::tool_output(&tool, &problem, result)
        })
    }
}

/// How long the client lists tools on its own, at most.
const LONGEST_WALK: Duration = Duration::from_secs(10);
