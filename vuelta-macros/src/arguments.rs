//! The struct of a function's arguments: how they are read, published, and found by resolvers.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, Type};

use crate::expand::{at, checked, place};
use crate::function::Function;
use crate::params::{Argument, Default};
use crate::types;

/// How the arguments are published.
#[derive(Default)]
pub(crate) struct Published {
    /// Whether other members are refused.
    pub(crate) closed: bool,
    /// The headers that mirror an argument: its name, and theirs.
    pub(crate) headers: Vec<(String, String)>,
}

/// Returns the struct of the arguments, and how resolvers find each of them.
pub(crate) fn structure(function: &Function, published: &Published) -> TokenStream {
    let args = ident(function);
    let vis = &function.vis;
    let closed = published
        .closed
        .then(|| quote!(#[serde(deny_unknown_fields)]));
    let fields = function
        .arguments()
        .map(|argument| field(argument, published));
    let defaults = function.arguments().filter_map(default);
    let checks = function.arguments().map(|argument| {
        let (ok, ty) = (valid_ident(argument), &argument.ty);
        quote_spanned!(ty.span()=> const #ok: bool = ::vuelta::__private::argument::<#ty>();)
    });
    let found = function
        .arguments()
        .filter(|_| function.resolved().next().is_some());
    let found = found.map(
        |Argument {
             name, ident, ty, ..
         }| {
            // The compiler shows the constant as what is at its place: the name.
            let hash = quote_spanned!(ident.span()=> ::vuelta::resolve::name_hash(#name));
            // If the type is less public than the function, that is said there.
            let own = quote_spanned!(ty.span()=> type Type = #ty;);
            quote! {
                impl ::vuelta::resolve::Arg<{ #hash }> for #args {
                    #own

                    fn arg(&self) -> &#ty {
                        &self.#ident
                    }
                }
            }
        },
    );
    let item = at(&quote!(#vis struct #args), function.ident.span());
    quote! {
        #( #[allow(non_upper_case_globals)] #checks )*

        #[derive(::vuelta::__private::serde::Deserialize, ::vuelta::__private::schemars::JsonSchema)]
        #[serde(crate = "::vuelta::__private::serde")]
        #[schemars(crate = "::vuelta::__private::schemars")]
        #closed
        #item {
            #(#fields)*
        }

        #(#defaults)*
        #(#found)*
    }
}

/// Returns the name of the struct.
pub(crate) fn ident(function: &Function) -> Ident {
    let name = function.name();
    let words = name.split('_').filter_map(|word| {
        let mut letters = word.chars();
        let first = letters.next()?.to_uppercase();
        Some(first.chain(letters).collect::<String>())
    });
    let words = words.collect::<String>();
    Ident::new(&format!("__{words}Arguments"), Span::mixed_site())
}

fn field(argument: &Argument, published: &Published) -> TokenStream {
    let Argument {
        name,
        ident,
        ty,
        attrs,
        default,
    } = argument;
    let default = default.as_ref().map(|default| match default {
        Default::OfType => quote!(#[serde(default)]),
        Default::Expr(_) => {
            let function = default_ident(name).to_string();
            quote!(#[serde(default = #function)])
        }
    });
    let header = published
        .headers
        .iter()
        .find(|(argument, _)| argument == name);
    let header = header.map(|(_, header)| {
        // The specification wants one type there: an optional argument is left out, not null.
        let single = types::is(ty, "Option")
            .then(|| quote!(#[schemars(transform = ::vuelta::__private::without_null)]));
        quote!(#[schemars(extend("x-mcp-header" = #header))] #single)
    });
    let checked = checked(ty, &valid_ident(argument));
    quote! {
        #(#attrs)*
        #default
        #header
        #ident: #checked,
    }
}

/// Returns the constant that does not compile if the type cannot be an argument.
fn valid_ident(argument: &Argument) -> Ident {
    Ident::new(
        &format!("__ARGUMENT_{}", argument.name),
        place(argument.ty.span()),
    )
}

fn default_ident(name: &str) -> Ident {
    format_ident!("__default_{name}")
}

/// Returns the function that gives the value of an argument that is left out.
fn default(argument: &Argument) -> Option<TokenStream> {
    let Some(Default::Expr(expr)) = &argument.default else {
        return None;
    };
    let (ident, ty) = (default_ident(&argument.name), &argument.ty);
    let value = typed(expr, ty);
    Some(quote! {
        fn #ident() -> #ty {
            #value
        }
    })
}

/// Returns an expression for a type; a text in quotes is also a `String`.
pub(crate) fn typed(expr: &Expr, ty: &Type) -> TokenStream {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if types::is(ty, "String") => {
            quote!(<::std::string::String as ::core::convert::From<&str>>::from(#text))
        }
        other => quote!(#other),
    }
}
