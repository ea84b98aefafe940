//! JSON as plain ASCII text: how strings and floats are spelt.
//!
//! Digests and claims are compared byte for byte with those of other implementations of the
//! `v1.` token, so their spelling is part of the format: every UTF-16 unit outside printable
//! ASCII is escaped, and a float has the shortest digits that read back as the same number,
//! with an exponent only below 1e-4 and from 1e16 on.

use std::fmt::Write as _;
use std::iter;

/// Appends `text` as a JSON string.
pub(crate) fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let plain = plain_prefix(rest);
        out.push_str(&rest[..plain]);
        let mut chars = rest[plain..].chars();
        if let Some(character) = chars.next() {
            push_char(out, character);
        }
        rest = chars.as_str();
    }
    out.push('"');
}

/// Returns how many bytes at the start of `text` stand for themselves inside a JSON string.
pub(crate) fn plain_prefix(text: &str) -> usize {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    text.as_bytes()
        .iter()
        .take_while(|byte| plain(byte))
        .count()
}

/// Appends the content of a JSON string that stands for `character`.
pub(crate) fn push_char(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        push_unit(out, *unit);
    }
}

/// Appends the content of a JSON string that stands for one UTF-16 unit, paired or not.
pub(crate) fn push_unit(out: &mut String, unit: u16) {
    let short = match unit {
        0x08 => "\\b",
        0x09 => "\\t",
        0x0a => "\\n",
        0x0c => "\\f",
        0x0d => "\\r",
        0x22 => "\\\"",
        0x5c => "\\\\",
        0x20..=0x7e => {
            out.extend(char::from_u32(u32::from(unit)));
            return;
        }
        _ => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
            return;
        }
    };
    out.push_str(short);
}

/// Appends `value`, always with a point or an exponent, so that it never reads as an integer.
pub(crate) fn push_float(out: &mut String, value: f64) {
    if !value.is_finite() {
        out.push_str(match value {
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => "NaN",
        });
        return;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    // The standard library finds digits that are as short, but of two that are equally near it
    // takes the larger, not the even one.
    let mut buffer = zmij::Buffer::new();
    let (digits, exponent) = scientific(buffer.format_finite(value.abs()));
    match exponent {
        0..16 => {
            let whole = exponent.unsigned_abs() as usize + 1;
            let split = whole.min(digits.len());
            out.push_str(&digits[..split]);
            out.extend(iter::repeat_n('0', whole - split));
            out.push('.');
            out.push_str(if split < digits.len() {
                &digits[split..]
            } else {
                "0"
            });
        }
        -4..0 => {
            out.push_str("0.");
            out.extend(iter::repeat_n('0', exponent.unsigned_abs() as usize - 1));
            out.push_str(&digits);
        }
        _ => {
            out.push_str(&digits[..1]);
            if digits.len() > 1 {
                out.push('.');
                out.push_str(&digits[1..]);
            }
            let sign = if exponent < 0 { '-' } else { '+' };
            // Writing to a string cannot fail.
            let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
        }
    }
}

/// Returns the significant digits of a positive decimal number, at least one, and the power of
/// ten of the first of them.
fn scientific(decimal: &str) -> (String, i32) {
    let (mantissa, exponent) = decimal.split_once('e').unwrap_or((decimal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    let significant = all.trim_start_matches('0');
    let zeros = all.len() - significant.len();
    let digits = significant.trim_end_matches('0');
    if digits.is_empty() {
        return ("0".to_owned(), 0);
    }
    // A finite double has at most 17 digits and an exponent of three, so nothing overflows.
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let place = |count: usize| i32::try_from(count).unwrap_or_default();
    let first = place(whole.len()) - 1 - place(zeros);
    (digits.to_owned(), exponent + first)
}

#[cfg(test)]
mod tests;
