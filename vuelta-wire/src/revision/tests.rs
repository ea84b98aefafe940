use super::*;
use crate::decode;

#[test]
fn revisions_are_compared_by_their_place() {
    for (index, newer) in KNOWN.iter().enumerate() {
        for older in &KNOWN[..=index] {
            let (newer, older) = (ProtocolVersion::from(*newer), ProtocolVersion::from(*older));
            assert!(newer.is_at_least(&older));
            assert_eq!(older.is_at_least(&newer), older == newer);
        }
    }
    assert_eq!(
        ProtocolVersion::from("2026-07-28"),
        ProtocolVersion::V2026_07_28
    );
    assert_eq!(
        ProtocolVersion::from("2025-11-25"),
        ProtocolVersion::V2025_11_25
    );
}

#[test]
fn only_the_last_one_is_modern() {
    let modern: Vec<_> = KNOWN
        .into_iter()
        .filter(|text| ProtocolVersion::from(*text).is_modern())
        .collect();
    assert_eq!(modern, ["2026-07-28"]);
}

#[test]
fn an_unknown_revision_is_kept_and_has_no_place() {
    for text in ["2099-01-01", "", "DRAFT-2026-v1", "2026-07-28 "] {
        let unknown = ProtocolVersion::from(text);
        assert_eq!(unknown.as_str(), text);
        assert!(!unknown.is_modern());
        assert!(!unknown.is_at_least(&unknown));
        assert!(!ProtocolVersion::V2026_07_28.is_at_least(&unknown));
        let json = serde_json::to_string(&unknown).unwrap();
        assert_eq!(decode::<ProtocolVersion>(&json).unwrap(), unknown);
        assert_eq!(format!("{unknown:?}"), json);
    }
    assert!(decode::<ProtocolVersion>("20260728").is_err());
}
