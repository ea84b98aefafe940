//! Questions about a type as it is written: a macro sees no more of it than its name.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Takes away parentheses, and the groups that `macro_rules!` puts around a type.
pub(crate) fn ungroup(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}

/// Returns the last segment of a path: `Elicit<Region>` of `vuelta::Elicit<Region>`.
pub(crate) fn last(ty: &Type) -> Option<&PathSegment> {
    match ungroup(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// Returns whether the last segment of the type has this name.
pub(crate) fn is(ty: &Type, name: &str) -> bool {
    last(ty).is_some_and(|segment| segment.ident == name)
}

/// Returns the first type among the arguments of the last segment: `T` of `Vec<T>`.
pub(crate) fn argument_of(ty: &Type) -> Option<Type> {
    let PathArguments::AngleBracketed(arguments) = &last(ty)?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// Returns every place where one of `names` is the last segment of a path, however deep.
pub(crate) fn mentions(ty: &Type, names: &[&str]) -> Vec<TokenTree> {
    let mut found = Vec::new();
    collect(ty.to_token_stream(), names, &mut found);
    found
}

fn collect(tokens: TokenStream, names: &[&str], found: &mut Vec<TokenTree>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Group(group) => collect(group.stream(), names, found),
            TokenTree::Ident(ident) if names.iter().any(|name| ident == name) => {
                // A module of that name is followed by a colon.
                let is_last = !matches!(
                    tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':'
                );
                if is_last {
                    found.push(token);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether the type borrows something, as far as it shows.
pub(crate) fn has_reference(ty: &Type) -> bool {
    ty.to_token_stream()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '&'))
}

/// Writes the type of an `impl` block in place of `Self`.
pub(crate) fn replace_self(ty: &Type, own: &Type) -> Type {
    let own = quote!(#own);
    syn::parse2(replace(ty.to_token_stream(), &own)).unwrap_or_else(|_| ty.clone())
}

fn replace(tokens: TokenStream, own: &TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => own.clone(),
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), replace(group.stream(), own));
            replaced.set_span(group.span());
            TokenTree::Group(replaced).into()
        }
        other => other.into(),
    });
    tokens.collect()
}

/// Returns a type as people write it.
pub(crate) fn text(ty: &Type) -> String {
    tidy(&ungroup(ty).to_token_stream().to_string())
}

/// Takes away the spaces that printed tokens have.
fn tidy(text: &str) -> String {
    let mut tidied = String::new();
    for word in text.split_whitespace() {
        let opens = tidied.ends_with(['<', '(', '[', '&', ':']);
        let follows = tidied.is_empty() || word.starts_with(['<', '>', ',', ')', ']', ':', ';']);
        if !opens && !follows {
            tidied.push(' ');
        }
        tidied.push_str(word);
    }
    tidied
}
