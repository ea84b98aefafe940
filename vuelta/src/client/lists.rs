//! The lists of a server, page by page: what a first page is answered from, and what is learned
//! from a page.

use std::sync::PoisonError;

use vuelta_wire::methods::{ListPrompts, ListResourceTemplates, ListResources, ListTools, Method};
use vuelta_wire::{
    ErrorCode, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedParams, Prompt, Resource, ResourceTemplate, Tool,
};

use crate::error::Result;

use super::cache::{CacheMode, Found};
use super::known_tools::KnownTools;
use super::{Client, Items};

impl Client {
    /// Lists the first page of tools; a fresh one comes from the [cache](super::Cache).
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_tools(&self) -> Result<ListToolsResult> {
        self.page::<ListTools>(None, self.0.cache.mode()).await
    }

    /// Lists the page of tools that begins at `cursor`.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_tools_from(&self, cursor: impl Into<String>) -> Result<ListToolsResult> {
        let cursor = Some(cursor.into());
        self.page::<ListTools>(cursor, self.0.cache.mode()).await
    }

    /// Lists all tools, page by page as they are needed.
    ///
    /// # Example: the names of all tools
    ///
    /// ```
    /// # async fn names(client: &vuelta::Client) -> vuelta::Result<Vec<String>> {
    /// let mut names = Vec::new();
    /// let mut tools = client.tools();
    /// while let Some(tool) = tools.next().await {
    ///     names.push(tool?.name);
    /// }
    /// # Ok(names) }
    /// ```
    pub fn tools(&self) -> Items<ListTools> {
        Items::new(self.clone())
    }

    /// Lists the first page of prompts; a fresh one comes from the [cache](super::Cache).
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_prompts(&self) -> Result<ListPromptsResult> {
        self.page::<ListPrompts>(None, self.0.cache.mode()).await
    }

    /// Lists the page of prompts that begins at `cursor`.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_prompts_from(&self, cursor: impl Into<String>) -> Result<ListPromptsResult> {
        let cursor = Some(cursor.into());
        self.page::<ListPrompts>(cursor, self.0.cache.mode()).await
    }

    /// Lists all prompts, page by page as they are needed.
    pub fn prompts(&self) -> Items<ListPrompts> {
        Items::new(self.clone())
    }

    /// Lists the first page of resources; a fresh one comes from the [cache](super::Cache).
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_resources(&self) -> Result<ListResourcesResult> {
        self.page::<ListResources>(None, self.0.cache.mode()).await
    }

    /// Lists the page of resources that begins at `cursor`.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_resources_from(
        &self,
        cursor: impl Into<String>,
    ) -> Result<ListResourcesResult> {
        let cursor = Some(cursor.into());
        self.page::<ListResources>(cursor, self.0.cache.mode())
            .await
    }

    /// Lists all resources, page by page as they are needed.
    pub fn resources(&self) -> Items<ListResources> {
        Items::new(self.clone())
    }

    /// Lists the first page of resource templates; a fresh one comes from the
    /// [cache](super::Cache).
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_resource_templates(&self) -> Result<ListResourceTemplatesResult> {
        self.page::<ListResourceTemplates>(None, self.0.cache.mode())
            .await
    }

    /// Lists the page of resource templates that begins at `cursor`.
    ///
    /// # Errors
    ///
    /// Returns the server's error, or what went wrong with the connection.
    pub async fn list_resource_templates_from(
        &self,
        cursor: impl Into<String>,
    ) -> Result<ListResourceTemplatesResult> {
        let cursor = Some(cursor.into());
        self.page::<ListResourceTemplates>(cursor, self.0.cache.mode())
            .await
    }

    /// Lists all resource templates, page by page as they are needed.
    pub fn resource_templates(&self) -> Items<ListResourceTemplates> {
        Items::new(self.clone())
    }

    /// Gets one page of a list; only the first is kept.
    pub(super) async fn page<M: ListMethod>(
        &self,
        cursor: Option<String>,
        mode: CacheMode,
    ) -> Result<M::Result> {
        let generation = self.known_tools(|known| known.generation());
        let first = self.0.cache.name(self.protocol_version(), M::NAME, "");
        let Some(cursor) = cursor else {
            let pass = match self.0.cache.find::<M::Result>(first, mode) {
                // Another client may have put it there.
                Found::Kept(mut page) => {
                    M::learn(self, &mut page, generation);
                    return Ok(page);
                }
                Found::Ask(pass) => pass,
            };
            let answer = self.plain::<M>(&PaginatedParams::new()).await;
            return match (answer, pass) {
                (Ok(mut page), pass) => {
                    M::learn(self, &mut page, generation);
                    if let Some(pass) = pass {
                        pass.keep(&page);
                    }
                    Ok(page)
                }
                (Err(error), Some(pass)) if error.as_rpc().is_some() => {
                    pass.forget();
                    Err(error)
                }
                (Err(error), _) => Err(error),
            };
        };
        let params = PaginatedParams::new().cursor(cursor);
        let mut page = self.plain::<M>(&params).await.inspect_err(|error| {
            // The pages before it no longer lead to this one.
            if error.code() == Some(ErrorCode::INVALID_PARAMS) {
                self.0.cache.forget(&first);
            }
        })?;
        M::learn(self, &mut page, generation);
        Ok(page)
    }

    /// Looks at what is known of tools, or learns.
    pub(super) fn known_tools<T>(&self, look: impl FnOnce(&mut KnownTools) -> T) -> T {
        let known = &self.0.known_tools;
        look(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A method whose answer is a page of a list; implemented for those of the specification.
pub trait ListMethod: sealed::Page {
    /// What is listed.
    type Item: Send + Unpin + 'static;

    #[doc(hidden)]
    fn items(page: Self::Result) -> Vec<Self::Item>;
}

pub(super) mod sealed {
    use super::{Client, Method, PaginatedParams};

    /// What the client does with a page, whatever is listed.
    pub trait Page: Method<Params = PaginatedParams> + Sized + 'static {
        /// Returns where the next page begins.
        fn next_cursor(page: &Self::Result) -> Option<&str>;

        /// Learns from a page that was asked for in a generation of the list of tools.
        fn learn(_: &Client, _: &mut Self::Result, _: u64) {}
    }
}

macro_rules! lists {
    ($($method:ty: $member:ident of $item:ty $(, $learn:item)?;)+) => {
        $(
            impl sealed::Page for $method {
                fn next_cursor(page: &Self::Result) -> Option<&str> {
                    page.next_cursor.as_deref()
                }

                $($learn)?
            }

            impl ListMethod for $method {
                type Item = $item;

                fn items(page: Self::Result) -> Vec<$item> {
                    page.$member
                }
            }
        )+
    };
}

lists! {
    ListTools: tools of Tool,
        fn learn(client: &Client, page: &mut ListToolsResult, generation: u64) {
            client.known_tools(|known| known.learn(&mut page.tools, generation));
        };
    ListPrompts: prompts of Prompt;
    ListResources: resources of Resource;
    ListResourceTemplates: resource_templates of ResourceTemplate;
}
