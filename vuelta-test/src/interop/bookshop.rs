//! The dependencies of the example `bookshop`, driven by the Python client.

use super::Programs;
use super::check::{Failure, in_time};
use super::matrix::Matrix;
use super::python;
use super::server::Server;

pub(super) async fn run(programs: &Programs) -> Result<Matrix, Failure> {
    let mut matrix = Matrix::new("bookshop: dependencies", ["Python at Rust"]);
    let server = Server::start_example(programs, "bookshop").await?;
    for (name, checked) in in_time(python::scenarios(programs, "bookshop.py", server.url())).await?
    {
        matrix.set(&name, 0, checked);
    }
    Ok(matrix)
}
