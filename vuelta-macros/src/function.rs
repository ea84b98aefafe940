//! A function as the macros see it: its parameters by kind, what it returns, and its docs.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, GenericParam, Ident, ReturnType, Safety, Signature, Type, Visibility};

use crate::attrs;
use crate::errors::Errors;
use crate::params::{self, Argument, Host, Param, Resolved};
use crate::types;

pub(crate) struct Function {
    pub(crate) host: Host,
    pub(crate) ident: Ident,
    /// How the function is called: its name, or `<Type>::name`.
    pub(crate) call: TokenStream,
    pub(crate) vis: Visibility,
    pub(crate) is_async: bool,
    pub(crate) params: Vec<Param>,
    /// What it returns; `()` if it is not written.
    pub(crate) output: Type,
    pub(crate) docs: Option<String>,
}

impl Function {
    /// Reads a function and takes our attributes off its parameters.
    ///
    /// `receiver` is the type of `self` among methods.
    pub(crate) fn take(
        host: Host,
        attrs: &[Attribute],
        vis: &Visibility,
        sig: &mut Signature,
        receiver: Option<&Type>,
        errors: &mut Errors,
    ) -> Self {
        check_signature(host, sig, errors);
        let params = sig.inputs.iter_mut();
        let params = params
            .filter_map(|param| params::take(param, host, receiver, errors))
            .collect();
        let output = match (&sig.output, receiver) {
            (ReturnType::Default, _) => Type::Verbatim(quote!(())),
            (ReturnType::Type(_, ty), Some(own)) => types::replace_self(ty, own),
            (ReturnType::Type(_, ty), None) => types::ungroup(ty).clone(),
        };
        if let Type::ImplTrait(_) = output {
            errors.at(
                &output,
                format!("name the type that the {} returns", host.noun()),
            );
        }
        let ident = sig.ident.clone();
        let call = match receiver {
            Some(own) => quote!(<#own>::#ident),
            None => ident.to_token_stream(),
        };
        let docs = attrs::docs(attrs);
        let vis = vis.clone();
        Self {
            host,
            ident,
            call,
            vis,
            is_async: sig.asyncness.is_some(),
            params,
            output,
            docs,
        }
    }

    /// Returns the name, without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.params.iter().filter_map(|param| match param {
            Param::Argument(argument) => Some(argument),
            _ => None,
        })
    }

    pub(crate) fn resolved(&self) -> impl Iterator<Item = &Resolved> {
        self.params.iter().filter_map(|param| match param {
            Param::Resolved(resolved) => Some(resolved),
            _ => None,
        })
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = &Type> {
        self.params.iter().filter_map(|param| match param {
            Param::State(ty) => Some(ty),
            _ => None,
        })
    }

    pub(crate) fn asks(&self) -> bool {
        self.params
            .iter()
            .any(|param| matches!(param, Param::Ask { .. }))
    }
}

fn check_signature(host: Host, sig: &Signature, errors: &mut Errors) {
    let noun = host.noun();
    for param in &sig.generics.params {
        if !matches!(param, GenericParam::Lifetime(_)) {
            errors.at(param, format!("a {noun} cannot be generic: write the type"));
        }
    }
    if let Safety::Unsafe(token) = &sig.safety {
        errors.at(token, format!("a {noun} cannot be unsafe"));
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, format!("a {noun} is a plain Rust function"));
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, format!("a {noun} is a plain Rust function"));
    }
}
