//! Which arguments of a tool are mirrored into headers, as its caller sees the tool, and
//! whether a call's headers agree.
//!
//! A low-level server tells its tools through its handler of `tools/list` alone, and the
//! answer may differ from caller to caller. So the list is asked for as the caller would
//! ask: through the same layers, with the same headers, extensions and principal; but without
//! the caller's progress token, log level and own metadata, for no answer to this goes to it.
//!
//! A call without arguments and without such headers has nothing to compare. For the rest,
//! lists are kept exactly as their caching hints allow ([caching]): one that is `public` is
//! the same for every caller, so that no call can be judged by another caller's list, and it
//! is used for its `ttlMs`, but for a minute at most. A call that disagrees with a kept list
//! is judged by a new one. Lists that are `private`, or have no `ttlMs`, are asked for on
//! every call.
//!
//! A list that fails, or has no end, has told no client of any annotation: then nothing is
//! compared.
//!
//! [caching]: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;
use vuelta::server::Incoming;
use vuelta::server::classify::Envelope;
use vuelta::wire::methods::{CallTool, ListTools, Method};
use vuelta::wire::param_header::ParamHeaders;
use vuelta::wire::{RequestMeta, Ttl, header, modern};
use vuelta::{CacheScope, ErrorObject, Outlet, PaginatedParams, Raw, Server};

use super::mirror::{self, Mirrored};

/// The annotations of a server's tools, as far as they may be kept.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    kept: Mutex<Option<Arc<Kept>>>,
}

/// A list that every caller sees.
#[derive(Debug)]
struct Kept {
    until: Instant,
    tools: Tools,
}

/// The annotated arguments by tool; tools without any are left out.
type Tools = HashMap<String, ParamHeaders>;

impl Annotations {
    /// Checks that the headers of a call agree with its arguments; passes what is no call.
    ///
    /// # Errors
    ///
    /// Returns the error for the peer.
    pub(super) async fn check(
        &self,
        server: &Server,
        incoming: &Incoming,
    ) -> Result<(), ErrorObject> {
        if incoming.method != CallTool::NAME || !server.serves(ListTools::NAME) {
            return Ok(());
        }
        let Some(call) = ToolCall::find(incoming)? else {
            return Ok(());
        };
        if let Some(kept) = self.kept()
            && call.agrees(&kept.tools).is_ok()
        {
            return Ok(());
        }
        let tools = self.list(server, incoming, &call.name).await;
        call.agrees(&tools)
    }

    fn kept(&self) -> Option<Arc<Kept>> {
        // A list is stored in one step: a panic elsewhere leaves nothing half done.
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone().filter(|kept| Instant::now() < kept.until)
    }

    /// Lists the annotated tools as the caller sees them, and keeps them if that is allowed.
    async fn list(&self, server: &Server, incoming: &Incoming, wanted: &str) -> Tools {
        let mut tools = Tools::new();
        // A call whose envelope cannot be read will not be served.
        let Some(meta) = caller(incoming) else {
            return tools;
        };
        let mut ttl = MAX_TTL;
        let mut cursor = None;
        let mut seen = HashSet::new();
        for _ in 0..MAX_PAGES {
            let mut params = PaginatedParams::new();
            params.cursor = cursor;
            let Ok(params) = modern::encode_params(&params, &meta) else {
                return Tools::new();
            };
            let request = Incoming::new(incoming.id.clone(), ListTools::NAME, Some(params))
                .headers(incoming.headers.clone().unwrap_or_default())
                .extensions(incoming.extensions.clone());
            let listed = server.dispatch(request, Outlet::closed()).await;
            let page = listed.as_ref().ok().map(Raw::get);
            if page.is_some_and(|page| !TELLING.iter().any(|part| page.contains(part))) {
                return tools;
            }
            let page = page.and_then(|page| serde_json::from_str::<Page<'_>>(page).ok());
            let Some(page) = page else {
                tracing::warn!("tools cannot be listed: Mcp-Param headers are not compared");
                return Tools::new();
            };
            ttl = ttl.min(page.ttl());
            let found = page.collect(&mut tools, wanted);
            if found && ttl.is_zero() {
                return tools;
            }
            match page.next_cursor {
                Some(next) if seen.insert(next.clone()) => cursor = Some(next),
                Some(_) => {
                    tracing::warn!("the list of tools goes round in circles");
                    return Tools::new();
                }
                None => {
                    self.keep(ttl, &tools);
                    return tools;
                }
            }
        }
        tracing::warn!(pages = MAX_PAGES, "the list of tools has no end");
        Tools::new()
    }

    fn keep(&self, ttl: Duration, tools: &Tools) {
        if !ttl.is_zero() {
            let kept = Kept {
                until: Instant::now() + ttl,
                tools: tools.clone(),
            };
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(kept));
        }
    }
}

/// Returns the metadata under which the caller's list is asked for.
fn caller(incoming: &Incoming) -> Option<RequestMeta> {
    let envelope = Envelope::find(incoming.params.as_ref().map(Raw::get)).ok()?;
    let sent: RequestMeta = vuelta::wire::decode(envelope.meta()).ok()?;
    let mut meta = RequestMeta::new(sent.protocol_version, sent.client_capabilities);
    meta.client_info = sent.client_info;
    Some(meta)
}

/// A call to a tool, as far as it is compared.
struct ToolCall<'a> {
    name: Cow<'a, str>,
    /// The JSON of the arguments.
    arguments: Option<&'a str>,
    headers: &'a HeaderMap,
}

impl<'a> ToolCall<'a> {
    /// Finds what is to be compared; `None` if there is nothing.
    fn find(incoming: &'a Incoming) -> Result<Option<Self>, ErrorObject> {
        let mirrored = Mirrored::find(incoming.params.as_ref().map(Raw::get))?;
        let (Some(name), Some(headers)) = (mirrored.name(), &incoming.headers) else {
            return Ok(None);
        };
        let arguments = mirrored.arguments();
        // An object with a member has a colon.
        let has_argument = arguments.is_some_and(|json| json.contains(':'));
        let is_mirror = |name: &HeaderName| name.as_str().starts_with(header::PARAM_PREFIX);
        let call = Self {
            name,
            arguments,
            headers,
        };
        Ok((has_argument || headers.keys().any(is_mirror)).then_some(call))
    }

    fn agrees(&self, tools: &Tools) -> Result<(), ErrorObject> {
        let Some(annotated) = tools.get(&*self.name) else {
            return Ok(());
        };
        let values = |name: &str| {
            let values = self.headers.get_all(name);
            values.into_iter().map(HeaderValue::as_bytes)
        };
        annotated
            .validate(self.arguments, values)
            .map_err(|error| mirror::mismatch(error.to_string()))
    }
}

/// What matters of a page of the list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<ListedTool<'a>>,
    #[serde(default)]
    next_cursor: Option<String>,
    #[serde(default)]
    ttl_ms: Ttl,
    #[serde(default)]
    cache_scope: CacheScope,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool<'a> {
    name: String,
    #[serde(borrow)]
    input_schema: &'a RawValue,
}

impl Page<'_> {
    /// Returns how long the page may be used for every caller.
    fn ttl(&self) -> Duration {
        match self.cache_scope {
            CacheScope::Public => self.ttl_ms.into(),
            _ => Duration::ZERO,
        }
    }

    /// Adds the annotated tools; returns whether the tool `wanted` is on the page.
    fn collect(&self, tools: &mut Tools, wanted: &str) -> bool {
        let mut found = false;
        for tool in &self.tools {
            found |= tool.name == wanted;
            let schema = tool.input_schema.get();
            if !TELLING[..2].iter().any(|part| schema.contains(part)) {
                continue;
            }
            match ParamHeaders::parse(&Raw::from(tool.input_schema)) {
                Ok(annotated) if annotated.is_empty() => {}
                Ok(annotated) => {
                    tools.insert(tool.name.clone(), annotated);
                }
                // No client offers such a tool.
                Err(error) => tracing::warn!(tool = tool.name, %error, "invalid annotation"),
            }
        }
        found
    }
}

/// What the JSON of a page holds if there is anything in it to find: an annotation, perhaps
/// spelt with escapes, a page that follows, or leave to keep it. Looking for that is cheaper
/// than decoding the page, which most calls can do without.
const TELLING: [&str; 4] = ["x-mcp-header", "\\u", "nextCursor", "\"public\""];

/// How long a list is kept at most, whatever its hints say.
const MAX_TTL: Duration = Duration::from_secs(60);

/// How many pages a list may have.
const MAX_PAGES: usize = 100;
