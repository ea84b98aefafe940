//! The attribute macros of `vuelta`, which documents and re-exports them.
//!
//! They write only what could be written by hand: implementations of the traits in
//! `vuelta::mcp`, `vuelta::resolve` and `vuelta::form`. The item itself is always there
//! again, as it was but for our attributes.
#![expect(missing_docs, reason = "documented where they are re-exported")]

mod arguments;
mod attrs;
mod choice;
mod constraint;
mod errors;
mod expand;
mod form;
mod function;
mod handler;
mod header;
mod methods;
mod params;
mod prompt;
mod resolver;
mod resource;
mod secret;
mod tool;
mod types;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attr.into(), &item.into()).into()
}

#[proc_macro_attribute]
pub fn prompt(attr: TokenStream, item: TokenStream) -> TokenStream {
    prompt::expand(attr.into(), &item.into()).into()
}

#[proc_macro_attribute]
pub fn resource(attr: TokenStream, item: TokenStream) -> TokenStream {
    resource::expand(attr.into(), &item.into()).into()
}

#[proc_macro_attribute]
pub fn resolver(attr: TokenStream, item: TokenStream) -> TokenStream {
    resolver::expand(attr.into(), &item.into()).into()
}

#[proc_macro_attribute]
pub fn methods(attr: TokenStream, item: TokenStream) -> TokenStream {
    methods::expand(&attr.into(), &item.into()).into()
}

#[proc_macro_derive(Form, attributes(form))]
pub fn form(item: TokenStream) -> TokenStream {
    form::expand(item.into()).into()
}
