//! `#[tool]`: a function that the model may call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::LitStr;

use crate::arguments::Published;
use crate::attrs::{COMMON, Common, Item, Key, check_repeated};
use crate::errors::Errors;
use crate::function::Function;
use crate::handler::{self, Parts, refuses_asking};
use crate::header;
use crate::params::Host;

pub(crate) fn expand(attr: TokenStream, item: &TokenStream) -> TokenStream {
    handler::expand(Host::Tool, attr, item, parts)
}

const HINTS: [&str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

/// Reads the arguments of the attribute.
pub(crate) fn parts(function: &Function, items: Vec<Item>, errors: &mut Errors) -> Parts {
    check_repeated(&items, &["icon", "meta", "header"], errors);
    let mut common = Common::default();
    let mut hints: Vec<(Key, bool)> = Vec::new();
    let mut headers = Vec::new();
    let mut closed = false;
    let mut input_schema: Option<Key> = None;
    let mut setters = TokenStream::new();
    for item in items {
        let Some(item) = common.take(item, errors) else {
            continue;
        };
        match item.key.text.as_str() {
            hint if HINTS.contains(&hint) => hints.push((item.key.clone(), item.flag(errors))),
            "closed" => closed = item.flag(errors),
            "outlives_caller" => {
                setters.extend(item.flag(errors).then(|| quote!(.outlives_caller())));
            }
            "header" => headers.extend(item.list(errors)),
            "input_schema" => {
                input_schema = Some(item.key.clone());
                let schema = item.expr(errors).into_iter();
                setters.extend(quote!(#(.input_schema(#schema))*));
            }
            _ => {
                let own = ["closed", "outlives_caller", "header", "input_schema"];
                item.unknown(&[&COMMON[..], &HINTS, &own].concat(), errors);
            }
        }
    }
    check_hints(&hints, errors);
    if let Some(key) = input_schema.filter(|_| closed || !headers.is_empty()) {
        errors.at(
            key,
            "`closed` and `header` are of the schema that the macro writes: say it in this one, \
             with `additionalProperties` and `x-mcp-header`",
        );
    }
    let headers = header::check(function, headers, errors);
    let annotations = (!hints.is_empty()).then(|| {
        let hints = hints.iter().map(|(key, value)| {
            let setter = format_ident!("{}_hint", key.text);
            quote!(.#setter(#value))
        });
        quote!(.annotations(::vuelta::ToolAnnotations::new() #(#hints)*))
    });
    let common_setters = common.setters(function.docs.as_deref());
    Parts {
        name: common
            .name
            .as_ref()
            .map_or_else(|| function.name(), LitStr::value),
        uri: None,
        published: Published { closed, headers },
        setters: quote!(#common_setters #annotations #setters),
        before: TokenStream::new(),
        reads_with: TokenStream::new(),
        refuses_asking: refuses_asking(function),
    }
}

fn check_hints(hints: &[(Key, bool)], errors: &mut Errors) {
    let set = |name: &str| hints.iter().find(|(key, set)| *set && key.text == name);
    if set("read_only").is_some()
        && let Some((key, _)) = set("destructive")
    {
        errors.at(
            key,
            "a tool that is `read_only` destroys nothing: say one of the two",
        );
    }
}
