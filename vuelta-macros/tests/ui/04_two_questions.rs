//! Resolvers that ask more than one question, or not by returning it.

use vuelta::{Elicit, Form, InputRequired, Outcome, Sample, resolver};

#[derive(Form)]
struct Region {
    region: String,
}

enum Either<A, B> {
    A(A),
    B(B),
}

#[resolver]
async fn two_kinds() -> Either<Elicit<Region>, Sample> {
    Either::A(Elicit::ask("Which region?"))
}

#[resolver]
async fn two_forms() -> (Elicit<Region>, Elicit<Region>) {
    (Elicit::ask("From?"), Elicit::ask("To?"))
}

#[resolver]
async fn perhaps() -> Option<Elicit<Region>> {
    None
}

#[resolver]
async fn by_hand() -> Outcome<String> {
    InputRequired::new().state("1").into()
}

fn main() {}
