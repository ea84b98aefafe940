//! Only template resources can ask.

use vuelta::{Ask, InputRequired, Outcome, resolver, resource};

type Hidden = Outcome<String>;

#[resolver]
async fn region() -> String {
    String::new()
}

#[resource("mem://argument")]
async fn argument(name: String) -> String {
    name
}

#[resource("mem://resolved")]
async fn resolved(#[resolve(region)] at: String) -> String {
    at
}

#[resource("mem://ask")]
async fn asks(ask: Ask) -> String {
    format!("{ask:?}")
}

#[resource("mem://outcome")]
async fn by_hand() -> Outcome<String> {
    InputRequired::new().state("1").into()
}

#[resource("mem://hidden")]
async fn by_alias() -> Hidden {
    InputRequired::new().state("1").into()
}

fn main() {}
