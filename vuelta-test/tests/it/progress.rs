//! What a handler says of its progress, and what of that the client is told.
//!
//! Source: [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).

use std::sync::{Arc, Mutex};

use vuelta::{CallToolResult, Client, Context, Error, Mode, ProgressUpdate, Server};

#[tokio::test]
async fn progress_that_does_not_grow_is_not_told() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            for done in [1.0, 1.0, 0.5, 2.0, 2.0, -1.0, 2.5] {
                cx.report(ProgressUpdate::new(done).message(done.to_string()))
                    .await?;
            }
            // Whoever has the context speaks of the same request.
            cx.clone().progress(2.5).await?;
            cx.progress(3).await?;
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    for mode in [Mode::auto(), Mode::legacy()] {
        let client = Client::builder().mode(mode).connect(&server).await.unwrap();
        // Each request begins anew.
        for _ in 0..2 {
            let told = Arc::new(Mutex::new(Vec::new()));
            let noted = Arc::clone(&told);
            let call = client.tool("t").on_progress(move |update| {
                noted.lock().unwrap().push(update.progress.as_f64());
            });
            call.send().await.unwrap();
            assert_eq!(*told.lock().unwrap(), [1.0, 2.0, 2.5, 3.0]);
        }
    }
}
