//! How changes are published: by a server, and by a handler.

use crate::server::Server;
use crate::service::Context;

use super::ChangeEvent;

macro_rules! publishes {
    ($name:ident) => {
        impl $name {
            /// Publishes a change: whoever has subscribed to it is told.
            ///
            /// Returns at once. Nobody is told if the server serves no subscriptions.
            pub fn publish(&self, event: ChangeEvent) {
                match self.subscriptions() {
                    Some(hub) => hub.publish(event),
                    None => tracing::debug!("change dropped: the server serves no subscriptions"),
                }
            }

            /// Publishes that the list of tools has changed.
            pub fn notify_tools_list_changed(&self) {
                self.publish(ChangeEvent::ToolsListChanged);
            }

            /// Publishes that the list of prompts has changed.
            pub fn notify_prompts_list_changed(&self) {
                self.publish(ChangeEvent::PromptsListChanged);
            }

            /// Publishes that the list of resources has changed.
            pub fn notify_resources_list_changed(&self) {
                self.publish(ChangeEvent::ResourcesListChanged);
            }

            /// Publishes that the resource at `uri` has changed.
            pub fn notify_resource_updated(&self, uri: impl Into<String>) {
                self.publish(ChangeEvent::resource_updated(uri));
            }
        }
    };
}

publishes!(Server);
publishes!(Context);
