//! `#[resource("uri or template")]`: a function that gives the contents of a resource, or of
//! every resource that a template describes.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::LitStr;

use crate::arguments::Published;
use crate::attrs::{COMMON, Common, Item, Key, Value, check_repeated};
use crate::errors::Errors;
use crate::expand::hidden;
use crate::function::Function;
use crate::handler::{self, Parts, refuses_asking};
use crate::params::{Host, Param};

pub(crate) fn expand(attr: TokenStream, item: &TokenStream) -> TokenStream {
    handler::expand(Host::Resource, attr, item, parts)
}

/// Reads the arguments of the attribute.
pub(crate) fn parts(function: &Function, items: Vec<Item>, errors: &mut Errors) -> Parts {
    let mut items = items.into_iter();
    let uri = match items.next() {
        Some(Item {
            key,
            value: Value::None,
        }) if key.is_quoted => Some(key),
        first => {
            let message = "write the URI or the template first: `#[resource(\"note:///{name}\")]`";
            match first {
                Some(item) => errors.at(&item.key, message),
                None => errors.at(&function.ident, message),
            }
            None
        }
    };
    let items: Vec<Item> = items.collect();
    check_repeated(&items, &["icon", "meta"], errors);
    let mut common = Common::default();
    let mut mime_type = None;
    for item in items {
        let Some(item) = common.take(item, errors) else {
            continue;
        };
        match item.key.text.as_str() {
            "mime_type" => mime_type = item.text(errors),
            _ => item.unknown(&[&COMMON[..], &["mime_type"]].concat(), errors),
        }
    }
    let refuses_asking = match &uri {
        Some(uri) => check(function, uri, errors),
        None => None,
    };
    let (cx, target) = (hidden("cx"), hidden("target"));
    let declared = match &mime_type {
        Some(mime_type) => quote!(::core::option::Option::Some(#mime_type)),
        None => quote!(::core::option::Option::None),
    };
    let mime_setter = mime_type.iter();
    let common_setters = common.setters(function.docs.as_deref());
    Parts {
        name: common
            .name
            .as_ref()
            .map_or_else(|| function.name(), LitStr::value),
        uri: Some(uri.map(|uri| uri.text).unwrap_or_default()),
        published: Published::default(),
        setters: quote!(#common_setters #(.mime_type(#mime_setter))*),
        before: quote!(let #target = ::std::borrow::ToOwned::to_owned(#cx.target());),
        reads_with: quote!(, &#target, #declared),
        refuses_asking,
    }
}

/// Checks the URI and the parameters against each other; returns why the function must not
/// return a question, if so.
fn check(function: &Function, uri: &Key, errors: &mut Errors) -> Option<String> {
    if !has_scheme(&uri.text) {
        errors.at(
            uri,
            "a URI begins with its scheme, as `note:///todo` does with `note:`",
        );
    }
    if !uri.text.contains('{') {
        check_static(function, uri, errors);
        return Some(format!(
            "only template resources can ask, and {:?} has no variables: `{}` must return the \
             contents",
            uri.text,
            function.name(),
        ));
    }
    if let Some(variables) = variables(uri, errors) {
        check_variables(function, uri, &variables, errors);
    }
    refuses_asking(function)
}

/// A URI begins with a scheme: RFC 3986, section 3.1.
fn has_scheme(uri: &str) -> bool {
    let Some((scheme, _)) = uri.split_once(':') else {
        return false;
    };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
}

fn check_static(function: &Function, uri: &Key, errors: &mut Errors) {
    for param in &function.params {
        match param {
            Param::Argument(argument) => errors.at(
                &argument.ident,
                format!(
                    "the URI has no variable `{0}`: put `{{{0}}}` into it, as in {1:?}, or take \
                     the parameter away",
                    argument.name,
                    format!("{}/{{{}}}", uri.text.trim_end_matches('/'), argument.name),
                ),
            ),
            Param::Resolved(resolved) => errors.at(
                &resolved.resolver,
                format!(
                    "only template resources can ask, and {:?} has no variables: call `{}` in \
                     the body instead",
                    uri.text,
                    resolved.resolver.to_token_stream(),
                ),
            ),
            Param::Ask { ty, .. } => errors.at(
                ty,
                format!(
                    "only template resources can ask, and {:?} has no variables",
                    uri.text
                ),
            ),
            Param::Context { .. } | Param::State(_) => {}
        }
    }
}

/// A variable of a template.
struct Variable {
    name: String,
    is_query: bool,
}

/// Reads the variables of a template: RFC 6570, as far as it can be matched.
fn variables(uri: &Key, errors: &mut Errors) -> Option<Vec<Variable>> {
    let mut variables: Vec<Variable> = Vec::new();
    let mut rest = uri.text.as_str();
    while let Some((_, tail)) = rest.split_once('{') {
        let Some((expression, tail)) = tail.split_once('}') else {
            errors.at(uri, format!("`{{{tail}` is not closed: add `}}`"));
            return None;
        };
        rest = tail;
        let (names, is_query) = match expression.strip_prefix('?') {
            Some(names) => (names, true),
            None => (expression.strip_prefix('+').unwrap_or(expression), false),
        };
        if is_query && !rest.is_empty() {
            errors.at(
                uri,
                format!("`{{{expression}}}` must be the end of the template"),
            );
            return None;
        }
        let names: Vec<&str> = if is_query {
            names.split(',').collect()
        } else {
            vec![names]
        };
        for name in names {
            let plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
            if name.is_empty() || !name.chars().all(plain) {
                errors.at(
                    uri,
                    format!(
                        "`{{{expression}}}` cannot be matched: use `{{name}}` for one segment, \
                         `{{+name}}` for several, or `{{?name,other}}` for a query"
                    ),
                );
                return None;
            }
            if variables.iter().any(|variable| variable.name == name) {
                errors.at(uri, format!("the variable `{name}` is there twice"));
            }
            variables.push(Variable {
                name: name.to_owned(),
                is_query,
            });
        }
    }
    Some(variables)
}

fn check_variables(function: &Function, uri: &Key, variables: &[Variable], errors: &mut Errors) {
    for Variable { name, is_query } in variables {
        let argument = function
            .arguments()
            .find(|argument| argument.wire_name() == *name);
        let Some(argument) = argument else {
            let ty = if *is_query {
                "Option<String>"
            } else {
                "String"
            };
            errors.at(
                uri,
                format!(
                    "the template has the variable `{name}`, but `{}` has no such parameter: add \
                     `{name}: {ty}`",
                    function.name()
                ),
            );
            continue;
        };
        if *is_query && !argument.is_optional() {
            errors.at(
                &argument.ty,
                format!(
                    "`{name}` is in the query of the template, and a query may lack it: write \
                     `Option<{}>`, or give it `#[default = ..]`",
                    argument.ty.to_token_stream()
                ),
            );
        }
    }
    for argument in function.arguments() {
        let name = argument.wire_name();
        if !variables.iter().any(|variable| variable.name == name) {
            errors.at(
                &argument.ident,
                format!("the template has no variable `{name}`: add `{{{name}}}` to it"),
            );
        }
    }
}
