//! `vuelta call`: one tool of any server, with its questions.

use serde::Deserialize;
use vuelta::wire::{Declared, ElicitationCapability};
use vuelta::{Client, ClientCapabilities, ErrorCode, Implementation, Raw, Tool};
use vuelta_http::HttpTransport;

use crate::answers::Answers;
use crate::args::CallArgs;
use crate::arguments;
use crate::exit::{Ending, Failure, with_causes};
use crate::output::{Stream, print_json, print_result};
use crate::rounds::{Observers, Responder, drive, terminal};

/// Runs the command.
pub(crate) async fn run(args: CallArgs) -> Result<Ending, Failure> {
    let mut transport = HttpTransport::builder(&args.target);
    for header in &args.headers {
        transport = transport.header(&header.name, &header.value);
    }
    let transport = transport
        .build()
        .map_err(|error| Failure::Usage(with_causes(&error)))?;
    let json = args.json;
    let ended = call(transport, args).await;
    if let Err(Failure::InputNeeded(needed)) = &ended
        && json
    {
        print_json(&needed.to_json())?;
    }
    ended
}

async fn call(transport: HttpTransport, args: CallArgs) -> Result<Ending, Failure> {
    let answers = Answers::new(args.answers.clone()).map_err(Failure::Usage)?;
    let client = connect(transport, &args).await?;
    let listed = Listed::look_up(&client, &args.tool).await?;
    let arguments = match args.arguments {
        Some(object) => object,
        None => {
            let schema = listed.tool.as_ref().map(|tool| &tool.input_schema);
            let object = arguments::encode(args.pairs, schema).map_err(Failure::Usage)?;
            Raw::encode(&object).map_err(vuelta::Error::from)?
        }
    };

    let mut observers = Observers::default().progress();
    if args.verbose {
        observers = observers.timeline(&args.tool, arguments.get(), Stream::Err);
    }
    let mut responder = Responder::new(answers, args.roots, terminal(&client, &args.target));
    let call = client.tool(&args.tool).arguments(arguments);
    let result = match drive(&client, call, &mut responder, &observers).await {
        Err(Failure::Call(error)) => return Err(listed.explain(error)),
        ended => ended?,
    };

    if args.json {
        print_json(&result)?;
    } else {
        print_result(&result)?;
    }
    responder.note_unasked();
    Ok(Ending::of(&result))
}

async fn connect(transport: HttpTransport, args: &CallArgs) -> Result<Client, Failure> {
    // Declared also where nobody sits at a terminal: what is asked then is reported, and can
    // be answered on the command line.
    let elicitation = ElicitationCapability::new()
        .form(Declared::new())
        .url(Declared::new());
    let mut capabilities = ClientCapabilities::new().elicitation(elicitation);
    if !args.roots.is_empty() {
        capabilities = capabilities.roots(Declared::new());
    }
    let info = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let mut builder = Client::builder().info(info).capabilities(capabilities);
    if let Some(timeout) = args.timeout {
        builder = builder.timeout(timeout).probe_timeout(timeout);
    }
    Ok(builder.connect(transport).await?)
}

/// What the server's list of tools says of one.
struct Listed {
    tool: Option<Tool>,
    /// The tools of a list that does not have it.
    others: Vec<String>,
}

impl Listed {
    /// Looks the tool up; a server need not list its tools.
    async fn look_up(client: &Client, name: &str) -> Result<Self, Failure> {
        let mut others = Vec::new();
        let mut tools = client.tools();
        while let Some(tool) = tools.next().await {
            match tool {
                Ok(tool) if tool.name == name => {
                    return Ok(Self {
                        tool: Some(tool),
                        others: Vec::new(),
                    });
                }
                Ok(tool) => others.push(tool.name),
                // No list, or one without end, is no reason not to call.
                Err(error) if error.as_rpc().is_some() || error.is_peer() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self { tool: None, others })
    }

    /// Adds to the server's error what to do about it, where this program knows.
    fn explain(&self, error: vuelta::Error) -> Failure {
        let hint = match error.code() {
            Some(ErrorCode::INVALID_PARAMS) if self.tool.is_none() && !self.others.is_empty() => {
                format!("the server lists: {}", self.others.join(", "))
            }
            Some(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY) if needs_roots(&error) => {
                "name a directory with --root".to_owned()
            }
            _ => return error.into(),
        };
        Failure::Failed(format!("{}; {hint}", with_causes(&error)))
    }
}

fn needs_roots(error: &vuelta::Error) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        required_capabilities: ClientCapabilities,
    }
    let data = error.as_rpc().and_then(|object| object.data.as_ref());
    let data: Option<Data> = data.and_then(|data| data.parse().ok());
    data.is_some_and(|data| data.required_capabilities.roots.is_some())
}
