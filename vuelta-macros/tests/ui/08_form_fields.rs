//! Forms that are not flat.

use std::collections::HashMap;

use vuelta::Form;

#[derive(Form)]
struct Address {
    street: String,
}

#[derive(Form)]
struct Nested {
    name: String,
    address: Address,
}

#[derive(Form)]
struct ListOfStructs {
    addresses: Vec<Address>,
}

#[derive(Form)]
struct ListOfText {
    names: Vec<String>,
}

#[derive(Form)]
struct Mapped {
    labels: HashMap<String, String>,
}

fn main() {}
