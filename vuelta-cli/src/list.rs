//! `vuelta list`: what a server has.

use serde::{Deserialize, Serialize};
use vuelta::wire::OrderedMap;
use vuelta::{Client, ErrorCode, Prompt, Raw, Resource, ResourceTemplate, Tool};

use crate::args::ListArgs;
use crate::connection;
use crate::exit::{Ending, Failure};
use crate::output::{note, print, print_json};
use crate::table;
use crate::target::Target;

/// Runs the command.
pub(crate) async fn run(args: ListArgs) -> Result<Ending, Failure> {
    let (target, words) =
        Target::take(args.words, &args.options.command, 0).map_err(Failure::Usage)?;
    if let [word, ..] = &words[..] {
        let message = format!("`{word}` is too much: `vuelta list` takes a server and no more");
        return Err(Failure::Usage(message));
    }
    let json = args.options.json;
    connection::with(target, args.options, async |connection| {
        let listed = Listed::of(&connection.client).await?;
        if json {
            print_json(&listed)?;
        } else {
            listed.print()?;
        }
        Ok(Ending::Done)
    })
    .await
}

/// What a server has; nothing of a kind that it does not offer.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    tools: Vec<Tool>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    resource_templates: Vec<ResourceTemplate>,
}

impl Listed {
    async fn of(client: &Client) -> Result<Self, Failure> {
        let offered = client.server_capabilities();
        let mut listed = Self::default();
        if offered.tools.is_some() {
            listed.tools = if_known(client.tools().all().await)?;
        }
        if offered.prompts.is_some() {
            listed.prompts = if_known(client.prompts().all().await)?;
        }
        if offered.resources.is_some() {
            listed.resources = if_known(client.resources().all().await)?;
            listed.resource_templates = if_known(client.resource_templates().all().await)?;
        }
        Ok(listed)
    }

    fn print(&self) -> Result<(), Failure> {
        let tools: Vec<[String; 3]> = self.tools.iter().map(tool).collect();
        let prompts: Vec<[String; 3]> = self.prompts.iter().map(prompt).collect();
        let resources = self.resources.iter().map(|resource| {
            let name = resource.title.as_ref().unwrap_or(&resource.name);
            let what = (&resource.mime_type, &resource.description);
            described(&resource.uri, name, what)
        });
        let resources: Vec<[String; 4]> = resources.collect();
        let templates = self.resource_templates.iter().map(|template| {
            let name = template.title.as_ref().unwrap_or(&template.name);
            let what = (&template.mime_type, &template.description);
            described(&template.uri_template, name, what)
        });
        let templates: Vec<[String; 4]> = templates.collect();
        let sections = [
            ("tools", table::render(&tools)),
            ("prompts", table::render(&prompts)),
            ("resources", table::render(&resources)),
            ("resource templates", table::render(&templates)),
        ];
        let mut is_empty = true;
        for (title, rows) in sections {
            if !rows.is_empty() {
                is_empty = false;
                print(&format!("{title}\n{}", rows.trim_end()))?;
            }
        }
        if is_empty {
            note("note: the server lists nothing");
        }
        Ok(())
    }
}

/// Takes a list; a server may have no such method though it offers others of its kind.
fn if_known<T>(list: vuelta::Result<Vec<T>>) -> Result<Vec<T>, Failure> {
    match list {
        Err(error) if error.code() == Some(ErrorCode::METHOD_NOT_FOUND) => Ok(Vec::new()),
        list => Ok(list?),
    }
}

fn tool(tool: &Tool) -> [String; 3] {
    let arguments = arguments(&tool.input_schema);
    let description = tool.description.as_ref().or(tool.title.as_ref());
    [
        tool.name.clone(),
        arguments,
        description.cloned().unwrap_or_default(),
    ]
}

fn prompt(prompt: &Prompt) -> [String; 3] {
    let arguments = prompt.arguments.iter().flatten().map(|argument| {
        let required = argument.required.unwrap_or_default();
        named(&argument.name, required)
    });
    let arguments: Vec<String> = arguments.collect();
    let description = prompt.description.as_ref().or(prompt.title.as_ref());
    [
        prompt.name.clone(),
        arguments.join(" "),
        description.cloned().unwrap_or_default(),
    ]
}

fn described(
    uri: &str,
    name: &str,
    (mime_type, description): (&Option<String>, &Option<String>),
) -> [String; 4] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        uri.to_owned(),
        name.to_owned(),
        text(mime_type),
        text(description),
    ]
}

/// Returns the names of the arguments in the order of their schema; those that may be left out
/// are in brackets.
fn arguments(schema: &Raw) -> String {
    #[derive(Default, Deserialize)]
    struct Object {
        #[serde(default)]
        properties: OrderedMap<Raw>,
        #[serde(default)]
        required: Vec<String>,
    }
    // Whatever else a schema may be, it names no arguments.
    let schema: Object = schema.parse().unwrap_or_default();
    let names = schema.properties.keys();
    let names: Vec<String> = names
        .map(|name| {
            named(
                name,
                schema.required.iter().any(|required| required == name),
            )
        })
        .collect();
    names.join(" ")
}

fn named(argument: &str, required: bool) -> String {
    if required {
        argument.to_owned()
    } else {
        format!("[{argument}]")
    }
}

#[cfg(test)]
mod tests;
