use std::env;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::error::Error;

use super::*;

/// How long anything may take: far more than it does.
const BOUND: Duration = Duration::from_secs(30);

/// A server that is a shell script.
fn script(text: &str) -> Command {
    command("sh").arg("-c").arg(text)
}

async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, what).await.expect("in time")
}

/// Waits until something is so.
async fn until(mut is_so: impl FnMut() -> bool) {
    let mut look = tokio::time::interval(Duration::from_millis(5));
    within(async {
        while !is_so() {
            look.tick().await;
        }
    })
    .await;
}

/// Reads a line of the server's stdout, such as the one that says that it is ready.
async fn line(stdout: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    within(stdout.read_line(&mut line)).await.unwrap();
    line.trim_end().to_owned()
}

/// Returns the state of a process as `/proc` has it; none if it does not exist.
fn state(id: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Returns whether a process is gone, or waits only for a parent that is not us to reap it.
fn is_over(id: u32) -> bool {
    matches!(state(id), None | Some('Z' | 'X'))
}

/// Asserts that a process of ours is neither alive nor a zombie.
fn assert_reaped(id: u32) {
    if cfg!(target_os = "linux") {
        assert_eq!(state(id), None, "process {id}");
    }
}

#[tokio::test]
async fn a_server_is_a_pair_of_streams() {
    let (child, mut stdin, mut stdout) = command("cat").spawn().unwrap();
    stdin.write_all(b"{\"a\":1}\n").await.unwrap();
    let mut bytes = [0; 8];
    within(stdout.read_exact(&mut bytes)).await.unwrap();
    assert_eq!(&bytes, b"{\"a\":1}\n");
    assert_eq!(child.try_exit_status(), None);

    stdin.shutdown().await.unwrap();
    assert_eq!(within(stdout.read(&mut bytes)).await.unwrap(), 0);
    let status = within(child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(child.try_exit_status(), Some(status));
    assert_reaped(child.id().unwrap());
    assert!(stdin.write_all(b"late").await.is_err());
}

#[tokio::test]
async fn a_server_that_exits_when_its_stdin_ends_gets_no_signal() {
    let (child, stdin, stdout) = script(
        "trap 'echo term >&2' TERM; echo ready; while read -r line; do :; done; echo eof >&2; exit 5",
    )
    .grace(BOUND)
    .spawn()
    .unwrap();
    let mut stdout = BufReader::new(stdout);
    assert_eq!(line(&mut stdout).await, "ready");
    drop(stdin);
    let status = within(child.stop()).await.unwrap();
    assert_eq!(
        (status.code(), child.stderr_tail().as_str()),
        (Some(5), "eof\n")
    );
    assert_reaped(child.id().unwrap());
}

#[tokio::test]
async fn a_server_that_stays_is_asked_to_end() {
    let (child, stdin, stdout) = script(
        "trap 'echo term >&2; exit 7' TERM; echo ready; while read -r line; do :; done
        echo eof >&2; while :; do sleep 60 & wait; done",
    )
    .grace(Duration::from_secs(1))
    .spawn()
    .unwrap();
    let mut stdout = BufReader::new(stdout);
    assert_eq!(line(&mut stdout).await, "ready");
    drop(stdin);
    let status = within(child.stop()).await.unwrap();
    assert_eq!(
        (status.code(), child.stderr_tail().as_str()),
        (Some(7), "eof\nterm\n")
    );
    assert_reaped(child.id().unwrap());
}

#[tokio::test]
async fn a_server_that_will_not_end_is_killed_with_what_it_started() {
    // A shell cannot catch a signal and stay deaf to it: it waits anew after each one.
    let (child, stdin, stdout) = script(
        "trap 'echo term >&2' TERM; (trap '' TERM; exec sleep 600) & echo $!
        while read -r line; do :; done; echo eof >&2; while :; do wait; done",
    )
    .grace(Duration::from_secs(1))
    .spawn()
    .unwrap();
    let mut stdout = BufReader::new(stdout);
    let started: u32 = line(&mut stdout).await.parse().unwrap();
    drop(stdin);
    let status = within(child.stop()).await.unwrap();
    assert_eq!(
        (status.signal(), child.stderr_tail().as_str()),
        (Some(9), "eof\nterm\n")
    );
    assert_reaped(child.id().unwrap());
    until(|| is_over(started)).await;
}

#[tokio::test]
async fn a_wrapper_that_ends_first_leaves_nothing_running() {
    // The wrapper ends at once, what it wraps must be killed.
    let (child, stdin, stdout) = script(
        "(trap '' TERM; exec sleep 600) & echo $!; trap 'exit 0' TERM; while :; do wait; done",
    )
    .grace(Duration::from_millis(300))
    .spawn()
    .unwrap();
    let mut stdout = BufReader::new(stdout);
    let wrapped: u32 = line(&mut stdout).await.parse().unwrap();
    drop(stdin);
    let status = within(child.stop()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    until(|| is_over(wrapped)).await;
}

#[tokio::test]
async fn stopping_goes_on_if_nobody_waits_for_it() {
    let (child, stdin, _stdout) = command("cat").spawn().unwrap();
    drop(stdin);
    assert!(child.stop().now_or_never().is_none());
    until(|| child.try_exit_status().is_some()).await;
}

#[tokio::test]
async fn a_child_that_is_dropped_is_reaped() {
    for text in ["cat", "trap '' TERM; while :; do sleep 60; done"] {
        let (child, stdin, stdout) = script(&format!("echo ready; {text}"))
            .grace(Duration::from_millis(100))
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(stdout);
        assert_eq!(line(&mut stdout).await, "ready");
        let id = child.id().unwrap();
        drop((child, stdin, stdout));
        until(|| state(id).is_none()).await;
    }
}

#[test]
fn a_runtime_that_ends_leaves_no_process_behind() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let kept = runtime.block_on(async {
        let (child, stdin, stdout) = script("trap '' TERM; echo ready; while :; do sleep 60; done")
            .grace(BOUND)
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(stdout);
        assert_eq!(line(&mut stdout).await, "ready");
        (child, stdin)
    });
    let id = kept.0.id().unwrap();
    assert_ne!(state(id), None);
    drop(runtime);
    assert_reaped(id);
    let error = kept.0.wait().now_or_never().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "it is not known how `sh` exited");
}

#[test]
fn a_runtime_that_ends_does_not_wait_for_what_a_wrapper_left() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let wrapped = runtime.block_on(async {
        let (child, stdin, stdout) = script(
            "(trap '' TERM; exec sleep 600) & echo $!; trap 'exit 0' TERM; while :; do wait; done",
        )
        .grace(Duration::from_millis(300))
        .spawn()
        .unwrap();
        let mut stdout = BufReader::new(stdout);
        let wrapped: u32 = line(&mut stdout).await.parse().unwrap();
        let id = child.id().unwrap();
        drop((child, stdin));
        // The wrapper has ended, and the time of what it wraps runs.
        until(|| is_over(id)).await;
        wrapped
    });
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(until(|| is_over(wrapped)));
}

#[tokio::test]
async fn a_server_that_exits_early_says_why() {
    let (child, _stdin, mut stdout) = script("echo one >&2; echo 'no such key' >&2; exit 3")
        .spawn()
        .unwrap();
    let mut bytes = Vec::new();
    within(stdout.read_to_end(&mut bytes)).await.unwrap();
    let error = within(child.lost()).await;
    assert!(error.is_transport());
    assert_eq!(
        error.to_string(),
        "`sh` exited with code 3; its stderr ends with:\n  one\n  no such key"
    );

    let (child, _stdin, _stdout) = script("kill -KILL $$").spawn().unwrap();
    let error = within(child.lost()).await.to_string();
    assert!(
        error.starts_with("`sh` was ended by signal: 9 (SIGKILL) and wrote nothing"),
        "{error}"
    );

    let (child, _stdin, _stdout) = script("exit 0").inherit_stderr().spawn().unwrap();
    let error = within(child.lost()).await.to_string();
    assert_eq!(
        error,
        "`sh` exited with code 0: see what it wrote to stderr"
    );
    assert_eq!(child.stderr_tail(), "");
}

#[tokio::test]
async fn a_server_that_only_closes_its_stdout_is_told_apart() {
    let (child, stdin, mut stdout) = script("exec >&-; echo closed >&2; cat >/dev/null")
        .spawn()
        .unwrap();
    let mut bytes = Vec::new();
    within(stdout.read_to_end(&mut bytes)).await.unwrap();
    let error = within(child.lost()).await.to_string();
    assert_eq!(
        error,
        "`sh` closed its stdout but has not exited; its stderr ends with:\n  closed"
    );
    drop(stdin);
    within(child.stop()).await.unwrap();
}

#[tokio::test]
async fn a_server_may_write_as_much_to_stderr_as_it_likes() {
    let (child, stdin, stdout) =
        script("head -c 1048576 /dev/zero | tr '\\0' x >&2; echo last >&2; echo done; cat")
            .stderr_tail(1000)
            .log_stderr()
            .spawn()
            .unwrap();
    let mut stdout = BufReader::new(stdout);
    assert_eq!(line(&mut stdout).await, "done");
    until(|| child.stderr_tail().ends_with("xlast\n")).await;
    assert_eq!(child.stderr_tail().len(), 1000);
    drop(stdin);
    assert_eq!(within(child.stop()).await.unwrap().code(), Some(0));
}

#[tokio::test]
async fn a_process_that_stays_behind_does_not_hold_up_the_exit() {
    let (child, stdin, stdout) = script("sleep 600 & echo $!; exit 4").spawn().unwrap();
    let left: i32 = line(&mut BufReader::new(stdout)).await.parse().unwrap();
    let status = within(child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(4));
    drop((child, stdin));
    // It was left alone; this test does not.
    let left = rustix::process::Pid::from_raw(left).unwrap();
    rustix::process::kill_process(left, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_named_with_the_reason() {
    let refused = |command: Command| {
        let error = command.spawn().expect_err("cannot be started");
        assert!(error.is_transport());
        assert!(std::error::Error::source(&error).is_some());
        error.to_string()
    };
    assert_eq!(
        refused(command("vuelta-no-such-program")),
        "cannot start `vuelta-no-such-program`: it is not found in PATH; install it, or give its \
         full path"
    );
    assert_eq!(
        refused(command("./no/such/program")),
        "cannot start `./no/such/program`: there is no such file, or it is a script whose \
         interpreter is missing"
    );
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let name = text.display();
    assert_eq!(
        refused(command(&text)),
        format!("cannot start `{name}`: it may not be executed; check its permissions")
    );
    for folder in ["no/such/folder", text.to_str().unwrap()] {
        assert_eq!(
            refused(command("sh").current_dir(folder)),
            format!("cannot start `sh` in `{folder}`: there is no such folder")
        );
    }
    assert_eq!(refused(command("sh").arg("a\0b")), "cannot start `sh`");
}

#[test]
fn a_runtime_is_needed() {
    let error = command("sh").spawn().expect_err("no runtime");
    assert!(error.is_misuse());
}

/// Runs a command to its end and returns what it wrote.
async fn output(command: Command) -> Result<String, Error> {
    let (child, stdin, mut stdout) = command.spawn()?;
    drop(stdin);
    let mut text = String::new();
    within(stdout.read_to_string(&mut text)).await.unwrap();
    within(child.wait()).await?;
    Ok(text.trim_end().to_owned())
}

#[tokio::test]
async fn the_environment_is_not_passed_on() {
    // Cargo sets it for each test.
    const OURS: &str = "CARGO_MANIFEST_DIR";
    let ours = env::var(OURS).expect("set by cargo");
    let print = || {
        script(&format!(
            "echo \"${{{OURS}-none}} ${{GIVEN-none}} ${{PATH+path}}\""
        ))
    };

    assert_eq!(output(print()).await.unwrap(), "none none path");
    assert_eq!(
        output(print().env("GIVEN", "a b")).await.unwrap(),
        "none a b path"
    );
    assert_eq!(
        output(print().envs([("GIVEN", "1"), (OURS, "2")]))
            .await
            .unwrap(),
        "2 1 path"
    );
    assert_eq!(
        output(print().inherit_env()).await.unwrap(),
        format!("{ours} none path")
    );
    let removed = print().env_remove(OURS).inherit_env();
    assert_eq!(output(removed).await.unwrap(), "none none path");
    let removed = command("/bin/sh")
        .args(["-c", "env | grep -c ^HOME="])
        .env_remove("HOME");
    assert_eq!(output(removed).await.unwrap(), "0");
}

#[tokio::test]
async fn commands_of_others_keep_what_they_say() {
    const OURS: &str = "CARGO_MANIFEST_DIR";
    let ours = env::var(OURS).expect("set by cargo");
    let text = format!("echo \"${{{OURS}-none}} $GIVEN $PWD\"");
    let mut std = std::process::Command::new("sh");
    std.args(["-c", &text]).env("GIVEN", "1").current_dir("/");
    assert_eq!(output(std.into()).await.unwrap(), format!("{ours} 1 /"));
    let mut tokio = tokio::process::Command::new("sh");
    tokio
        .args(["-c", &text])
        .env_clear()
        .env("GIVEN", "2")
        .current_dir("/");
    assert_eq!(output(tokio.into()).await.unwrap(), "none 2 /");
}

#[tokio::test]
async fn a_server_leads_a_group_of_its_own() {
    let text = "cut -d ' ' -f 1,5 /proc/$$/stat; exit 0";
    if cfg!(target_os = "linux") {
        let ids = output(script(text)).await.unwrap();
        let (id, group) = ids.split_once(' ').unwrap();
        assert_eq!(id, group);
    }
}

#[test]
fn secrets_are_not_shown() {
    let command = command("my-server")
        .arg("--key=s3cret")
        .env("KEY", "s3cret");
    assert_eq!(
        format!("{command:?}"),
        "Command { program: \"my-server\", .. }"
    );
}
