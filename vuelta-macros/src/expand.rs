//! What the macros write alike: the type that is registered, the call of the function with the
//! values of its parameters, and the checks of both.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use crate::arguments;
use crate::function::Function;
use crate::params::{Argument, Host, Param, Resolved};

/// Returns what is put in front of the function: its signature is the one that we want.
pub(crate) fn allowances() -> TokenStream {
    quote! {
        #[allow(
            clippy::needless_pass_by_value,
            clippy::too_many_arguments,
            clippy::unused_async
        )]
    }
}

/// Returns the type that is registered: a struct with braces, which is no value and so hides
/// no binding of its name.
pub(crate) fn registration(function: &Function) -> TokenStream {
    registration_as(function, &function.ident)
}

/// Returns the type that is registered, under another name than the function's.
pub(crate) fn registration_as(function: &Function, ident: &Ident) -> TokenStream {
    let Function { vis, host, .. } = function;
    let docs = format!(" The {} that the function of this name is.", host.noun());
    let item = at(&quote!(#vis struct #ident), ident.span());
    quote! {
        #[doc = #docs]
        #[allow(non_camel_case_types, clippy::exhaustive_structs)]
        #[derive(::core::fmt::Debug)]
        #item {}
    }
}

/// Returns the type that the constant `ok` has checked: if it does not compile, the compiler
/// knows of no type here, and repeats no error.
pub(crate) fn checked(ty: &(impl ToTokens + Spanned), ok: &Ident) -> TokenStream {
    quote_spanned!(ty.span()=> <::vuelta::__private::Valid<#ok> as ::vuelta::__private::Pick<#ty>>::Type)
}

/// Returns constants that do not compile if the call lacks what its resolvers use by name.
pub(crate) fn check_arguments(function: &Function) -> TokenStream {
    let (noun, name) = (function.host.noun(), function.name());
    let given: Vec<&String> = function
        .arguments()
        .map(|argument| &argument.name)
        .collect();
    let checks = function
        .resolved()
        .enumerate()
        .map(|(index, Resolved { resolver, .. })| {
            let ok = checked_ident(index, resolver);
            if function.host == Host::Resolver {
                // Its arguments are those of each call that uses it.
                return quote_spanned! {resolver.span()=>
                    const #ok: bool = ::vuelta::__private::resolver::<#resolver>();
                };
            }
            quote_spanned! {resolver.span()=>
                const #ok: bool = {
                    const MISSING: ::core::option::Option<::vuelta::resolve::NeededArgument> =
                        ::vuelta::resolve::first_missing(
                            <#resolver as ::vuelta::resolve::Resolver>::ARGUMENTS,
                            &[#(#given),*],
                        );
                    const PARTS: &[&str] =
                        &::vuelta::__private::missing_argument(MISSING, #noun, #name);
                    const TEXT: [u8; ::vuelta::__private::text_len(PARTS)] =
                        ::vuelta::__private::text(PARTS);
                    if MISSING.is_some() {
                        ::core::panic!("{}", ::vuelta::__private::utf8(&TEXT));
                    }
                    true
                };
            }
        });
    quote!(#(#checks)*)
}

fn checked_ident(index: usize, resolver: &Path) -> Ident {
    Ident::new(&format!("__RESOLVER{index}"), place(resolver.span()))
}

/// Returns the types of the resolvers that the function needs, each checked.
pub(crate) fn checked_resolvers(function: &Function) -> impl Iterator<Item = TokenStream> {
    let resolvers = function
        .resolved()
        .map(|resolved| &resolved.resolver)
        .enumerate();
    resolvers.map(|(index, resolver)| checked(resolver, &checked_ident(index, resolver)))
}

/// Returns the call of the function: everything that its parameters need, then `output`.
pub(crate) fn call(function: &Function, cx: &Ident) -> TokenStream {
    let mut statements = resolutions(function, cx);
    let mut values = Vec::new();
    let (mut states, mut given) = (0_usize, 0_usize);
    let (context, ask) = (hidden("context"), hidden("ask"));
    let (mut needs_context, mut needs_ask) = (false, false);
    for param in &function.params {
        values.push(match param {
            Param::Argument(argument) => value(function.host, argument, cx),
            Param::Resolved(_) => {
                let ident = given_ident(given);
                given += 1;
                quote!(#ident)
            }
            Param::Context { by_ref } => {
                needs_context = true;
                if *by_ref {
                    quote!(&#context)
                } else {
                    quote!(::vuelta::Context::clone(&#context))
                }
            }
            Param::Ask { by_ref, .. } => {
                needs_ask = true;
                if *by_ref {
                    quote!(&#ask)
                } else {
                    quote!(::vuelta::Ask::clone(&#ask))
                }
            }
            Param::State(ty) => {
                let state = hidden(&format!("state{states}"));
                states += 1;
                statements.extend(quote_spanned!(ty.span()=> let #state = #cx.state::<#ty>()?;));
                quote!(&*#state)
            }
        });
    }
    if needs_context {
        statements.extend(quote!(let #context = ::vuelta::Context::clone(#cx.context());));
    }
    if needs_ask {
        statements.extend(quote!(let #ask = #cx.ask();));
    }
    if function.host == Host::Resolver {
        statements.extend(quote!(let _ = #cx;));
    } else {
        let args = arguments::ident(function);
        let fields = function.arguments().map(|argument| {
            let (field, local) = (&argument.ident, argument_ident(argument));
            quote!(#field: #local)
        });
        statements.extend(quote!(let #args { #(#fields),* } = #cx.into_args();));
    }
    let (call, output) = (&function.call, hidden("output"));
    let run = function.is_async.then(|| quote!(.await));
    quote! {
        #statements
        let #output = #call(#(#values),*) #run;
    }
}

fn argument_ident(argument: &Argument) -> Ident {
    hidden(&format!("argument_{}", argument.name))
}

fn given_ident(index: usize) -> Ident {
    hidden(&format!("given{index}"))
}

fn value(host: Host, argument: &Argument, cx: &Ident) -> TokenStream {
    if host != Host::Resolver {
        let local = argument_ident(argument);
        return quote!(#local);
    }
    let Argument { name, ty, .. } = argument;
    quote_spanned! {ty.span()=>
        <#ty as ::core::clone::Clone>::clone(::vuelta::resolve::Is::<#ty>::get(
            #cx.arg::<{ ::vuelta::resolve::name_hash(#name) }>()
        ))
    }
}

/// Returns the statements that resolve: all resolvers at once, none skipped, and a reason to
/// end the call before a question that waits.
fn resolutions(function: &Function, cx: &Ident) -> TokenStream {
    let resolved: Vec<&Resolved> = function.resolved().collect();
    if resolved.is_empty() {
        return TokenStream::new();
    }
    let idents: Vec<Ident> = (0..resolved.len()).map(given_ident).collect();
    let runs = resolved
        .iter()
        .zip(checked_resolvers(function))
        .map(|(resolved, checked)| {
            let Resolved {
                name,
                resolver,
                ty,
                is_answer,
            } = resolved;
            let run = if *is_answer {
                quote_spanned!(resolver.span()=> answer::<_, #checked, #ty>(&#cx))
            } else {
                quote_spanned!(resolver.span()=> resolve::<_, #checked, #ty>(&#cx, #name))
            };
            quote!(::vuelta::__private::#run)
        });
    quote! {
        let (#(#idents,)*) = ::vuelta::__private::join!(#(#runs),*);
        ::vuelta::resolve::Halted::first([#(#idents.as_ref().err()),*])?;
        let (#(#idents,)*) = (#(#idents?,)*);
    }
}

/// Returns the setters that say what the function needs.
pub(crate) fn needs(function: &Function) -> TokenStream {
    let resolvers = checked_resolvers(function);
    let states = function.states();
    quote! {
        #(.resolver::<#resolvers>())*
        #(.state::<#states>())*
    }
}

/// Returns the constant that does not compile if the function returns what it must not, and
/// the type that it returns, which is unknown then.
pub(crate) fn check_output(
    function: &Function,
    output_trait: &TokenStream,
    refuses_asking: Option<&String>,
) -> (TokenStream, TokenStream) {
    let output = &function.output;
    let ok = Ident::new("__OUTPUT", place(output.span()));
    let check = match refuses_asking {
        Some(message) => quote_spanned!(output.span()=> ::core::assert!(!asks, #message);),
        None => quote!(let _ = asks;),
    };
    let check = quote_spanned! {output.span()=>
        const #ok: bool = {
            let asks: bool = <#output as #output_trait>::ASKS;
            #check
            true
        };
    };
    (check, checked(output, &ok))
}

/// Returns a place of the user's for what is written: it is shown there, but stays the macro's
/// own, so that no lint is about it.
pub(crate) fn place(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// Shows all tokens at one place of the user's.
pub(crate) fn at(tokens: &TokenStream, span: Span) -> TokenStream {
    let span = place(span);
    let tokens = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut group = Group::new(group.delimiter(), at(&group.stream(), span));
            group.set_span(span);
            TokenTree::Group(group)
        }
        mut token => {
            token.set_span(span);
            token
        }
    });
    tokens.collect()
}

/// Returns a name for a local that no name of the user's can be.
pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
