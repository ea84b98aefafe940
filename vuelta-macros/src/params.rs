//! What each parameter of a function is: an argument of the model, what a resolver gives, the
//! request, questions, or shared state.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprLit, FnArg, Ident, Lit, Meta, Pat, PatType, Path, ReceiverKind, Type,
};

use crate::attrs::{self, Item, Value};
use crate::errors::Errors;
use crate::types;

/// The kind of function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Tool,
    Prompt,
    Resource,
    Resolver,
}

impl Host {
    /// Returns the word for it.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Resolver => "resolver",
        }
    }
}

pub(crate) enum Param {
    /// An argument of the model; of a resolver, an argument of the call.
    Argument(Argument),
    /// What a resolver gives.
    Resolved(Resolved),
    /// The request.
    Context { by_ref: bool },
    /// Questions inside the body.
    Ask { by_ref: bool, ty: Type },
    /// A value that all calls share.
    State(Type),
}

pub(crate) struct Argument {
    /// The name in the function, without `r#`.
    pub(crate) name: String,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Doc comments and the attributes of serde and schemars.
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) default: Option<Default>,
}

/// The value of an argument that is left out.
pub(crate) enum Default {
    OfType,
    Expr(Expr),
}

pub(crate) struct Resolved {
    pub(crate) name: String,
    pub(crate) resolver: Path,
    /// What the resolver must give.
    pub(crate) ty: Type,
    /// Whether the function wants to branch on a refusal.
    pub(crate) is_answer: bool,
}

impl Argument {
    /// Returns the name on the wire.
    pub(crate) fn wire_name(&self) -> String {
        let mut renamed = None;
        for attr in self
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("serde"))
        {
            // Whatever else there is, serde checks.
            let Ok(items) = attr.parse_args_with(attrs::parse_items) else {
                continue;
            };
            for Item { key, value } in items {
                if let Value::Expr(Expr::Lit(ExprLit {
                    lit: Lit::Str(name),
                    ..
                })) = value
                    && key.text == "rename"
                {
                    renamed = Some(name.value());
                }
            }
        }
        renamed.unwrap_or_else(|| self.name.clone())
    }

    /// Returns whether it may be left out.
    pub(crate) fn is_optional(&self) -> bool {
        let by_serde = self
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("serde"))
            .any(|attr| {
                let items = attr.parse_args_with(attrs::parse_items).unwrap_or_default();
                items.iter().any(|item| item.key.text == "default")
            });
        self.default.is_some() || by_serde || types::is(&self.ty, "Option")
    }
}

/// Reads a parameter and takes our attributes off it; `None` if it is an error.
///
/// `receiver` is the type of `self` among methods.
pub(crate) fn take(
    arg: &mut FnArg,
    host: Host,
    receiver: Option<&Type>,
    errors: &mut Errors,
) -> Option<Param> {
    match arg {
        FnArg::Receiver(own) => {
            if let ReceiverKind::Reference(_, _, None) = own.kind {
                return receiver.cloned().map(Param::State);
            }
            errors.at(own, "write `&self`: the value is shared by all calls");
            None
        }
        FnArg::Typed(param) => typed(param, host, receiver, errors),
    }
}

/// The attributes of a parameter that are ours.
#[derive(Default)]
struct Marks {
    resolver: Option<Path>,
    default: Option<(Attribute, Default)>,
    passed: Vec<Attribute>,
}

impl Marks {
    fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut marks = Self::default();
        let mut left = Vec::new();
        for attr in attrs.drain(..) {
            let path = attr.path();
            if path.is_ident("resolve") {
                if marks.resolver.is_some() {
                    errors.at(&attr, "a parameter has one resolver");
                }
                match attr.parse_args::<Path>() {
                    Ok(path) => marks.resolver = Some(path),
                    Err(_) => errors.at(&attr, "write the name of a resolver: `#[resolve(name)]`"),
                }
            } else if path.is_ident("default") {
                let default = match &attr.meta {
                    Meta::Path(_) => Default::OfType,
                    Meta::NameValue(pair) => Default::Expr(pair.value.clone()),
                    Meta::List(_) => {
                        errors.at(&attr, "write `#[default]` or `#[default = ..]`");
                        continue;
                    }
                };
                marks.default = Some((attr, default));
            } else if ["doc", "serde", "schemars"]
                .iter()
                .any(|name| path.is_ident(name))
            {
                marks.passed.push(attr);
            } else if path.is_ident("cfg") || path.is_ident("cfg_attr") {
                errors.at(
                    &attr,
                    "a parameter cannot be there on a condition: write two functions",
                );
            } else {
                left.push(attr);
            }
        }
        *attrs = left;
        marks
    }

    /// Reports what only an argument may have.
    fn refuse(&self, what: &str, errors: &mut Errors) {
        let passed = self
            .passed
            .iter()
            .filter(|attr| !attr.path().is_ident("doc"));
        for attr in passed.chain(self.default.iter().map(|(attr, _)| attr)) {
            errors.at(
                attr,
                format!("this is for an argument of the model, and here is {what}"),
            );
        }
    }
}

fn typed(
    param: &mut PatType,
    host: Host,
    receiver: Option<&Type>,
    errors: &mut Errors,
) -> Option<Param> {
    let marks = Marks::take(&mut param.attrs, errors);
    let ty = match receiver {
        Some(own) => types::replace_self(&param.ty, own),
        None => types::ungroup(&param.ty).clone(),
    };
    if let Some(resolver) = marks.resolver.clone() {
        marks.refuse("what a resolver gives", errors);
        let ident = named(&param.pat, errors)?;
        return resolved(ident.unraw().to_string(), resolver, &ty, errors);
    }
    let (inner, by_ref) = match &ty {
        Type::Reference(reference) => {
            if let Some(mutable) = &reference.mutability {
                errors.at(
                    mutable,
                    "shared by all calls: write `&T`, and use a `Mutex` inside",
                );
                return None;
            }
            (types::ungroup(&reference.elem).clone(), true)
        }
        other => (other.clone(), false),
    };
    if types::is(&inner, "Context") {
        marks.refuse("the request", errors);
        return Some(Param::Context { by_ref });
    }
    if types::is(&inner, "Ask") {
        marks.refuse("`Ask`", errors);
        if host == Host::Resolver {
            errors.at(
                &param.ty,
                "a resolver asks by returning `Elicit`, `Sample` or `ListRoots`: `Ask` is for \
                 the bodies of tools, prompts and template resources",
            );
            return None;
        }
        return Some(Param::Ask { by_ref, ty });
    }
    if by_ref {
        marks.refuse("shared state", errors);
        return state(&param.ty, inner, errors);
    }
    argument(param, ty, marks, host, errors)
}

fn resolved(name: String, resolver: Path, ty: &Type, errors: &mut Errors) -> Option<Param> {
    if let Type::Reference(reference) = ty {
        let inner = types::text(&reference.elem);
        errors.at(
            ty,
            format!("a resolver gives the value itself: write `{inner}`"),
        );
        return None;
    }
    if types::is(ty, "Answer") {
        let Some(inner) = types::argument_of(ty) else {
            errors.at(ty, "write what the resolver gives: `Answer<T>`");
            return None;
        };
        return Some(Param::Resolved(Resolved {
            name,
            resolver,
            ty: inner,
            is_answer: true,
        }));
    }
    Some(Param::Resolved(Resolved {
        name,
        resolver,
        ty: ty.clone(),
        is_answer: false,
    }))
}

fn state(written: &Type, inner: Type, errors: &mut Errors) -> Option<Param> {
    let owned = match &inner {
        Type::Slice(slice) => Some(format!("Vec<{}>", types::text(&slice.elem))),
        Type::Path(path) if path.path.is_ident("str") => Some("String".to_owned()),
        _ => None,
    };
    if let Some(owned) = owned {
        errors.at(
            written,
            format!("an argument of the model is owned: write `{owned}`"),
        );
        return None;
    }
    if let Type::TraitObject(_) | Type::ImplTrait(_) = inner {
        errors.at(
            written,
            "shared state is found by its type: write a struct that holds the trait object",
        );
        return None;
    }
    Some(Param::State(inner))
}

fn argument(
    param: &PatType,
    ty: Type,
    marks: Marks,
    host: Host,
    errors: &mut Errors,
) -> Option<Param> {
    let ident = named(&param.pat, errors)?.clone();
    let name = ident.unraw().to_string();
    if let Some(public) = name.strip_prefix('_') {
        let public = public.trim_start_matches('_');
        let better = if public.is_empty() { "value" } else { public };
        errors.at(
            &ident,
            format!("rename `{name}` to `{better}`: the model reads the name of an argument"),
        );
        return None;
    }
    if types::is(&ty, "Arc") {
        let inner = types::argument_of(&ty).map_or_else(|| "T".to_owned(), |ty| types::text(&ty));
        errors.at(
            &param.ty,
            format!(
                "an argument of the model is no `Arc`: write `{name}: &{inner}` for shared state"
            ),
        );
        return None;
    }
    if matches!(ty, Type::ImplTrait(_)) || types::has_reference(&ty) {
        errors.at(
            &param.ty,
            format!("the argument `{name}` needs an owned type, such as `String`"),
        );
        return None;
    }
    if host == Host::Resolver {
        marks.refuse(
            "a resolver's parameter: put it on the argument of the tool",
            errors,
        );
    }
    let Marks {
        default,
        passed: attrs,
        ..
    } = marks;
    let default = default.map(|(_, default)| default);
    Some(Param::Argument(Argument {
        name,
        ident,
        ty,
        attrs,
        default,
    }))
}

/// Returns the name of a parameter.
fn named<'p>(pat: &'p Pat, errors: &mut Errors) -> Option<&'p Ident> {
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(&pat.ident),
        other => {
            errors.at(
                other,
                "this parameter needs a name: write `name: T`, and take it apart in the body",
            );
            None
        }
    }
}

impl Resolved {
    /// Returns where the resolver is named.
    pub(crate) fn span(&self) -> Span {
        self.resolver.span()
    }
}
