use super::*;

#[test]
fn every_code_of_the_protocol_has_its_status() {
    let table = [
        (-32700, 400),
        (-32600, 400),
        (-32602, 400),
        (-32020, 400),
        (-32021, 400),
        (-32022, 400),
        (-32601, 404),
        (-32603, 200),
        (-32000, 200),
        (1, 200),
    ];
    for (code, status) in table {
        assert_eq!(of(ErrorCode(code)).as_u16(), status, "{code}");
    }
}
