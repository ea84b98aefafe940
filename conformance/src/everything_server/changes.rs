//! Tools that change the lists, so that those who listen are told.

use vuelta::mcp::{Prompts, Tools};
use vuelta::{McpServer, prompt, tool};

pub(crate) fn register(server: McpServer) -> McpServer {
    let (tools, prompts) = (server.tools(), server.prompts());
    server
        .state(tools)
        .state(prompts)
        .tool::<test_trigger_tool_change>()
        .tool::<test_trigger_prompt_change>()
        .tool::<test_changing_tool>()
        .prompt::<test_changing_prompt>()
}

/// Takes a tool off the list and puts it back.
#[tool]
fn test_trigger_tool_change(tools: &Tools) -> &'static str {
    tools.disable("test_changing_tool");
    tools.enable("test_changing_tool");
    "The list of tools has changed."
}

/// Takes a prompt off the list and puts it back.
#[tool]
fn test_trigger_prompt_change(prompts: &Prompts) -> &'static str {
    prompts.disable("test_changing_prompt");
    prompts.enable("test_changing_prompt");
    "The list of prompts has changed."
}

/// Comes and goes.
#[tool]
fn test_changing_tool() -> &'static str {
    "Here for now."
}

/// Comes and goes.
#[prompt]
fn test_changing_prompt() -> &'static str {
    "Here for now."
}
