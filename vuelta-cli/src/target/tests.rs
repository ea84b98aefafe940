use std::ffi::OsString;

use super::Target;

fn take(words: &[&str], command: &[&str], least: usize) -> Result<(Target, Vec<String>), String> {
    let words = words.iter().map(ToString::to_string).collect();
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    Target::take(words, &command, least)
}

#[test]
fn the_first_word_names_a_server() {
    for (word, target) in [
        ("http://h/mcp", Target::Url("http://h/mcp".to_owned())),
        ("HTTPS://h", Target::Url("HTTPS://h".to_owned())),
        ("unix:/run/a.sock", Target::Socket("/run/a.sock".to_owned())),
        ("unix:a.sock", Target::Socket("a.sock".to_owned())),
    ] {
        let (taken, words) = take(&[word, "add", "a=1"], &[], 0).unwrap();
        assert_eq!(taken, target);
        assert_eq!(words, ["add", "a=1"]);
    }
}

#[test]
fn a_command_is_a_server() {
    let (target, words) = take(&["add", "a=1"], &["node", "server.js", "--all"], 0).unwrap();
    let args = ["server.js", "--all"].map(OsString::from).to_vec();
    let program = "node".into();
    assert_eq!(target, Target::Command { program, args });
    assert_eq!(target.to_string(), "node");
    assert_eq!(words, ["add", "a=1"]);
}

#[test]
fn the_uri_of_a_resource_is_no_server() {
    let uri = "https://example.com/readme";
    let (target, words) = take(&[uri], &["node"], 1).unwrap();
    assert_eq!(target.to_string(), "node");
    assert_eq!(words, [uri]);
    let (target, words) = take(&["http://h/mcp", uri], &[], 1).unwrap();
    assert_eq!(target.to_string(), "http://h/mcp");
    assert_eq!(words, [uri]);
}

#[test]
fn a_line_without_one_server_is_told_the_fix() {
    let servers = "give a URL (http or https), unix:PATH, or a command behind `--`";
    for word in [
        "add",
        "127.0.0.1:8000",
        "ftp://h/mcp",
        "localhost:8000/mcp",
        "",
    ] {
        let error = take(&[word, "a=1"], &[], 0).unwrap_err();
        assert_eq!(error, format!("`{word}` is no server: {servers}"));
    }
    assert_eq!(
        take(&[], &[], 0).unwrap_err(),
        format!("no server is given: {servers}")
    );
    let two = "`http://h/mcp` and the command behind `--` are two servers: keep one";
    assert_eq!(
        take(&["http://h/mcp", "add"], &["node"], 0).unwrap_err(),
        two
    );
    assert_eq!(
        take(&["http://h/mcp", "file:///a"], &["node"], 1).unwrap_err(),
        two
    );
}
