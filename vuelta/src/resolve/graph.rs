//! The graph of resolvers, as types: what is missing or goes in a circle does not compile.

use std::future::Future;

use crate::mcp::Graph;
use crate::resolve::{Halted, NeededArgument, Produced, RoundCx};

/// A value that a tool, prompt or template resource needs and that is worked out before it
/// runs; it may ask one question.
///
/// `#[resolver]` writes this for a function. By hand it is:
///
/// ```
/// use vuelta::resolve::{
///     Arg, Halted, Is, NeededArgument, Produced, ResolveFor, Resolver, RoundCx, name_hash,
/// };
///
/// struct Shout;
///
/// impl Resolver for Shout {
///     const KEY: &'static str = "shout";
///     const DEPTH: usize = 1;
///     const ARGUMENTS: &'static [NeededArgument] =
///         &[NeededArgument::new("name", "String", "shout")];
///     type Output = String;
///
///     fn share(value: &String) -> String {
///         value.clone()
///     }
/// }
///
/// // For every call that has an argument `name` of type `String`.
/// impl<A> ResolveFor<A> for Shout
/// where
///     A: Arg<{ name_hash("name") }, Type: Is<String>> + Send + Sync,
/// {
///     async fn run(cx: &RoundCx<A>) -> Result<Produced<String>, Halted> {
///         let name: &String = cx.arg::<{ name_hash("name") }>().get();
///         Ok(Produced::Known(name.to_uppercase()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resolver",
    label = "`#[resolve(..)]` takes the name of a resolver",
    note = "write `#[resolver]` on the function"
)]
pub trait Resolver: Sized + 'static {
    /// The key of its question on the wire.
    const KEY: &'static str;
    /// One more than the depth of its deepest dependency; a circle has none, so it does not
    /// compile.
    const DEPTH: usize;
    /// The arguments of the call that it uses, itself or through its dependencies.
    const ARGUMENTS: &'static [NeededArgument];
    /// What it gives.
    type Output: Send + Sync + 'static;

    /// Makes a consumer's copy of what it gave.
    fn share(value: &Self::Output) -> Self::Output;

    /// Tells which resolvers and which shared state it needs, itself among them.
    fn describe(graph: &mut Graph) {
        graph.add::<Self>();
    }
}

/// A [`Resolver`] that can run for a call with these arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resolver",
    label = "`#[resolve(..)]` takes the name of a resolver",
    note = "write `#[resolver]` on the function"
)]
pub trait ResolveFor<A>: Resolver {
    /// Works the value out, or says what to ask.
    ///
    /// # Errors
    ///
    /// Returns why the call ends, or that a dependency still waits for an answer.
    fn run(cx: &RoundCx<A>) -> impl Future<Output = Result<Produced<Self::Output>, Halted>> + Send;
}

/// An argument of a call, found by the hash of its name at compile time.
#[diagnostic::on_unimplemented(
    message = "the call has no argument of the name that a resolver uses",
    note = "add the argument to the tool, or mark the resolver's parameter with `#[resolve(..)]`"
)]
pub trait Arg<const NAME: u64> {
    /// The type of the argument.
    type Type: Send + Sync + 'static;

    /// Returns the argument.
    fn arg(&self) -> &Self::Type;
}

/// The type of an argument that is a `T`: every type is itself, and no other.
#[diagnostic::on_unimplemented(
    message = "an argument of the call is a `{Self}`, but its resolver takes a `{T}` by that name",
    label = "uses an argument of this call as a `{T}`, which is a `{Self}`",
    note = "give the resolver's parameter the type of the argument, or another name"
)]
pub trait Is<T> {
    /// Returns itself.
    fn get(&self) -> &T;
}

impl<T> Is<T> for T {
    fn get(&self) -> &T {
        self
    }
}

/// A resolver that gives a `T`: what a parameter marked with it must be.
#[diagnostic::on_unimplemented(
    message = "the resolver `{Self}` does not give a `{T}`",
    label = "the parameter is of another type than what its resolver gives",
    note = "write the type that the resolver gives, or `Answer<..>` of it to branch on a refusal"
)]
pub trait Gives<T>: Resolver {
    /// Returns the value as what the parameter is.
    fn give(value: Self::Output) -> T;
}

impl<R: Resolver> Gives<R::Output> for R {
    fn give(value: R::Output) -> R::Output {
        value
    }
}

/// Returns the hash of a parameter's name (FNV-1a, 64 bits).
#[must_use]
pub const fn name_hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut index = 0;
    while index < bytes.len() {
        hash ^= bytes[index] as u64;
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}

/// Returns the greater of two depths.
#[must_use]
pub const fn deeper(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
