//! What each side declares that it can do.

use crate::object::OrderedMap;
use crate::{InputRequest, Raw};

wire! {
    /// An object whose presence is its meaning.
    pub struct Declared {}
}

wire! {
    /// What a client can do for a request.
    pub struct ClientCapabilities {
        optional {
            /// Experimental capabilities, by name.
            experimental: OrderedMap<Raw> = "experimental",
            /// Can list its roots.
            roots: Declared = "roots",
            /// Can sample its model.
            sampling: SamplingCapability = "sampling",
            /// Can ask its user.
            elicitation: ElicitationCapability = "elicitation",
            /// Extensions, by their identifiers.
            extensions: OrderedMap<Raw> = "extensions",
        }
    }
}

wire! {
    /// What of sampling a client supports.
    pub struct SamplingCapability {
        optional {
            /// Can include context from servers.
            context: Declared = "context",
            /// Can let the model use tools.
            tools: Declared = "tools",
        }
    }
}

wire! {
    /// Which questions a client can put to its user; an empty object means forms.
    pub struct ElicitationCapability {
        optional {
            /// Can show forms.
            form: Declared = "form",
            /// Can open URLs.
            url: Declared = "url",
        }
    }
}

wire! {
    /// What a server offers.
    pub struct ServerCapabilities {
        optional {
            /// Experimental capabilities, by name.
            experimental: OrderedMap<Raw> = "experimental",
            /// Sends log notifications.
            logging: Declared = "logging",
            /// Completes arguments.
            completions: Declared = "completions",
            /// Offers prompts.
            prompts: ListCapability = "prompts",
            /// Offers resources.
            resources: ResourcesCapability = "resources",
            /// Offers tools.
            tools: ListCapability = "tools",
            /// Extensions, by their identifiers.
            extensions: OrderedMap<Raw> = "extensions",
        }
    }
}

wire! {
    /// What a server offers of tools or prompts.
    pub struct ListCapability {
        optional {
            /// Tells subscribers when the list changes.
            list_changed: bool = "listChanged",
        }
    }
}

wire! {
    /// What a server offers of resources.
    pub struct ResourcesCapability {
        optional {
            /// Tells subscribers when a resource changes.
            subscribe: bool = "subscribe",
            /// Tells subscribers when the list changes.
            list_changed: bool = "listChanged",
        }
    }
}

wire_default!(
    Declared,
    ClientCapabilities,
    SamplingCapability,
    ElicitationCapability,
    ServerCapabilities,
    ListCapability,
    ResourcesCapability,
);

impl ClientCapabilities {
    /// Creates the capabilities of a client whose user fills in forms.
    #[must_use]
    pub fn forms() -> Self {
        Self::new().elicitation(ElicitationCapability::new().form(Declared::new()))
    }

    /// Returns what `request` needs that is not declared here; `None` if nothing is missing.
    ///
    /// The answer has the form of `requiredCapabilities` in a
    /// `MissingRequiredClientCapability` error. A request of a kind that this crate does not
    /// know needs something that no capability can declare: it is reported as missing `{}`.
    #[must_use]
    pub fn missing_for(&self, request: &InputRequest) -> Option<Self> {
        let required = request.required_capabilities();
        let covered = request.is_known() && self.covers(&required);
        (!covered).then_some(required)
    }

    /// Returns whether everything in `required` is declared here.
    fn covers(&self, required: &Self) -> bool {
        let elicitation = required.elicitation.as_ref().is_none_or(|required| {
            self.elicitation.as_ref().is_some_and(|declared| {
                let bare = declared.form.is_none() && declared.url.is_none();
                (required.form.is_none() || declared.form.is_some() || bare)
                    && (required.url.is_none() || declared.url.is_some())
            })
        });
        let sampling = required.sampling.as_ref().is_none_or(|required| {
            self.sampling
                .as_ref()
                .is_some_and(|declared| required.tools.is_none() || declared.tools.is_some())
        });
        let roots = required.roots.is_none() || self.roots.is_some();
        elicitation && sampling && roots
    }
}

#[cfg(test)]
mod tests;
