//! What a cell of the matrix is checked with; a failure says what was found and what was wanted.

use std::error::Error;
use std::fmt::Debug;
use std::time::Duration;

use serde_json::{Value, json};
use vuelta::{ErrorCode, Raw};

/// Why a check failed.
pub type Failure = Box<dyn Error + Send + Sync>;

/// How a check ended.
pub(super) type Checked = Result<(), Failure>;

/// How long one check may take; the Python client runs all of its scenarios in one.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for a check, no longer than it may take.
pub(super) async fn in_time<T>(
    check: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::time::timeout(PATIENCE, check)
        .await
        .unwrap_or_else(|_| Err(format!("not done after {PATIENCE:?}").into()))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "its calls read like `assert_eq!`"
)]
pub(super) fn equal<F, W>(what: &str, found: F, wanted: W) -> Checked
where
    F: Debug + PartialEq<W>,
    W: Debug,
{
    if found == wanted {
        return Ok(());
    }
    Err(format!("{what}: found {found:?}, expected {wanted:?}").into())
}

/// Checks that a call failed with this error of the protocol, and returns the error's data.
pub(super) fn refused<T>(
    result: vuelta::Result<T>,
    code: ErrorCode,
    message: &str,
) -> Result<Value, Failure> {
    let Err(error) = result else {
        return Err(format!("a result, where {message:?} was expected").into());
    };
    let Some(object) = error.as_rpc() else {
        return Err(error.into());
    };
    equal("error code", object.code, code)?;
    equal("error message", object.message.as_ref(), message)?;
    Ok(object
        .data
        .as_ref()
        .map(Raw::parse)
        .transpose()?
        .unwrap_or_default())
}

/// Checks that a state was refused, in the only way in which a state is refused.
pub(super) fn state_refused<T>(result: vuelta::Result<T>) -> Checked {
    let data = refused(
        result,
        ErrorCode::INVALID_PARAMS,
        "Invalid or expired requestState",
    )?;
    equal(
        "error data",
        data,
        json!({ "reason": "invalid_request_state" }),
    )
}
