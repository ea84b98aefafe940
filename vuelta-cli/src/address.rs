//! What a user should know of a URL before visiting it.
//!
//! Pure. Source: [safe URL
//! handling](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling).

use url::Url;

/// Returns the host that a browser would go to, and what is odd about the URL.
pub(crate) fn remarks(url: &str) -> Vec<String> {
    // Read as browsers read it: `https://good.example\@evil.example` goes to `good.example`.
    let Ok(url) = Url::parse(url) else {
        return vec!["warning: this is no URL".to_owned()];
    };
    let mut remarks = Vec::new();
    match url.host_str() {
        Some(host) => remarks.push(format!("host: {host}")),
        None => remarks.push("warning: it names no host".to_owned()),
    }
    if !matches!(url.scheme(), "http" | "https") {
        remarks.push(format!(
            "warning: `{}` is no scheme of the web",
            url.scheme()
        ));
    }
    if url
        .host_str()
        .is_some_and(|host| host.split('.').any(|part| part.starts_with("xn--")))
    {
        remarks.push(
            "warning: the host has letters beyond ASCII, which may look like others".to_owned(),
        );
    }
    if !url.username().is_empty() || url.password().is_some() {
        remarks.push("warning: what is before the @ is a user name, not the host".to_owned());
    }
    remarks
}

#[cfg(test)]
mod tests;
