//! What a program prints: one line a scenario, `ok NAME` or `FAIL NAME: reason`.

use tokio::process::Command;

use super::check::{Checked, Failure};

/// Runs a program to its end, and reads how each of its scenarios has ended.
pub(super) async fn scenarios(mut program: Command) -> Result<Vec<(String, Checked)>, Failure> {
    let output = program.spawn()?.wait_with_output().await?;
    let printed = String::from_utf8(output.stdout)?;
    if printed.is_empty() {
        return Err(format!("a client ended with {} and printed nothing", output.status).into());
    }
    let scenarios = printed.lines().map(|line| {
        if let Some(name) = line.strip_prefix("ok ") {
            return Ok((name.to_owned(), Ok(())));
        }
        let failed = line
            .strip_prefix("FAIL ")
            .and_then(|rest| rest.split_once(": "));
        let (name, reason) = failed.ok_or_else(|| format!("unexpected output: {line}"))?;
        Ok((name.to_owned(), Err(reason.into())))
    });
    scenarios.collect()
}
