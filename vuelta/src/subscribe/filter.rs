//! What of a filter is honoured, and which changes it lets through. Pure.

use std::collections::HashSet;

use vuelta_wire::{ServerCapabilities, SubscriptionFilter};

use super::ChangeEvent;

/// Which changes a server can tell of, by its capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offered {
    tools: bool,
    prompts: bool,
    resources: bool,
    updates: bool,
}

impl Offered {
    pub(super) fn by(capabilities: &ServerCapabilities) -> Self {
        let is = |flag: Option<bool>| flag == Some(true);
        let (tools, prompts) = (&capabilities.tools, &capabilities.prompts);
        let resources = capabilities.resources.as_ref();
        Self {
            tools: tools.as_ref().is_some_and(|list| is(list.list_changed)),
            prompts: prompts.as_ref().is_some_and(|list| is(list.list_changed)),
            resources: resources.is_some_and(|list| is(list.list_changed)),
            updates: resources.is_some_and(|list| is(list.subscribe)),
        }
    }

    /// Returns what of `asked` is offered. Flags that are not set and an empty list ask for
    /// nothing; members that this revision does not define are not offered.
    pub(super) fn narrow(self, asked: SubscriptionFilter) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::new();
        let set = |flag: Option<bool>, offered| flag.filter(|flag| *flag && offered);
        filter.tools_list_changed = set(asked.tools_list_changed, self.tools);
        filter.prompts_list_changed = set(asked.prompts_list_changed, self.prompts);
        filter.resources_list_changed = set(asked.resources_list_changed, self.resources);
        filter.resource_subscriptions = asked
            .resource_subscriptions
            .filter(|uris| self.updates && !uris.is_empty());
        filter
    }
}

/// Returns what is in both filters, in the order of `asked`.
pub(crate) fn common(
    asked: &SubscriptionFilter,
    granted: &SubscriptionFilter,
) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::new();
    let both =
        |a: Option<bool>, b: Option<bool>| (a == Some(true) && b == Some(true)).then_some(true);
    filter.tools_list_changed = both(asked.tools_list_changed, granted.tools_list_changed);
    filter.prompts_list_changed = both(asked.prompts_list_changed, granted.prompts_list_changed);
    filter.resources_list_changed =
        both(asked.resources_list_changed, granted.resources_list_changed);
    let granted: HashSet<&str> = uris(granted).collect();
    let uris: Vec<String> = uris(asked)
        .filter(|uri| granted.contains(uri))
        .map(str::to_owned)
        .collect();
    filter.resource_subscriptions = (!uris.is_empty()).then_some(uris);
    filter
}

fn uris(filter: &SubscriptionFilter) -> impl Iterator<Item = &str> {
    let uris = filter.resource_subscriptions.iter().flatten();
    uris.map(String::as_str)
}

/// A filter that changes are matched against.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: HashSet<String>,
}

impl Interest {
    pub(crate) fn new(filter: &SubscriptionFilter) -> Self {
        let is = |flag: Option<bool>| flag == Some(true);
        Self {
            tools: is(filter.tools_list_changed),
            prompts: is(filter.prompts_list_changed),
            resources: is(filter.resources_list_changed),
            uris: uris(filter).map(str::to_owned).collect(),
        }
    }

    /// Returns whether a server tells this change: of resources, those named and no others.
    pub(crate) fn wants(&self, event: &ChangeEvent) -> bool {
        match event {
            ChangeEvent::ResourceUpdated { uri } => self.uris.contains(uri),
            _ => self.admits(event),
        }
    }

    /// Returns whether a client believes this change: of resources any, once one is watched,
    /// because a server may name a part of what is watched.
    pub(crate) fn admits(&self, event: &ChangeEvent) -> bool {
        match event {
            ChangeEvent::ToolsListChanged => self.tools,
            ChangeEvent::PromptsListChanged => self.prompts,
            ChangeEvent::ResourcesListChanged => self.resources,
            ChangeEvent::ResourceUpdated { .. } => !self.uris.is_empty(),
        }
    }

    /// Returns every change that is wanted.
    pub(crate) fn all(&self) -> impl Iterator<Item = ChangeEvent> + '_ {
        let lists = [
            (self.tools, ChangeEvent::ToolsListChanged),
            (self.prompts, ChangeEvent::PromptsListChanged),
            (self.resources, ChangeEvent::ResourcesListChanged),
        ];
        let lists = lists
            .into_iter()
            .filter_map(|(wanted, event)| wanted.then_some(event));
        lists.chain(self.uris.iter().map(ChangeEvent::resource_updated))
    }
}

#[cfg(test)]
mod tests;
