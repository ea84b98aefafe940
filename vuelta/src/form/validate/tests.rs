#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use serde_json::{Value, json};

use crate::Form;
use crate::form::FormError;

#[derive(Debug, PartialEq, Form)]
#[allow(dead_code, reason = "the wire names")]
enum Size {
    Small,
    #[form(rename = "xl")]
    Large,
}

#[derive(Debug, PartialEq, Form)]
struct Order {
    #[form(min_length = 2, max_length = 5)]
    name: String,
    #[form(format = "email")]
    mail: Option<String>,
    #[form(min = 1, max = 9)]
    count: u8,
    ratio: Option<f64>,
    #[form(default = true)]
    gift: Option<bool>,
    size: Size,
    sizes: Option<Vec<Size>>,
    #[form(format = "date")]
    day: Option<String>,
}

fn read(content: Value) -> Result<Order, FormError> {
    Order::read(&content.into())
}

/// Reads an order that is valid but for the members given.
fn with(members: Value) -> Result<Order, FormError> {
    let mut order = json!({ "name": "Ada", "count": 3, "size": "Small" });
    for (name, value) in members.as_object().unwrap() {
        order[name] = value.clone();
    }
    read(order)
}

#[test]
fn what_fits_is_read_by_its_types() {
    let order = with(json!({
        "mail": "a@example.com", "ratio": 2, "gift": false, "size": "xl",
        "sizes": ["xl", "Small"], "day": "2026-07-28",
    }));
    assert_eq!(
        order.unwrap(),
        Order {
            name: "Ada".to_owned(),
            mail: Some("a@example.com".to_owned()),
            count: 3,
            ratio: Some(2.0),
            gift: Some(false),
            size: Size::Large,
            sizes: Some(vec![Size::Large, Size::Small]),
            day: Some("2026-07-28".to_owned()),
        }
    );
}

#[test]
fn optional_fields_may_be_left_out_or_null() {
    let order = with(json!({ "mail": null, "ratio": null, "sizes": null })).unwrap();
    assert_eq!(
        (order.mail, order.ratio, order.gift, order.sizes),
        (None, None, None, None)
    );
}

#[test]
fn fields_that_the_form_does_not_have_are_ignored() {
    assert!(with(json!({ "extra": [1, 2], "more": { "deep": true } })).is_ok());
}

#[test]
fn a_whole_float_is_an_integer() {
    assert_eq!(with(json!({ "count": 3.0 })).unwrap().count, 3);
}

#[test]
fn what_does_not_fit_is_named() {
    for (members, expected) in [
        (
            json!({ "name": "A" }),
            "name: must have at least 2 characters",
        ),
        (
            json!({ "name": "Adelaide" }),
            "name: must have at most 5 characters",
        ),
        (json!({ "name": 3 }), "name: expected string, got integer"),
        (json!({ "name": null }), "name: required, but missing"),
        (
            json!({ "mail": "nobody" }),
            "mail: must be of the format email",
        ),
        (json!({ "day": "soon" }), "day: must be of the format date"),
        (json!({ "count": 0 }), "count: must be at least 1"),
        (json!({ "count": 10 }), "count: must be at most 9"),
        (
            json!({ "count": "3" }),
            "count: expected integer, got string",
        ),
        (
            json!({ "count": 3.5 }),
            "count: expected integer, got number",
        ),
        (
            json!({ "gift": "yes" }),
            "gift: expected boolean, got string",
        ),
        (
            json!({ "size": "Large" }),
            r#"size: expected one of ["Small","xl"], got string"#,
        ),
        (
            json!({ "sizes": "xl" }),
            "sizes: expected array, got string",
        ),
    ] {
        assert_eq!(with(members).unwrap_err().to_string(), expected);
    }
}

#[test]
fn every_field_that_does_not_fit_is_named() {
    let error = with(json!({ "name": 3, "count": 0, "sizes": ["xl", "no"] }))
        .unwrap_err()
        .to_string();
    for part in ["name: ", "count: ", "sizes[1]: "] {
        assert!(error.contains(part), "{part} is not in {error}");
    }
}

#[test]
fn content_that_is_no_object_does_not_fit() {
    for content in [json!([]), json!("x"), json!(null), json!(3)] {
        assert!(read(content).is_err());
    }
    let surrogate = r#"{"name":"\ud83d","count":3,"size":"Small"}"#.to_owned();
    assert!(
        Order::read(&crate::Raw::from_json(surrogate).unwrap()).is_err(),
        "no Unicode text"
    );
}

#[test]
fn a_number_beyond_its_type_does_not_fit() {
    #[derive(Debug, Form)]
    struct Small {
        small: u8,
        signed: i16,
        wide: u64,
    }
    let read = |small: Value, signed: Value, wide: Value| {
        Small::read(&json!({ "small": small, "signed": signed, "wide": wide }).into())
    };
    let read_back = read(json!(255), json!(-32768), json!(u64::MAX)).unwrap();
    assert_eq!(
        (read_back.small, read_back.signed, read_back.wide),
        (255, -32768, u64::MAX)
    );
    assert!(read(json!(256), json!(0), json!(0)).is_err());
    assert!(read(json!(-1), json!(0), json!(0)).is_err());
    assert!(read(json!(1), json!(40_000), json!(0)).is_err());
    assert!(read(json!(1), json!(0), json!(1e300)).is_err());
}
