//! State sealed by a cipher of your own: the envelope encryption of a key service.
//!
//! ```console
//! $ cargo run -p examples --bin envelope_codec
//! ```
//!
//! The key service unwraps one data key when the process starts; every token after that is local
//! work. A codec keeps bytes secret and authentic, no more: expiry and the binding to request,
//! audience and caller are in the payload, and checked for every codec.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::json;
use vuelta::seal::{
    Audience, InvalidRequestState, RequestStateBoundary, RequestStateSecurity, SealError,
    StateCodec,
};
use vuelta::{
    CallToolParams, CallToolResult, Client, ClientCapabilities, Context, ElicitForm, ElicitResult,
    Error, FormSchema, InputRequired, Outcome, Result, Server, Step, StringSchema,
};

/// The version of the format; as associated data it is bound under the tag.
const PREFIX: &str = "kms1.";

/// Stands for one call of the key service: a data key of 32 bytes, unwrapped.
fn unwrap_data_key() -> Result<[u8; 32]> {
    let mut key = [0; 32];
    aws_lc_rs::rand::fill(&mut key).map_err(Error::handler)?;
    Ok(key)
}

struct EnvelopeCodec(RandomizedNonceKey);

impl EnvelopeCodec {
    fn new(data_key: &[u8; 32]) -> Result<Self> {
        RandomizedNonceKey::new(&AES_256_GCM, data_key)
            .map(Self)
            .map_err(Error::handler)
    }
}

impl StateCodec for EnvelopeCodec {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        let mut sealed = payload.to_vec();
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(PREFIX), &mut sealed)
            .map_err(SealError::new)?;
        Ok(format!(
            "{PREFIX}{}{}",
            HEXLOWER.encode(nonce.as_ref()),
            HEXLOWER.encode(&sealed)
        ))
    }

    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
        let refused = || InvalidRequestState::new("not a token of this codec");
        let hex = token.strip_prefix(PREFIX).ok_or_else(refused)?;
        // Strict: upper case is refused, so only the exact text that `seal` gave is opened.
        let mut raw = HEXLOWER.decode(hex.as_bytes()).map_err(|_| refused())?;
        let (nonce, sealed) = raw.split_at_mut_checked(NONCE_LEN).ok_or_else(refused)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| refused())?;
        let payload = self
            .0
            .open_in_place(nonce, Aad::from(PREFIX), sealed)
            .map_err(|_| refused())?;
        Ok(payload.to_vec())
    }
}

#[derive(Deserialize)]
struct Window {
    window: String,
}

async fn deploy(cx: Context, _: CallToolParams) -> Result<Outcome<CallToolResult>> {
    let Some(answer) = cx.answers().parse::<ElicitResult>("window")? else {
        let form = FormSchema::new().required("window", StringSchema::new());
        let ask = ElicitForm::new("In which window?", form);
        return Ok(InputRequired::new()
            .ask("window", ask)
            .state("deploy-v1")
            .into());
    };
    let text = match answer.accepted()? {
        Some(Window { window }) => format!("deployed {window}"),
        None => "not deployed".to_owned(),
    };
    Ok(CallToolResult::text(text).into())
}

#[tokio::main]
async fn main() -> Result<()> {
    let codec = EnvelopeCodec::new(&unwrap_data_key()?)?;
    let security = RequestStateSecurity::codec(codec);
    let server = Server::builder("Deployer", "1.0.0")
        .on_call_tool(deploy)
        .layer(RequestStateBoundary::new(security, Audience::Server))
        .build()?;

    let client = Client::builder()
        .capabilities(ClientCapabilities::forms())
        .connect(&server)
        .await?;
    let Step::Asked(mut flow) = client.tool("deploy").step().await? else {
        return Err(Error::peer("the server did not ask"));
    };
    let token = flow.state().unwrap_or_default().to_owned();
    println!("token: {token}");

    flow.answer(
        "window",
        ElicitResult::accept(json!({ "window": "tonight" })),
    );
    if let Step::Done(result) = client.resume(flow).await? {
        println!("as it was: {}", result.as_text());
    }

    let hex = token.trim_start_matches(PREFIX);
    let changed = format!("{PREFIX}{}", hex.to_uppercase());
    match client.tool("deploy").state(changed).step().await {
        Ok(_) => Err(Error::peer("a changed token was opened")),
        Err(error) => {
            println!("in upper case: {error}");
            Ok(())
        }
    }
}
