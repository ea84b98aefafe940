//! The places in a file system that a client works in.
//!
//! Source: [roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).

use crate::meta::Meta;

wire! {
    /// The params of `roots/list`.
    pub struct ListRootsParams {
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire_default!(ListRootsParams);

wire! {
    /// The answer to `roots/list`.
    pub struct ListRootsResult {
        required {
            /// The roots.
            roots: Vec<Root> = "roots",
        }
    }
}

wire! {
    /// A place that a client works in.
    pub struct Root {
        required {
            /// Its URI; today always a `file:` URI.
            uri: String = "uri",
        }
        optional {
            /// The name to show to people.
            name: String = "name",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}
