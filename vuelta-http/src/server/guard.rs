//! Whether a request may be looked at, by its headers alone: `Host`, `Origin`,
//! `Content-Type`, `Accept`. Pure; knows nothing of JSON-RPC.
//!
//! `Host` and `Origin` are checked because of DNS rebinding: a web page can make a browser
//! send requests to a server on the same machine, under a name that the page's owner
//! controls. Source: [security](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-%26-endpoint),
//! [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#name-host-and-authority).

use std::fmt;

use http::header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, Version, uri};

/// Which hosts a server answers for, and pages of which origins may call it.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    hosts: Vec<Pattern>,
    origins: Vec<Pattern>,
}

impl Default for Guard {
    /// Allows the names of the machine itself, at any port.
    fn default() -> Self {
        let loopback = || ["127.0.0.1:*", "localhost:*", "[::1]:*"].map(Pattern::new);
        Self {
            hosts: loopback().into(),
            origins: loopback().into(),
        }
    }
}

impl Guard {
    /// Allows these hosts instead: `name`, `name:port` or `name:*`.
    pub(super) fn set_hosts(&mut self, hosts: impl Iterator<Item = String>) {
        self.hosts = hosts.map(|host| Pattern::new(&host)).collect();
    }

    /// Allows these origins instead: as for hosts, with a scheme or for `http` and `https`.
    pub(super) fn set_origins(&mut self, origins: impl Iterator<Item = String>) {
        self.origins = origins.map(|origin| Pattern::new(&origin)).collect();
    }

    /// Checks whom the request is meant for and, if a page sent it, which.
    pub(super) fn check(
        &self,
        version: Version,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Rejected> {
        self.check_host(version, uri, headers)?;
        self.check_origin(headers)
    }

    fn check_host(
        &self,
        version: Version,
        target: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Rejected> {
        let rejected = |value: &[u8]| Err(Rejected::new(HOST, value));
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next();
        if let Some(second) = hosts.next() {
            return rejected(second.as_bytes());
        }
        // The target may name the host too, and in HTTP/2 it alone does.
        let target = target.authority().map(uri::Authority::as_str);
        let needs_header = version < Version::HTTP_2;
        if host.is_none() && (needs_header || target.is_none()) {
            return Err(Rejected {
                header: HOST,
                value: None,
            });
        }
        let named = [host.map(HeaderValue::as_bytes), target.map(str::as_bytes)];
        for value in named.into_iter().flatten() {
            let allowed = std::str::from_utf8(value)
                .ok()
                .and_then(Authority::parse)
                .is_some_and(|authority| {
                    // Behind a proxy nobody knows the scheme: both default ports are none.
                    let authority = authority.without_ports(&["80", "443"]);
                    self.hosts.iter().any(|pattern| pattern.matches(&authority))
                });
            if !allowed {
                return rejected(value);
            }
        }
        Ok(())
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Rejected> {
        for value in headers.get_all(ORIGIN) {
            let allowed = value
                .to_str()
                .ok()
                .and_then(|origin| origin.split_once("://"))
                .is_some_and(|(scheme, rest)| {
                    Authority::parse(rest).is_some_and(|authority| {
                        self.origins
                            .iter()
                            .any(|pattern| pattern.matches_origin(scheme, &authority))
                    })
                });
            if !allowed {
                return Err(Rejected::new(ORIGIN, value.as_bytes()));
            }
        }
        Ok(())
    }
}

/// A request that is for somebody else, or from somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    header: HeaderName,
    /// What was rejected, fit for a log; none if the header is missing.
    value: Option<String>,
}

impl Rejected {
    fn new(header: HeaderName, value: &[u8]) -> Self {
        let text: String = String::from_utf8_lossy(value).chars().take(SHOWN).collect();
        Self {
            header,
            value: Some(text),
        }
    }

    pub(super) fn status(&self) -> StatusCode {
        if self.header == HOST {
            StatusCode::MISDIRECTED_REQUEST
        } else {
            StatusCode::FORBIDDEN
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fix) = if self.header == HOST {
            (
                "Host",
                "if clients reach this server by that name, add it to `allowed_hosts`",
            )
        } else {
            (
                "Origin",
                "if pages of that origin may call this server, add it to `allowed_origins`",
            )
        };
        match &self.value {
            Some(value) => write!(f, "Invalid {name} header {value:?}: {fix}"),
            None => write!(f, "Invalid {name} header: there must be exactly one"),
        }
    }
}

/// How many characters of a rejected value are shown.
const SHOWN: usize = 100;

/// One entry of an allow-list.
#[derive(Clone, Debug)]
struct Pattern {
    /// The scheme; `http` and `https` if none is given.
    scheme: Option<String>,
    name: String,
    port: Port,
}

#[derive(Clone, Debug)]
enum Port {
    Any,
    Only(Option<String>),
}

impl Pattern {
    fn new(entry: &str) -> Self {
        let entry = entry.trim_end_matches('/');
        let (scheme, rest) = match entry.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
            None => (None, entry),
        };
        let (name, port) = match rest.strip_suffix(":*") {
            Some(name) => (name, Port::Any),
            None => match Authority::parse(rest) {
                Some(authority) => {
                    let defaults = scheme
                        .as_deref()
                        .map_or(&["80", "443"][..], |scheme| default_ports(scheme));
                    let authority = authority.without_ports(defaults);
                    (
                        authority.name,
                        Port::Only(authority.port.map(str::to_owned)),
                    )
                }
                None => (rest, Port::Only(None)),
            },
        };
        Self {
            scheme,
            name: name.to_owned(),
            port,
        }
    }

    fn matches(&self, authority: &Authority<'_>) -> bool {
        let port = match &self.port {
            Port::Any => true,
            Port::Only(port) => port.as_deref() == authority.port,
        };
        port && self.name.eq_ignore_ascii_case(authority.name)
    }

    fn matches_origin(&self, scheme: &str, authority: &Authority<'_>) -> bool {
        let scheme_matches = match &self.scheme {
            Some(only) => only.eq_ignore_ascii_case(scheme),
            None => ["http", "https"]
                .iter()
                .any(|web| web.eq_ignore_ascii_case(scheme)),
        };
        scheme_matches && self.matches(&authority.without_ports(default_ports(scheme)))
    }
}

/// Returns the port that an origin of this scheme leaves out.
fn default_ports(scheme: &str) -> &'static [&'static str] {
    if scheme.eq_ignore_ascii_case("http") {
        &["80"]
    } else if scheme.eq_ignore_ascii_case("https") {
        &["443"]
    } else {
        &[]
    }
}

/// A host and, if given, its port.
#[derive(Clone, Copy, Debug)]
struct Authority<'a> {
    name: &'a str,
    port: Option<&'a str>,
}

impl<'a> Authority<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        // The colons of an IPv6 address stand between brackets.
        let after_name = text.rfind(']').map_or(0, |end| end + 1);
        let (name, port) = match text[after_name..].find(':') {
            Some(colon) => {
                let (name, port) = text.split_at(after_name + colon);
                (name, Some(&port[1..]))
            }
            None => (text, None),
        };
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        (!name.is_empty() && port.is_none_or(is_port)).then_some(Self { name, port })
    }

    fn without_ports(self, defaults: &[&str]) -> Self {
        Self {
            name: self.name,
            port: self.port.filter(|port| !defaults.contains(port)),
        }
    }
}

/// Returns whether the body is declared to be JSON, whatever the parameters.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let declared = types.next().and_then(|value| value.to_str().ok());
    declared.is_some_and(|value| essence(value).eq_ignore_ascii_case("application/json"))
        && types.next().is_none()
}

/// Which of the two forms of an answer the client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// One JSON object.
    pub(super) json: bool,
    /// A stream of events.
    pub(super) events: bool,
}

impl Accepted {
    /// Reads `Accept`; without one, everything is accepted. Weights are ignored: both forms
    /// are asked of every client, so they only tell which it likes better.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut accepted = Self {
            json: false,
            events: false,
        };
        let mut is_given = false;
        for value in headers.get_all(ACCEPT) {
            for range in value.to_str().unwrap_or("").split(',') {
                let range = essence(range);
                is_given |= !range.is_empty();
                let is = |other: &str| range.eq_ignore_ascii_case(other);
                accepted.json |= is("*/*") || is("application/*") || is("application/json");
                accepted.events |= is("*/*") || is("text/*") || is("text/event-stream");
            }
        }
        if is_given {
            accepted
        } else {
            Self {
                json: true,
                events: true,
            }
        }
    }
}

/// Returns a media type without its parameters.
fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or(value).trim()
}

#[cfg(test)]
mod tests;
