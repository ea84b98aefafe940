//! Which arguments of a call its resolvers use, as constants: a call that lacks one does not
//! compile, and the error names it.

/// An argument of the call that a resolver uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeededArgument {
    /// The name.
    pub name: &'static str,
    /// The type, as it is written.
    pub ty: &'static str,
    /// The resolver that has the parameter.
    pub resolver: &'static str,
}

impl NeededArgument {
    /// Creates the entry for one parameter of a resolver.
    #[must_use]
    pub const fn new(name: &'static str, ty: &'static str, resolver: &'static str) -> Self {
        Self { name, ty, resolver }
    }
}

/// Returns how many arguments [`merge`] gives.
#[must_use]
pub const fn merged_len(lists: &[&[NeededArgument]]) -> usize {
    let mut len = 0;
    let mut at = (0, 0);
    while at.0 < lists.len() {
        if at.1 == lists[at.0].len() {
            at = (at.0 + 1, 0);
            continue;
        }
        if is_first(lists, at) {
            len += 1;
        }
        at.1 += 1;
    }
    len
}

/// Joins what a resolver uses itself with what its dependencies use, each name once.
///
/// # Panics
///
/// Panics, at compile time, if `N` is not what [`merged_len`] returns.
#[must_use]
pub const fn merge<const N: usize>(lists: &[&[NeededArgument]]) -> [NeededArgument; N] {
    let mut merged = [NeededArgument::new("", "", ""); N];
    let mut len = 0;
    let mut at = (0, 0);
    while at.0 < lists.len() {
        if at.1 == lists[at.0].len() {
            at = (at.0 + 1, 0);
            continue;
        }
        if is_first(lists, at) {
            merged[len] = lists[at.0][at.1];
            len += 1;
        }
        at.1 += 1;
    }
    assert!(len == N, "the length must be that of `merged_len`");
    merged
}

/// Returns whether no entry before the one at this place has its name.
const fn is_first(lists: &[&[NeededArgument]], at: (usize, usize)) -> bool {
    let name = lists[at.0][at.1].name;
    let mut before = (0, 0);
    while before.0 <= at.0 {
        if before.0 == at.0 && before.1 == at.1 {
            return true;
        }
        if before.1 == lists[before.0].len() {
            before = (before.0 + 1, 0);
            continue;
        }
        if is_same(lists[before.0][before.1].name, name) {
            return false;
        }
        before.1 += 1;
    }
    true
}

/// Returns the first of `needed` that is not among the names `given`.
#[must_use]
pub const fn first_missing(
    needed: &'static [NeededArgument],
    given: &[&str],
) -> Option<NeededArgument> {
    let mut index = 0;
    while index < needed.len() {
        if !contains(given, needed[index].name) {
            return Some(needed[index]);
        }
        index += 1;
    }
    None
}

/// Returns the parts of the error about an argument that a call does not have.
#[must_use]
pub const fn missing_argument(
    missing: Option<NeededArgument>,
    call: &'static str,
    name: &'static str,
) -> [&'static str; 16] {
    let NeededArgument {
        name: argument,
        ty,
        resolver,
    } = match missing {
        Some(missing) => missing,
        None => NeededArgument::new("", "", ""),
    };
    [
        call,
        " `",
        name,
        "` has no argument `",
        argument,
        ": ",
        ty,
        "`, which its resolver `",
        resolver,
        "` uses: add it to `",
        name,
        "`, or mark the parameter `",
        argument,
        "` of `",
        resolver,
        "` with `#[resolve(..)]` to take it from another resolver",
    ]
}

/// Returns the length of a text in parts.
#[must_use]
pub const fn text_len(parts: &[&str]) -> usize {
    let mut len = 0;
    let mut part = 0;
    while part < parts.len() {
        len += parts[part].len();
        part += 1;
    }
    len
}

/// Joins a text in parts.
#[must_use]
pub const fn text<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut text = [0; N];
    let mut len = 0;
    let mut part = 0;
    while part < parts.len() {
        let bytes = parts[part].as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            text[len] = bytes[index];
            len += 1;
            index += 1;
        }
        part += 1;
    }
    text
}

/// Reads what [`text`] has joined.
#[must_use]
pub const fn utf8(text: &[u8]) -> &str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        // Parts that are each UTF-8 are so together.
        Err(_) => "",
    }
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut index = 0;
    while index < names.len() {
        if is_same(names[index], name) {
            return true;
        }
        index += 1;
    }
    false
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests;
