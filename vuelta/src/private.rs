//! What the macros write and nobody else calls; not part of the public interface.

use std::future::Future;
use std::pin::Pin;

use serde::de::DeserializeOwned;

pub use schemars;
pub use serde;
pub use serde_json;
pub use tokio::join;

pub use crate::resolve::needs::{missing_argument, text, text_len, utf8};

use crate::resolve::{Answer, Gives, Halted, ResolveFor, Resolved, Resolver, RoundCx};

/// Constraints of fields.
pub mod form {
    pub use crate::form::constraint::{
        default, description, format, max, max_items, max_length, min, min_items, min_length, read,
        read_or, title,
    };
}

/// What a type was checked by: where that constant does not compile, the type is unknown, and
/// nothing else is said about it.
#[derive(Debug)]
pub struct Valid<const OK: bool>(());

/// Gives a checked type back.
pub trait Pick<T> {
    /// The type.
    type Type;
}

impl<T> Pick<T> for Valid<true> {
    type Type = T;
}

/// Checks that a type is a resolver.
#[must_use]
pub const fn resolver<R: Resolver>() -> bool {
    true
}

/// What the resolver `R` gives.
#[diagnostic::on_unimplemented(
    message = "the resolver `{R}` does not give a `{Self}`",
    label = "not what `{R}` gives",
    note = "write the type that the resolver gives, or `Answer<..>` of it to branch on a refusal"
)]
pub trait GivenBy<R>: Sized {
    /// Returns the value; a refusal is an error.
    ///
    /// # Errors
    ///
    /// Returns that the user refused, or that the question waits.
    fn value(resolved: &Resolved<R>, name: &str) -> Result<Self, Halted>;

    /// Returns what the user did.
    ///
    /// # Errors
    ///
    /// Returns that the question waits.
    fn answer(resolved: &Resolved<R>) -> Result<Answer<Self>, Halted>;
}

#[diagnostic::do_not_recommend]
impl<R: Gives<T>, T> GivenBy<R> for T {
    fn value(resolved: &Resolved<R>, name: &str) -> Result<T, Halted> {
        resolved.take(name)
    }

    fn answer(resolved: &Resolved<R>) -> Result<Answer<T>, Halted> {
        resolved.answer()
    }
}

/// Resolves the parameter `name`; what comes back names no resolver, so that one mistake is
/// one error.
pub fn resolve<'c, A, R, T>(
    cx: &'c RoundCx<A>,
    name: &'static str,
) -> Pin<Box<dyn Future<Output = Result<T, Halted>> + Send + 'c>>
where
    A: Send + Sync,
    R: ResolveFor<A>,
    T: GivenBy<R> + 'c,
{
    Box::pin(async move { T::value(&cx.resolve::<R>().await?, name) })
}

/// Resolves a parameter that wants to branch on a refusal.
pub fn answer<'c, A, R, T>(
    cx: &'c RoundCx<A>,
) -> Pin<Box<dyn Future<Output = Result<Answer<T>, Halted>> + Send + 'c>>
where
    A: Send + Sync,
    R: ResolveFor<A>,
    T: GivenBy<R> + 'c,
{
    Box::pin(async move { T::answer(&cx.resolve::<R>().await?) })
}

/// What an argument of the model must be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of the model",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "put `#[derive(serde::Deserialize, schemars::JsonSchema)]` on the type; for shared \
            state write `&{Self}`"
)]
pub trait Argument {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + schemars::JsonSchema + Send + Sync + 'static> Argument for T {}

/// Checks that a type can be an argument.
#[must_use]
pub const fn argument<T: Argument>() -> bool {
    true
}

/// Removes `null` from the types of an optional argument: it is left out instead.
pub fn without_null(schema: &mut schemars::Schema) {
    if let Some(serde_json::Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
}
