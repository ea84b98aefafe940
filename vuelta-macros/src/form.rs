//! `#[derive(Form)]` on a struct: the fields that a user fills in.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Field, Fields, Generics, Ident, Item as RustItem, ItemStruct, Type};

use crate::arguments::typed;
use crate::attrs::{self, Item, check_repeated};
use crate::choice;
use crate::constraint::{format, misfits, number};
use crate::errors::Errors;
use crate::secret::looks_secret;
use crate::types;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = match syn::parse2(item.clone()) {
        Ok(RustItem::Struct(item)) => form(&item, &mut errors),
        Ok(RustItem::Enum(item)) => choice::choice(&item, &mut errors),
        Ok(_) => {
            errors.at(item, "`Form` is for structs, and for enums without data");
            None
        }
        Err(error) => {
            errors.add(error);
            None
        }
    };
    let errors = errors.into_tokens();
    quote!(#errors #written)
}

/// Reports parameters, which a form cannot have; returns whether there are none.
pub(crate) fn is_plain(generics: &Generics, errors: &mut Errors) -> bool {
    let param = generics.params.first();
    if let Some(param) = param {
        errors.at(
            param,
            "a form cannot be generic: the client is shown one set of fields",
        );
    }
    param.is_none()
}

/// Returns the items of `#[form(..)]`.
pub(crate) fn items(all: &[Attribute], errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    for attr in all.iter().filter(|attr| attr.path().is_ident("form")) {
        if let Some(list) = errors.keep(attr.meta.require_list()) {
            items.extend(attrs::read(list.tokens.clone(), errors));
        }
    }
    items
}

/// A field of a form.
struct FormField<'f> {
    ident: &'f Ident,
    ty: &'f Type,
    name: String,
    /// What is called on its schema: the function, and what else it takes.
    constraints: Vec<TokenStream>,
    default: Option<TokenStream>,
}

/// Returns the implementation for a struct; `None` if it cannot have one.
fn form(item: &ItemStruct, errors: &mut Errors) -> Option<TokenStream> {
    if !is_plain(&item.generics, errors) {
        return None;
    }
    let Fields::Named(fields) = &item.fields else {
        errors.at(
            &item.ident,
            "a form has named fields: write `struct Name { field: T }`",
        );
        return None;
    };
    for stray in items(&item.attrs, errors) {
        errors.at(
            &stray.key,
            "`#[form(..)]` is for the fields, not for the struct",
        );
    }
    let fields: Vec<FormField<'_>> = fields
        .named
        .iter()
        .filter_map(|field| FormField::read(field, errors))
        .collect();
    for (index, field) in fields.iter().enumerate() {
        if fields
            .iter()
            .take(index)
            .any(|other| other.name == field.name)
        {
            errors.at(
                field.ident,
                format!("two fields are called {:?}", field.name),
            );
        }
    }
    let ident = &item.ident;
    let (schemas, reads, duplicates) = (
        fields.iter().map(FormField::schema),
        fields.iter().map(FormField::value),
        fields.iter().map(FormField::duplicate),
    );
    let defaults = fields.iter().filter_map(FormField::default_fn);
    Some(quote! {
        const _: () = {
        #(#defaults)*

        #[automatically_derived]
        impl ::vuelta::form::Form for #ident {
            fn schema() -> ::vuelta::FormSchema {
                let form = ::vuelta::FormSchema::new();
                #(#schemas)*
                form
            }

            fn read(
                content: &::vuelta::Raw,
            ) -> ::core::result::Result<Self, ::vuelta::form::FormError> {
                let fields = ::vuelta::form::fields::<Self>(content)?;
                ::core::result::Result::Ok(Self { #(#reads),* })
            }

            fn duplicate(&self) -> Self {
                Self { #(#duplicates),* }
            }
        }
        };
    })
}

impl<'f> FormField<'f> {
    fn read(field: &'f Field, errors: &mut Errors) -> Option<Self> {
        let (ident, ty) = (field.ident.as_ref()?, &field.ty);
        let items = items(&field.attrs, errors);
        check_repeated(&items, &[], errors);
        let mut read = Self {
            ident,
            ty,
            name: syn::ext::IdentExt::unraw(ident).to_string(),
            constraints: Vec::new(),
            default: None,
        };
        if let Some(docs) = attrs::docs(&field.attrs) {
            read.constraints.push(quote!(description(field, #docs)));
        }
        let mut may_be_secret = false;
        let mut wire_name = None;
        for item in items {
            match item.key.text.as_str() {
                "rename" => wire_name = item.text(errors),
                "allow_secret" => may_be_secret = item.flag(errors),
                "default" => read.default = item.expr(errors).map(|expr| read.default(&expr)),
                _ => read.constraint(item, errors),
            }
        }
        let suspect = if looks_secret(&read.name) {
            Some((ident.to_token_stream(), read.name.clone()))
        } else {
            let renamed = wire_name
                .as_ref()
                .filter(|name| looks_secret(&name.value()));
            renamed.map(|name| (name.to_token_stream(), name.value()))
        };
        if let Some((tokens, name)) = suspect.filter(|_| !may_be_secret) {
            errors.at(
                tokens,
                format!(
                    "`{name}` looks like a secret, and what is typed into a form passes through \
                     the client: send the user to a page of yours with `Elicit::visit`, or write \
                     `#[form(allow_secret)]` if it is none"
                ),
            );
        }
        if let Some(name) = wire_name {
            read.name = name.value();
        }
        Some(read)
    }

    /// Returns the value of the field when it is left empty.
    fn default(&self, expr: &Expr) -> TokenStream {
        match types::is(self.ty, "Option")
            .then(|| types::argument_of(self.ty))
            .flatten()
        {
            Some(inner) => {
                let value = typed(expr, &inner);
                quote!(::core::option::Option::Some(#value))
            }
            None => typed(expr, self.ty),
        }
    }

    fn constraint(&mut self, item: Item, errors: &mut Errors) {
        let key = item.key.clone();
        let ty = self.ty;
        let value = match key.text.as_str() {
            "title" => {
                self.constraints
                    .extend(item.text(errors).map(|text| quote!(title(field, #text))));
                return;
            }
            "min" | "max" => item.expr(errors).map(|expr| number(&expr)),
            "min_length" | "max_length" | "min_items" | "max_items" => {
                item.expr(errors).map(|expr| expr.to_token_stream())
            }
            "format" => item.text(errors).and_then(|text| format(&text, errors)),
            _ => {
                item.unknown(&KEYS, errors);
                return;
            }
        };
        let Some(value) = value else { return };
        if misfits(ty, &key, errors) {
            return;
        }
        let function = Ident::new(&key.text, key.span());
        self.constraints
            .push(quote_spanned!(key.span()=> #function::<#ty>(field, #value)));
    }

    fn default_ident(&self) -> Ident {
        format_ident!("__default_{}", self.ident)
    }

    /// Returns the function that gives the default.
    fn default_fn(&self) -> Option<TokenStream> {
        let (ident, ty, value) = (self.default_ident(), self.ty, self.default.as_ref()?);
        Some(quote! {
            fn #ident() -> #ty {
                #value
            }
        })
    }

    fn schema(&self) -> TokenStream {
        let Self {
            ty,
            name,
            constraints,
            default,
            ..
        } = self;
        let given = default.is_some().then(|| self.default_ident()).into_iter();
        let filled = given
            .map(|given| quote!(let field = ::vuelta::__private::form::default(field, &#given());));
        let schema = quote_spanned!(ty.span()=> <#ty as ::vuelta::form::FormField>::schema());
        let required = match default {
            Some(_) => quote!(false),
            None => quote_spanned!(ty.span()=> <#ty as ::vuelta::form::FormField>::REQUIRED),
        };
        quote! {
            let field = #schema;
            #( let field = ::vuelta::__private::form::#constraints; )*
            #(#filled)*
            let form = if #required { form.required(#name, field) } else { form.optional(#name, field) };
        }
    }

    fn value(&self) -> TokenStream {
        let Self {
            ident,
            ty,
            name,
            default,
            ..
        } = self;
        let read = quote_spanned!(ty.span()=> <#ty as ::vuelta::form::FormField>::read);
        // A field that may be left empty and was, is empty: its default was only a proposal.
        match default.as_ref().filter(|_| !types::is(ty, "Option")) {
            Some(_) => {
                let default = self.default_ident();
                quote! {
                    #ident: ::vuelta::__private::form::read_or(&fields, #name, #read, #default)?
                }
            }
            None => quote!(#ident: ::vuelta::__private::form::read(&fields, #name, #read)?),
        }
    }

    fn duplicate(&self) -> TokenStream {
        let Self { ident, ty, .. } = self;
        let duplicate = quote_spanned!(ty.span()=> <#ty as ::vuelta::form::FormField>::duplicate);
        quote!(#ident: #duplicate(&self.#ident))
    }
}

const KEYS: [&str; 11] = [
    "title",
    "min",
    "max",
    "min_length",
    "max_length",
    "min_items",
    "max_items",
    "format",
    "default",
    "rename",
    "allow_secret",
];
