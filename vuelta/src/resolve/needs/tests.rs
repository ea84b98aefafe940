//! Lists of needed arguments.

use super::*;

const NAME: NeededArgument = NeededArgument::new("name", "String", "region");
const DAYS: NeededArgument = NeededArgument::new("days", "u32", "price");
const OTHER_NAME: NeededArgument = NeededArgument::new("name", "String", "zone");

#[test]
fn merging_keeps_the_first_of_each_name() {
    const LISTS: &[&[NeededArgument]] = &[&[NAME], &[], &[OTHER_NAME, DAYS], &[DAYS]];
    const MERGED: [NeededArgument; merged_len(LISTS)] = merge(LISTS);
    assert_eq!(MERGED, [NAME, DAYS]);
}

#[test]
fn merging_nothing_gives_nothing() {
    const MERGED: [NeededArgument; merged_len(&[])] = merge(&[]);
    assert_eq!(MERGED, []);
}

#[test]
fn the_first_missing_argument_is_found() {
    const NEEDED: &[NeededArgument] = &[NAME, DAYS];
    assert_eq!(first_missing(NEEDED, &["days", "name"]), None);
    assert_eq!(first_missing(NEEDED, &["name", "day"]), Some(DAYS));
    assert_eq!(first_missing(NEEDED, &[]), Some(NAME));
    assert_eq!(first_missing(&[], &[]), None);
}

#[test]
fn the_error_names_the_argument_and_the_fix() {
    const PARTS: &[&str] = &missing_argument(Some(DAYS), "tool", "order");
    const TEXT: [u8; text_len(PARTS)] = text(PARTS);
    assert_eq!(
        utf8(&TEXT),
        "tool `order` has no argument `days: u32`, which its resolver `price` uses: add it to \
         `order`, or mark the parameter `days` of `price` with `#[resolve(..)]` to take it from \
         another resolver"
    );
}
