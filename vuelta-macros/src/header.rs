//! `header(arg = "Region")`: arguments that are mirrored into HTTP headers.
//!
//! Source: [custom headers from tool
//! parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

use syn::{LitStr, Type};

use crate::attrs::Item;
use crate::errors::Errors;
use crate::function::Function;
use crate::types;

/// Checks the entries; returns the names of the arguments, and of their headers.
pub(crate) fn check(
    function: &Function,
    entries: Vec<Item>,
    errors: &mut Errors,
) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for entry in entries {
        let key = entry.key.clone();
        let Some(header) = entry.text(errors) else {
            continue;
        };
        let name = header.value();
        let Some(argument) = function
            .arguments()
            .find(|argument| argument.name == key.text)
        else {
            let message = format!("`{}` has no argument `{}`", function.name(), key.text);
            errors.at(&key, message);
            continue;
        };
        if headers.iter().any(|(argument, _)| *argument == key.text) {
            errors.at(&key, format!("`{}` is mirrored twice", key.text));
        }
        if !is_mirrorable(&argument.ty) {
            errors.at(
                &argument.ty,
                format!(
                    "the argument `{}` is mirrored into a header, but only text, integers and \
                     booleans can be: make it a `String`, an integer or a `bool`, or take it \
                     out of `header(..)`",
                    key.text
                ),
            );
        }
        check_token(&header, errors);
        let same = headers
            .iter()
            .find(|(_, other)| other.eq_ignore_ascii_case(&name));
        if let Some((first, _)) = same {
            errors.at(
                &header,
                format!(
                    "`{first}` is mirrored into a header of this name already: header names \
                     have no case"
                ),
            );
        }
        headers.push((key.text, name));
    }
    headers
}

/// A field name is a token: RFC 9110, section 5.6.2.
fn check_token(header: &LitStr, errors: &mut Errors) {
    let value = header.value();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if value.is_empty() {
        errors.at(header, "the name of a header is not empty");
    } else if let Some(odd) = value
        .chars()
        .find(|char| !char.is_ascii() || !is_token(*char as u8))
    {
        errors.at(
            header,
            format!("{odd:?} cannot be in the name of a header: use letters, digits and `-`"),
        );
    }
}

fn is_mirrorable(ty: &Type) -> bool {
    let ty = if types::is(ty, "Option") {
        types::argument_of(ty)
    } else {
        Some(ty.clone())
    };
    const KINDS: [&str; 14] = [
        "String", "bool", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    ty.is_some_and(|ty| KINDS.iter().any(|kind| types::is(&ty, kind)))
}
