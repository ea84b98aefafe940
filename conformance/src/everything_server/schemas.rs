//! Tools whose argument schemas say more than types: a mirrored header, and keywords by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use vuelta::{McpServer, tool};

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .tool::<test_x_mcp_header>()
        .tool::<json_schema_2020_12_tool>()
}

/// Repeats a region that is mirrored in a header.
#[tool(header(region = "Region"))]
fn test_x_mcp_header(region: String) -> String {
    format!("Region: {region}")
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    street: Option<String>,
    city: Option<String>,
}

/// Shows that keywords of JSON Schema 2020-12 are kept.
#[tool(input_schema = contact_schema())]
fn json_schema_2020_12_tool(
    name: Option<String>,
    address: Option<Address>,
    #[serde(rename = "contactMethod")] contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
) -> String {
    let street = address
        .as_ref()
        .and_then(|address| address.street.as_deref());
    let city = address.as_ref().and_then(|address| address.city.as_deref());
    let known = [
        name.as_deref(),
        street,
        city,
        contact_method.as_deref(),
        phone.as_deref(),
        email.as_deref(),
    ];
    let known: Vec<&str> = known.into_iter().flatten().collect();
    known.join(", ")
}

/// Which of two members is required depends on a third: no type says that.
fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
