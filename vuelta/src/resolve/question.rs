//! The three questions that a resolver may ask.

use vuelta_wire::{
    CreateMessageParams, CreateMessageResult, ElicitForm, ElicitUrl, ListRootsParams,
    ListRootsResult, Raw, SamplingMessage, Tool, ToolChoice,
};

use crate::form::Form;
use crate::resolve::{Produced, Question};

/// What a resolver gives that asks the user: the answer it knows, or a question.
///
/// # Example: asks only when it must
///
/// ```
/// use vuelta::{Elicit, Form};
///
/// #[derive(Form)]
/// struct Region {
///     /// AWS region
///     region: String,
/// }
///
/// fn region(name: &str) -> Elicit<Region> {
///     match name.strip_prefix("eu-") {
///         Some(_) => Elicit::known(Region { region: "eu-west-1".to_owned() }),
///         None => Elicit::ask(format!("Which region should {name} live in?")),
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Elicit<T>(Produced<T>);

impl<T: Form> Elicit<T> {
    /// Asks the user to fill in the form.
    ///
    /// Derive the message from the arguments: a text that changes from round to round is
    /// another question, and asked again.
    #[must_use]
    pub fn ask(message: impl Into<String>) -> Self {
        Self(Produced::Asks(form(message)))
    }
}

impl<T> Elicit<T> {
    /// Gives the value without asking.
    #[must_use]
    pub fn known(value: T) -> Self {
        Self(Produced::Known(value))
    }
}

impl Elicit<Visited> {
    /// Asks the user to visit a URL, for what must not pass through the client: credentials,
    /// payments.
    #[must_use]
    pub fn visit(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self(Produced::Asks(visit(message, url)))
    }
}

/// The answer of a user who visited a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to add")]
pub struct Visited;

impl<T> From<Elicit<T>> for Produced<T> {
    fn from(elicit: Elicit<T>) -> Self {
        elicit.0
    }
}

/// What a resolver gives that asks the client's model.
#[derive(Debug)]
pub struct Sample(Produced<CreateMessageResult>);

impl Sample {
    /// Asks the model to answer one text message from the user.
    #[must_use]
    pub fn ask(text: impl Into<String>, max_tokens: u64) -> Self {
        Self::new(CreateMessageParams::new(
            [SamplingMessage::user(text)],
            max_tokens,
        ))
    }

    /// Asks the model with all that the protocol offers.
    #[must_use]
    pub fn new(params: CreateMessageParams) -> Self {
        Self(Produced::Asks(sample(params)))
    }

    /// Lets the model use tools; needs a client that declares `sampling.tools`.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<Vec<Tool>>, choice: ToolChoice) -> Self {
        if let Produced::Asks(Question {
            request: vuelta_wire::InputRequest::Sample(params),
            ..
        }) = &mut self.0
        {
            params.tools = Some(tools.into());
            params.tool_choice = Some(choice);
        }
        self
    }

    /// Gives the answer without asking.
    #[must_use]
    pub fn known(result: CreateMessageResult) -> Self {
        Self(Produced::Known(result))
    }
}

impl From<Sample> for Produced<CreateMessageResult> {
    fn from(sample: Sample) -> Self {
        sample.0
    }
}

/// What a resolver gives that asks for the client's roots.
#[derive(Debug)]
pub struct ListRoots(Produced<ListRootsResult>);

impl ListRoots {
    /// Asks for the roots.
    #[must_use]
    pub fn ask() -> Self {
        Self(Produced::Asks(roots()))
    }

    /// Gives the roots without asking.
    #[must_use]
    pub fn known(result: ListRootsResult) -> Self {
        Self(Produced::Known(result))
    }
}

impl From<ListRoots> for Produced<ListRootsResult> {
    fn from(roots: ListRoots) -> Self {
        roots.0
    }
}

pub(crate) fn form<T: Form>(message: impl Into<String>) -> Question<T> {
    Question {
        request: ElicitForm::new(message, T::schema()).into(),
        fits: |content| T::read(content).is_ok(),
        read: |content| content.and_then(|content| T::read(content).ok()),
    }
}

pub(crate) fn visit(message: impl Into<String>, url: impl Into<String>) -> Question<Visited> {
    Question {
        request: ElicitUrl::new(message, url).into(),
        fits: |_| true,
        read: |_| Some(Visited),
    }
}

pub(crate) fn sample(params: CreateMessageParams) -> Question<CreateMessageResult> {
    Question {
        request: params.into(),
        fits: |_| true,
        read: parse,
    }
}

pub(crate) fn roots() -> Question<ListRootsResult> {
    Question {
        request: ListRootsParams::new().into(),
        fits: |_| true,
        read: parse,
    }
}

fn parse<T: serde::de::DeserializeOwned>(content: Option<&Raw>) -> Option<T> {
    content?.parse().ok()
}
