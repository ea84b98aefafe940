//! The one task that owns a child process: it reads stderr, ends the process when it is told to
//! or when nobody is left to tell, and reaps it.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::stderr::Stderr;

/// How long stderr is read on once the process has exited: what it wrote is there by then, but
/// a process that it has left running may hold the pipe open.
const DRAIN: Duration = Duration::from_millis(100);

/// How often a process group is looked at, which nothing tells of its end.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(10);

/// How long a process that was killed may hold up the end of a runtime.
const REAP: Duration = Duration::from_millis(500);

/// The task that owns a process, seen from outside; dropping it ends the process.
pub(super) struct Supervisor {
    stop: CancellationToken,
    status: watch::Receiver<Option<ExitStatus>>,
}

impl Supervisor {
    /// Starts the task.
    pub(super) fn start(
        runtime: &Handle,
        process: Process,
        stderr: Stderr,
        grace: Duration,
    ) -> Self {
        let stop = CancellationToken::new();
        let (sender, status) = watch::channel(None);
        runtime.spawn(supervise(process, stderr, grace, stop.clone(), sender));
        Self { stop, status }
    }

    /// Ends the process.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Returns how the process exited, if it has.
    pub(super) fn try_status(&self) -> Option<ExitStatus> {
        *self.status.borrow()
    }

    /// Waits until the process has exited; `None` if it cannot be known how.
    pub(super) async fn status(&self) -> Option<ExitStatus> {
        let mut status = self.status.clone();
        *status.wait_for(Option::is_some).await.ok()?
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn supervise(
    mut process: Process,
    stderr: Stderr,
    grace: Duration,
    stop: CancellationToken,
    sender: watch::Sender<Option<ExitStatus>>,
) {
    let exit = async {
        tokio::select! {
            biased;
            exit = process.wait() => exit,
            () = stop.cancelled() => process.stop(grace).await,
        }
    };
    let mut exit = pin!(exit);
    let mut stderr = pin!(stderr.pump());
    let exit = tokio::select! {
        exit = &mut exit => {
            // Whoever reads the status finds all of stderr.
            let _ = timeout(DRAIN, stderr).await;
            exit
        }
        () = &mut stderr => exit.await,
    };
    match exit {
        Ok(status) => {
            sender.send_replace(Some(status));
        }
        Err(error) => tracing::warn!(%error, "a child process cannot be waited for"),
    }
}

/// A child process, and the group that it leads; whatever drops it, the process does not outlive
/// it and leaves no zombie behind.
pub(super) struct Process {
    child: tokio::process::Child,
    /// What has to be killed if nobody waits for its end; none once there is nothing left to do.
    #[cfg(unix)]
    group: Option<Pid>,
}

impl Process {
    pub(super) fn new(child: tokio::process::Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            child,
        }
    }

    /// Waits until the process exits by itself.
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        let exit = self.child.wait().await;
        #[cfg(unix)]
        {
            self.group = None;
        }
        exit
    }

    /// Ends the process, whose stdin is closed: time to exit, SIGTERM, time again, SIGKILL.
    #[cfg(unix)]
    async fn stop(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        if let Ok(exit) = timeout(grace, self.wait()).await {
            return exit;
        }
        signal(self.group, Signal::TERM);
        // A wrapper may end before what it has started: the group has the time, not the process.
        let ended = async {
            let exit = self.child.wait().await;
            let mut look = tokio::time::interval(LOOK);
            while exists(self.group) {
                look.tick().await;
            }
            exit
        };
        let ended = timeout(grace, ended).await;
        if ended.is_err() {
            signal(self.group, Signal::KILL);
        }
        self.group = None;
        match ended {
            Ok(exit) => exit,
            Err(_) => self.child.wait().await,
        }
    }

    /// Ends the process, whose stdin is closed: time to exit, then it is terminated.
    #[cfg(not(unix))]
    async fn stop(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        if let Ok(exit) = timeout(grace, self.wait()).await {
            return exit;
        }
        self.child.start_kill()?;
        self.wait().await
    }
}

impl Drop for Process {
    /// Kills what still runs: its runtime has come to an end, so that nothing can be awaited.
    fn drop(&mut self) {
        #[cfg(unix)]
        signal(self.group, Signal::KILL);
        // A process that was waited for has no id any more.
        if self.child.id().is_none() {
            return;
        }
        let _ = self.child.start_kill();
        let deadline = Instant::now() + REAP;
        while let Ok(None) = self.child.try_wait()
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Sends a signal to a group; that it is gone is what was wanted.
#[cfg(unix)]
fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group
        && let Err(error) = kill_process_group(group, signal)
    {
        tracing::debug!(%error, "a process group cannot be signalled");
    }
}

/// Returns whether anything of a group is left. While that is so, no other process can get the
/// group's id.
#[cfg(unix)]
fn exists(group: Option<Pid>) -> bool {
    group.is_some_and(|group| test_kill_process_group(group).is_ok())
}
