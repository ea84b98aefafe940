use super::random;

#[test]
fn ids_are_long_visible_and_different() {
    let ids = [(); 100].map(|()| random().unwrap());
    for (index, id) in ids.iter().enumerate() {
        assert_eq!(id.len(), 48);
        assert!(id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
        assert!(!ids[..index].contains(id));
    }
}
