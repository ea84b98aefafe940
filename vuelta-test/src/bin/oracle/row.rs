//! How the values of each kind of type are read and written: a plain value, an error, a
//! message.

pub(crate) mod legacy;
pub(crate) mod modern;

use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use vuelta::wire::jsonrpc::{
    Message, write_error, write_notification, write_request, write_result,
};
use vuelta::wire::*;

use crate::values::Sample;

/// One type of the peer.
pub(crate) struct Row {
    /// Its name there.
    pub(crate) name: &'static str,
    /// Decodes a value and encodes it again.
    pub(crate) reread: fn(&str) -> Outcome,
    /// What a value of the peer is to be when it is encoded again.
    pub(crate) expected: fn(Value) -> Value,
    /// What the peer keeps of a value that is built here: it drops what it does not know.
    pub(crate) kept: fn(Value) -> Value,
    /// Whether a value of the peer is of a part of the revision that is spoken here.
    pub(crate) is_spoken: fn(&Value) -> bool,
    /// The values that are built here.
    pub(crate) written: Vec<String>,
}

pub(crate) type Outcome = Result<String, Box<dyn Error>>;

impl Row {
    pub(crate) fn new(
        name: &'static str,
        reread: fn(&str) -> Outcome,
        written: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            name,
            reread,
            expected: |value| value,
            kept: |value| value,
            is_spoken: |_| true,
            written: written.into_iter().collect(),
        }
    }
}

pub(crate) fn json_of<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("samples encode")
}

/// A type that is itself the counterpart.
pub(crate) fn plain<T: Sample + Serialize + DeserializeOwned>(name: &'static str) -> Row {
    some::<T>(name, |_| true)
}

/// A type some of whose values are the counterpart.
pub(crate) fn some<T: Sample + Serialize + DeserializeOwned>(
    name: &'static str,
    is_one: impl Fn(&T) -> bool,
) -> Row {
    let samples = T::samples().into_iter().filter(is_one);
    Row::new(name, reread::<T>, samples.map(|value| json_of(&value)))
}

pub(crate) fn reread<T: Serialize + DeserializeOwned>(json: &str) -> Outcome {
    Ok(serde_json::to_string(&decode::<T>(json)?)?)
}

/// Errors with and, where the code allows it, without data.
fn errors(code: ErrorCode, data: Option<Value>) -> Vec<ErrorObject> {
    let error = ErrorObject::new(code, "message");
    match data {
        Some(data) => vec![error.data(data)],
        None => vec![error.clone(), error.data(json!([1, "text"]))],
    }
}

/// The error of a code, with each of the samples.
pub(crate) fn error(name: &'static str, code: ErrorCode, data: Option<Value>) -> Row {
    let written = errors(code, data).into_iter();
    Row::new(
        name,
        reread::<ErrorObject>,
        written.map(|error| json_of(&error)),
    )
}

/// The responses that carry an error.
pub(crate) fn error_response(name: &'static str, code: ErrorCode, data: Option<Value>) -> Row {
    let errors = errors(code, data);
    let ids = RequestId::samples();
    let written = ids
        .iter()
        .flat_map(|id| errors.iter().map(move |error| write_error(Some(id), error)));
    message(name, written.collect())
}

/// A JSON-RPC message whose payload stays raw.
pub(crate) fn message(name: &'static str, written: Vec<String>) -> Row {
    Row::new(name, reread_message, written)
}

fn reread_message(json: &str) -> Outcome {
    Ok(match Message::parse(json.as_bytes())? {
        Message::Request(request) => {
            let params = request.params.map(Raw::from);
            let params = params.unwrap_or_else(|| Raw::from(json!({})));
            write_request(&request.id, &request.method, &params)?
        }
        Message::Notification(told) => write_notification(&told.method, told.params)?,
        Message::Response(response) => match response.outcome {
            Ok(result) => write_result(&response.id.ok_or("no id")?, &Raw::from(result)),
            Err(error) => write_error(response.id.as_ref(), &error),
        },
    })
}
