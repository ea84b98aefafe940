//! A server in the same process: the same checks, no framing.

use vuelta_wire::Raw;

use crate::client::{IntoTransport, Notifications, Outgoing, Transport};
use crate::error::{Error, Result};
use crate::server::{Incoming, Server};
use crate::service::Outlet;

/// The client's end of a server in the same process.
///
/// # Example: a server and its client in one test
///
/// ```
/// use vuelta::{Client, Error, ListToolsResult, Server, Tool};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let server = Server::builder("Calculator", "1.0.0")
///     .on_list_tools(|_, _| async {
///         let add = Tool::new("add", serde_json::json!({ "type": "object" }));
///         Ok::<_, Error>(ListToolsResult::new([add]))
///     })
///     .build()?;
/// let client = Client::builder().connect(&server).await?;
/// assert_eq!(client.list_tools().await?.tools[0].name, "add");
/// # Ok::<(), Error>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory {
    server: Server,
    extensions: http::Extensions,
}

impl Memory {
    /// Creates a connection to `server`.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        Self {
            server: server.clone(),
            extensions: http::Extensions::new(),
        }
    }

    /// Attaches a value to every request, as a layer in front of an HTTP server would; a
    /// [`Principal`](crate::Principal) is the caller.
    #[must_use]
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }
}

impl Transport for Memory {
    async fn request(&self, request: Outgoing, notifications: Notifications) -> Result<Raw> {
        let incoming = Incoming::new(request.id, request.method, Some(request.params))
            .extensions(self.extensions.clone());
        let (outlet, mut inlet) = Outlet::open();
        let mut answer = std::pin::pin!(self.server.dispatch(incoming, outlet));
        loop {
            // Notifications first: they were sent before the answer.
            tokio::select! {
                biased;
                Some(frame) = inlet.recv() => notifications.deliver(frame),
                answer = &mut answer => {
                    inlet.close();
                    while let Some(frame) = inlet.try_recv() {
                        notifications.deliver(frame);
                    }
                    return answer.map_err(Error::from);
                }
            }
        }
    }

    async fn notify(&self, method: String, params: Option<Raw>) -> Result<()> {
        self.server.notify(&method, params).await;
        Ok(())
    }
}

impl IntoTransport for &Server {
    type Transport = Memory;

    fn into_transport(self) -> Result<Memory> {
        Ok(Memory::new(self))
    }
}
