//! Resources and their templates.
//!
//! Source: [resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).

use crate::cache::{CacheScope, Ttl};
use crate::content::ResourceContents;
use crate::identity::{Annotations, Icon};
use crate::input::InputResponses;
use crate::meta::Meta;

wire! {
    /// A resource that a server offers.
    pub struct Resource {
        required {
            /// Its URI.
            uri: String = "uri",
            /// The programmatic name.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it is.
            description: String = "description",
            /// The media type.
            mime_type: String = "mimeType",
            /// The size in bytes, before any encoding.
            size: u64 = "size",
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// A family of resources, described by a URI template (RFC 6570).
    pub struct ResourceTemplate {
        required {
            /// The URI template.
            uri_template: String = "uriTemplate",
            /// The programmatic name.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What the resources are.
            description: String = "description",
            /// The media type that all of them have.
            mime_type: String = "mimeType",
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The params of `resources/read`.
    pub struct ReadResourceParams {
        required {
            /// The resource.
            uri: String = "uri",
        }
        optional {
            /// The answers to the questions of the round before.
            input_responses: InputResponses = "inputResponses",
            /// The state of the round before.
            request_state: String = "requestState",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The result of `resources/read`.
    pub struct ReadResourceResult {
        required {
            /// The contents.
            contents: Vec<ResourceContents> = "contents",
        }
        defaulted {
            /// How long it may be cached, in milliseconds; 0 if absent or negative.
            ttl_ms: Ttl = "ttlMs",
            /// Who may share a cached copy.
            cache_scope: CacheScope = "cacheScope",
        }
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The result of `resources/list`.
    pub struct ListResourcesResult {
        required {
            /// The resources of this page.
            resources: Vec<Resource> = "resources",
        }
        defaulted {
            /// How long it may be cached, in milliseconds; 0 if absent or negative.
            ttl_ms: Ttl = "ttlMs",
            /// Who may share a cached copy.
            cache_scope: CacheScope = "cacheScope",
        }
        optional {
            /// Where the next page begins.
            next_cursor: String = "nextCursor",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The result of `resources/templates/list`.
    pub struct ListResourceTemplatesResult {
        required {
            /// The templates of this page.
            resource_templates: Vec<ResourceTemplate> = "resourceTemplates",
        }
        defaulted {
            /// How long it may be cached, in milliseconds; 0 if absent or negative.
            ttl_ms: Ttl = "ttlMs",
            /// Who may share a cached copy.
            cache_scope: CacheScope = "cacheScope",
        }
        optional {
            /// Where the next page begins.
            next_cursor: String = "nextCursor",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}
