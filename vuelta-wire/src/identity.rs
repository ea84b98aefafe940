//! Who speaks: implementations, their icons, and hints for showing things.

use crate::Number;

wire! {
    /// The name and version of a client or server.
    pub struct Implementation {
        required {
            /// The programmatic name.
            name: String = "name",
            /// The version.
            version: String = "version",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it is for.
            description: String = "description",
            /// Where people read more: a URL.
            website_url: String = "websiteUrl",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
        }
    }
}

wire! {
    /// A picture to show beside a name.
    pub struct Icon {
        required {
            /// Where it is: an `https:` or `data:` URI.
            src: String = "src",
        }
        optional {
            /// Its media type, if the source does not tell.
            mime_type: String = "mimeType",
            /// The sizes at which it can be shown: `48x48`, or `any`.
            sizes: Vec<String> = "sizes",
            /// The background that it is made for.
            theme: Theme = "theme",
        }
    }
}

wire_enum! {
    /// The background that an icon is made for.
    pub enum Theme {
        /// A light background.
        Light = "light",
        /// A dark background.
        Dark = "dark",
    }
}

wire_enum! {
    /// Who a message is from, or what content is meant for.
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

wire! {
    /// Hints on how a client might use or show content.
    pub struct Annotations {
        optional {
            /// Who it is meant for.
            audience: Vec<Role> = "audience",
            /// How much it matters, from 0 (not at all) to 1 (effectively required).
            priority: Number = "priority",
            /// When it was last modified (ISO 8601).
            last_modified: String = "lastModified",
        }
    }
}

wire_default!(Annotations);
