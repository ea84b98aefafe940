//! URI templates: which resource a URI names, and with which variables.
//!
//! Of RFC 6570 these are matched: `{name}` (one path segment), `{+name}` (any number of
//! them) and `{?name,..}` (query members). A variable never leads out of the place where it
//! stands: a segment that is `.` or `..`, or that hides a separator in percent-encoding, does
//! not match.

use std::borrow::Cow;

use iri_string::template::UriTemplateStr;
use regex::Regex;

/// A compiled template.
#[derive(Debug)]
pub(super) struct Template {
    regex: Regex,
    path: Vec<Variable>,
    query: Vec<String>,
}

#[derive(Debug)]
struct Variable {
    name: String,
    /// Whether it may span path segments.
    spans: bool,
}

impl Template {
    /// Compiles a template; `None` if it has no variables, and is a URI.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, String> {
        if !text.contains('{') {
            return Ok(None);
        }
        UriTemplateStr::new(text)
            .map_err(|error| format!("{text:?} is no URI template: {error}"))?;
        let (mut pattern, mut path, mut query) = (String::from("^"), Vec::new(), Vec::new());
        let mut rest = text;
        while let Some((literal, tail)) = rest.split_once('{') {
            pattern.push_str(&regex::escape(literal));
            // The parser above has found the closing brace.
            let (expression, tail) = tail.split_once('}').unwrap_or((tail, ""));
            rest = tail;
            let unsupported = || {
                format!(
                    "{text:?}: `{{{expression}}}` is not supported: use {{name}}, {{+name}} or \
                     {{?name,..}}"
                )
            };
            if expression.contains(['*', ':']) {
                return Err(unsupported());
            }
            if let Some(names) = expression.strip_prefix('?') {
                if !rest.is_empty() {
                    return Err(unsupported());
                }
                query.extend(names.split(',').map(str::to_owned));
                continue;
            }
            let (name, spans) = match expression.strip_prefix('+') {
                Some(name) => (name, true),
                None => (expression, false),
            };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if name.is_empty() || !name.bytes().all(plain) {
                return Err(unsupported());
            }
            pattern.push_str(if spans { "([^?#]+)" } else { "([^/?#]+)" });
            path.push(Variable {
                name: name.to_owned(),
                spans,
            });
        }
        pattern.push_str(&regex::escape(rest));
        pattern.push('$');
        let regex = Regex::new(&pattern).map_err(|error| error.to_string())?;
        Ok(Some(Self { regex, path, query }))
    }

    /// Returns the names of the variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.path
            .iter()
            .map(|variable| variable.name.as_str())
            .chain(self.query.iter().map(String::as_str))
    }

    /// Returns the variables of a URI that the template describes; `None` if it does not.
    pub(super) fn matches(&self, uri: &str) -> Option<Vec<(String, String)>> {
        let (place, query) = match uri.split_once('?') {
            Some((place, query)) if !self.query.is_empty() => (place, Some(query)),
            _ => (uri, None),
        };
        let captures = self.regex.captures(place)?;
        let mut values = Vec::new();
        for (index, variable) in self.path.iter().enumerate() {
            let value = decode(captures.get(index + 1)?.as_str())?;
            if !is_safe(&value, variable.spans) {
                return None;
            }
            values.push((variable.name.clone(), value.into_owned()));
        }
        for pair in query
            .into_iter()
            .flat_map(|query| query.split('&'))
            .filter(|pair| !pair.is_empty())
        {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if self.query.iter().any(|known| known == name) {
                values.push((name.to_owned(), decode(value)?.into_owned()));
            }
        }
        Some(values)
    }
}

/// Returns whether a value stays in its place when it becomes part of a path.
fn is_safe(value: &str, spans: bool) -> bool {
    if value.contains(['\\', '\0']) || (!spans && value.contains('/')) || value.starts_with('/') {
        return false;
    }
    value
        .split('/')
        .all(|segment| segment != "." && segment != "..")
}

/// Decodes percent-encoding; `None` if it is malformed or no UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests;
