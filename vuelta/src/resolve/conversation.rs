//! Whether a conversation that is put to the client's model answers its uses of tools.
//!
//! Source: [sampling with
//! tools](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).

use std::collections::BTreeSet;

use vuelta_wire::{CreateMessageParams, SamplingBlock, SamplingMessage};

/// Checks the last message: tool results stand alone in it, and answer exactly the uses of the
/// message before.
pub(super) fn check(params: &CreateMessageParams) -> Result<(), String> {
    let Some((last, before)) = params.messages.split_last() else {
        return Ok(());
    };
    let results: BTreeSet<&str> = ids(last, |block| match block {
        SamplingBlock::ToolResult(result) => Some(&result.tool_use_id),
        _ => None,
    });
    let previous = before.last();
    let uses: BTreeSet<&str> = previous
        .map(|message| {
            ids(message, |block| match block {
                SamplingBlock::ToolUse(used) => Some(&used.id),
                _ => None,
            })
        })
        .unwrap_or_default();
    let is_result = |block: &SamplingBlock| matches!(block, SamplingBlock::ToolResult(_));
    if !results.is_empty() && !last.content.blocks().iter().all(is_result) {
        return Err("a message with tool results must hold nothing else".to_owned());
    }
    if !results.is_empty() && uses.is_empty() {
        return Err("tool results must follow a message that uses tools".to_owned());
    }
    if uses != results {
        return Err("each use of a tool needs its result in the next message".to_owned());
    }
    Ok(())
}

fn ids<'a>(
    message: &'a SamplingMessage,
    id: impl Fn(&'a SamplingBlock) -> Option<&'a String>,
) -> BTreeSet<&'a str> {
    let blocks = message.content.blocks().iter();
    blocks.filter_map(id).map(String::as_str).collect()
}

#[cfg(test)]
mod tests;
