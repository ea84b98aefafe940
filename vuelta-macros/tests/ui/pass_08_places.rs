//! Where functions may stand, and what may be in scope there.
#![deny(warnings)]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "names are there to be in the way"
)]

mod shadows {
    //! Names that the macros must not fall over.
    pub struct String;
    pub struct Vec;
    pub struct Option;
    pub struct Result;
    pub struct Into;
    pub struct Default;
    pub struct Clone;
    pub struct Send;
    pub struct Sync;
    pub struct Debug;
    pub mod std {}
    pub mod core {}
    pub mod serde {}
    pub mod schemars {}
    pub mod vuelta_macros {}

    #[vuelta::resolver]
    pub fn nested(name: ::std::string::String) -> u32 {
        let _ = name;
        1
    }

    #[vuelta::tool]
    pub(crate) async fn shadowed(
        name: ::std::string::String,
        cx: &vuelta::Context,
        output: u32,
        context: u32,
        #[resolve(nested)] given0: u32,
        #[default = 3] ask: u32,
    ) -> ::std::string::String {
        let _ = cx;
        ::std::format!("{name} {output} {context} {given0} {ask}")
    }

    #[derive(vuelta::Form)]
    pub struct Plain {
        #[form(default = 1)]
        pub fields: u32,
        pub form: bool,
        pub content: ::std::option::Option<::std::string::String>,
    }
}

mod outer {
    pub(super) mod inner {
        /// A type as private as the tool that takes it.
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        pub(in crate::pass_08_places::outer) struct Hidden {
            pub(in crate::pass_08_places::outer) value: u32,
        }

        #[vuelta::tool]
        pub(in crate::pass_08_places::outer) fn hidden(what: Hidden) -> String {
            what.value.to_string()
        }
    }

    pub(crate) fn register(server: vuelta::McpServer) -> vuelta::McpServer {
        server.tool::<inner::hidden>()
    }
}

macro_rules! doubling {
    ($name:ident, $ty:ty, $factor:expr) => {
        #[vuelta::tool]
        fn $name(value: $ty, #[default = $factor] factor: $ty) -> String {
            (value * factor).to_string()
        }
    };
}

doubling!(double, i64, 2);
doubling!(triple, f64, 3.0);

// A renamed resolver, from another module, and one whose name is a parameter of its consumer.
use shadows::nested as other;

#[vuelta::tool]
async fn uses_other(
    name: String,
    #[resolve(other)] other: u32,
    #[resolve(shadows::nested)] nested: u32,
) -> String {
    format!("{name} {other} {nested}")
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    // Inside of a function.
    #[vuelta::resolver]
    fn local(value: u32) -> u32 {
        value + 1
    }

    #[vuelta::tool]
    async fn within(value: u32, #[resolve(local)] local: u32) -> String {
        format!("{value} {local}")
    }

    let server = vuelta::McpServer::new("Test", "1")
        .tool::<shadows::shadowed>()
        .tool::<double>()
        .tool::<triple>()
        .tool::<uses_other>()
        .tool::<within>();
    let server = outer::register(server).build()?;
    let client = vuelta::Client::builder().connect(&server).await?;
    for (tool, arguments, expected) in [
        ("double", serde_json::json!({ "value": 4 }), "8"),
        ("triple", serde_json::json!({ "value": 4.5 }), "13.5"),
        ("within", serde_json::json!({ "value": 4 }), "4 5"),
        ("hidden", serde_json::json!({ "what": { "value": 4 } }), "4"),
        ("uses_other", serde_json::json!({ "name": "a" }), "a 1 1"),
        (
            "shadowed",
            serde_json::json!({ "name": "a", "output": 2, "context": 4 }),
            "a 2 4 1 3",
        ),
    ] {
        assert_eq!(client.call_tool(tool, arguments).await?.as_text(), expected);
    }
    Ok(())
}
