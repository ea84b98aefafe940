//! What a server wrote, made safe to show: it cannot steer the terminal or hide what it says.

/// Returns the text on one line: line breaks become spaces.
pub(crate) fn line(text: &str) -> String {
    let words: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    shown(&words.join(" "), |_| false)
}

/// Returns the text with its line breaks and tabs.
pub(crate) fn block(text: &str) -> String {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

fn shown(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_treacherous(c) && !keep(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters move the cursor and set links; the others turn the direction of what is
/// read (Unicode Standard Annex 9, "Explicit Directional Formatting"), so that one address can
/// look like another.
fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
