//! `vuelta read`: one resource of any server.

use vuelta::{ReadResourceResult, ResourceContents};

use crate::args::ReadArgs;
use crate::connection;
use crate::exit::{Ending, Failure};
use crate::output::{note_left_out, print_json, print_text};
use crate::printable;
use crate::target::Target;

/// Runs the command.
pub(crate) async fn run(args: ReadArgs) -> Result<Ending, Failure> {
    let (target, words) =
        Target::take(args.words, &args.options.command, 1).map_err(Failure::Usage)?;
    let [uri] = &words[..] else {
        let message = "which resource? write one URI; `vuelta list` tells those there are";
        return Err(Failure::Usage(message.to_owned()));
    };
    let json = args.options.json;
    connection::with(target, args.options, async |connection| {
        let told = format!("resources/read {uri}");
        let call = connection.client.resource(uri);
        let result = connection.drive(&told, call).await?;
        connection.end("result");
        if json {
            print_json(&result)?;
        } else {
            print(&result)?;
        }
        Ok(Ending::Done)
    })
    .await
}

/// Writes what is text; what is not is named on standard error.
fn print(result: &ReadResourceResult) -> Result<(), Failure> {
    for contents in &result.contents {
        match contents {
            ResourceContents::Text(contents) => print_text(&contents.text)?,
            ResourceContents::Blob(contents) => {
                let mime_type = contents.mime_type.as_deref().unwrap_or("no type given");
                note_left_out(&format!("bytes ({})", printable::line(mime_type)));
            }
            _ => note_left_out("contents of an unknown kind"),
        }
    }
    Ok(())
}
