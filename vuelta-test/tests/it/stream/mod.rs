//! Connections over byte streams, line by line.

mod client;
mod server;
#[cfg(unix)]
mod socket;

use std::time::Duration;

use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// One end of a pipe, as text lines.
pub(super) struct End {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
}

/// How long anything may take that must come; nothing waits for it to pass.
const PATIENCE: Duration = Duration::from_secs(20);

impl End {
    pub(super) fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self {
            lines: BufReader::new(reader).lines(),
            writer: Some(writer),
        }
    }

    /// Writes bytes as they are.
    pub(super) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the end is open");
        writer.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Writes one message as a line.
    pub(super) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n")).await;
    }

    /// Returns the next line as JSON; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line());
        let line = line.await.expect("a line comes in time").unwrap()?;
        Some(serde_json::from_str(&line).expect("a line is JSON"))
    }

    pub(super) async fn expect(&mut self) -> Value {
        self.next().await.expect("the stream goes on")
    }

    /// Asserts that nothing was written before the answer to a ping that is sent now.
    pub(super) async fn check_silence(&mut self, ping: &Value) {
        self.send(ping).await;
        assert_eq!(
            self.expect().await["id"],
            ping["id"],
            "nothing else was written"
        );
    }

    /// Closes the way to the other end; what it sends can still be read.
    pub(super) async fn close(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.unwrap();
        }
    }
}
