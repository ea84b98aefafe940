//! When a server that was lost is started again, and when no more.
//!
//! Pure but for [`Restarts::again`], which reads the clock and draws a number.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Decides how long to wait before a server that was lost is started again, and when to give up.
///
/// The first wait is short and each one after it twice as long, up to a limit; a part of each is
/// random, lest many clients come back at the same time. Too many losses in a window of time are
/// the end: a server that crashes at each start is not started for ever. Losses that the window
/// has left behind are forgotten, and so the wait is short again.
///
/// # Example: a server that is kept running
///
/// Requests that were on their way when the server was lost are lost with it; they can be sent
/// again to the new one. Streams of events have to be asked for again.
///
/// ```
/// use vuelta::process::Restarts;
/// use vuelta::{Client, Error};
///
/// async fn keep_running(
///     connect: impl AsyncFn() -> Result<Client, Error>,
///     work: impl AsyncFn(&Client) -> Result<(), Error>,
/// ) -> Result<(), Error> {
///     let mut restarts = Restarts::new();
///     loop {
///         let lost = match connect().await {
///             Ok(client) => match work(&client).await {
///                 Err(error) if error.is_transport() => error,
///                 done => return done,
///             },
///             Err(error) => error,
///         };
///         match restarts.again() {
///             Some(delay) => tokio::time::sleep(delay).await,
///             None => return Err(lost),
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Restarts {
    first: Duration,
    longest: Duration,
    most: usize,
    window: Duration,
    /// When there were losses, the latest last; within the window.
    losses: VecDeque<Instant>,
}

impl Restarts {
    /// Starts with no losses.
    pub fn new() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
            most: 5,
            window: Duration::from_secs(5 * 60),
            losses: VecDeque::new(),
        }
    }

    /// Sets the first wait, and the longest one; 500 milliseconds and 30 seconds if not set.
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    /// Sets how many times the server is started again within a window of time; 5 times within 5
    /// minutes if not set.
    pub fn at_most(mut self, times: usize, window: Duration) -> Self {
        self.most = times;
        self.window = window;
        self
    }

    /// Counts a loss now, and returns how long to wait before the server is started again, or
    /// `None` to give up.
    pub fn again(&mut self) -> Option<Duration> {
        // Without randomness the wait is the longest: still a wait.
        let random = getrandom::u32().unwrap_or(u32::MAX);
        self.again_at(Instant::now(), random)
    }

    /// Counts a loss at this time, and returns how long to wait before the server is started
    /// again, or `None` to give up.
    ///
    /// `random` is any number, each as likely as the others.
    pub fn again_at(&mut self, now: Instant, random: u32) -> Option<Duration> {
        let is_past = |loss: &Instant| now.saturating_duration_since(*loss) >= self.window;
        while self.losses.front().is_some_and(is_past) {
            self.losses.pop_front();
        }
        if self.losses.len() >= self.most {
            return None;
        }
        let doublings = u32::try_from(self.losses.len()).unwrap_or(u32::MAX);
        self.losses.push_back(now);
        let factor = 2_u32.saturating_pow(doublings);
        let delay = self.first.saturating_mul(factor).min(self.longest);
        // One half is sure, the other one random.
        let half = delay / 2;
        Some(half + half.mul_f64(f64::from(random) / f64::from(u32::MAX)))
    }
}

impl Default for Restarts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
