//! `#[prompt]`: a function that gives messages for the model.

use proc_macro2::TokenStream;
use syn::LitStr;

use crate::arguments::Published;
use crate::attrs::{COMMON, Common, Item, check_repeated};
use crate::errors::Errors;
use crate::function::Function;
use crate::handler::{self, Parts, refuses_asking};
use crate::params::Host;

pub(crate) fn expand(attr: TokenStream, item: &TokenStream) -> TokenStream {
    handler::expand(Host::Prompt, attr, item, parts)
}

/// Reads the arguments of the attribute.
pub(crate) fn parts(function: &Function, items: Vec<Item>, errors: &mut Errors) -> Parts {
    check_repeated(&items, &["icon", "meta"], errors);
    let mut common = Common::default();
    for item in items {
        if let Some(item) = common.take(item, errors) {
            item.unknown(&COMMON, errors);
        }
    }
    Parts {
        name: common
            .name
            .as_ref()
            .map_or_else(|| function.name(), LitStr::value),
        uri: None,
        published: Published::default(),
        setters: common.setters(function.docs.as_deref()),
        before: TokenStream::new(),
        reads_with: TokenStream::new(),
        refuses_asking: refuses_asking(function),
    }
}
