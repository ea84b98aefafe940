//! `#[resolver]`: a function that works out what others need, and may ask one question.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ItemFn, LitStr, Type};

use crate::attrs;
use crate::errors::Errors;
use crate::expand::{self, hidden};
use crate::function::Function;
use crate::handler;
use crate::params::{Argument, Host, Resolved};
use crate::types;

pub(crate) fn expand(attr: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(mut item_fn) = handler::function(Host::Resolver, item.clone(), &mut errors) else {
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let ItemFn {
        attrs: outer,
        vis,
        sig,
        ..
    } = &mut item_fn;
    let function = Function::take(Host::Resolver, outer, vis, sig, None, &mut errors);
    let key = key(attr, &function, &mut errors);
    let returned = Returned::read(&function, &mut errors);
    check_dependencies(&function, &mut errors);
    let registration = expand::registration(&function);
    let resolver = match errors.into_tokens() {
        None => implement(&function, &returned, &key),
        Some(errors) => {
            let stand_in = stand_in(&function, &returned, &key);
            quote!(#errors #stand_in)
        }
    };
    let allowances = expand::allowances();
    quote! {
        #allowances
        #item_fn
        #registration
        #resolver
    }
}

fn key(attr: TokenStream, function: &Function, errors: &mut Errors) -> String {
    let items = attrs::read(attr, errors);
    attrs::check_repeated(&items, &[], errors);
    let mut key = None;
    for item in items {
        match item.key.text.as_str() {
            "key" => key = item.text(errors),
            _ => item.unknown(&["key"], errors),
        }
    }
    if let Some(key) = key.as_ref().filter(|key| key.value().is_empty()) {
        errors.at(key, "a key is not empty");
    }
    key.as_ref().map_or_else(|| function.name(), LitStr::value)
}

/// What a resolver returns.
struct Returned {
    /// What its consumers get.
    output: Type,
    kind: Kind,
    /// Whether it may fail.
    is_result: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Form,
    Visit,
    Sample,
    Roots,
    Plain,
}

const MARKERS: [&str; 3] = ["Elicit", "Sample", "ListRoots"];

impl Returned {
    fn read(function: &Function, errors: &mut Errors) -> Self {
        let returned = &function.output;
        let success = types::is(returned, "Result")
            .then(|| types::argument_of(returned))
            .flatten();
        let is_result = success.is_some();
        let inner = success.unwrap_or_else(|| returned.clone());
        let (kind, output) = match types::last(&inner).map(|segment| segment.ident.to_string()) {
            Some(name) if name == "Elicit" => match types::argument_of(&inner) {
                Some(form) if types::is(&form, "Visited") => (Kind::Visit, form),
                Some(form) => (Kind::Form, form),
                None => {
                    errors.at(&inner, "write the form that it asks for: `Elicit<T>`");
                    (Kind::Form, inner.clone())
                }
            },
            Some(name) if name == "Sample" => (
                Kind::Sample,
                Type::Verbatim(quote!(::vuelta::CreateMessageResult)),
            ),
            Some(name) if name == "ListRoots" => (
                Kind::Roots,
                Type::Verbatim(quote!(::vuelta::ListRootsResult)),
            ),
            _ => (Kind::Plain, inner.clone()),
        };
        check_markers(function, kind, errors);
        if types::is(&inner, "Outcome") || types::is(&inner, "InputRequired") {
            errors.at(
                &inner,
                "a resolver asks by returning `Elicit`, `Sample` or `ListRoots`",
            );
        }
        if let Type::Reference(_) = inner {
            errors.at(
                &inner,
                "a resolver gives an owned value: each consumer gets a copy",
            );
        }
        Self {
            output,
            kind,
            is_result,
        }
    }

    /// Returns how a consumer's copy is made.
    fn share(&self) -> TokenStream {
        let output = &self.output;
        match self.kind {
            Kind::Form => {
                quote_spanned!(output.span()=> <#output as ::vuelta::form::Form>::duplicate(value))
            }
            Kind::Visit => quote!(*value),
            Kind::Sample | Kind::Roots | Kind::Plain => {
                quote_spanned!(output.span()=> <#output as ::core::clone::Clone>::clone(value))
            }
        }
    }

    /// Returns what becomes of the function's output.
    fn produce(&self, output: &Ident) -> TokenStream {
        let checked = self.is_result.then(|| {
            quote! {
                let #output = #output.map_err(|error| ::vuelta::resolve::Halted::error(&error))?;
            }
        });
        let produced = match self.kind {
            Kind::Plain => quote!(::vuelta::resolve::Produced::Known(#output)),
            _ => quote!(::core::convert::Into::into(#output)),
        };
        quote!(#checked ::core::result::Result::Ok(#produced))
    }
}

/// A resolver asks one question, and by returning it.
fn check_markers(function: &Function, kind: Kind, errors: &mut Errors) {
    let markers = types::mentions(&function.output, &MARKERS);
    let name = function.name();
    if let [first, second, ..] = markers.as_slice() {
        let kinds = if first.to_string() == second.to_string() {
            format!("`{first}`")
        } else {
            format!("`{first}` and `{second}`")
        };
        errors.at(
            second,
            format!(
                "the resolver `{name}` asks more than one question: split it into one resolver \
                 for each {kinds}"
            ),
        );
    } else if let ([marker], Kind::Plain) = (markers.as_slice(), kind) {
        errors.at(
            marker,
            format!(
                "the resolver `{name}` must return `{marker}` itself, or a `Result` of it: what \
                 needs no question is given by `{marker}::known`"
            ),
        );
    }
}

fn check_dependencies(function: &Function, errors: &mut Errors) {
    for resolved in function
        .resolved()
        .filter(|it| it.resolver.is_ident(&function.ident))
    {
        errors.at(
            &resolved.resolver,
            format!(
                "the resolver `{}` needs itself: name another one",
                function.name()
            ),
        );
    }
}

fn implement(function: &Function, returned: &Returned, key: &str) -> TokenStream {
    let ident = &function.ident;
    let (output, share) = (&returned.output, returned.share());
    let dependencies: Vec<TokenStream> = expand::checked_resolvers(function).collect();
    let depth = dependencies.iter().fold(quote!(0), |deepest, resolver| {
        quote_spanned! {resolver.span()=>
            ::vuelta::resolve::deeper(<#resolver as ::vuelta::resolve::Resolver>::DEPTH, #deepest)
        }
    });
    let header = expand::at(
        &quote!(impl ::vuelta::resolve::Resolver for #ident),
        ident.span(),
    );
    // A circle is reported at this constant: it shows where the next resolver is named.
    let place = function
        .resolved()
        .next()
        .map_or(ident.span(), Resolved::span);
    let place = expand::place(place);
    let depth = quote_spanned!(place=> const DEPTH: usize = 1 + #depth;);
    let needed = needed(function, &dependencies);
    let checks = expand::check_arguments(function);
    let states = function.states();
    let bounds = function.arguments().map(
        |Argument {
             name, ident, ty, ..
         }| {
            let name = quote_spanned!(ident.span()=> ::vuelta::resolve::name_hash(#name));
            let is = quote_spanned!(ident.span()=> ::vuelta::resolve::Is<#ty>);
            quote_spanned!(ident.span()=> ::vuelta::resolve::Arg<{ #name }, Type: #is>)
        },
    );
    let (cx, value) = (hidden("cx"), hidden("output"));
    let (call, produce) = (expand::call(function, &cx), returned.produce(&value));
    // What is said of this future is said of the function's.
    let run = quote! {
        async fn run(
            #cx: &::vuelta::resolve::RoundCx<__A>,
        ) -> ::core::result::Result<
            ::vuelta::resolve::Produced<<Self as ::vuelta::resolve::Resolver>::Output>,
            ::vuelta::resolve::Halted,
        >
    };
    let run = expand::at(&run, ident.span());
    // If the type is less public than the function, that is said there.
    let output_type = quote_spanned!(output.span()=> type Output = #output;);
    quote! {
        const _: () = {
            #checks

            #header {
                const KEY: &'static str = #key;
                #depth
                const ARGUMENTS: &'static [::vuelta::resolve::NeededArgument] = #needed;
                #output_type

                fn share(value: &#output) -> #output {
                    #share
                }

                fn describe(graph: &mut ::vuelta::mcp::Graph) {
                    if graph.add::<Self>() {
                        #( <#dependencies as ::vuelta::resolve::Resolver>::describe(graph); )*
                        #( graph.state::<#states>(); )*
                    }
                }
            }

            impl<__A> ::vuelta::resolve::ResolveFor<__A> for #ident
            where
                __A: ::core::marker::Send + ::core::marker::Sync #(+ #bounds)*,
                #( #dependencies: ::vuelta::resolve::ResolveFor<__A>, )*
            {
                #run {
                    #call
                    #produce
                }
            }

            // A circle of resolvers has no depth: it ends here.
            const _: usize = <#ident as ::vuelta::resolve::Resolver>::DEPTH;
        };
    }
}

/// Returns the list of the call's arguments that the resolver uses.
fn needed(function: &Function, dependencies: &[TokenStream]) -> TokenStream {
    let (ident, name) = (&function.ident, function.name());
    let own = function.arguments().map(|argument| {
        let (argument, ty) = (&argument.name, types::text(&argument.ty));
        quote!(::vuelta::resolve::NeededArgument::new(#argument, #ty, #name))
    });
    let own = quote!(&[#(#own),*]);
    if dependencies.is_empty() {
        return own;
    }
    quote! {
        {
            const LISTS: &[&[::vuelta::resolve::NeededArgument]] = &[
                #own #(, <#dependencies as ::vuelta::resolve::Resolver>::ARGUMENTS)*
            ];
            // The depth first: a circle is found there.
            const MERGED: [::vuelta::resolve::NeededArgument; {
                let _: usize = <#ident as ::vuelta::resolve::Resolver>::DEPTH;
                ::vuelta::resolve::merged_len(LISTS)
            }] = ::vuelta::resolve::merge(LISTS);
            &MERGED
        }
    }
}

/// Returns a resolver that does nothing, for a function with errors: those who name it have
/// no more errors than these.
fn stand_in(function: &Function, returned: &Returned, key: &str) -> TokenStream {
    let (ident, output) = (&function.ident, &returned.output);
    quote! {
        const _: () = {
            impl ::vuelta::resolve::Resolver for #ident {
                const KEY: &'static str = #key;
                const DEPTH: usize = 1;
                const ARGUMENTS: &'static [::vuelta::resolve::NeededArgument] = &[];
                type Output = #output;

                fn share(_: &#output) -> #output {
                    ::core::unreachable!()
                }
            }

            impl<__A: ::core::marker::Send + ::core::marker::Sync>
                ::vuelta::resolve::ResolveFor<__A> for #ident
            {
                async fn run(
                    _: &::vuelta::resolve::RoundCx<__A>,
                ) -> ::core::result::Result<
                    ::vuelta::resolve::Produced<#output>,
                    ::vuelta::resolve::Halted,
                > {
                    ::core::result::Result::Err(::vuelta::resolve::Halted::failed(""))
                }
            }
        };
    }
}
