//! Running other programs: what is printed, and what a failure says.

use std::process::{Command, Stdio};

/// Runs a command in the foreground; a status other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let line = describe(command);
    println!("$ {line}");
    let status = command
        .status()
        .map_err(|e| format!("cannot start `{line}`: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{line}` ended with {status}"))
    }
}

/// Runs a command and returns what it wrote to standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String, String> {
    let line = describe(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot start `{line}`: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{line}` did not write UTF-8"))
}

/// Writes a command as one would type it; the program is named without its folder.
pub(crate) fn describe(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
