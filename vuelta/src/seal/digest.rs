//! Digests: which arguments a state belongs to, and which question an answer belongs to.
//!
//! The digest of arguments is taken over canonical JSON: compact, ASCII, members sorted by the
//! code points of their names, the last of equal names kept. It is computed from the text that
//! came in, not from decoded values, so that nothing is lost on the way: an integer keeps all of
//! its digits, `1` and `1.0` stay apart, and a lone surrogate stays what it is.

use std::cmp::Ordering;
use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::BASE64URL_NOPAD;

use crate::seal::ascii;

/// Returns the digest of a request's arguments; absent, `null` and `{}` are the same.
///
/// # Errors
///
/// Returns an error if `json` is not one JSON text, or nests deeper than [`MAX_DEPTH`].
pub(crate) fn arguments_digest(json: Option<&str>) -> Result<String, DigestError> {
    let canonical = json.map(canonical).transpose()?;
    Ok(short_hash(
        canonical
            .as_deref()
            .filter(|text| *text != "null")
            .unwrap_or("{}"),
    ))
}

/// Returns the digest of a question: of `rendered_json`, compact ASCII JSON, as it stands.
pub(crate) fn question_digest(rendered_json: &str) -> String {
    short_hash(rendered_json)
}

/// Returns `json` in its canonical form.
fn canonical(json: &str) -> Result<String, DigestError> {
    let mut writer = Writer {
        rest: json,
        depth: 0,
        out: String::with_capacity(json.len()),
    };
    writer.value()?;
    writer.skip_whitespace();
    if writer.rest.is_empty() {
        Ok(writer.out)
    } else {
        Err(DigestError::NotJson)
    }
}

fn short_hash(text: &str) -> String {
    BASE64URL_NOPAD.encode(&digest(&SHA256, text.as_bytes()).as_ref()[..16])
}

/// Why arguments have no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DigestError {
    /// The text is not JSON.
    NotJson,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("the arguments are not JSON"),
            Self::TooDeep => write!(f, "the arguments nest deeper than {MAX_DEPTH} levels"),
        }
    }
}

impl std::error::Error for DigestError {}

/// How many arrays and objects may contain one another.
pub(crate) const MAX_DEPTH: usize = 128;

/// Reads JSON and writes its canonical form as it goes.
struct Writer<'a> {
    rest: &'a str,
    depth: usize,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self) -> Result<(), DigestError> {
        self.skip_whitespace();
        match self.rest.as_bytes().first() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(
        &mut self,
        container: impl FnOnce(&mut Self) -> Result<(), DigestError>,
    ) -> Result<(), DigestError> {
        if self.depth == MAX_DEPTH {
            return Err(DigestError::TooDeep);
        }
        self.depth += 1;
        container(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self) -> Result<(), DigestError> {
        self.expect('[')?;
        self.out.push('[');
        if !self.eat(']') {
            loop {
                self.value()?;
                if !self.eat(',') {
                    break;
                }
                self.out.push(',');
            }
            self.expect(']')?;
        }
        self.out.push(']');
        Ok(())
    }

    fn object(&mut self) -> Result<(), DigestError> {
        self.expect('{')?;
        self.out.push('{');
        let start = self.out.len();
        let mut members = Vec::new();
        if !self.eat('}') {
            loop {
                self.skip_whitespace();
                let from = self.out.len() - start;
                self.string()?;
                let colon = self.out.len() - start;
                self.expect(':')?;
                self.out.push(':');
                self.value()?;
                members.push(Member {
                    from,
                    colon,
                    to: self.out.len() - start,
                });
                if !self.eat(',') {
                    break;
                }
                self.out.push(',');
            }
            self.expect('}')?;
        }
        self.sort(start, members);
        self.out.push('}');
        Ok(())
    }

    /// Puts the members written since `start` in order.
    fn sort(&mut self, start: usize, mut members: Vec<Member>) {
        let written = &self.out[start..];
        let order = |a: &Member, b: &Member| by_code_points(a.name(written), b.name(written));
        if members.is_sorted_by(|a, b| order(a, b).is_lt()) {
            return;
        }
        // The sort is stable, so among equal names the last one in the text stays last.
        members.sort_by(order);
        let mut sorted = String::with_capacity(written.len());
        for same in members.chunk_by(|a, b| a.name(written) == b.name(written)) {
            let Some(last) = same.last() else { continue };
            if !sorted.is_empty() {
                sorted.push(',');
            }
            sorted.push_str(&written[last.from..last.to]);
        }
        self.out.truncate(start);
        self.out.push_str(&sorted);
    }

    fn string(&mut self) -> Result<(), DigestError> {
        self.rest = self.rest.strip_prefix('"').ok_or(DigestError::NotJson)?;
        self.out.push('"');
        loop {
            let plain = ascii::plain_prefix(self.rest);
            self.out.push_str(&self.rest[..plain]);
            let mut chars = self.rest[plain..].chars();
            let next = chars.next().ok_or(DigestError::NotJson)?;
            self.rest = chars.as_str();
            match next {
                '"' => break,
                '\\' => {
                    let (unit, rest) = unescape(self.rest).ok_or(DigestError::NotJson)?;
                    self.rest = rest;
                    ascii::push_unit(&mut self.out, unit);
                }
                '\0'..' ' => return Err(DigestError::NotJson),
                other => ascii::push_char(&mut self.out, other),
            }
        }
        self.out.push('"');
        Ok(())
    }

    fn number(&mut self) -> Result<(), DigestError> {
        let (number, rest) = split_number(self.rest).ok_or(DigestError::NotJson)?;
        self.rest = rest;
        if number.contains(['.', 'e', 'E']) {
            let value = number.parse().map_err(|_| DigestError::NotJson)?;
            ascii::push_float(&mut self.out, value);
        } else {
            // Integers have no negative zero.
            self.out.push_str(if number == "-0" { "0" } else { number });
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), DigestError> {
        for word in ["true", "false", "null"] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                self.out.push_str(word);
                return Ok(());
            }
        }
        Err(DigestError::NotJson)
    }

    fn skip_whitespace(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn eat(&mut self, mark: char) -> bool {
        self.skip_whitespace();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Result<(), DigestError> {
        if self.eat(mark) {
            Ok(())
        } else {
            Err(DigestError::NotJson)
        }
    }
}

/// Where a member of an object was written.
struct Member {
    from: usize,
    colon: usize,
    to: usize,
}

impl Member {
    /// Returns the member's name in canonical form, without the quotes.
    fn name<'a>(&self, written: &'a str) -> &'a str {
        &written[self.from + 1..self.colon - 1]
    }
}

/// Compares two strings in canonical form by the code points that they stand for.
fn by_code_points(a: &str, b: &str) -> Ordering {
    if a.contains('\\') || b.contains('\\') {
        code_points(a).cmp(code_points(b))
    } else {
        a.cmp(b)
    }
}

fn code_points(canonical: &str) -> impl Iterator<Item = u32> {
    let mut rest = canonical;
    let units = std::iter::from_fn(move || {
        let mut chars = rest.chars();
        let character = chars.next()?;
        let (unit, after) = match character {
            '\\' => unescape(chars.as_str())?,
            // Canonical text is ASCII.
            plain => (plain as u16, chars.as_str()),
        };
        rest = after;
        Some(unit)
    });
    char::decode_utf16(units).map(|decoded| match decoded {
        Ok(character) => u32::from(character),
        Err(lone) => u32::from(lone.unpaired_surrogate()),
    })
}

/// Reads what follows a backslash: one UTF-16 unit, and the text after it.
fn unescape(text: &str) -> Option<(u16, &str)> {
    let mut chars = text.chars();
    let unit = match chars.next()? {
        'b' => 0x08,
        't' => 0x09,
        'n' => 0x0a,
        'f' => 0x0c,
        'r' => 0x0d,
        same @ ('"' | '\\' | '/') => same as u16,
        'u' => {
            let (hex, rest) = chars.as_str().split_at_checked(4)?;
            // The radix parser alone would take a sign.
            if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            return Some((u16::from_str_radix(hex, 16).ok()?, rest));
        }
        _ => return None,
    };
    Some((unit, chars.as_str()))
}

/// Splits a number as RFC 8259 section 6 defines it from the text after it.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = usize::from(text.starts_with('-'));
    let whole = digits(&text[end..]);
    if whole == 0 || (whole > 1 && text[end..].starts_with('0')) {
        return None;
    }
    end += whole;
    if text[end..].starts_with('.') {
        let fraction = digits(&text[end + 1..]);
        if fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[end + 1 + sign..]);
        if exponent == 0 {
            return None;
        }
        end += 1 + sign + exponent;
    }
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests;
