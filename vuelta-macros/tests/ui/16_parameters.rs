//! Parameters that are nothing a tool can be given.

use std::sync::Arc;

use vuelta::{Context, resolver, tool};

struct Db;

#[resolver]
async fn region() -> String {
    String::new()
}

#[tool]
async fn patterns((a, b): (u32, u32), _: String, ref c: String) -> String {
    format!("{a} {b} {c}")
}

#[tool]
async fn underscore(_name: String) -> String {
    String::new()
}

#[tool]
async fn borrowed(name: &str, tags: &[String], inner: Option<&str>) -> String {
    format!("{name} {tags:?} {inner:?}")
}

#[tool]
async fn state(db: Arc<Db>, more: &mut Db, any: &dyn Send) -> String {
    let _ = (db, more, any);
    String::new()
}

#[tool]
async fn marked(
    #[default] cx: &Context,
    #[serde(rename = "x")] db: &Db,
    #[default = "eu"]
    #[resolve(region)]
    at: String,
    #[resolve] other: String,
    #[default("eu")] name: String,
    #[cfg(unix)] tail: String,
) -> String {
    let _ = (cx, db);
    at + &other + &name + &tail
}

#[tool]
async fn method(&self) -> String {
    String::new()
}

#[tool]
async fn generic<T: ToString>(value: T, other: impl ToString) -> String {
    value.to_string() + &other.to_string()
}

#[resolver]
async fn default_in_resolver(#[default = 1] days: u32) -> u32 {
    days
}

#[tool]
unsafe fn unsound() -> String {
    String::new()
}

#[tool]
async fn any() -> impl ToString {
    String::new()
}

#[tool]
struct NoFunction;

fn main() {}
