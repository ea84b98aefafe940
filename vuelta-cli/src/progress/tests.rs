use vuelta::wire::ProgressToken;
use vuelta::{ProgressParams, RequestId};

use super::line;

#[test]
fn an_update_is_one_line() {
    let token = ProgressToken::from(RequestId::from(1));
    let update = ProgressParams::new(token.clone(), 1);
    assert_eq!(line(&update), "1");
    let update = ProgressParams::new(token, 1.5)
        .total(3)
        .message("copy\u{1b}ing\nfiles");
    assert_eq!(line(&update), r"1.5/3 copy\u{1b}ing files");
}
