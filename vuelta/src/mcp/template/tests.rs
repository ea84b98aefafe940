use super::Template;

fn matched(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
    Template::parse(template)
        .unwrap()
        .expect("a template")
        .matches(uri)
}

fn pairs(expected: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
    Some(
        expected
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect(),
    )
}

#[test]
fn a_variable_is_one_segment() {
    assert_eq!(
        matched("note:///{name}", "note:///a"),
        pairs(&[("name", "a")])
    );
    assert_eq!(matched("note:///{name}", "note:///a/b"), None);
    assert_eq!(matched("note:///{name}", "note:///"), None);
    assert_eq!(
        matched("x://{a}/y/{b}", "x://1/y/2"),
        pairs(&[("a", "1"), ("b", "2")])
    );
}

#[test]
fn a_spanning_variable_is_any_number_of_segments() {
    assert_eq!(
        matched("file:///{+path}", "file:///a/b.txt"),
        pairs(&[("path", "a/b.txt")])
    );
}

#[test]
fn query_members_may_be_left_out() {
    let template = "db://{table}{?limit,after}";
    assert_eq!(matched(template, "db://t"), pairs(&[("table", "t")]));
    assert_eq!(
        matched(template, "db://t?limit=3"),
        pairs(&[("table", "t"), ("limit", "3")])
    );
    assert_eq!(
        matched(template, "db://t?other=3"),
        pairs(&[("table", "t")])
    );
}

#[test]
fn percent_encoding_is_decoded_once() {
    assert_eq!(matched("n://{a}", "n://caf%C3%A9"), pairs(&[("a", "café")]));
    assert_eq!(matched("n://{a}", "n://%2541"), pairs(&[("a", "%41")]));
    assert_eq!(matched("n://{a}", "n://%ff"), None);
    assert_eq!(matched("n://{a}", "n://%4"), None);
}

#[test]
fn no_variable_leads_out_of_its_place() {
    for uri in [
        "f:///..",
        "f:///.",
        "f:///%2e%2e",
        "f:///..%2Fsecret",
        "f:///a%2Fb",
        "f:///a%5Cb",
        "f:///a%00",
    ] {
        assert_eq!(matched("f:///{name}", uri), None, "{uri}");
    }
    for uri in [
        "f:///a/../b",
        "f:///%2e%2e/b",
        "f:////etc/passwd",
        "f:///a/%2E%2E/b",
    ] {
        assert_eq!(matched("f:///{+path}", uri), None, "{uri}");
    }
}

#[test]
fn what_is_not_matched_is_refused_at_registration() {
    for template in [
        "x://{a*}",
        "x://{a:3}",
        "x://{#a}",
        "x://{?a}/b",
        "x://{a,b}",
        "x://{a",
    ] {
        assert!(Template::parse(template).is_err(), "{template}");
    }
    assert!(Template::parse("mem://a").unwrap().is_none());
}
