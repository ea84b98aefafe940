//! Steps one after the other: what each took, which one failed, how to run it again.

use std::process::ExitCode;
use std::time::{Duration, Instant};

type Action<'a> = Box<dyn FnOnce() -> Result<(), String> + 'a>;

/// One check.
pub(crate) struct Step<'a> {
    name: &'static str,
    rerun: String,
    action: Action<'a>,
}

impl<'a> Step<'a> {
    /// Names a check and the command line that runs it alone.
    pub(crate) fn new(
        name: &'static str,
        rerun: impl Into<String>,
        action: impl FnOnce() -> Result<(), String> + 'a,
    ) -> Self {
        Self {
            name,
            rerun: rerun.into(),
            action: Box::new(action),
        }
    }

    /// Returns the name of the check.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

/// What happens to the steps after one that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// They are not run.
    Stop,
    /// They are run all the same.
    Continue,
}

enum Outcome {
    Passed(Duration),
    Failed(Duration),
    NotRun,
}

/// Runs the steps and prints a table; its last line is `N passed, M failed`.
pub(crate) fn run(steps: Vec<Step<'_>>, on_failure: OnFailure) -> ExitCode {
    let mut table = Vec::with_capacity(steps.len());
    let mut failed = 0_usize;
    for step in steps {
        if failed > 0 && on_failure == OnFailure::Stop {
            table.push((step.name, Outcome::NotRun));
            continue;
        }
        println!("\n==> {}", step.name);
        let start = Instant::now();
        let result = (step.action)();
        let took = start.elapsed();
        let outcome = match result {
            Ok(()) => Outcome::Passed(took),
            Err(message) => {
                failed += 1;
                eprintln!("error: {}: {message}", step.name);
                eprintln!("       run it again with: {}", step.rerun);
                Outcome::Failed(took)
            }
        };
        table.push((step.name, outcome));
    }

    println!();
    let mut passed = 0_usize;
    for (name, outcome) in &table {
        match outcome {
            Outcome::Passed(took) => {
                passed += 1;
                println!("{name:<12} passed   {:>7.1} s", took.as_secs_f64());
            }
            Outcome::Failed(took) => println!("{name:<12} FAILED   {:>7.1} s", took.as_secs_f64()),
            Outcome::NotRun => println!("{name:<12} not run"),
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
