//! Methods as tools, prompts and resources.
#![deny(warnings, missing_docs)]
#![allow(unreachable_pub, reason = "public things have more lints")]

use std::sync::{Mutex, MutexGuard};

use serde_json::json;
use vuelta::{
    Client, Context, Elicit, ElicitForm, ElicitResult, Form, McpServer, methods, resolver,
};

/// A shelf of books.
pub struct Shelf {
    books: Mutex<Vec<String>>,
}

/// A choice.
#[derive(Form)]
struct Sure {
    sure: bool,
}

#[resolver]
async fn sure(shelf: &Shelf) -> Elicit<Sure> {
    let count = shelf.books().len();
    Elicit::ask(format!("Really remove all {count} books?"))
}

/// Plain methods stay what they are.
#[methods]
impl Shelf {
    fn books(&self) -> MutexGuard<'_, Vec<String>> {
        self.books.lock().expect("nobody panics with the lock")
    }

    /// Makes a shelf.
    #[must_use]
    pub fn new() -> Self {
        Self {
            books: Mutex::default(),
        }
    }

    /// Adds a book.
    #[vuelta::tool(idempotent)]
    pub async fn add(&self, cx: &Context, title: String, #[default = 1] copies: usize) -> String {
        let _ = cx.request_id();
        let mut books = self.books();
        books.extend(vec![title; copies]);
        format!("{} books", books.len())
    }

    /// Removes all books.
    #[tool(name = "clear", destructive)]
    fn remove_all(&self, #[resolve(sure)] sure: Sure) -> String {
        if sure.sure {
            self.books().clear();
        }
        format!("{} books", self.books().len())
    }

    /// Needs no shelf.
    #[tool]
    fn rules() -> &'static str {
        Self::RULES
    }

    const RULES: &'static str = "Be quiet.";

    #[prompt]
    fn recommend(&self, mood: String) -> String {
        format!(
            "Recommend a {mood} book that is not among {:?}.",
            self.books()
        )
    }

    #[resource("shelf:///{index}")]
    fn book(&self, index: usize) -> Result<String, vuelta::Error> {
        let books = self.books();
        let uri = format!("shelf:///{index}");
        books
            .get(index)
            .cloned()
            .ok_or_else(|| vuelta::Error::unknown_resource(&uri))
    }
}

impl Default for Shelf {
    fn default() -> Self {
        Self::new()
    }
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1").methods(Shelf::new()).build()?;
    let client = Client::builder()
        .on_elicit(|form: ElicitForm| async move {
            assert_eq!(form.message, "Really remove all 3 books?");
            ElicitResult::accept(json!({ "sure": true }))
        })
        .connect(&server)
        .await?;
    let tools = client.list_tools().await?.tools;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["add", "clear", "rules"]);
    assert_eq!(tools[0].description.as_deref(), Some("Adds a book."));

    let add = json!({ "title": "Dune", "copies": 3 });
    assert_eq!(client.call_tool("add", add).await?.as_text(), "3 books");
    assert_eq!(
        client.call_tool("rules", json!({})).await?.as_text(),
        "Be quiet."
    );
    let book = client.read_resource("shelf:///1").await?;
    assert_eq!(serde_json::to_value(&book.contents)?[0]["text"], "Dune");
    assert!(client.read_resource("shelf:///9").await.is_err());
    let prompt = client
        .get_prompt("recommend", json!({ "mood": "sad" }))
        .await?;
    assert!(serde_json::to_string(&prompt.messages)?.contains("Recommend a sad book"));
    assert_eq!(
        client.call_tool("clear", json!({})).await?.as_text(),
        "0 books"
    );
    Ok(())
}
