//! Log records as values: what one test's thread has logged.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

thread_local! {
    static RECORDS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Keeps what this thread logs from now on; one line a record, spans among them.
///
/// A test of a current-thread runtime runs on one thread, so it sees its own records only.
pub(crate) struct Logs(());

impl Logs {
    pub(crate) fn capture() -> Self {
        static INSTALL: Once = Once::new();
        // One subscriber for all threads: with one for each, a callsite that a thread without
        // any meets first could stay disabled.
        INSTALL.call_once(|| {
            let subscriber = Registry::default().with(ByThread);
            tracing::subscriber::set_global_default(subscriber)
                .expect("nothing else in this program subscribes for all threads");
        });
        RECORDS.set(Some(Vec::new()));
        Self(())
    }

    /// Returns all records so far.
    #[expect(clippy::unused_self, reason = "who holds a capture may read it")]
    pub(crate) fn all(&self) -> Vec<String> {
        RECORDS.with_borrow(|records| records.clone().unwrap_or_default())
    }

    /// Returns the records so far that contain `text`.
    pub(crate) fn with(&self, text: &str) -> Vec<String> {
        let mut records = self.all();
        records.retain(|record| record.contains(text));
        records
    }

    /// Asserts that no record contains `secret`.
    pub(crate) fn never_say(&self, secret: &str) {
        let found = self.with(secret);
        assert!(found.is_empty(), "{secret:?} was logged: {found:#?}");
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        RECORDS.set(None);
    }
}

struct ByThread;

impl<S: Subscriber> Layer<S> for ByThread {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        line.keep();
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut line = Line(format!("span {}", attributes.metadata().name()));
        attributes.record(&mut line);
        line.keep();
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut line = Line("span values".to_owned());
        values.record(&mut line);
        line.keep();
    }
}

struct Line(String);

impl Line {
    fn keep(self) {
        RECORDS.with_borrow_mut(|records| {
            if let Some(records) = records {
                records.push(self.0);
            }
        });
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, " {}={value}", field.name());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
