use vuelta_wire::Number;

use super::Progress;

/// Which of these are further than all before.
fn advances(numbers: impl IntoIterator<Item: Into<Number>>) -> Vec<bool> {
    let progress = Progress::default();
    let numbers = numbers.into_iter().map(Into::into);
    numbers.map(|number| progress.advance(number)).collect()
}

#[test]
fn the_first_is_an_advance_whatever_it_is() {
    assert_eq!(advances([-5]), [true]);
    assert_eq!(advances([f64::MIN]), [true]);
}

#[test]
fn only_what_grows_is_an_advance() {
    assert_eq!(
        advances([0, 1, 1, 0, 2, -1, 3]),
        [true, true, false, false, true, false, true]
    );
    assert_eq!(advances([0.1, 0.1, 0.05, 0.2]), [true, false, false, true]);
    let mixed = [Number::from(1), 1.0.into(), 1.5.into(), 1.into(), 2.into()];
    assert_eq!(advances(mixed), [true, false, true, false, true]);
}

#[test]
fn integers_that_no_float_holds_are_told_apart() {
    // 2^53 and the next one are the same float.
    assert_eq!(
        advances([9_007_199_254_740_992_i64, 9_007_199_254_740_993]),
        [true, true]
    );
    assert_eq!(
        advances([u64::MAX - 1, u64::MAX, u64::MAX]),
        [true, true, false]
    );
    assert_eq!(
        advances([Number::from(i64::MAX), u64::MAX.into()]),
        [true, true]
    );
}

#[test]
fn what_is_no_number_is_left_to_the_encoder() {
    assert_eq!(advances([1.0, f64::NAN]), [true, true]);
}
