use super::remarks;

#[test]
fn the_host_is_the_one_that_a_browser_goes_to() {
    assert_eq!(
        remarks("https://mcp.example.com/ui/set_api_key"),
        ["host: mcp.example.com"]
    );
    // The URL standard reads a backslash as a slash.
    assert_eq!(
        remarks(r"https://good.example\@evil.example/"),
        ["host: good.example"]
    );
}

#[test]
fn a_user_name_that_looks_like_a_host_is_named() {
    assert_eq!(
        remarks("https://bank.example@evil.example/"),
        [
            "host: evil.example",
            "warning: what is before the @ is a user name, not the host"
        ]
    );
}

#[test]
fn letters_beyond_ascii_are_named() {
    let warning = "warning: the host has letters beyond ASCII, which may look like others";
    // Cyrillic "a" in place of the Latin one.
    assert_eq!(
        remarks("https://\u{430}.example/"),
        ["host: xn--80a.example", warning]
    );
    assert_eq!(
        remarks("https://xn--80a.example/"),
        ["host: xn--80a.example", warning]
    );
}

#[test]
fn what_is_no_address_of_the_web_is_named() {
    assert_eq!(remarks("sign in here"), ["warning: this is no URL"]);
    assert_eq!(
        remarks("javascript:alert(1)"),
        [
            "warning: it names no host",
            "warning: `javascript` is no scheme of the web"
        ]
    );
}
