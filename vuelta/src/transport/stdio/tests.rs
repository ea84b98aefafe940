//! The tests run themselves anew: what they test belongs to the whole process.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use futures_util::FutureExt as _;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use crate::transport::line::{Line, LineReader, LineWriter};

use super::*;

/// Says to a process of the tests what it is to do.
const ROLE: &str = "VUELTA_TEST_STDIO";

/// How long anything may take: far more than it does.
const BOUND: Duration = Duration::from_secs(30);

/// Starts a process that plays a role.
fn start(role: &str, stdin: Stdio, stdout: Stdio, stderr: Stdio) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "transport::stdio::tests::role", "--nocapture"])
        .env(ROLE, role)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, what).await.expect("in time")
}

/// Waits for the process, and asserts that what it asserts is so.
async fn succeeded(child: Child) -> (String, String) {
    let output = within(child.wait_with_output()).await.unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{stdout}\n{stderr}");
    (stdout, stderr)
}

/// What the processes of the tests do; nothing if no role is given.
#[test]
fn role() {
    let Ok(role) = env::var(ROLE) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    match role.as_str() {
        "echo" => runtime.block_on(echo()),
        "leave" => runtime.block_on(leave()),
        _ => unreachable!("{role}"),
    }
}

/// Sends every message back, and prints where it should not.
async fn echo() {
    let flags = || [std::io::stdin().flags(), std::io::stdout().flags()];
    let (before, stderr) = (flags(), std::io::stderr().flags());
    let (stdin, stdout) = take().unwrap();
    assert!(take().is_err(), "they are taken");
    assert_eq!(
        stderr,
        std::io::stderr().flags(),
        "logs are written as before"
    );

    println!("stray print");
    let text = "echo stray child; cat";
    let mut child = std::process::Command::new("sh")
        .args(["-c", text])
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(std::io::stdin().read_line(&mut String::new()).unwrap(), 0);

    let mut reader = LineReader::new(stdin);
    let mut writer = LineWriter::new(stdout);
    while let Some(line) = reader.next().await.unwrap() {
        let Line::Message(message) = line else {
            panic!("{line:?}")
        };
        writer
            .write(std::str::from_utf8(message).unwrap())
            .await
            .unwrap();
        print!("stray text without a newline");
        eprintln!("logged");
    }
    writer.shutdown().await.unwrap();
    drop((reader, writer));

    assert_eq!(before, flags());
    println!("given back");
    no_thread_reads().await;
    drop(take().unwrap());
}

/// Ends while nothing was read from stdin.
async fn leave() {
    let (mut stdin, mut stdout) = take().unwrap();
    assert!(stdin.read(&mut [0; 8]).now_or_never().is_none());
    stdout.write_all(b"{}\n").await.unwrap();
    stdout.flush().await.unwrap();
    drop(stdin);
    no_thread_reads().await;
}

trait Flags: std::os::fd::AsFd {
    fn flags(&self) -> OFlags {
        fcntl_getfl(self).unwrap()
    }
}

impl<T: std::os::fd::AsFd> Flags for T {}

/// Waits until no thread of this process reads stdin.
async fn no_thread_reads() {
    let reads = || {
        let threads = std::fs::read_dir("/proc/self/task")
            .into_iter()
            .flatten()
            .flatten();
        let mut names =
            threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        names.any(|name| name.trim_end() == "stdin")
    };
    let mut look = tokio::time::interval(Duration::from_millis(5));
    within(async {
        while reads() {
            look.tick().await;
        }
    })
    .await;
}

/// Two messages, one of which fills any pipe, and what they look like on the wire.
fn messages() -> String {
    format!("{{\"n\":1}}\n\"{}\"\n", "x".repeat(1024 * 1024))
}

fn assert_served(stdout: &str, stderr: &str) {
    assert!(
        stdout.contains(&messages()),
        "messages are missing or mixed"
    );
    assert!(!stdout.contains("stray"), "something stray was sent");
    assert!(stdout.contains("given back\n"), "stdout was not given back");
    for stray in ["stray print\n", "stray child\n", "stray text", "logged\n"] {
        assert!(stderr.contains(stray), "{stray:?} is not in stderr");
    }
}

#[tokio::test]
async fn pipes_carry_messages_and_nothing_else() {
    let mut child = start("echo", Stdio::piped(), Stdio::piped(), Stdio::piped());
    let mut stdin = child.stdin.take().unwrap();
    let send = async move { stdin.write_all(messages().as_bytes()).await.unwrap() };
    let ((), (stdout, stderr)) = tokio::join!(send, succeeded(child));
    assert_served(&stdout, &stderr);
}

#[tokio::test]
async fn sockets_carry_messages_and_nothing_else() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    // One socket for both directions, as from a superserver.
    let stdio = || Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
    let child = start("echo", stdio(), stdio(), Stdio::piped());
    drop(theirs);
    ours.set_nonblocking(true).unwrap();
    let (mut receive, mut send) = tokio::net::UnixStream::from_std(ours).unwrap().into_split();
    let send = async move {
        send.write_all(messages().as_bytes()).await.unwrap();
        send.shutdown().await.unwrap();
    };
    let receive = async move {
        let mut stdout = String::new();
        receive.read_to_string(&mut stdout).await.unwrap();
        stdout
    };
    let ((), stdout, (_, stderr)) =
        within(async { tokio::join!(send, receive, succeeded(child)) }).await;
    assert_served(&stdout, &stderr);
}

#[tokio::test]
async fn files_carry_messages_and_nothing_else() {
    let folder = env::temp_dir().join(format!("vuelta-stdio-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let (input, output) = (folder.join("in"), folder.join("out"));
    std::fs::write(&input, messages()).unwrap();
    let stdin = File::open(&input).unwrap().into();
    let stdout = File::create(&output).unwrap().into();
    let (_, stderr) = succeeded(start("echo", stdin, stdout, Stdio::piped())).await;
    let stdout = std::fs::read_to_string(&output).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_served(&stdout, &stderr);
}

#[tokio::test]
async fn an_empty_stdin_ends_at_once() {
    let (stdout, _) = succeeded(start("echo", Stdio::null(), Stdio::piped(), Stdio::piped())).await;
    assert!(stdout.contains("given back\n"));
}

#[tokio::test]
async fn logs_can_be_written_to_the_pipe_of_stdout() {
    let (mut ours, theirs) = std::io::pipe().unwrap();
    let stdio = || Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
    let mut child = start("echo", Stdio::piped(), stdio(), stdio());
    drop(theirs);
    let mut stdin = child.stdin.take().unwrap();
    let receive = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        ours.read_to_string(&mut text).unwrap();
        text
    });
    let send = async move { stdin.write_all(messages().as_bytes()).await.unwrap() };
    let ((), text, _) = within(async { tokio::join!(send, receive, succeeded(child)) }).await;
    let text = text.unwrap();
    let [first, second] = [0, 1].map(|line| messages().lines().nth(line).unwrap().to_owned());
    assert!(text.contains(&format!("{first}\n")));
    assert!(text.contains(&format!("{second}\n")));
    assert_eq!(text.matches("logged\n").count(), 2);
}

/// Returns our end of a terminal and theirs.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    (ours.into(), theirs)
}

#[tokio::test]
async fn a_terminal_can_be_typed_into() {
    let (mut ours, theirs) = terminal();
    let child = start("echo", theirs.into(), Stdio::piped(), Stdio::piped());
    // The last byte is Ctrl-D, the end of the input.
    ours.write_all(b"{\"n\":1}\n{\"n\":2}\n\x04").unwrap();
    let (stdout, _) = succeeded(child).await;
    assert!(stdout.contains("{\"n\":1}\n{\"n\":2}\n"));
}

#[tokio::test]
async fn nobody_has_to_press_enter_for_the_server_to_end() {
    let (ours, theirs) = terminal();
    let child = start("leave", theirs.into(), Stdio::piped(), Stdio::piped());
    let (stdout, _) = succeeded(child).await;
    assert!(stdout.contains("{}\n"));
    drop(ours);

    let mut child = start("leave", Stdio::piped(), Stdio::piped(), Stdio::piped());
    let stdin = child.stdin.take();
    let (stdout, _) = succeeded(child).await;
    assert!(stdout.contains("{}\n"));
    drop(stdin);
}
