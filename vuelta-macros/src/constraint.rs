//! The values of constraints on the fields of a form, and which of them fit which type.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, LitFloat, LitInt, LitStr, Type, UnOp};

use crate::attrs::Key;
use crate::errors::Errors;
use crate::types;

/// Returns a bound; an integer that has no type of its own gets the widest.
pub(crate) fn number(expr: &Expr) -> TokenStream {
    let (negative, inner) = match expr {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => (true, &**expr),
        other => (false, other),
    };
    let Expr::Lit(ExprLit { lit, .. }) = inner else {
        return expr.to_token_stream();
    };
    let sign = negative.then(|| quote!(-));
    match lit {
        Lit::Int(int) if int.suffix().is_empty() => {
            let small = int.base10_parse::<i64>().is_ok();
            let suffix = if small { "i64" } else { "u64" };
            let typed = LitInt::new(&format!("{}{suffix}", int.base10_digits()), int.span());
            quote!(#sign #typed)
        }
        Lit::Float(float) if float.suffix().is_empty() => {
            let typed = LitFloat::new(&format!("{}f64", float.base10_digits()), float.span());
            quote!(#sign #typed)
        }
        _ => expr.to_token_stream(),
    }
}

/// Returns the kind of text of this name.
pub(crate) fn format(text: &LitStr, errors: &mut Errors) -> Option<TokenStream> {
    let variant = match text.value().as_str() {
        "email" => "Email",
        "uri" => "Uri",
        "date" => "Date",
        "date-time" => "DateTime",
        _ => {
            errors.at(
                text,
                "a form knows the formats `email`, `uri`, `date` and `date-time`",
            );
            return None;
        }
    };
    let variant = format_ident!("{variant}");
    Some(quote!(::vuelta::wire::StringFormat::#variant))
}

/// Reports a constraint that a type as it is written cannot have; what a name hides, the
/// compiler finds.
pub(crate) fn misfits(ty: &Type, key: &Key, errors: &mut Errors) -> bool {
    let inner = if types::is(ty, "Option") {
        types::argument_of(ty)
    } else {
        Some(ty.clone())
    };
    let Some(inner) = inner else { return false };
    let (is_text, is_tick) = (types::is(&inner, "String"), types::is(&inner, "bool"));
    let is_list = types::is(&inner, "Vec");
    let is_number = [
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
    ]
    .iter()
    .any(|number| types::is(&inner, number));
    let fitting = match key.text.as_str() {
        "min" | "max" => is_number,
        "min_length" | "max_length" | "format" => is_text,
        _ => is_list,
    };
    let known = is_text || is_tick || is_list || is_number;
    if !known || fitting {
        return false;
    }
    let instead = match (key.text.as_str(), is_text, is_list) {
        ("min", true, _) => ": write `min_length`",
        ("max", true, _) => ": write `max_length`",
        ("min" | "min_length", _, true) => ": write `min_items`",
        ("max" | "max_length", _, true) => ": write `max_items`",
        ("min_length" | "min_items", ..) if is_number => ": write `min`",
        ("max_length" | "max_items", ..) if is_number => ": write `max`",
        _ => "",
    };
    let message = format!(
        "a field of type `{}` has no `{}`{instead}",
        types::text(ty),
        key.text
    );
    errors.at(key, message);
    true
}
