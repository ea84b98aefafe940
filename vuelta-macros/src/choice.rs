//! `#[derive(Form)]` on an enum: a choice that a field of a form may be.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Fields, ItemEnum, LitStr, Variant};

use crate::attrs::{self, check_repeated};
use crate::errors::Errors;
use crate::form::{is_plain, items};

/// A value to choose.
struct Choice<'v> {
    variant: &'v Variant,
    value: String,
    title: Option<String>,
}

/// Returns the implementation for an enum; `None` if it cannot have one.
pub(crate) fn choice(item: &ItemEnum, errors: &mut Errors) -> Option<TokenStream> {
    if !is_plain(&item.generics, errors) {
        return None;
    }
    for stray in items(&item.attrs, errors) {
        errors.at(
            &stray.key,
            "`#[form(..)]` is for the variants, not for the enum",
        );
    }
    if item.variants.is_empty() {
        errors.at(&item.ident, "a choice has at least one variant");
        return None;
    }
    let choices: Vec<Choice<'_>> = item
        .variants
        .iter()
        .map(|variant| Choice::read(variant, errors))
        .collect();
    for (index, choice) in choices.iter().enumerate() {
        if choices
            .iter()
            .take(index)
            .any(|other| other.value == choice.value)
        {
            let message = format!("two variants have the value {:?}", choice.value);
            errors.at(&choice.variant.ident, message);
        }
    }
    if choices
        .iter()
        .any(|choice| !matches!(choice.variant.fields, Fields::Unit))
    {
        return None;
    }
    let ident = &item.ident;
    let variants: Vec<_> = choices.iter().map(|choice| &choice.variant.ident).collect();
    let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    let schema = if choices.iter().any(|choice| choice.title.is_some()) {
        let titles = choices
            .iter()
            .map(|choice| choice.title.as_ref().unwrap_or(&choice.value));
        quote! {
            ::vuelta::wire::TitledSingleSelectSchema::new([
                #(::vuelta::EnumOption::new(#values, #titles)),*
            ])
        }
    } else {
        quote!(::vuelta::SingleSelectSchema::new([#(#values),*].map(::std::string::String::from)))
    };
    Some(quote! {
        #[automatically_derived]
        impl ::vuelta::form::FormField for #ident {
            fn schema() -> ::vuelta::PrimitiveSchema {
                ::core::convert::Into::into(#schema)
            }

            fn read(
                value: ::core::option::Option<&::vuelta::__private::serde_json::Value>,
            ) -> ::core::option::Option<Self> {
                match value?.as_str()? {
                    #( #values => ::core::option::Option::Some(Self::#variants), )*
                    _ => ::core::option::Option::None,
                }
            }

            fn write(&self) -> ::vuelta::__private::serde_json::Value {
                ::vuelta::__private::serde_json::Value::from(match self {
                    #( Self::#variants => #values, )*
                })
            }

            fn duplicate(&self) -> Self {
                match self {
                    #( Self::#variants => Self::#variants, )*
                }
            }
        }

        #[automatically_derived]
        impl ::vuelta::form::Choice for #ident {}
    })
}

impl<'v> Choice<'v> {
    fn read(variant: &'v Variant, errors: &mut Errors) -> Self {
        if !matches!(variant.fields, Fields::Unit) {
            errors.at(
                &variant.fields,
                format!(
                    "a choice has no data: take it away from `{}`",
                    variant.ident
                ),
            );
        }
        let items = items(&variant.attrs, errors);
        check_repeated(&items, &[], errors);
        let (mut value, mut title) = (None, None);
        for item in items {
            match item.key.text.as_str() {
                "rename" => value = item.text(errors),
                "title" => title = item.text(errors),
                _ => item.unknown(&["rename", "title"], errors),
            }
        }
        let title = title
            .as_ref()
            .map(LitStr::value)
            .or_else(|| attrs::docs(&variant.attrs));
        let value = value
            .as_ref()
            .map_or_else(|| variant.ident.unraw().to_string(), LitStr::value);
        Self {
            variant,
            value,
            title,
        }
    }
}
