//! Fields that look like secrets.

use vuelta::Form;

#[derive(Form)]
struct Login {
    user: String,
    password: String,
    /// The key.
    stripe_api_key: String,
    #[form(rename = "cardNumber")]
    number: String,
    #[form(allow_secret)]
    pin: String,
}

fn main() {}
