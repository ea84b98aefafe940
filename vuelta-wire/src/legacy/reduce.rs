//! What a revision cannot express: taken off, or said in words that it has.
//!
//! A reader of an older revision may ignore a member that it does not know, but refuses the
//! whole message for a block of an unknown type, or a value of another type than its schema
//! has. Only those are changed; members that are merely new stay.

use crate::content::{ContentBlock, TextContent};
use crate::object::OrderedMap;
use crate::sampling::{
    CreateMessageParams, CreateMessageResult, SamplingBlock, SamplingContent, SamplingMessage,
};
use crate::tool::Tool;
use crate::{
    AudioContent, CallToolResult, GetPromptResult, ListToolsResult, ProtocolVersion, Raw,
    ResourceLink, tag,
};

/// Reduces the content of a tool's result.
pub(crate) fn tool_result(result: &mut CallToolResult, revision: &ProtocolVersion) {
    for block in &mut result.content {
        reduce_block(block, revision);
    }
    reduce_data(
        &mut result.content,
        &mut result.structured_content,
        revision,
    );
}

/// Reduces the content of a prompt.
pub(crate) fn prompt(result: &mut GetPromptResult, revision: &ProtocolVersion) {
    for message in &mut result.messages {
        reduce_block(&mut message.content, revision);
    }
}

/// Reduces the schemas of tools.
pub(crate) fn tools(result: &mut ListToolsResult, _: &ProtocolVersion) {
    result.tools.iter_mut().for_each(reduce_tool);
}

/// Reduces a question for the client's model.
///
/// # Errors
///
/// Returns what the revision has no words for.
pub(super) fn sampling(
    params: &mut CreateMessageParams,
    revision: &ProtocolVersion,
) -> Result<(), String> {
    params.tools.iter_mut().flatten().for_each(reduce_tool);
    if has_several_blocks(revision) {
        for message in &mut params.messages {
            reduce_tool_results(&mut message.content, revision);
        }
        return Ok(());
    }
    let mut messages = Vec::with_capacity(params.messages.len());
    for message in &params.messages {
        messages.extend(split(message, revision)?);
    }
    params.messages = messages;
    Ok(())
}

/// Reduces what the client's model said: before 2025-11-25 that is one block.
///
/// # Errors
///
/// Returns what the revision has no words for.
pub(super) fn sampled(
    result: &mut CreateMessageResult,
    revision: &ProtocolVersion,
) -> Result<(), String> {
    if has_several_blocks(revision) {
        reduce_tool_results(&mut result.content, revision);
        return Ok(());
    }
    let blocks = result.content.blocks().iter();
    let mut blocks: Vec<_> = blocks
        .map(|block| one_block(block, revision))
        .collect::<Result<_, _>>()?;
    let block = if blocks.len() == 1 {
        blocks.swap_remove(0)
    } else {
        TextContent::new(texts(&blocks)).into()
    };
    result.content = block.into();
    Ok(())
}

/// Whether a sampled message may have several blocks, and blocks of tools.
fn has_several_blocks(revision: &ProtocolVersion) -> bool {
    revision.is_at_least(&ProtocolVersion::V2025_11_25)
}

fn has_audio(revision: &ProtocolVersion) -> bool {
    revision.is_at_least(&ProtocolVersion::V2025_03_26)
}

/// Whether results have links and structured content.
fn has_links_and_data(revision: &ProtocolVersion) -> bool {
    revision.is_at_least(&ProtocolVersion::V2025_06_18)
}

/// Says in text what a block of a type that the revision does not have would say. A type that
/// no revision has is its author's own affair.
fn reduce_block(block: &mut ContentBlock, revision: &ProtocolVersion) {
    let text = match block {
        ContentBlock::Audio(sound) if !has_audio(revision) => in_words(sound, revision),
        ContentBlock::ResourceLink(link) if !has_links_and_data(revision) => link_in_words(link),
        _ => return,
    };
    *block = text.into();
}

/// The data is of no use to a model as text: what was left out is said instead.
fn in_words(sound: &AudioContent, revision: &ProtocolVersion) -> TextContent {
    let note = format!(
        "[sound ({}) left out: revision {revision} cannot carry it]",
        sound.mime_type
    );
    let mut text = TextContent::new(note);
    text.annotations.clone_from(&sound.annotations);
    text
}

fn link_in_words(link: &ResourceLink) -> TextContent {
    let name = link.title.as_ref().unwrap_or(&link.name);
    let mut words = format!("{name}: {}", link.uri);
    if let Some(description) = &link.description {
        words.push('\n');
        words.push_str(description);
    }
    let mut text = TextContent::new(words);
    text.annotations.clone_from(&link.annotations);
    text
}

/// Takes off structured content that is no object, which only 2026-07-28 has. Who wrote it is to
/// write the same as text for older readers; whoever did not would else have said nothing.
fn reduce_data(
    content: &mut Vec<ContentBlock>,
    data: &mut Option<Raw>,
    revision: &ProtocolVersion,
) {
    let Some(found) = data else { return };
    let is_known = found.is_object() && has_links_and_data(revision);
    if !is_known && content.is_empty() {
        content.push(ContentBlock::text(found.get()));
    }
    if !found.is_object() {
        *data = None;
    }
}

fn reduce_tool_results(content: &mut SamplingContent, revision: &ProtocolVersion) {
    let blocks = match content {
        SamplingContent::One(block) => std::slice::from_mut(block),
        SamplingContent::Many(blocks) => blocks.as_mut_slice(),
    };
    for block in blocks {
        if let SamplingBlock::ToolResult(result) = block {
            reduce_data(
                &mut result.content,
                &mut result.structured_content,
                revision,
            );
        }
    }
}

/// Makes each block a message of its own, for revisions whose messages have one.
fn split(
    message: &SamplingMessage,
    revision: &ProtocolVersion,
) -> Result<Vec<SamplingMessage>, String> {
    let alone = |block| {
        let mut alone = SamplingMessage::new(message.role.clone(), one_block(block, revision)?);
        alone.meta.clone_from(&message.meta);
        alone.extra.clone_from(&message.extra);
        Ok(alone)
    };
    message.content.blocks().iter().map(alone).collect()
}

/// Returns a block as revisions without tools in sampled messages have it.
fn one_block(block: &SamplingBlock, revision: &ProtocolVersion) -> Result<SamplingBlock, String> {
    match block {
        SamplingBlock::ToolUse(_) | SamplingBlock::ToolResult(_) => Err(format!(
            "revision {revision} has no tools in sampled messages"
        )),
        SamplingBlock::Audio(sound) if !has_audio(revision) => Ok(in_words(sound, revision).into()),
        block => Ok(block.clone()),
    }
}

/// Returns the texts of all text blocks, one a line.
fn texts(blocks: &[SamplingBlock]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            SamplingBlock::Text(block) => Some(block.text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// Reduces the schemas of a tool to what every revision with a handshake has.
fn reduce_tool(tool: &mut Tool) {
    reduce_schema(&mut tool.input_schema);
    tool.output_schema = tool
        .output_schema
        .take()
        .filter(|schema| tag::text_member(schema, "type").is_some_and(|found| found == "object"));
    if let Some(schema) = &mut tool.output_schema {
        reduce_schema(schema);
    }
}

/// Writes properties that are boolean schemas as the objects that mean the same (JSON Schema
/// 2020-12, section 4.3.2): before 2026-07-28 the properties of a tool's schemas are objects.
fn reduce_schema(schema: &mut Raw) {
    if let Some(reduced) = without_boolean_properties(schema) {
        *schema = reduced;
    }
}

/// Returns the schema with objects in place of booleans; `None` if there is none to replace.
fn without_boolean_properties(schema: &Raw) -> Option<Raw> {
    let properties = tag::member(schema.get(), "properties").ok()??;
    let properties: OrderedMap<Raw> = serde_json::from_str(properties.get()).ok()?;
    let reduced = |property: Raw| match property.get() {
        "true" => Raw::from(serde_json::json!({})),
        "false" => Raw::from(serde_json::json!({"not": {}})),
        _ => property,
    };
    if !properties
        .iter()
        .any(|(_, property)| matches!(property.get(), "true" | "false"))
    {
        return None;
    }
    let properties: OrderedMap<Raw> = properties
        .into_iter()
        .map(|(name, property)| (name, reduced(property)))
        .collect();
    let mut members: OrderedMap<Raw> = schema.parse().ok()?;
    members.insert("properties", Raw::encode(&properties).ok()?);
    Raw::encode(&members).ok()
}

#[cfg(test)]
mod tests;
