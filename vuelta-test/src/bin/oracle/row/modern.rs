//! How params, results and notifications are read and written at 2026-07-28.

use std::error::Error;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use vuelta::wire::jsonrpc::{Message, write_notification, write_request, write_result};
use vuelta::wire::meta::{SERVER_INFO, SUBSCRIPTION_ID};
use vuelta::wire::methods::*;
use vuelta::wire::modern::*;
use vuelta::wire::*;

use super::{Outcome, Row, reread};
use crate::values::{Sample, least};

pub(crate) fn write_told(told: &ServerNotification) -> Outcome {
    Ok(write_notification(
        told.method(),
        told.encode_params()?.as_ref(),
    )?)
}

pub(crate) fn reread_told(json: &str) -> Outcome {
    let Message::Notification(told) = Message::parse(json.as_bytes())? else {
        return Err("no notification".into());
    };
    let told = ServerNotification::decode(&told.method, told.params.map(RawValue::get))?;
    if matches!(told, ServerNotification::Custom { .. }) {
        return Err("an unknown notification".into());
    }
    write_told(&told)
}

pub(crate) fn reread_answer(json: &str) -> Outcome {
    let answer: Meta = decode(json)?;
    if answer.get("action").is_some() {
        reread::<ElicitResult>(json)
    } else if answer.get("roots").is_some() {
        reread::<ListRootsResult>(json)
    } else {
        reread::<CreateMessageResult>(json)
    }
}

pub(crate) fn missing() -> Value {
    json!({"requiredCapabilities": least::<ClientCapabilities>()})
}

pub(crate) fn unsupported() -> Value {
    json!({"supported": [ProtocolVersion::V2026_07_28], "requested": "2099-01-01"})
}

/// The params of a method, with the envelope in `_meta`.
pub(crate) fn params<M: Method<Params: Sample>>(name: &'static str) -> Row {
    let reread = |json: &str| Ok(reread_params::<M>(json)?.get().to_owned());
    let written = written_params::<M>().into_iter();
    Row::new(name, reread, written.map(|params| params.get().to_owned()))
}

fn written_params<M: Method<Params: Sample>>() -> Vec<Raw> {
    let metas = RequestMeta::samples();
    let params = M::Params::samples().into_iter();
    params
        .zip(&metas)
        .map(|(params, meta)| encode_params(&params, meta).expect("encodes"))
        .collect()
}

fn reread_params<M: Method>(json: &str) -> Result<Raw, Box<dyn Error>> {
    let meta: RequestMeta = decode(envelope(Some(json))?.meta)?;
    let params: M::Params = decode(json)?;
    Ok(encode_params(&params, &meta)?)
}

pub(crate) fn requests<M: Method<Params: Sample>>() -> Vec<String> {
    let ids = RequestId::samples().into_iter().cycle();
    let params = written_params::<M>().into_iter();
    params
        .zip(ids)
        .map(|(params, id)| write_request(&id, M::NAME, &params).expect("encodes"))
        .collect()
}

/// The request of a method.
pub(crate) fn request<M: Method<Params: Sample>>(name: &'static str) -> Row {
    Row::new(name, reread_request, requests::<M>())
}

pub(crate) fn reread_request(json: &str) -> Outcome {
    let Message::Request(request) = Message::parse(json.as_bytes())? else {
        return Err("no request".into());
    };
    let params = request.params.ok_or("no params")?.get();
    let params = match &*request.method {
        CallTool::NAME => reread_params::<CallTool>(params),
        Complete::NAME => reread_params::<Complete>(params),
        Discover::NAME => reread_params::<Discover>(params),
        GetPrompt::NAME => reread_params::<GetPrompt>(params),
        Listen::NAME => reread_params::<Listen>(params),
        ListPrompts::NAME => reread_params::<ListPrompts>(params),
        ListResources::NAME => reread_params::<ListResources>(params),
        ListResourceTemplates::NAME => reread_params::<ListResourceTemplates>(params),
        ListTools::NAME => reread_params::<ListTools>(params),
        ReadResource::NAME => reread_params::<ReadResource>(params),
        other => Err(format!("unknown method {other}").into()),
    }?;
    Ok(write_request(&request.id, &request.method, &params)?)
}

pub(crate) fn server() -> Raw {
    Raw::encode(&least::<Implementation>()).expect("encodes")
}

/// The result of a method.
pub(crate) fn result<M: Method>(name: &'static str, written: &[Raw]) -> Row {
    let reread = |json: &str| Ok(reread_result::<M>(json)?.get().to_owned());
    let written = written.iter().map(|result| result.get().to_owned());
    Row {
        expected: stamp,
        ..Row::new(name, reread, written)
    }
}

/// The response that carries the result of a method.
pub(crate) fn response<M: Method>(name: &'static str, written: &[Raw]) -> Row {
    let ids = RequestId::samples().into_iter().cycle();
    let written = written.iter().zip(ids);
    let written = written.map(|(result, id)| write_result(&id, result));
    Row {
        expected: stamp_response,
        ..Row::new(name, reread_response::<M>, written)
    }
}

pub(crate) fn results<M: Method<Result: Sample>>() -> Vec<Raw> {
    let encode = |result| encode_result(result, &server()).expect("encodes");
    M::Result::samples().into_iter().map(encode).collect()
}

pub(crate) fn questions() -> Vec<Raw> {
    let encode = |question| encode_input_required(question, &server()).expect("encodes");
    InputRequired::samples().into_iter().map(encode).collect()
}

fn reread_result<M: Method>(json: &str) -> Result<Raw, Box<dyn Error>> {
    Ok(match decode_result::<M>(json)? {
        Decoded::Complete(result) => encode_result(result, &server())?,
        Decoded::InputRequired(question) => encode_input_required(question, &server())?,
    })
}

pub(crate) fn reread_end(json: &str) -> Result<Raw, Box<dyn Error>> {
    let Decoded::Complete(result) = decode_result::<Listen>(json)? else {
        return Err("a question".into());
    };
    let meta = result.meta.as_ref().ok_or("no metadata")?;
    let id = meta
        .get(SUBSCRIPTION_ID)
        .ok_or("no subscription")?
        .parse()?;
    Ok(encode_listen_result(result, &id, &server())?)
}

fn reread_response<M: Method>(json: &str) -> Outcome {
    let Message::Response(response) = Message::parse(json.as_bytes())? else {
        return Err("no response".into());
    };
    let result = response.outcome.map_err(|error| error.to_string())?;
    Ok(write_result(
        &response.id.ok_or("no id")?,
        &reread_result::<M>(result.get())?,
    ))
}

pub(crate) fn custom(result: &Extra) -> Raw {
    encode_custom_result(result, &server()).expect("encodes")
}

/// Adds to a result what encoding adds to it.
pub(crate) fn stamp(mut value: Value) -> Value {
    let meta = &mut value["_meta"];
    if meta.get(SERVER_INFO).is_none() {
        meta[SERVER_INFO] = server().parse().expect("JSON");
    }
    value
}

fn stamp_response(mut value: Value) -> Value {
    value["result"] = stamp(value["result"].take());
    value
}
