//! How params, results, questions and notifications are read and written at 2025-11-25.

use std::error::Error;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use vuelta::wire::jsonrpc::{
    Message, write_error, write_error_without_id, write_notification, write_request,
};
use vuelta::wire::legacy::*;
use vuelta::wire::meta::PROGRESS_TOKEN;
use vuelta::wire::methods::*;
use vuelta::wire::*;

use super::{Outcome, Row};
use crate::values::{Sample, full};

pub(crate) const REVISION: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// The name of a URL's errand that has none of its own.
const ELICITATION: &str = "elicitation-1";

#[expect(clippy::needless_pass_by_value, reason = "the form of `map`")]
fn text(raw: Raw) -> String {
    raw.get().to_owned()
}

/// The params of a method.
pub(crate) fn params<M: Method<Params: Sample>>(name: &'static str) -> Row {
    let reread = |json: &str| reread_params::<M>(json).map(text);
    Row {
        expected: without_empty_metadata,
        ..Row::new(name, reread, written_params::<M>().into_iter().map(text))
    }
}

/// Metadata that holds nothing is not written.
fn without_empty_metadata(mut params: Value) -> Value {
    if let Some(members) = params.as_object_mut()
        && members.get("_meta") == Some(&json!({}))
    {
        members.remove("_meta");
    }
    params
}

/// The request of a method.
pub(crate) fn request<M: Method<Params: Sample>>(name: &'static str) -> Row {
    Row::new(name, reread_request, requests::<M>())
}

pub(crate) fn requests<M: Method<Params: Sample>>() -> Vec<String> {
    let ids = RequestId::samples().into_iter().cycle();
    let params = written_params::<M>().into_iter();
    params
        .zip(ids)
        .map(|(params, id)| write_request(&id, M::NAME, &params).expect("encodes"))
        .collect()
}

/// Params without and with metadata, that of 2026-07-28 among it.
pub(crate) fn written_params<M: Method<Params: Sample>>() -> Vec<Raw> {
    let metas = [None, Some((full::<ProgressToken>(), full::<Extra>()))];
    let params = M::Params::samples().into_iter();
    params
        .zip(metas.into_iter().cycle())
        .map(|(params, meta)| match meta {
            None => encode_params(&params, None, &Extra::new()).expect("encodes"),
            Some((token, meta)) => encode_params(&params, Some(&token), &meta).expect("encodes"),
        })
        .collect()
}

fn reread_params<M: Method>(json: &str) -> Result<Raw, Box<dyn Error>> {
    let params: M::Params = decode(json)?;
    let sent: Extra = decode(json)?;
    let mut meta: Extra = match sent.get("_meta") {
        Some(meta) => meta.parse()?,
        None => Extra::new(),
    };
    let token = meta.remove(PROGRESS_TOKEN);
    let token: Option<ProgressToken> = token.as_ref().map(Raw::parse).transpose()?;
    Ok(encode_params(&params, token.as_ref(), &meta)?)
}

pub(crate) fn reread_request(json: &str) -> Outcome {
    let Message::Request(request) = Message::parse(json.as_bytes())? else {
        return Err("no request".into());
    };
    let params = request.params.map_or("{}", RawValue::get);
    let params = match &*request.method {
        CallTool::NAME => reread_params::<CallTool>(params),
        Complete::NAME => reread_params::<Complete>(params),
        GetPrompt::NAME => reread_params::<GetPrompt>(params),
        Initialize::NAME => reread_params::<Initialize>(params),
        ListPrompts::NAME => reread_params::<ListPrompts>(params),
        ListResources::NAME => reread_params::<ListResources>(params),
        ListResourceTemplates::NAME => reread_params::<ListResourceTemplates>(params),
        ListTools::NAME => reread_params::<ListTools>(params),
        Ping::NAME => reread_params::<Ping>(params),
        ReadResource::NAME => reread_params::<ReadResource>(params),
        SetLevel::NAME => reread_params::<SetLevel>(params),
        Subscribe::NAME => reread_params::<Subscribe>(params),
        Unsubscribe::NAME => reread_params::<Unsubscribe>(params),
        method => reread_question(method, params),
    }?;
    Ok(write_request(&request.id, &request.method, &params)?)
}

/// The result of a method.
pub(crate) fn result<M: Method<Result: Sample>>(name: &'static str) -> Row {
    let reread = |json: &str| {
        let result: M::Result = decode_result(json)?;
        Ok(text(encode_result(result, &REVISION)?))
    };
    Row::new(name, reread, results::<M::Result>(M::Result::samples()))
}

pub(crate) fn results<R: ResultBody>(results: Vec<R>) -> Vec<String> {
    let encode = |result| text(encode_result(result, &REVISION).expect("encodes"));
    results.into_iter().map(encode).collect()
}

/// A tool, which goes out in a list.
pub(crate) fn reread_tool(json: &str) -> Outcome {
    write_tool(decode(json)?)
}

pub(crate) fn write_tool(tool: Tool) -> Result<String, Box<dyn Error>> {
    #[derive(serde::Deserialize)]
    struct List {
        tools: [Raw; 1],
    }
    let list = encode_result(ListToolsResult::new([tool]), &REVISION)?;
    let List { tools: [tool] } = serde_json::from_str(list.get())?;
    Ok(text(tool))
}

/// The params of questions.
pub(crate) fn question_params<P: Into<InputRequest>>(
    name: &'static str,
    reread: fn(&str) -> Outcome,
    params: Vec<P>,
) -> Row {
    let params = params.into_iter().map(Into::into);
    let written = params.map(|question| text(write_question(&question)));
    Row::new(name, reread, written)
}

pub(crate) fn reread_elicitation(json: &str) -> Outcome {
    reread_question("elicitation/create", json).map(text)
}

pub(crate) fn reread_sampling(json: &str) -> Outcome {
    reread_question("sampling/createMessage", json).map(text)
}

/// The requests that put questions.
pub(crate) fn questions(name: &'static str, questions: &[InputRequest]) -> Row {
    let ids = RequestId::samples().into_iter().cycle();
    let written = questions.iter().zip(ids).map(|(question, id)| {
        write_request(&id, &question.method(), &write_question(question)).expect("encodes")
    });
    Row::new(name, reread_request, written)
}

fn write_question(question: &InputRequest) -> Raw {
    encode_question(question, &REVISION, ELICITATION).expect("encodes")
}

fn reread_question(method: &str, params: &str) -> Result<Raw, Box<dyn Error>> {
    let mut question = Extra::new();
    question.insert("method", method);
    question.insert("params", Raw::from_json(params.to_owned())?);
    let question: InputRequest = Raw::encode(&question)?.parse()?;
    Ok(encode_question(&question, &REVISION, ELICITATION)?)
}

/// The answers to a question.
pub(crate) fn answer<T: Serialize>(
    name: &'static str,
    reread: fn(&str) -> Outcome,
    answers: &[T],
    question: &InputRequest,
) -> Row {
    let written = answers.iter().map(|answer| {
        let answer = Raw::encode(answer).expect("encodes");
        text(encode_answer(question, &answer, &REVISION).expect("encodes"))
    });
    Row::new(name, reread, written)
}

pub(crate) fn reread_sampled(json: &str) -> Outcome {
    let answer = Raw::encode(&decode::<CreateMessageResult>(json)?)?;
    let question = CreateMessageParams::new([], 1_u64).into();
    Ok(text(encode_answer(&question, &answer, &REVISION)?))
}

/// The params of a notification.
pub(crate) fn told<P: Sample>(
    name: &'static str,
    reread: fn(&str) -> Outcome,
    told: fn(P) -> ServerNotification,
) -> Row {
    let written = P::samples()
        .into_iter()
        .map(|params| write_told_params(told(params)).expect("encodes"));
    Row::new(name, reread, written)
}

pub(crate) fn write_told_params(told: ServerNotification) -> Outcome {
    Ok(text(encode_notification(told)?.ok_or("no params")?))
}

pub(crate) fn write_told(told: ServerNotification) -> String {
    let method = told.method().to_owned();
    let params = encode_notification(told).expect("encodes");
    write_notification(&method, params.as_ref()).expect("encodes")
}

/// Notifications that only the revisions with a handshake have.
pub(crate) fn write_own<P: Serialize>(method: &str, samples: &[P]) -> Vec<String> {
    let write = |params| write_notification(method, Some(params)).expect("encodes");
    samples.iter().map(write).collect()
}

/// A notification of either side.
pub(crate) fn reread_told(json: &str) -> Outcome {
    let Message::Notification(told) = Message::parse(json.as_bytes())? else {
        return Err("no notification".into());
    };
    let params = told.params.map(RawValue::get);
    let params = match &*told.method {
        INITIALIZED | ROOTS_CHANGED => {
            Raw::encode(&decode::<ListChangedParams>(params.unwrap_or("{}"))?)?
        }
        ELICITATION_COMPLETE => {
            let params: ElicitationCompleteParams = decode(params.ok_or("no params")?)?;
            Raw::encode(&params)?
        }
        method => match ServerNotification::decode(method, params)? {
            ServerNotification::Custom { .. } => return Err("an unknown notification".into()),
            told => encode_notification(told)?.ok_or("no params")?,
        },
    };
    Ok(write_notification(&told.method, Some(&params))?)
}

/// An error that may have no id: since this revision it is then left out.
pub(crate) fn reread_error(json: &str) -> Outcome {
    let Message::Response(response) = Message::parse(json.as_bytes())? else {
        return Err("no response".into());
    };
    let Err(error) = response.outcome else {
        return Err("no error".into());
    };
    Ok(match &response.id {
        Some(id) => write_error(Some(id), &error),
        None => write_error_without_id(&error),
    })
}

pub(crate) fn write_custom(result: &Extra) -> Raw {
    encode_custom_result(result).expect("encodes")
}

/// Puts objects in place of the boolean schemas that the models let the properties of a tool's
/// schemas be: in the revision's own schema they are objects.
pub(crate) fn object_properties(mut value: Value) -> Value {
    match &mut value {
        Value::Array(values) => {
            for value in values {
                *value = object_properties(value.take());
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                *value = object_properties(value.take());
                if name != "inputSchema" && name != "outputSchema" {
                    continue;
                }
                let properties = value.get_mut("properties").and_then(Value::as_object_mut);
                for (_, property) in properties.into_iter().flatten() {
                    match property {
                        Value::Bool(true) => *property = json!({}),
                        Value::Bool(false) => *property = json!({"not": {}}),
                        _ => {}
                    }
                }
            }
        }
        _ => {}
    }
    value
}
