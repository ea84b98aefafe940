use super::*;
use crate::decode;

#[test]
fn a_number_keeps_its_kind_and_value() {
    for (json, number) in [
        ("0", Number::Integer(0)),
        ("-7", Number::Integer(-7)),
        ("9007199254740993", Number::Integer(9_007_199_254_740_993)),
        ("-9223372036854775808", Number::Integer(i64::MIN)),
        ("18446744073709551615", Number::Unsigned(u64::MAX)),
        ("1.0", Number::Float(1.0)),
        ("0.6", Number::Float(0.6)),
        ("-1.5e300", Number::Float(-1.5e300)),
    ] {
        assert_eq!(decode::<Number>(json).unwrap(), number, "{json}");
        let written = serde_json::to_string(&number).unwrap();
        assert_eq!(decode::<Number>(&written).unwrap(), number, "{json}");
    }
    assert_eq!(serde_json::to_string(&Number::from(1)).unwrap(), "1");
    assert_eq!(serde_json::to_string(&Number::from(1.0)).unwrap(), "1.0");
}

#[test]
fn what_is_no_finite_number_is_refused() {
    for json in ["1e400", "-1e400", r#""1""#, "null", "true", "[]"] {
        assert!(decode::<Number>(json).is_err(), "{json}");
    }
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(serde_json::to_string(&Number::Float(value)).is_err());
    }
}

#[test]
fn numbers_convert() {
    assert_eq!(Number::from(5_u64), Number::Integer(5));
    assert_eq!(Number::from(u64::MAX), Number::Unsigned(u64::MAX));
    assert_eq!(Number::from(-5_i64).as_f64().to_string(), "-5");
    assert_eq!(Number::from(0.5).as_f64().to_string(), "0.5");
}
