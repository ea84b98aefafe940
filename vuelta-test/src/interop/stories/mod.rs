//! Every call of the fixture: the Python client at our server, and our client at both servers.
//!
//! Our stories have the names of the Python client's scenarios and check the same.

mod calls;
mod rounds;

use std::pin::Pin;

use super::Programs;
use super::check::{Checked, Failure, in_time};
use super::matrix::Matrix;
use super::python;
use super::server::{Sdk, Server};

type Running<'a> = Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;
type Story = (&'static str, for<'a> fn(&'a Server) -> Running<'a>);

macro_rules! story {
    ($module:ident::$name:ident) => {
        (stringify!($name), |server| Box::pin($module::$name(server)))
    };
}

const STORIES: &[Story] = &[
    story!(calls::discover),
    story!(calls::lists),
    story!(rounds::provision_auto),
    story!(rounds::provision_manual),
    story!(rounds::provision_asks_again),
    story!(rounds::decline),
    story!(rounds::cancel),
    story!(rounds::wrong_state),
    story!(rounds::missing_capability),
    story!(rounds::prompt_asks),
    story!(rounds::template_asks),
    story!(calls::static_resource),
    story!(rounds::state_only),
    story!(rounds::steps_auto),
    story!(rounds::steps_manual),
    story!(rounds::three_kinds),
    story!(rounds::url_mode),
    story!(calls::add),
    story!(calls::progress),
    story!(calls::unknown_names),
];

const KEYS: &[&str] = &["a key of the calls, of at least 32 bytes"];

pub(super) async fn run(programs: &Programs) -> Result<Matrix, Failure> {
    let pairs = ["Python at Rust", "Rust at Python", "Rust at Rust"];
    let mut matrix = Matrix::new("calls: client at server", pairs);
    let rust = Server::start(programs, Sdk::Rust, KEYS).await?;
    let python = Server::start(programs, Sdk::Python, KEYS).await?;

    for (name, checked) in in_time(python::scenarios(programs, "client.py", rust.url())).await? {
        matrix.set(&name, 0, checked);
    }
    for (column, server) in [(1, &python), (2, &rust)] {
        for (name, story) in STORIES {
            matrix.set(name, column, in_time(story(server)).await);
        }
    }
    for (name, _) in STORIES {
        if !matrix.has(name, 0) {
            let missing = "the Python client has not run it";
            matrix.set(name, 0, Err(missing.into()));
        }
    }
    Ok(matrix)
}
