//! Functions that ask through the library, and by hand.

use vuelta::{Ask, InputRequired, Outcome, prompt, resolver, resource, tool};

type Hidden = Outcome<String>;

#[resolver]
async fn region() -> String {
    String::new()
}

#[tool]
async fn provision(#[resolve(region)] at: String) -> Outcome<String> {
    Outcome::Complete(at)
}

#[tool]
async fn waits(#[resolve(region)] at: String) -> Result<InputRequired, vuelta::Error> {
    Ok(InputRequired::new().state(at))
}

#[tool]
async fn by_alias(#[resolve(region)] at: String) -> Hidden {
    Outcome::Complete(at)
}

#[tool]
async fn with_ask(ask: Ask) -> Outcome<String> {
    drop(ask);
    Outcome::Complete(String::new())
}

#[prompt]
async fn briefing(#[resolve(region)] at: String) -> Outcome<String> {
    Outcome::Complete(at)
}

#[resource("note:///{name}")]
async fn note(name: String, #[resolve(region)] at: String) -> Outcome<String> {
    Outcome::Complete(name + &at)
}

fn main() {}
