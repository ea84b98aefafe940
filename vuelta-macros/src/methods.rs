//! `#[methods]`: an `impl` block whose methods are tools, prompts and resources.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, Meta, Visibility, parse_quote};

use crate::attrs;
use crate::errors::Errors;
use crate::expand;
use crate::function::Function;
use crate::handler;
use crate::params::Host;
use crate::{prompt, resource, tool};

pub(crate) fn expand(attr: &TokenStream, item: &TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => {
            let error = syn::Error::new_spanned(item, "`#[methods]` is for an `impl` block");
            let error = error.into_compile_error();
            return quote!(#item #error);
        }
    };
    let mut errors = Errors::default();
    if !attr.is_empty() {
        errors.at(attr, "`#[methods]` takes no arguments");
    }
    let is_plain = check_block(&block, &mut errors);
    let own = (*block.self_ty).clone();
    let mut handlers = TokenStream::new();
    let mut registrations = TokenStream::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some((host, attr)) = mark(method, &mut errors).filter(|_| is_plain) else {
            continue;
        };
        let mut errors = Errors::default();
        let ImplItemFn {
            attrs: outer, sig, ..
        } = method;
        let vis = Visibility::Inherited;
        let function = Function::take(host, outer, &vis, sig, Some(&own), &mut errors);
        let tokens = match attr.meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        let items = attrs::read(tokens, &mut errors);
        let parts = match host {
            Host::Prompt => prompt::parts(&function, items, &mut errors),
            Host::Resource => resource::parts(&function, items, &mut errors),
            Host::Tool | Host::Resolver => tool::parts(&function, items, &mut errors),
        };
        let allowances = expand::allowances();
        method.attrs.push(parse_quote!(#allowances));
        let target = format_ident!("__{}", function.name());
        handlers.extend(expand::registration_as(&function, &target));
        handlers.extend(handler::implement(&function, &target, &parts, errors));
        let register = format_ident!("{}", host.noun());
        registrations.extend(quote!(.#register::<#target>()));
    }
    if !is_plain {
        let errors = errors.into_tokens();
        return quote!(#block #errors);
    }
    if registrations.is_empty() {
        errors.at(
            &block.self_ty,
            "none of these methods is registered: write `#[tool]`, `#[prompt]` or \
             `#[resource(..)]` on those that are",
        );
    }
    let errors = errors.into_tokens();
    quote! {
        #block
        #errors

        const _: () = {
            #handlers

            impl ::vuelta::mcp::Methods for #own {
                fn register(server: ::vuelta::McpServer) -> ::vuelta::McpServer {
                    server #registrations
                }
            }
        };
    }
}

/// Returns whether the block is one of a plain type's own methods.
fn check_block(block: &ItemImpl, errors: &mut Errors) -> bool {
    if let Some((name, _)) = &block.trait_ {
        errors.at(
            name,
            "`#[methods]` is for the type's own methods, not for those of a trait",
        );
    }
    if let Some(param) = block.generics.params.first() {
        errors.at(
            param,
            "methods of a generic type cannot be registered: write the type",
        );
    }
    block.trait_.is_none() && block.generics.params.is_empty()
}

/// Takes the attribute that says what a method is; `None` if it has none.
fn mark(method: &mut ImplItemFn, errors: &mut Errors) -> Option<(Host, Attribute)> {
    let mut marks = Vec::new();
    let mut index = 0;
    while let Some(attr) = method.attrs.get(index) {
        match host_of(attr) {
            Some(host) => marks.push((host, method.attrs.remove(index))),
            None => index += 1,
        }
    }
    let mut marks = marks.into_iter();
    let (host, attr) = marks.next()?;
    for (_, attr) in marks {
        errors.at(
            attr,
            "a method is one of tool, prompt and resource: write a second method",
        );
    }
    if host == Host::Resolver {
        errors.at(
            &attr,
            "a resolver is a function outside of the `impl` block: it may take `&Self` as \
             shared state",
        );
        return None;
    }
    Some((host, attr))
}

fn host_of(attr: &Attribute) -> Option<Host> {
    let name: &Ident = &attr.path().segments.last()?.ident;
    [Host::Tool, Host::Prompt, Host::Resource, Host::Resolver]
        .into_iter()
        .find(|host| name == host.noun())
}
