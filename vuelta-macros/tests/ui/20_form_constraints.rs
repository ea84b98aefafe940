//! Constraints that do not fit their fields.

use vuelta::Form;

type Name = String;

#[derive(Form)]
enum Size {
    Small,
    Large,
}

#[derive(Form)]
struct Misfits {
    #[form(min = 1)]
    name: String,
    #[form(max_length = 3)]
    age: Option<u8>,
    #[form(format = "email")]
    agree: bool,
    #[form(min_length = 1)]
    sizes: Vec<Size>,
    #[form(min = 1)]
    alias: Name,
    #[form(min_items = 1)]
    size: Size,
}

#[derive(Form)]
struct Defaults {
    #[form(default = 1)]
    name: String,
    #[form(default = "Small")]
    size: Size,
    #[form(default = Size::Medium)]
    other: Size,
}

#[derive(Form)]
struct Misshapen {
    #[form(format = "phone")]
    phone: String,
    #[form(pattern = "a+")]
    name: String,
    #[form(title = 1, min_length)]
    label: String,
    #[form(rename = "phone")]
    again: String,
    #[form]
    nothing: String,
    #[form(title = "a", title = "b")]
    twice: String,
}

fn main() {}
