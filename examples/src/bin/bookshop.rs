//! Dependencies: values that a tool needs and that the model must not invent.
//!
//! ```console
//! $ cargo run -p examples --bin bookshop
//! ```
//!
//! A resolver runs before the tool, once a call however many need it. It may ask the user, the
//! client's model, or for the client's roots; what it asks it asks once a call.

use std::env;

use vuelta::wire::{CreateMessageResult, ListRootsResult};
use vuelta::{Answer, Elicit, Form, ListRoots, McpServer, Result, Sample, resolver, tool};
use vuelta_http::Listener;

const INVENTORY: [(&str, u32); 2] = [("Dune", 7), ("Neuromancer", 0)];

#[derive(Clone)]
struct Stock {
    copies: u32,
}

/// Looks the title up: a value that no client can supply.
#[resolver]
fn stock(title: String) -> Stock {
    let found = INVENTORY.iter().find(|(known, _)| *known == title);
    Stock {
        copies: found.map_or(0, |(_, copies)| *copies),
    }
}

/// Depends on another resolver, which still runs once.
#[resolver]
fn delivery(#[resolve(stock)] stock: Stock) -> String {
    if stock.copies > 0 {
        "tomorrow".to_owned()
    } else {
        "in 2-3 weeks".to_owned()
    }
}

#[derive(Form)]
struct Backorder {
    /// Order anyway and wait?
    confirm: bool,
}

/// Asks only when it must: a book in stock needs no question and no round.
#[resolver]
async fn backorder(title: String, #[resolve(stock)] stock: Stock) -> Elicit<Backorder> {
    if stock.copies > 0 {
        return Elicit::known(Backorder { confirm: true });
    }
    Elicit::ask(format!(
        "'{title}' is out of stock (2-3 weeks). Order anyway?"
    ))
}

/// Reserve a book.
#[tool]
fn reserve_book(title: String, #[resolve(stock)] stock: Stock) -> String {
    match stock.copies.checked_sub(1) {
        Some(left) => format!("Reserved '{title}' ({left} copies left)."),
        None => format!("'{title}' is out of stock."),
    }
}

/// Order a book from the shop.
#[tool]
async fn order_book(
    title: String,
    #[resolve(stock)] stock: Stock,
    #[resolve(delivery)] delivery: String,
    #[resolve(backorder)] backorder: Backorder,
) -> String {
    match (backorder.confirm, stock.copies) {
        (false, _) => "No order placed.".to_owned(),
        (true, 0) => format!("Backordered '{title}'; it arrives {delivery}."),
        (true, _) => format!("Ordered '{title}'; it arrives {delivery}."),
    }
}

/// Order a book, or suggest another one to a customer who will not wait.
#[tool]
async fn order_or_suggest(
    title: String,
    #[resolve(backorder)] backorder: Answer<Backorder>,
) -> String {
    match backorder {
        Answer::Accept(Backorder { confirm: true }) => format!("Ordered '{title}'."),
        Answer::Accept(_) | Answer::Decline => format!("Instead of '{title}', how about 'Dune'?"),
        Answer::Cancel => "Nothing was ordered.".to_owned(),
    }
}

#[resolver]
fn suggestion(genre: String) -> Sample {
    Sample::ask(
        format!("Suggest one {genre} book title. Answer with the title only."),
        50,
    )
}

/// Recommend a book in the given genre, with the help of the client's model.
#[tool]
fn recommend_book(genre: String, #[resolve(suggestion)] suggestion: CreateMessageResult) -> String {
    let title = suggestion.content.as_text().unwrap_or("the classics");
    format!("Today's {genre} pick: {title}")
}

#[resolver]
fn shelves() -> ListRoots {
    ListRoots::ask()
}

/// Count the folders in which the client keeps its books.
#[tool]
fn count_shelves(#[resolve(shelves)] shelves: ListRootsResult) -> String {
    format!("{} shelves", shelves.roots.len())
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = McpServer::new("Bookshop", "1.0.0")
        .tool::<reserve_book>()
        .tool::<order_book>()
        .tool::<order_or_suggest>()
        .tool::<recommend_book>()
        .tool::<count_shelves>();

    let address = env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let listener = Listener::bind(address).await?;
    println!("listening on {}", listener.url());
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    listener.serve(server, interrupt).await
}
