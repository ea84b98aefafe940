//! The arguments of the attributes: `key`, `key = value` and `key(..)`, each checked where it
//! stands.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Token, parenthesized, token};

use crate::errors::Errors;

/// One argument of an attribute.
pub(crate) struct Item {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

/// The name of an argument: a word, or text where any text is allowed.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) is_quoted: bool,
    tokens: TokenStream,
}

pub(crate) enum Value {
    None,
    Expr(Expr),
    List(Vec<Item>),
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            Key {
                text: text.value(),
                is_quoted: true,
                tokens: text.into_token_stream(),
            }
        } else {
            let ident = input.call(Ident::parse_any)?;
            let text = ident.unraw().to_string();
            Key {
                text,
                is_quoted: false,
                tokens: ident.into_token_stream(),
            }
        };
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Expr(input.parse()?)
        } else if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            Value::List(parse_items(&content)?)
        } else {
            Value::None
        };
        Ok(Self { key, value })
    }
}

/// Reads the arguments of an attribute.
pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Vec<Item> {
    errors.keep(parse_items.parse2(tokens)).unwrap_or_default()
}

pub(crate) fn parse_items(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let items = Punctuated::<Item, Token![,]>::parse_terminated(input)?;
    Ok(items.into_iter().collect())
}

impl ToTokens for Key {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

impl Item {
    /// Returns the text of `key = "text"`.
    pub(crate) fn text(self, errors: &mut Errors) -> Option<LitStr> {
        let key = self.key;
        match self.value {
            Value::Expr(Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            })) => Some(text),
            Value::Expr(other) => {
                errors.at(other, format!("`{}` takes a text in quotes", key.text));
                None
            }
            Value::None | Value::List(_) => {
                errors.at(&key, format!("write `{} = \"..\"`", key.text));
                None
            }
        }
    }

    /// Returns the value of `key = value`.
    pub(crate) fn expr(self, errors: &mut Errors) -> Option<Expr> {
        let Value::Expr(expr) = self.value else {
            errors.at(&self.key, format!("write `{} = ..`", self.key.text));
            return None;
        };
        Some(expr)
    }

    /// Returns whether a `key`, or `key = true`, is set.
    pub(crate) fn flag(self, errors: &mut Errors) -> bool {
        match self.value {
            Value::None => true,
            Value::Expr(Expr::Lit(ExprLit {
                lit: Lit::Bool(value),
                ..
            })) => value.value,
            Value::Expr(_) | Value::List(_) => {
                let key = &self.key.text;
                errors.at(&self.key, format!("write `{key}`, or `{key} = false`"));
                false
            }
        }
    }

    /// Returns the items of `key(..)`.
    pub(crate) fn list(self, errors: &mut Errors) -> Vec<Item> {
        let Value::List(items) = self.value else {
            errors.at(&self.key, format!("write `{}(..)`", self.key.text));
            return Vec::new();
        };
        items
    }

    /// Reports a key that the attribute does not have.
    pub(crate) fn unknown(&self, known: &[&str], errors: &mut Errors) {
        let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
        let message = format!(
            "`{}` is not known here: use {}",
            self.key.text,
            known.join(", ")
        );
        errors.at(&self.key, message);
    }
}

/// Reports every key that is there twice, unless it may be.
pub(crate) fn check_repeated(items: &[Item], repeatable: &[&str], errors: &mut Errors) {
    for (index, item) in items.iter().enumerate() {
        let key = &item.key.text;
        let before = items.iter().take(index).any(|other| other.key.text == *key);
        if before && !repeatable.contains(&key.as_str()) {
            errors.at(&item.key, format!("`{key}` is there twice"));
        }
    }
}

/// What tools, prompts and resources have in common.
#[derive(Default)]
pub(crate) struct Common {
    pub(crate) name: Option<LitStr>,
    title: Option<Expr>,
    description: Option<Expr>,
    icons: Vec<LitStr>,
    meta: Vec<(String, Expr)>,
    timeout: Option<u64>,
}

/// The keys of [`Common`], to be named in errors.
pub(crate) const COMMON: [&str; 6] = ["name", "title", "description", "icon", "meta", "timeout"];

impl Common {
    /// Takes an argument; gives it back if it is none of these.
    pub(crate) fn take(&mut self, item: Item, errors: &mut Errors) -> Option<Item> {
        match item.key.text.as_str() {
            "name" => {
                self.name = item.text(errors);
                if let Some(name) = self.name.as_ref().filter(|name| name.value().is_empty()) {
                    errors.at(name, "a name is not empty");
                }
            }
            "title" => self.title = item.expr(errors),
            "description" => self.description = item.expr(errors),
            "icon" => self
                .icons
                .extend(item.text(errors).filter(|icon| is_icon(icon, errors))),
            "meta" => {
                for member in item.list(errors) {
                    let key = member.key.text.clone();
                    self.meta
                        .extend(member.expr(errors).map(|value| (key, value)));
                }
            }
            "timeout" => self.timeout = item.text(errors).and_then(|text| duration(&text, errors)),
            _ => return Some(item),
        }
        None
    }

    /// Returns the setters to call on a spec.
    pub(crate) fn setters(&self, docs: Option<&str>) -> TokenStream {
        let description = match (&self.description, docs) {
            (Some(description), _) => Some(quote!(.description(#description))),
            (None, Some(docs)) => Some(quote!(.description(#docs))),
            (None, None) => None,
        };
        let title = self.title.iter();
        let icons = &self.icons;
        let meta = self
            .meta
            .iter()
            .map(|(key, value)| quote!(.meta(#key, #value)));
        let timeout = self.timeout.iter();
        quote! {
            #description
            #(.title(#title))*
            #(.icon(::vuelta::Icon::new(#icons)))*
            #(#meta)*
            #(.timeout(::core::time::Duration::from_millis(#timeout)))*
        }
    }
}

/// Icons are `https:` or `data:` URIs, by the specification.
fn is_icon(icon: &LitStr, errors: &mut Errors) -> bool {
    let allowed = ["https:", "data:"]
        .iter()
        .any(|scheme| icon.value().starts_with(scheme));
    if !allowed {
        errors.at(icon, "an icon is an `https:` or `data:` URI");
    }
    allowed
}

/// Reads `250ms`, `30s` or `5m`.
fn duration(text: &LitStr, errors: &mut Errors) -> Option<u64> {
    let value = text.value();
    let digits = value.trim_end_matches(|end: char| !end.is_ascii_digit());
    let unit = match &value[digits.len()..] {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    let number = digits.parse::<u64>().ok().filter(|number| *number > 0);
    let millis = number
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    if millis.is_none() {
        errors.at(text, "write a time such as \"250ms\", \"30s\" or \"5m\"");
    }
    millis
}

/// Returns the text of doc comments; `None` if there are none.
pub(crate) fn docs(attrs: &[Attribute]) -> Option<String> {
    let lines = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("doc"))
        .filter_map(|attr| match &attr.meta.require_name_value().ok()?.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) => Some(line.value()),
            _ => None,
        });
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}
