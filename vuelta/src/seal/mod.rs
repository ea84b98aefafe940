//! Sealing of `requestState`.
//!
//! A server that asks something sends its progress to the client and gets it back with the
//! answers. In between the text is in the hands of a party that may be hostile, so it is sealed:
//! the client cannot read it, cannot change it, and cannot use it later than allowed, for another
//! request, at another server, or as someone else.
//!
//! * [`Keyring`] turns a payload into a token and back; [`StateCodec`] is the contract for
//!   something else in its place.
//! * The payload carries claims about the request, the audience, the principal and the time; they
//!   are checked after opening, whatever the codec is.
//! * The arguments of a request are bound by a digest of their canonical JSON.
//!
//! A refused token has one answer on the wire, always the same; the reason goes to the log. A
//! token may be used more than once while it is valid.

mod aead;
pub(crate) mod ascii;
mod boundary;
pub(crate) mod claims;
mod codec;
pub(crate) mod digest;
mod keyring;
mod policy;

pub use boundary::RequestStateBoundary;
pub use codec::{InvalidRequestState, SealError, StateCodec};
pub use keyring::{Keyring, KeyringError};
pub use policy::{Audience, RequestStateSecurity};
