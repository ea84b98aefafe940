//! What may change, and the notification that tells of it.

use serde::{Deserialize, Serialize};
use vuelta_wire::{ListChangedParams, ResourceUpdatedParams, ServerNotification};

/// A change of what a server offers.
///
/// It encodes to JSON, for a [`SubscriptionBus`](super::SubscriptionBus) that reaches other
/// processes.
///
/// # Example: as a bus between processes sends it
///
/// ```
/// use vuelta::ChangeEvent;
///
/// let sent = serde_json::to_string(&ChangeEvent::resource_updated("mem://page"))?;
/// assert_eq!(sent, r#"{"type":"resourceUpdated","uri":"mem://page"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum ChangeEvent {
    /// The list of tools is another one.
    ToolsListChanged,
    /// The list of prompts is another one.
    PromptsListChanged,
    /// The list of resources is another one.
    ResourcesListChanged,
    /// A resource may read differently.
    #[non_exhaustive]
    ResourceUpdated {
        /// The resource.
        uri: String,
    },
}

impl ChangeEvent {
    /// Creates the change of the resource at `uri`.
    #[must_use]
    pub fn resource_updated(uri: impl Into<String>) -> Self {
        Self::ResourceUpdated { uri: uri.into() }
    }

    /// Becomes the notification that tells of the change.
    pub(crate) fn into_notification(self) -> ServerNotification {
        match self {
            Self::ToolsListChanged => {
                ServerNotification::ToolsListChanged(ListChangedParams::new())
            }
            Self::PromptsListChanged => {
                ServerNotification::PromptsListChanged(ListChangedParams::new())
            }
            Self::ResourcesListChanged => {
                ServerNotification::ResourcesListChanged(ListChangedParams::new())
            }
            Self::ResourceUpdated { uri } => {
                ServerNotification::ResourceUpdated(ResourceUpdatedParams::new(uri))
            }
        }
    }

    /// Returns the change that a notification tells of, if it is one that does.
    pub(crate) fn of(notification: &ServerNotification) -> Option<Self> {
        match notification {
            ServerNotification::ToolsListChanged(_) => Some(Self::ToolsListChanged),
            ServerNotification::PromptsListChanged(_) => Some(Self::PromptsListChanged),
            ServerNotification::ResourcesListChanged(_) => Some(Self::ResourcesListChanged),
            ServerNotification::ResourceUpdated(params) => {
                Some(Self::resource_updated(params.uri.clone()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
