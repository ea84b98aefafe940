//! Types that cannot be a form.

use vuelta::{Elicit, Form, resolver};

#[derive(Form)]
struct Tuple(String);

#[derive(Form)]
struct Unit;

#[derive(Form)]
struct Generic<T> {
    value: T,
}

#[derive(Form)]
#[form(title = "x")]
struct Marked {
    name: String,
}

#[derive(Form)]
enum Data {
    Plain,
    Named { name: String },
    Tuple(u32),
}

#[derive(Form)]
enum Empty {}

#[derive(Form)]
enum Same {
    #[form(rename = "Two")]
    One,
    Two,
    #[form(value = "three")]
    Three,
}

#[derive(Form)]
union Raw {
    a: u32,
}

struct NoForm;

#[resolver]
async fn region() -> Elicit<NoForm> {
    Elicit::known(NoForm)
}

#[resolver]
async fn choice() -> Elicit<Same> {
    Elicit::ask("Which?")
}

fn main() {}
