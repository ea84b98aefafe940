//! How a transport is put together: its URL, its headers, its limits.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;
use reqwest::redirect::Policy;
use vuelta::{Error, Result};

use super::remote::{Era, Remote};
use super::route::LAST_EVENT_ID;
use super::transport::HttpTransport;

/// Puts an [`HttpTransport`] together.
#[must_use = "a builder does nothing until `build`"]
pub struct HttpTransportBuilder {
    url: String,
    headers: Vec<(String, String)>,
    max_response_size: usize,
    max_redirects: usize,
    max_reconnects: usize,
    connect_timeout: Duration,
}

impl HttpTransportBuilder {
    pub(super) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            headers: Vec::new(),
            max_response_size: 64 * 1024 * 1024,
            max_redirects: 5,
            max_reconnects: 2,
            connect_timeout: Duration::from_secs(10),
        }
    }

    /// Sets a header of every request, such as `authorization`; the value is kept out of logs.
    ///
    /// A later value replaces an earlier one. The headers of the protocol stay the
    /// transport's: `build` refuses them.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets how many bytes an answer may have, or one event of a stream; 64 MiB if not set.
    pub fn max_response_size(mut self, bytes: usize) -> Self {
        self.max_response_size = bytes;
        self
    }

    /// Sets how many redirects of one POST are followed; 5 if not set.
    pub fn max_redirects(mut self, redirects: usize) -> Self {
        self.max_redirects = redirects;
        self
    }

    /// Sets how often in a row a stream that was interrupted is asked for in vain; 2 times if
    /// not set.
    ///
    /// Only for revisions before 2026-07-28, whose streams can be resumed.
    pub fn max_reconnects(mut self, reconnects: usize) -> Self {
        self.max_reconnects = reconnects;
        self
    }

    /// Sets how long connecting may take; 10 seconds if not set.
    ///
    /// How long an answer may take is the client's to say: `ClientBuilder::timeout`.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Creates the transport; nothing is sent.
    ///
    /// # Errors
    ///
    /// Returns an error that names the fault and its fix if the URL is none that a client can
    /// post to, or a header is none that it can set; and one if the system's certificates
    /// cannot be loaded for an `https` URL.
    pub fn build(self) -> Result<HttpTransport> {
        let url = endpoint(&self.url)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let (name, value) = header(name, value)?;
            headers.insert(name, value);
        }
        let mut http = reqwest::Client::builder()
            .user_agent(concat!(
                env!("CARGO_PKG_NAME"),
                "/",
                env!("CARGO_PKG_VERSION")
            ))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(self.connect_timeout);
        if is_loopback(&url) {
            http = http.no_proxy();
        }
        if url.scheme() == "http" {
            // Machines without certificates can still be clients of plain HTTP.
            http = http.tls_certs_only([]);
        }
        let http = http.build().map_err(|error| {
            Error::transport("cannot prepare TLS: are the certificates of this system installed?")
                .caused_by(error)
        })?;
        Ok(HttpTransport::new(Arc::new(Remote {
            http,
            url,
            headers,
            max_response_size: self.max_response_size,
            max_redirects: self.max_redirects,
            max_reconnects: self.max_reconnects,
            connect_timeout: self.connect_timeout,
            era: Era::default(),
        })))
    }
}

impl fmt::Debug for HttpTransportBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransportBuilder")
            .finish_non_exhaustive()
    }
}

/// Reads the URL of an endpoint.
fn endpoint(text: &str) -> Result<Url> {
    // `localhost:8000/mcp` reads as the scheme `localhost`.
    if !text.contains("://") {
        return Err(Error::misuse(
            "the URL has no scheme: put `http://` or `https://` in front of it",
        ));
    }
    // The URL may hold a password: errors do not show it.
    let url = Url::parse(text).map_err(|error| Error::misuse(format!("not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::misuse(format!(
            "the URL has the scheme {:?}: this transport speaks http and https",
            url.scheme()
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::misuse(
            "the URL holds credentials: take them out and set the header `authorization` with \
             `HttpTransport::builder(url).header(..)`",
        ));
    }
    if let Some(fragment) = url.fragment() {
        return Err(Error::misuse(format!(
            "the URL has the fragment \"#{fragment}\", which is never sent: take it out"
        )));
    }
    Ok(url)
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| Error::misuse(format!("{name:?} is no name of an HTTP header")))?;
    let is_ours = [
        ACCEPT,
        CONTENT_TYPE,
        CONTENT_LENGTH,
        TRANSFER_ENCODING,
        CONNECTION,
        LAST_EVENT_ID,
    ]
    .contains(&parsed)
        || parsed.as_str().starts_with("mcp-");
    if is_ours {
        return Err(Error::misuse(format!(
            "the header {name:?} is the transport's to set"
        )));
    }
    // The value may be a credential: it is not shown.
    let mut value = HeaderValue::from_str(value).map_err(|_| {
        Error::misuse(format!(
            "the value of {name:?} holds characters that no header can"
        ))
    })?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Returns whether a URL leads to this machine itself.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
