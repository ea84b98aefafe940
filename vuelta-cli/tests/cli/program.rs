//! Runs the program and gives what it wrote. Nobody sits at a terminal here.

use std::process::{Command, Stdio};

/// What a run of the program came to.
#[derive(Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `vuelta` with these arguments.
pub(crate) fn vuelta(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_vuelta"))
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("VUELTA_LOG")
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `vuelta call` against the test server.
pub(crate) fn call(arguments: &[&str]) -> Run {
    let line: Vec<&str> = ["call", crate::server::url()]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    vuelta(&line)
}

impl Run {
    /// Checks that the program ended like this.
    #[track_caller]
    pub(crate) fn check(&self, code: i32, out: &str, err: &str) {
        assert_eq!((self.code, &*self.out, &*self.err), (code, out, err));
    }
}
