//! The three ways to ask over rounds: a result built by hand, `Ask`, and resolvers.

use vuelta::form::{AskForm, ReadForm};
use vuelta::{
    Answer, Ask, Context, Elicit, InputRequired, McpServer, Outcome, Result, ToolError, resolver,
    tool,
};

use crate::asks::{said, sample};
use crate::forms::{Color, Confirmation, Name};

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .tool::<test_input_required_result_elicitation>()
        .tool::<test_input_required_result_sampling>()
        .tool::<test_input_required_result_list_roots>()
        .tool::<test_input_required_result_request_state>()
        .tool::<test_input_required_result_tampered_state>()
        .tool::<test_input_required_result_multiple_inputs>()
        .tool::<test_input_required_result_multi_round>()
        .tool::<test_input_required_result_capabilities>()
}

/// Asks for a name by hand: without state, an answer counts whoever asked for it.
#[tool]
fn test_input_required_result_elicitation(cx: &Context) -> Result<Outcome<String>> {
    let greeting = match cx.answers().form::<Name>("user_name")? {
        Some(Answer::Accept(Name { name })) => format!("Hello, {name}!"),
        Some(Answer::Decline | Answer::Cancel) => "Hello, whoever you are!".to_owned(),
        None => {
            let question = InputRequired::new().form::<Name>("user_name", "What is your name?");
            return Ok(question.into());
        }
    };
    Ok(Outcome::Complete(greeting))
}

/// Asks the client's model.
#[tool]
async fn test_input_required_result_sampling(ask: Ask) -> Result<String, ToolError> {
    let question = sample("What is the capital of France?", 100);
    let answer = ask.sample("capital_question", question).await?;
    Ok(format!("The model says: {}", said(&answer)))
}

/// Asks for the client's roots.
#[tool]
async fn test_input_required_result_list_roots(ask: Ask) -> Result<String, ToolError> {
    Ok(format!("{} roots", ask.roots().await?.roots.len()))
}

#[resolver(key = "confirm")]
fn confirmation() -> Elicit<Confirmation> {
    Elicit::ask("Please confirm")
}

/// Depends on a confirmation, which travels with sealed state.
#[tool]
fn test_input_required_result_request_state(
    #[resolve(confirmation)] confirmation: Confirmation,
) -> String {
    format!("state-ok: {}", confirmation.ok)
}

/// Depends on a confirmation; state that was changed on its way is refused by the server.
#[tool]
fn test_input_required_result_tampered_state(
    #[resolve(confirmation)] confirmation: Confirmation,
) -> String {
    format!("state-ok: {}", confirmation.ok)
}

/// Asks the user, the model and for the roots in one round.
#[tool]
async fn test_input_required_result_multiple_inputs(ask: Ask) -> Result<String, ToolError> {
    let (name, greeting, roots) = ask
        .all((
            ask.form::<Name>("user_name", "What is your name?"),
            ask.sample("greeting", sample("Generate a greeting", 50)),
            ask.roots(),
        ))
        .await?;
    Ok(format!(
        "{}, {}: {} roots",
        said(&greeting),
        name.accepted()?.name,
        roots.roots.len()
    ))
}

/// Asks one question after the other.
#[tool]
async fn test_input_required_result_multi_round(ask: Ask) -> Result<String, ToolError> {
    let name = ask.form::<Name>("step1", "What is your name?").await?;
    let Name { name } = name.accepted()?;
    let color = ask
        .form::<Color>("step2", "What is your favorite color?")
        .await?;
    let Color { color } = color.accepted()?;
    Ok(format!("{name} likes {color}"))
}

/// Asks only what the client can answer.
#[tool]
async fn test_input_required_result_capabilities(
    cx: &Context,
    ask: Ask,
) -> Result<String, ToolError> {
    let client = cx.client_capabilities();
    let mut heard = Vec::new();
    if client.elicitation.is_some() {
        let answer = ask.form::<Name>("user_name", "What is your name?").await?;
        heard.push(answer.accepted()?.name);
    }
    if client.sampling.is_some() {
        let answer = ask
            .sample("greeting", sample("Generate a greeting", 50))
            .await?;
        heard.push(said(&answer).to_owned());
    }
    if client.roots.is_some() {
        let roots = ask.roots().await?.roots;
        heard.extend(roots.into_iter().map(|root| root.uri));
    }
    Ok(heard.join(", "))
}
