//! What `#[tool]`, `#[prompt]` and `#[resource]` have in common: the function stays, and a
//! type of its name becomes the handler.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Item, ItemFn};

use crate::arguments::{self, Published};
use crate::attrs;
use crate::errors::Errors;
use crate::expand::{self, hidden};
use crate::function::Function;
use crate::params::Host;
use crate::types;

/// What one of the three adds to the others.
pub(crate) struct Parts {
    pub(crate) name: String,
    /// The URI of a resource.
    pub(crate) uri: Option<String>,
    pub(crate) published: Published,
    /// The setters to call on the spec.
    pub(crate) setters: TokenStream,
    /// What is written before the call.
    pub(crate) before: TokenStream,
    /// What the output is read with, besides itself.
    pub(crate) reads_with: TokenStream,
    /// Why the function must not return a question that it has built itself.
    pub(crate) refuses_asking: Option<String>,
}

/// The names of the traits and types of one of the three.
struct Names {
    handler: Ident,
    method: Ident,
    spec: Ident,
    output: Ident,
    result: Ident,
}

impl Names {
    fn of(host: Host) -> Self {
        let (kind, method, result) = match host {
            Host::Prompt => ("Prompt", "get", "GetPromptResult"),
            Host::Resource => ("Resource", "read", "ReadResourceResult"),
            Host::Tool | Host::Resolver => ("Tool", "call", "CallToolResult"),
        };
        Self {
            handler: format_ident!("{kind}Handler"),
            method: format_ident!("{method}"),
            spec: format_ident!("{kind}Spec"),
            output: format_ident!("{kind}Output"),
            result: format_ident!("{result}"),
        }
    }
}

/// Writes the handler that a function is, beside the function.
pub(crate) fn expand(
    host: Host,
    attr: TokenStream,
    item: &TokenStream,
    parts: impl FnOnce(&Function, Vec<attrs::Item>, &mut Errors) -> Parts,
) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut item_fn) = function(host, item.clone(), &mut errors) else {
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let ItemFn {
        attrs: outer,
        vis,
        sig,
        ..
    } = &mut item_fn;
    let function = Function::take(host, outer, vis, sig, None, &mut errors);
    let items = attrs::read(attr, &mut errors);
    let parts = parts(&function, items, &mut errors);
    let registration = expand::registration(&function);
    let handler = implement(&function, &function.ident, &parts, errors);
    let allowances = expand::allowances();
    quote! {
        #allowances
        #item_fn
        #registration
        #handler
    }
}

/// Reads the function that an attribute is on.
pub(crate) fn function(host: Host, item: TokenStream, errors: &mut Errors) -> Option<ItemFn> {
    match syn::parse2(item) {
        Ok(Item::Fn(function)) => match function.sig.receiver() {
            None => Some(function),
            Some(own) => {
                errors.at(own, "a method needs `#[methods]` on its `impl` block");
                None
            }
        },
        Ok(other) => {
            errors.at(other, format!("`#[{}]` is for functions", host.noun()));
            None
        }
        Err(error) => {
            errors.add(error);
            None
        }
    }
}

/// Returns the handler as an implementation for `target`, or the errors and a stand-in.
pub(crate) fn implement(
    function: &Function,
    target: &Ident,
    parts: &Parts,
    errors: Errors,
) -> TokenStream {
    let names = Names::of(function.host);
    if let Some(errors) = errors.into_tokens() {
        let stand_in = stand_in(function, target, parts, &names);
        return quote!(#errors #stand_in);
    }
    let Names {
        handler,
        method,
        spec,
        output: output_trait,
        result,
    } = names;
    let arguments = arguments::structure(function, &parts.published);
    let checks = expand::check_arguments(function);
    let output_trait = quote!(::vuelta::mcp::#output_trait);
    let (output_check, output) =
        expand::check_output(function, &output_trait, parts.refuses_asking.as_ref());
    let consts = consts(parts);
    let Parts {
        setters,
        before,
        reads_with,
        ..
    } = parts;
    let needs = expand::needs(function);
    let (args, cx, value) = (arguments::ident(function), hidden("cx"), hidden("output"));
    let call = expand::call(function, &cx);
    // What is said of this future is said of the function's.
    let run = quote! {
        async fn #method(
            #cx: ::vuelta::resolve::RoundCx<#args>,
        ) -> ::core::result::Result<
            ::vuelta::Outcome<::vuelta::#result>,
            ::vuelta::resolve::Halted,
        >
    };
    let run = expand::at(&run, function.ident.span());
    let schema = (function.host == Host::Tool).then(|| quote!(.output::<#output>()));
    quote! {
        const _: () = {
            #arguments
            #checks
            #output_check

            impl ::vuelta::mcp::#handler for #target {
                #consts
                type Args = #args;

                fn define(spec: ::vuelta::mcp::#spec) -> ::vuelta::mcp::#spec {
                    spec #schema #setters #needs
                }

                #run {
                    #before
                    #call
                    <#output as #output_trait>::into_outcome(#value #reads_with)
                }
            }
        };
    }
}

/// Returns why the function must not return a question that it has built itself.
pub(crate) fn refuses_asking(function: &Function) -> Option<String> {
    let by = match function.resolved().next() {
        Some(_) => "`#[resolve]`",
        None if function.asks() => "`Ask`",
        None => return None,
    };
    Some(format!(
        "the {} `{}` combines {by} with a question built by hand, as it returns `{}`: a call has \
         one set of answers, so ask through resolvers or `Ask`, or do without {by}",
        function.host.noun(),
        function.name(),
        types::text(&function.output),
    ))
}

fn consts(parts: &Parts) -> TokenStream {
    let Parts { name, uri, .. } = parts;
    let uri = uri.iter();
    quote! {
        const NAME: &'static str = #name;
        #( const URI: &'static str = #uri; )*
    }
}

/// Returns a handler that does nothing, for a function with errors: the program that
/// registers it has no more errors than these.
fn stand_in(function: &Function, target: &Ident, parts: &Parts, names: &Names) -> TokenStream {
    let Names {
        handler,
        method,
        spec,
        result,
        ..
    } = names;
    let (consts, args) = (consts(parts), arguments::ident(function));
    quote! {
        const _: () = {
            #[derive(::vuelta::__private::serde::Deserialize, ::vuelta::__private::schemars::JsonSchema)]
            #[serde(crate = "::vuelta::__private::serde")]
            #[schemars(crate = "::vuelta::__private::schemars")]
            pub struct #args {}

            impl ::vuelta::mcp::#handler for #target {
                #consts
                type Args = #args;

                fn define(spec: ::vuelta::mcp::#spec) -> ::vuelta::mcp::#spec {
                    spec
                }

                async fn #method(
                    _: ::vuelta::resolve::RoundCx<#args>,
                ) -> ::core::result::Result<
                    ::vuelta::Outcome<::vuelta::#result>,
                    ::vuelta::resolve::Halted,
                > {
                    ::core::result::Result::Err(::vuelta::resolve::Halted::failed(""))
                }
            }
        };
    }
}
