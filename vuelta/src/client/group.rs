//! Several servers as one: their lists put together under prefixed names.
//!
//! Each client keeps its own revision, capabilities and callbacks; a group only decides whose
//! name it is.

use serde::Serialize;
use vuelta_wire::methods::{CallTool, GetPrompt};
use vuelta_wire::{
    CallToolResult, ErrorCode, GetPromptResult, Prompt, Resource, ResourceTemplate, Tool,
};

use crate::error::{Error, Result};

use super::{CallBuilder, Client};

/// Clients of several servers, for a host that offers them together.
///
/// The tools and prompts of a server are listed as `prefix__name` and called by that name.
/// Resources keep their URIs, beside the prefix of the server that has them.
///
/// # Example: two servers that both have a tool `search`
///
/// ```
/// use vuelta::{Client, ClientGroup, Result, Server};
///
/// async fn search(mail: &Server, notes: &Server) -> Result<String> {
///     let mut group = ClientGroup::new();
///     group.add("mail", Client::builder().connect(mail).await?)?;
///     group.add("notes", Client::builder().connect(notes).await?)?;
///     let found = group.call_tool("notes__search", serde_json::json!({ "text": "milk" })).await?;
///     Ok(found.as_text())
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClientGroup {
    members: Vec<(String, Client)>,
}

/// What the servers of a group list together.
///
/// A server that fails takes nothing away from the others.
#[derive(Debug)]
#[non_exhaustive]
pub struct Grouped<T> {
    /// What is listed, in the order of the servers: each under the prefix of its server.
    pub items: Vec<(String, T)>,
    /// The servers that failed, by prefix.
    pub failed: Vec<(String, Error)>,
}

/// What stands between the prefix of a server and a name of its own: letters that hosts and
/// models allow in names.
const SEPARATOR: &str = "__";

impl ClientGroup {
    /// Creates an empty group.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server under a prefix.
    ///
    /// # Errors
    ///
    /// Returns an error if the prefix is taken, if it is empty, holds `__` or ends with `_`, or if it holds what
    /// no name of a tool can: anything but letters, digits, `_`, `-` and `.` of ASCII.
    pub fn add(&mut self, prefix: impl Into<String>, client: Client) -> Result<&mut Self> {
        let prefix = prefix.into();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if prefix.is_empty()
            || prefix.contains(SEPARATOR)
            || prefix.ends_with('_')
            || !prefix.bytes().all(is_plain)
        {
            return Err(Error::misuse(format!(
                "{prefix:?} cannot be a prefix: use letters, digits, `-`, `.` and single `_`"
            )));
        }
        if self.client(&prefix).is_some() {
            return Err(Error::misuse(format!(
                "the prefix {prefix:?} is taken: give this server another one"
            )));
        }
        self.members.push((prefix, client));
        Ok(self)
    }

    /// Takes a server out; its tools and prompts are gone with it.
    pub fn remove(&mut self, prefix: &str) -> Option<Client> {
        let at = self.members.iter().position(|(name, _)| name == prefix)?;
        Some(self.members.remove(at).1)
    }

    /// Returns the client under a prefix.
    #[must_use]
    pub fn client(&self, prefix: &str) -> Option<&Client> {
        let member = self.members.iter().find(|(name, _)| name == prefix)?;
        Some(&member.1)
    }

    /// Returns the clients with their prefixes, in the order in which they were added.
    pub fn clients(&self) -> impl Iterator<Item = (&str, &Client)> {
        self.members
            .iter()
            .map(|(prefix, client)| (prefix.as_str(), client))
    }

    /// Lists the tools of all servers, under the names by which the group calls them.
    pub async fn list_tools(&self) -> Grouped<Tool> {
        self.gather(
            |client| client.tools().all(),
            |prefix, tool: &mut Tool| {
                tool.name = joined(prefix, &tool.name);
            },
        )
        .await
    }

    /// Lists the prompts of all servers, under the names by which the group gets them.
    pub async fn list_prompts(&self) -> Grouped<Prompt> {
        self.gather(
            |client| client.prompts().all(),
            |prefix, prompt: &mut Prompt| {
                prompt.name = joined(prefix, &prompt.name);
            },
        )
        .await
    }

    /// Lists the resources of all servers.
    pub async fn list_resources(&self) -> Grouped<Resource> {
        self.gather(|client| client.resources().all(), |_, _| {})
            .await
    }

    /// Lists the resource templates of all servers.
    pub async fn list_resource_templates(&self) -> Grouped<ResourceTemplate> {
        self.gather(|client| client.resource_templates().all(), |_, _| {})
            .await
    }

    /// Calls a tool by its name in the group.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has the prefix of the name, or as [`Client::call_tool`].
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult> {
        self.tool(name)?.arguments(arguments).send().await
    }

    /// Gets a prompt by its name in the group.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has the prefix of the name, or as [`Client::get_prompt`].
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult> {
        self.prompt(name)?.arguments(arguments).send().await
    }

    /// Prepares a call of a tool by its name in the group, with options of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has the prefix of the name.
    pub fn tool(&self, name: &str) -> Result<CallBuilder<CallTool>> {
        let (client, name) = self.owner(name)?;
        Ok(client.tool(name))
    }

    /// Prepares a request for a prompt by its name in the group, with options of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has the prefix of the name.
    pub fn prompt(&self, name: &str) -> Result<CallBuilder<GetPrompt>> {
        let (client, name) = self.owner(name)?;
        Ok(client.prompt(name))
    }

    /// Returns the server of a name, and the name that it has there.
    fn owner<'a>(&self, name: &'a str) -> Result<(&Client, &'a str)> {
        let split = name.split_once(SEPARATOR);
        let found = split.and_then(|(prefix, own)| Some((self.client(prefix)?, own)));
        found.ok_or_else(|| {
            let prefixes: Vec<_> = self.clients().map(|(prefix, _)| prefix).collect();
            Error::misuse(format!(
                "{name:?} names no server of the group: write one of [{}] and `{SEPARATOR}` in \
                 front",
                prefixes.join(", ")
            ))
        })
    }

    /// Asks all servers at the same time, and keeps their order.
    async fn gather<T, F, Fut>(&self, list: F, rename: impl Fn(&str, &mut T)) -> Grouped<T>
    where
        F: Fn(&Client) -> Fut,
        Fut: Future<Output = Result<Vec<T>>>,
    {
        let lists = self.members.iter().map(|(_, client)| list(client));
        let lists = futures_util::future::join_all(lists).await;
        let mut grouped = Grouped {
            items: Vec::new(),
            failed: Vec::new(),
        };
        for ((prefix, _), list) in self.members.iter().zip(lists) {
            match list {
                Ok(items) => grouped.items.extend(items.into_iter().map(|mut item| {
                    rename(prefix, &mut item);
                    (prefix.clone(), item)
                })),
                // A server that has none of these has no such method either.
                Err(error) if error.code() == Some(ErrorCode::METHOD_NOT_FOUND) => {}
                Err(error) => grouped.failed.push((prefix.clone(), error)),
            }
        }
        grouped
    }
}

fn joined(prefix: &str, name: &str) -> String {
    format!("{prefix}{SEPARATOR}{name}")
}
