//! What a process holds.

use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Place;

/// A count of what a connection may leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    tasks: usize,
    descriptors: usize,
    children: usize,
    sessions: usize,
}

impl Held {
    fn now(place: &Place) -> Self {
        Self {
            tasks: tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks(),
            descriptors: entries("/proc/self/fd"),
            children: children(),
            sessions: place.sessions(),
        }
    }

    /// Counts once nothing has changed for half a second.
    pub(crate) async fn settled(place: &Place) -> Self {
        let mut held = Self::now(place);
        loop {
            sleep(Duration::from_millis(500)).await;
            let now = Self::now(place);
            if now == held {
                return now;
            }
            held = now;
        }
    }

    /// Counts once all is as it was, or after 20 seconds: tasks end when they are next run, and
    /// a child when it has noticed that its input is over.
    pub(crate) async fn back_at(before: &Self, place: &Place) -> Self {
        let limit = Instant::now() + Duration::from_secs(20);
        loop {
            let now = Self::now(place);
            if now == *before || Instant::now() > limit {
                return now;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} tasks, {} descriptors, {} children, {} sessions",
            self.tasks, self.descriptors, self.children, self.sessions
        )
    }
}

/// Counts the processes, ended ones included, whose parent is this one.
fn children() -> usize {
    let own = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    stats
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| parent(stat) == Some(own.as_str()))
        .count()
}

/// Reads the parent out of `PID (NAME) STATE PARENT ..`; the name may hold anything.
fn parent(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)
}

fn entries(folder: &str) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}
