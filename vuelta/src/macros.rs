//! The macros, and what they write: nothing that could not be written by hand.

/// Makes a function a tool: `McpServer::tool::<name>()` registers it.
///
/// The function stays what it is, callable in a unit test; beside it, a type of its name
/// implements [`ToolHandler`](crate::mcp::ToolHandler), where the form by hand is shown. It may
/// be `async` or not; one that blocks for long should spawn its work. What it may return, see
/// [`ToolOutput`](crate::mcp::ToolOutput).
///
/// # Parameters
///
/// | written | is |
/// | --- | --- |
/// | `name: T` | an argument of the model; `T` derives `Deserialize` and `JsonSchema` |
/// | `#[resolve(f)] x: T` | what the [`resolver`] `f` gives; a refusal of the user ends the call |
/// | `#[resolve(f)] x: Answer<T>` | the same, to branch on a refusal: see [`Answer`](crate::Answer) |
/// | `cx: &Context` | the request: see [`Context`](crate::Context); by value it is a clone |
/// | `ask: Ask` | questions inside the body: see [`Ask`](crate::Ask) |
/// | `db: &T` | the value that was shared with `McpServer::state` |
///
/// Only arguments are in the published schema, and only they can come from a client. Doc
/// comments describe them, `Option<T>` may be left out, and so may one with `#[default]` or
/// `#[default = value]`; attributes of schemars (`#[schemars(range(min = 1))]`) and serde apply
/// to them.
///
/// # Arguments of the attribute
///
/// | written | says |
/// | --- | --- |
/// | `name = ".."` | the name on the wire; the function's if not given |
/// | `title = ".."`, `description = ".."` | what people and the model read; the description is the doc comment if not given |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints on what a call means; `= false` says the opposite |
/// | `icon = "https://.."` | a picture; may be given again |
/// | `meta(version = "1", "example.com/key" = value)` | members of `_meta` |
/// | `timeout = "30s"` | how long one round may take: `ms`, `s` or `m` |
/// | `outlives_caller` | the call runs to its end when the caller leaves |
/// | `closed` | arguments that the function does not have are refused |
/// | `header(region = "Region")` | HTTP clients mirror the argument into the header `Mcp-Param-Region` |
/// | `input_schema = value` | the schema of the arguments, in place of the one that the parameters make: see [`ToolSpec::input_schema`](crate::mcp::ToolSpec::input_schema) |
///
/// # Example: an argument with a range, and shared state
///
/// ```
/// use std::sync::Mutex;
///
/// use vuelta::{McpServer, tool};
///
/// /// Adds a line to the list.
/// #[tool(title = "Add to the list", idempotent = false)]
/// async fn add(
///     /// What to add.
///     item: String,
///     /// How many of it.
///     #[default = 1]
///     #[schemars(range(min = 1, max = 99))]
///     count: u32,
///     list: &Mutex<Vec<String>>,
/// ) -> String {
///     let mut list = list.lock().expect("nobody panics with the lock");
///     list.push(format!("{count} x {item}"));
///     format!("{} lines", list.len())
/// }
///
/// let server = McpServer::new("Shopping", "1.0.0")
///     .state(Mutex::new(Vec::<String>::new()))
///     .tool::<add>()
///     .build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[doc(inline)]
pub use vuelta_macros::tool;

/// Makes a function a prompt: `McpServer::prompt::<name>()` registers it.
///
/// Its parameters are those of a [`tool`]; arguments come as text and are read by their types.
/// The attribute takes `name`, `title`, `description`, `icon`, `meta` and `timeout`. By hand it
/// is a [`PromptHandler`](crate::mcp::PromptHandler).
///
/// # Example: text from the user
///
/// ```
/// use vuelta::{McpServer, prompt};
///
/// /// Reviews code.
/// #[prompt]
/// async fn review(
///     /// The code.
///     code: String,
///     #[default = 3] findings: u32,
/// ) -> String {
///     format!("Name at most {findings} faults of this code:\n{code}")
/// }
///
/// let server = McpServer::new("Reviewer", "1.0.0").prompt::<review>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[doc(inline)]
pub use vuelta_macros::prompt;

/// Makes a function a resource, or a family of them: `McpServer::resource::<name>()` registers
/// it.
///
/// `#[resource("uri")]` is one resource. `#[resource("template")]` is one for each URI that the
/// template describes: its variables are the function's arguments, and are checked against
/// each other. `{name}` is one segment of a path, `{+name}` several, and `{?a,b}` at the end a
/// query, whose variables must be `Option` or have a `#[default]`.
///
/// Besides these, parameters are those of a [`tool`]. Only templates can ask: a static resource
/// takes neither resolvers nor [`Ask`](crate::Ask). The attribute takes `name`, `title`,
/// `description`, `mime_type`, `icon`, `meta` and `timeout`. By hand it is a
/// [`ResourceHandler`](crate::mcp::ResourceHandler).
///
/// # Example: a family
///
/// ```
/// use vuelta::{Error, McpServer, resource};
///
/// #[resource("note:///{topic}{?section}", mime_type = "text/markdown")]
/// async fn note(topic: String, section: Option<u32>) -> Result<String, Error> {
///     match (topic.as_str(), section) {
///         ("tea", None | Some(1)) => Ok("# Tea\nBoil water.".to_owned()),
///         _ => Err(Error::unknown_resource(&format!("note:///{topic}"))),
///     }
/// }
///
/// let server = McpServer::new("Notes", "1.0.0").resource::<note>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[doc(inline)]
pub use vuelta_macros::resource;

/// Makes a function a resolver: it works out what `#[resolve(name)]` parameters get, and may
/// ask one question.
///
/// It runs before the function that needs it, at most once a round however many do, beside
/// the other resolvers. It returns
///
/// - a value that is `Clone`: nothing is asked;
/// - [`Elicit<T>`](crate::Elicit): the user fills in the [form](macro@crate::Form) `T`, or
///   visits a URL;
/// - [`Sample`](crate::Sample): the client's model answers; consumers get a
///   [`CreateMessageResult`](crate::CreateMessageResult);
/// - [`ListRoots`](crate::ListRoots): the client lists its roots; consumers get a
///   [`ListRootsResult`](crate::ListRootsResult);
/// - a `Result` of one of these: an error ends the call.
///
/// Its parameters are those of a [`tool`], but a plain one is the argument of the call that
/// has its name and type, and there is no `Ask`. A call without that argument does not compile,
/// nor do resolvers that need each other in a circle.
///
/// `#[resolver(key = "..")]` sets the key of its question on the wire; it is the function's
/// name if not given. By hand it is a [`Resolver`](crate::resolve::Resolver).
///
/// # Example: a question that depends on a computed value
///
/// ```
/// use vuelta::{Elicit, Form, McpServer, resolver, tool};
///
/// #[resolver]
/// async fn stock(title: String) -> u32 {
///     if title == "Dune" { 2 } else { 0 }
/// }
///
/// #[derive(Form)]
/// struct Backorder {
///     /// Wait for the next delivery?
///     wait: bool,
/// }
///
/// #[resolver]
/// async fn backorder(title: String, #[resolve(stock)] stock: u32) -> Elicit<Backorder> {
///     match stock {
///         0 => Elicit::ask(format!("{title} is sold out. Order it anyway?")),
///         _ => Elicit::known(Backorder { wait: false }),
///     }
/// }
///
/// /// Orders a book.
/// #[tool]
/// async fn order(title: String, #[resolve(backorder)] backorder: Backorder) -> String {
///     let when = if backorder.wait { "next week" } else { "tomorrow" };
///     format!("{title} arrives {when}.")
/// }
///
/// let server = McpServer::new("Books", "1.0.0").tool::<order>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[doc(inline)]
pub use vuelta_macros::resolver;

/// Makes methods tools, prompts and resources: `McpServer::methods(value)` registers those that
/// are marked so.
///
/// `&self` is shared state, the same value in every call; other parameters are those of a
/// [`tool`]. Methods without a mark stay as they are. A type has one such block. By hand it is
/// [`Methods`](crate::mcp::Methods).
///
/// # Example: a shelf
///
/// ```
/// use vuelta::{McpServer, methods};
///
/// struct Shelf(Vec<String>);
///
/// #[methods]
/// impl Shelf {
///     /// Finds books.
///     #[tool(read_only)]
///     async fn find(&self, word: String) -> String {
///         self.matching(&word).join("\n")
///     }
///
///     #[resource("shelf:///{index}")]
///     async fn book(&self, index: usize) -> Result<String, vuelta::Error> {
///         let uri = format!("shelf:///{index}");
///         self.0.get(index).cloned().ok_or_else(|| vuelta::Error::unknown_resource(&uri))
///     }
///
///     fn matching(&self, word: &str) -> Vec<String> {
///         self.0.iter().filter(|book| book.contains(word)).cloned().collect()
///     }
/// }
///
/// let shelf = Shelf(vec!["Dune".to_owned()]);
/// let server = McpServer::new("Shelf", "1.0.0").methods(shelf).build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[doc(inline)]
pub use vuelta_macros::methods;

/// Makes a struct a form that a user can fill in, or an enum without data a choice in one.
///
/// A form is flat: fields are `String`, integers, floats, `bool`, choices, `Vec` of a choice
/// (several may be chosen), and `Option` of these (may be left empty). Doc comments are the help
/// text. By hand it is a [`Form`](trait@crate::form::Form), a choice a
/// [`Choice`](crate::form::Choice).
///
/// | on a field | says |
/// | --- | --- |
/// | `#[form(title = "..")]` | the label |
/// | `#[form(default = value)]` | what is filled in already; such a field need not be filled in |
/// | `#[form(min = 1, max = 9)]` | the bounds of a number |
/// | `#[form(min_length = 1, max_length = 9)]` | the length of text |
/// | `#[form(format = "email")]` | the kind of text: `email`, `uri`, `date` or `date-time` |
/// | `#[form(min_items = 1, max_items = 2)]` | how many may be chosen |
/// | `#[form(rename = "..")]` | the name on the wire |
/// | `#[form(allow_secret)]` | that it is no secret, although its name looks like one |
///
/// On the variants of a choice there are `#[form(rename = "..")]`, the value on the wire, and
/// `#[form(title = "..")]`, what is shown for it; a doc comment is a title too.
///
/// # Security
///
/// What is typed into a form passes through the client and may reach its model: a field whose
/// name looks like a secret does not compile. Send the user to a page of yours with
/// [`Elicit::visit`](crate::Elicit::visit).
///
/// # Example: every kind of field
///
/// ```
/// use vuelta::Form;
///
/// #[derive(Form)]
/// enum Plan {
///     /// Free of charge
///     Free,
///     /// 9 euros a month
///     #[form(rename = "pro")]
///     Professional,
/// }
///
/// #[derive(Form)]
/// struct Signup {
///     /// Your name
///     #[form(min_length = 1, max_length = 80)]
///     name: String,
///     #[form(format = "email")]
///     email: Option<String>,
///     #[form(min = 18)]
///     age: u8,
///     #[form(default = Plan::Free)]
///     plan: Plan,
///     /// Plans to hear about
///     #[form(max_items = 1)]
///     news: Vec<Plan>,
///     #[form(title = "I agree")]
///     agree: bool,
/// }
///
/// let schema = Signup::schema();
/// assert!(schema.is_required("name") && !schema.is_required("plan"));
/// ```
#[doc(inline)]
pub use vuelta_macros::Form;
