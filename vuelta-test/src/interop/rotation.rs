//! New keys for a fleet of two server processes, while flows are in progress.
//!
//! Phase by phase and instance by instance a process is replaced by one with other keys. Flows
//! that both instances began before, and flows that both begin now, are finished at both. The
//! order of the phases matters: the last rows show what the wrong one loses.

use serde_json::json;
use vuelta::wire::methods::CallTool;
use vuelta::{ElicitResult, Flow, Step};

use super::Programs;
use super::check::{Checked, Failure, equal, in_time, state_refused};
use super::matrix::Matrix;
use super::server::{Sdk, Server};
use super::tokens::{begin, finish, resume};

const OLD: &str = "the old key of the rotation, of at least 32 bytes";
const NEW: &str = "the new key of the rotation, of at least 32 bytes";

const PHASES: [(&str, &[&str]); 3] = [
    ("phase 1 [OLD, NEW]", &[OLD, NEW]),
    ("phase 2 [NEW, OLD]", &[NEW, OLD]),
    ("phase 3 [NEW]", &[NEW]),
];

pub(super) async fn run(programs: &Programs) -> Result<Matrix, Failure> {
    let fleets = [
        [Sdk::Rust, Sdk::Python],
        [Sdk::Python, Sdk::Rust],
        [Sdk::Rust, Sdk::Rust],
    ];
    let names = fleets
        .iter()
        .map(|[first, second]| format!("{first:?} + {second:?}"));
    let mut matrix = Matrix::new("rotation", names);
    for (column, sdks) in fleets.into_iter().enumerate() {
        in_order(programs, sdks, &mut matrix, column).await?;
        out_of_order(programs, sdks, &mut matrix, column).await?;
    }
    Ok(matrix)
}

async fn in_order(
    programs: &Programs,
    sdks: [Sdk; 2],
    matrix: &mut Matrix,
    column: usize,
) -> Result<(), Failure> {
    let mut fleet = [
        Server::start(programs, sdks[0], &[OLD]).await?,
        Server::start(programs, sdks[1], &[OLD]).await?,
    ];
    // These two stay in progress all the time: one moves on in phase 2, one does not.
    let mut moving = in_time(steps(&fleet[0])).await?;
    let forgotten = in_time(begin::<CallTool>(&fleet[1])).await?;

    let mut flows = in_time(begin_everywhere(&fleet)).await?;
    for (phase, keys) in PHASES {
        for replaced in 0..fleet.len() {
            fleet[replaced] = Server::start(programs, sdks[replaced], keys).await?;
            let before = in_time(finish_everywhere(&fleet, &flows)).await;
            flows = in_time(begin_everywhere(&fleet)).await?;
            let now = in_time(finish_everywhere(&fleet, &flows)).await;
            let which = ["first", "second"][replaced];
            let row = format!("{phase}, {which} replaced: no flow lost");
            matrix.set(&row, column, before.and(now));
        }
        if keys == [NEW, OLD] {
            moving = in_time(second_step(&fleet[1], moving)).await?;
        }
    }
    let checked = in_time(last_step(&fleet[0], moving)).await;
    matrix.set("one flow through all phases: not lost", column, checked);
    let retired = in_time(async { state_refused(resume(&fleet[0], forgotten).await?) }).await;
    matrix.set("state of OLD after phase 3: refused", column, retired);
    Ok(())
}

async fn begin_everywhere(fleet: &[Server; 2]) -> Result<[Flow<CallTool>; 2], Failure> {
    Ok([begin(&fleet[0]).await?, begin(&fleet[1]).await?])
}

/// Finishes every flow at every instance: until it expires, a state may be used again.
async fn finish_everywhere(fleet: &[Server; 2], flows: &[Flow<CallTool>; 2]) -> Checked {
    for (began, flow) in flows.iter().enumerate() {
        for (at, server) in fleet.iter().enumerate() {
            finish(server, flow.clone())
                .await
                .map_err(|failure| format!("begun at {began}, finished at {at}: {failure}"))?;
        }
    }
    Ok(())
}

/// The new key seals at one instance before the other one can open it.
async fn out_of_order(
    programs: &Programs,
    sdks: [Sdk; 2],
    matrix: &mut Matrix,
    column: usize,
) -> Result<(), Failure> {
    let hasty = Server::start(programs, sdks[0], &[NEW, OLD]).await?;
    let other = Server::start(programs, sdks[1], &[OLD]).await?;
    let lost =
        in_time(async { state_refused(resume::<CallTool>(&other, begin(&hasty).await?).await?) });
    matrix.set(
        "wrong order, begun at the first: lost at the second",
        column,
        lost.await,
    );
    let kept = in_time(async { finish::<CallTool>(&hasty, begin(&other).await?).await });
    matrix.set(
        "wrong order, begun at the second: not lost",
        column,
        kept.await,
    );
    Ok(())
}

async fn steps(server: &Server) -> Result<Flow<CallTool>, Failure> {
    asked(server.by_hand().await?.tool("steps").step().await?)
}

async fn second_step(server: &Server, mut flow: Flow<CallTool>) -> Result<Flow<CallTool>, Failure> {
    flow.answer("first", ElicitResult::accept(json!({ "value": "one" })));
    asked(server.by_hand().await?.resume(flow).await?)
}

async fn last_step(server: &Server, mut flow: Flow<CallTool>) -> Checked {
    flow.answer("second", ElicitResult::accept(json!({ "value": "two" })));
    match server.by_hand().await?.resume(flow).await? {
        Step::Done(result) => equal("text", result.as_text(), "one,two"),
        Step::Asked(_) => Err("the server asks again".into()),
    }
}

fn asked(step: Step<CallTool>) -> Result<Flow<CallTool>, Failure> {
    match step {
        Step::Asked(flow) => Ok(flow),
        Step::Done(_) => Err("a result, where a question was expected".into()),
    }
}
