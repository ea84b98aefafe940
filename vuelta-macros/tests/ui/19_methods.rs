//! Methods that cannot be registered.

use vuelta::{methods, prompt, resolver, tool};

struct Db;

#[methods]
impl Db {
    #[tool]
    async fn changes(&mut self, name: String) -> String {
        name
    }

    #[tool]
    async fn takes(self) -> String {
        String::new()
    }

    #[tool]
    #[prompt]
    async fn both(&self) -> String {
        String::new()
    }

    #[resolver]
    async fn region(&self) -> String {
        String::new()
    }

    #[tool(names = "x")]
    async fn misspelt(&self, _name: String) -> String {
        String::new()
    }
}

struct Empty;

#[methods]
impl Empty {
    fn plain(&self) {}
}

struct Generic<T>(T);

#[methods]
impl<T> Generic<T> {
    #[tool]
    fn plain(&self) -> String {
        String::new()
    }
}

#[methods(all)]
impl Clone for Db {
    #[tool]
    fn clone(&self) -> Self {
        Db
    }
}

#[methods]
struct NoBlock;

fn main() {}
