//! Notifications, and the subscription that some of them need.
//!
//! Source: [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions),
//! [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress),
//! [logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).

use serde::{Deserialize, Serialize};

use crate::decode::{DecodeError, decode};
use crate::meta::{Meta, ProgressToken};
use crate::{Number, Raw, RequestId};

wire! {
    /// What a subscription asks to be told, or what the server agreed to tell.
    pub struct SubscriptionFilter {
        optional {
            /// Changes of the list of tools.
            tools_list_changed: bool = "toolsListChanged",
            /// Changes of the list of prompts.
            prompts_list_changed: bool = "promptsListChanged",
            /// Changes of the list of resources.
            resources_list_changed: bool = "resourcesListChanged",
            /// The URIs of resources whose changes are told.
            resource_subscriptions: Vec<String> = "resourceSubscriptions",
        }
    }
}

wire! {
    /// The params of `subscriptions/listen`.
    pub struct ListenParams {
        required {
            /// What to be told.
            notifications: SubscriptionFilter = "notifications",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The result of `subscriptions/listen`: the stream ended well.
    pub struct ListenResult {
        optional {
            /// Metadata; names the subscription.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The params of `notifications/subscriptions/acknowledged`.
    pub struct AcknowledgedParams {
        required {
            /// What the server agreed to tell.
            notifications: SubscriptionFilter = "notifications",
        }
        optional {
            /// Metadata; names the subscription.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of the `list_changed` notifications.
    pub struct ListChangedParams {
        optional {
            /// Metadata; names the subscription.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of `notifications/resources/updated`.
    pub struct ResourceUpdatedParams {
        required {
            /// The resource.
            uri: String = "uri",
        }
        optional {
            /// Metadata; names the subscription.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of `notifications/progress`.
    pub struct ProgressParams {
        required {
            /// The token that the request gave.
            progress_token: ProgressToken = "progressToken",
            /// How far it is; grows with each notification.
            progress: Number = "progress",
        }
        optional {
            /// Where it ends.
            total: Number = "total",
            /// What is being done.
            message: String = "message",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of `notifications/message`.
    pub struct LogParams {
        required {
            /// How severe it is.
            level: LoggingLevel = "level",
            /// What is logged: any JSON value.
            data: Raw = "data",
        }
        optional {
            /// Who logs.
            logger: String = "logger",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of `notifications/cancelled`.
    pub struct CancelledParams {
        required {
            /// The request to abandon.
            request_id: RequestId = "requestId",
        }
        optional {
            /// Why.
            reason: String = "reason",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire_default!(SubscriptionFilter, ListenResult, ListChangedParams);

/// The severity of a log notification (RFC 5424), least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "RFC 5424 has no other severities")]
pub enum LoggingLevel {
    /// Details for debugging.
    Debug,
    /// Informational messages.
    Info,
    /// Normal but significant events.
    Notice,
    /// Warnings.
    Warning,
    /// Errors.
    Error,
    /// Critical conditions.
    Critical,
    /// Action must be taken at once.
    Alert,
    /// The system is unusable.
    Emergency,
}

/// A notification that a server sends on the stream of a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerNotification {
    /// `notifications/progress`.
    Progress(ProgressParams),
    /// `notifications/message`.
    Message(LogParams),
    /// `notifications/cancelled`.
    Cancelled(CancelledParams),
    /// `notifications/subscriptions/acknowledged`.
    Acknowledged(AcknowledgedParams),
    /// `notifications/tools/list_changed`.
    ToolsListChanged(ListChangedParams),
    /// `notifications/prompts/list_changed`.
    PromptsListChanged(ListChangedParams),
    /// `notifications/resources/list_changed`.
    ResourcesListChanged(ListChangedParams),
    /// `notifications/resources/updated`.
    ResourceUpdated(ResourceUpdatedParams),
    /// A notification of another method.
    Custom {
        /// The method.
        method: String,
        /// The params: an object, if given.
        params: Option<Raw>,
    },
}

macro_rules! notifications {
    ($($method:literal => $variant:ident($ty:ty)),+ $(,)?) => {
        impl ServerNotification {
            /// Returns the method.
            #[must_use]
            pub fn method(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $method, )+
                    Self::Custom { method, .. } => method,
                }
            }

            /// Decodes the params of a notification by its method.
            ///
            /// # Errors
            ///
            /// Returns an error if the params are not those of the method.
            pub fn decode(method: &str, params: Option<&str>) -> Result<Self, DecodeError> {
                match method {
                    $( $method => decode::<$ty>(params.unwrap_or("{}")).map(Self::$variant), )+
                    _ => Ok(Self::Custom {
                        method: method.to_owned(),
                        params: params.map(decode).transpose()?,
                    }),
                }
            }

            /// Encodes the params; `None` for a custom notification without any.
            ///
            /// # Errors
            ///
            /// Returns the encoder's error, such as a progress that is not finite.
            pub fn encode_params(&self) -> Result<Option<Raw>, serde_json::Error> {
                match self {
                    $( Self::$variant(params) => Raw::encode(params).map(Some), )+
                    Self::Custom { params, .. } => Ok(params.clone()),
                }
            }
        }
    };
}

notifications! {
    "notifications/progress" => Progress(ProgressParams),
    "notifications/message" => Message(LogParams),
    "notifications/cancelled" => Cancelled(CancelledParams),
    "notifications/subscriptions/acknowledged" => Acknowledged(AcknowledgedParams),
    "notifications/tools/list_changed" => ToolsListChanged(ListChangedParams),
    "notifications/prompts/list_changed" => PromptsListChanged(ListChangedParams),
    "notifications/resources/list_changed" => ResourcesListChanged(ListChangedParams),
    "notifications/resources/updated" => ResourceUpdated(ResourceUpdatedParams),
}

impl ServerNotification {
    /// Returns the metadata of the params; none on a custom notification.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        match self {
            Self::Progress(params) => params.meta.as_ref(),
            Self::Message(params) => params.meta.as_ref(),
            Self::Cancelled(params) => params.meta.as_ref(),
            Self::Acknowledged(params) => params.meta.as_ref(),
            Self::ToolsListChanged(params)
            | Self::PromptsListChanged(params)
            | Self::ResourcesListChanged(params) => params.meta.as_ref(),
            Self::ResourceUpdated(params) => params.meta.as_ref(),
            Self::Custom { .. } => None,
        }
    }

    /// Returns the metadata of the params, to be filled in; none on a custom notification.
    pub fn meta_mut(&mut self) -> Option<&mut Option<Meta>> {
        Some(match self {
            Self::Progress(params) => &mut params.meta,
            Self::Message(params) => &mut params.meta,
            Self::Cancelled(params) => &mut params.meta,
            Self::Acknowledged(params) => &mut params.meta,
            Self::ToolsListChanged(params)
            | Self::PromptsListChanged(params)
            | Self::ResourcesListChanged(params) => &mut params.meta,
            Self::ResourceUpdated(params) => &mut params.meta,
            Self::Custom { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests;
