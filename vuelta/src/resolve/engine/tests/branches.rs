//! Which resolvers run, how often, and what their consumers get.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Barrier;

use super::Count;
use crate::testing::TestServer;
use crate::{
    Answer, Client, Context, Elicit, ElicitForm, ElicitResult, Form, McpServer, resolver, tool,
};

#[derive(Form)]
struct Login {
    user: String,
}

#[derive(Form)]
struct Confirm {
    sure: bool,
}

/// How often the two resolvers and the tool ran.
#[derive(Default)]
struct Ran {
    login: Count,
    confirm: Count,
    tool: Count,
}

#[resolver]
async fn login(host: String, ran: &Arc<Ran>) -> Elicit<Login> {
    ran.login.one();
    Elicit::ask(format!("Who are you at {host}?"))
}

#[resolver]
async fn confirm(path: String, #[resolve(login)] who: Login, ran: &Arc<Ran>) -> Elicit<Confirm> {
    ran.confirm.one();
    Elicit::ask(format!("Delete {path} as {}?", who.user))
}

/// Deletes what is at a path.
#[tool]
async fn delete(
    host: String,
    path: String,
    #[resolve(login)] who: Login,
    #[resolve(confirm)] sure: Answer<Confirm>,
    ran: &Arc<Ran>,
) -> String {
    ran.tool.one();
    match sure {
        Answer::Accept(Confirm { sure: true }) => format!("{} deleted {path} at {host}", who.user),
        Answer::Accept(_) => "kept".to_owned(),
        Answer::Decline => "declined".to_owned(),
        Answer::Cancel => "cancelled".to_owned(),
    }
}

fn files() -> (TestServer, Arc<Ran>) {
    let ran = Arc::new(Ran::default());
    let server = McpServer::new("Files", "1")
        .tool::<delete>()
        .state(Arc::clone(&ran));
    (TestServer::new(server).unwrap(), ran)
}

const ARGUMENTS: &str = r#"{"host":"h","path":"/a"}"#;

fn arguments() -> serde_json::Value {
    serde_json::from_str(ARGUMENTS).unwrap()
}

#[tokio::test]
async fn a_question_is_asked_once_although_its_resolver_runs_in_every_round() {
    let (server, ran) = files();
    let call = server.tool("delete", arguments());
    let run = call
        .accept("login", json!({ "user": "ada" }))
        .accept("confirm", json!({ "sure": true }))
        .run()
        .await;
    assert_eq!(run.text(), "ada deleted /a at h");
    assert_eq!(
        (run.keys_of(1), run.keys_of(2), run.rounds()),
        (vec!["login"], vec!["confirm"], 3)
    );
    assert_eq!(run.question("confirm").message(), "Delete /a as ada?");
    // Twice a consumer, once a round: in the round that asks, that answers, that restores.
    assert_eq!(
        (ran.login.get(), ran.confirm.get(), ran.tool.get()),
        (3, 2, 1)
    );
}

#[tokio::test]
async fn the_first_round_asks_and_does_nothing() {
    let (server, ran) = files();
    let call = server
        .tool("delete", arguments())
        .accept("login", json!({ "user": "ada" }));
    let waiting = call.until("login").await;
    assert_eq!(waiting.questions().count(), 1);
    assert_eq!(
        (ran.login.get(), ran.confirm.get(), ran.tool.get()),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn a_consumer_that_takes_an_answer_branches() {
    let (server, _) = files();
    let call = server
        .tool("delete", arguments())
        .accept("login", json!({ "user": "ada" }));
    let kept = call
        .clone()
        .accept("confirm", json!({ "sure": false }))
        .run()
        .await;
    assert_eq!(kept.text(), "kept");
    let declined = call.clone().decline("confirm").run().await;
    assert_eq!(
        (declined.text().as_str(), declined.rounds()),
        ("declined", 3)
    );
    let cancelled = call.cancel("confirm").run().await;
    assert_eq!(cancelled.text(), "cancelled");
}

#[tokio::test]
async fn a_consumer_that_takes_a_value_ends_the_call_on_a_refusal() {
    let (server, ran) = files();
    let call = server.tool("delete", arguments());
    let run = call.clone().decline("login").run().await;
    assert_eq!(
        run.failure(),
        "Error executing tool delete: Resolver for parameter 'who' could not resolve: \
         elicitation was decline"
    );
    assert_eq!(run.rounds(), 2);
    let run = call.cancel("login").run().await;
    assert!(run.failure().ends_with("elicitation was cancel"));
    assert_eq!((ran.confirm.get(), ran.tool.get()), (0, 0));
}

#[tokio::test]
async fn a_client_with_callbacks_never_sees_the_rounds() {
    for (sure, expected) in [
        (
            ElicitResult::accept(json!({ "sure": true })),
            "ada deleted /a at h",
        ),
        (ElicitResult::accept(json!({ "sure": false })), "kept"),
        (ElicitResult::decline(), "declined"),
        (ElicitResult::cancel(), "cancelled"),
    ] {
        let (server, _) = files();
        let client = Client::builder()
            .on_elicit(move |form: ElicitForm| {
                let sure = sure.clone();
                async move {
                    match form.requested_schema.properties.contains_key("user") {
                        true => ElicitResult::accept(json!({ "user": "ada" })),
                        false => sure,
                    }
                }
            })
            .connect(server.server())
            .await
            .unwrap();
        let result = client.call_tool("delete", arguments()).await.unwrap();
        assert_eq!(result.as_text(), expected);
    }
}

#[resolver]
async fn region(name: String, asked: &Arc<Count>) -> Elicit<Login> {
    asked.one();
    match name.strip_prefix("eu-") {
        Some(_) => Elicit::known(Login {
            user: "eu".to_owned(),
        }),
        None => Elicit::ask(format!("Whose is {name}?")),
    }
}

/// Provisions.
#[tool]
async fn provision(name: String, #[resolve(region)] at: Login) -> String {
    format!("{name} of {}", at.user)
}

#[tokio::test]
async fn a_resolver_that_knows_asks_nothing() {
    let asked = Arc::new(Count::default());
    let server = McpServer::new("P", "1")
        .tool::<provision>()
        .state(Arc::clone(&asked));
    let server = TestServer::new(server).unwrap();
    let run = server
        .tool("provision", json!({ "name": "eu-1" }))
        .run()
        .await;
    assert_eq!((run.text().as_str(), run.rounds()), ("eu-1 of eu", 1));
    let run = server
        .tool("provision", json!({ "name": "us-1" }))
        .accept("region", json!({ "user": "ada" }))
        .run()
        .await;
    assert_eq!(run.text(), "us-1 of ada");
}

#[tokio::test]
async fn what_is_resolved_cannot_be_supplied() {
    let asked = Arc::new(Count::default());
    let server = McpServer::new("P", "1").tool::<provision>().state(asked);
    let server = TestServer::new(server).unwrap();
    let client = Client::builder().connect(server.server()).await.unwrap();
    let listed = client.list_tools().await.unwrap();
    let schema: serde_json::Value = listed.tools[0].input_schema.parse().unwrap();
    assert_eq!(
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["name"],
        "neither `at` nor the state"
    );
    let forged = json!({ "name": "us-1", "at": { "user": "eve" }, "asked": 7 });
    let run = server
        .tool("provision", forged)
        .accept("region", json!({ "user": "ada" }))
        .run()
        .await;
    assert_eq!(run.text(), "us-1 of ada");
}

// Plain values: computed in every round, shared by their consumers in each.

#[resolver]
fn clock(ticks: &Arc<Count>) -> usize {
    ticks.one()
}

#[resolver]
fn before(#[resolve(clock)] now: usize) -> usize {
    now - 1
}

#[resolver]
fn caller(cx: &Context) -> Option<String> {
    cx.client_info().map(|info| info.name.clone())
}

#[resolver]
fn checked(limit: u32) -> Result<u32, String> {
    if limit > 10 {
        Err(format!("{limit} is too many"))
    } else {
        Ok(limit)
    }
}

#[resolver]
async fn agree(#[resolve(clock)] _now: usize) -> Elicit<Confirm> {
    Elicit::ask("Agree?")
}

/// Tells what it was given.
#[tool]
fn tell(
    limit: u32,
    #[resolve(clock)] now: usize,
    #[resolve(before)] earlier: usize,
    #[resolve(caller)] by: Option<String>,
    #[resolve(checked)] at_most: u32,
    #[resolve(agree)] agreed: Confirm,
) -> String {
    format!("{limit} {now} {earlier} {by:?} {at_most} {}", agreed.sure)
}

#[tokio::test]
async fn plain_values_are_worked_out_once_in_every_round() {
    let ticks = Arc::new(Count::default());
    let server = McpServer::new("T", "1")
        .tool::<tell>()
        .state(Arc::clone(&ticks));
    let server = TestServer::new(server).unwrap();
    let call = server.tool("tell", json!({ "limit": 3 }));
    let run = call
        .skip("agree")
        .accept("agree", json!({ "sure": true }))
        .run()
        .await;
    assert_eq!(run.rounds(), 3);
    assert_eq!(run.text(), r#"3 3 2 Some("vuelta-testing") 3 true"#);
    assert_eq!(ticks.get(), 3);
}

#[tokio::test]
async fn a_resolver_that_fails_ends_the_call_before_anybody_is_asked() {
    let server = McpServer::new("T", "1")
        .tool::<tell>()
        .state(Arc::new(Count::default()));
    let server = TestServer::new(server).unwrap();
    let run = server.tool("tell", json!({ "limit": 11 })).run().await;
    assert_eq!(run.failure(), "Error executing tool tell: 11 is too many");
    assert!(run.keys().is_empty());
}

/// A value that nothing can store.
struct Handle(Box<dyn Fn() -> &'static str + Send + Sync>);

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self(Box::new(|| "a copy"))
    }
}

#[resolver]
fn handle() -> Handle {
    Handle(Box::new(|| "the first"))
}

/// Uses it.
#[tool]
fn use_handle(#[resolve(handle)] handle: Handle, #[resolve(agree)] agreed: Confirm) -> String {
    format!("{} {}", (handle.0)(), agreed.sure)
}

#[tokio::test]
async fn a_value_that_cannot_be_stored_breaks_no_round() {
    let server = McpServer::new("T", "1")
        .tool::<use_handle>()
        .state(Arc::new(Count::default()));
    let server = TestServer::new(server).unwrap();
    let run = server
        .tool("use_handle", json!({}))
        .accept("agree", json!({ "sure": true }))
        .run()
        .await;
    assert_eq!(run.text(), "a copy true");
}

// Independent resolvers run at the same time, and their questions travel together.

#[resolver]
async fn left(gate: &Arc<Barrier>) -> Elicit<Confirm> {
    gate.wait().await;
    Elicit::ask("Left?")
}

#[resolver]
async fn right(gate: &Arc<Barrier>) -> Elicit<Confirm> {
    gate.wait().await;
    Elicit::ask("Right?")
}

#[resolver]
async fn upper(#[resolve(left)] left: Confirm) -> Elicit<Confirm> {
    Elicit::ask(format!("Upper after {}?", left.sure))
}

#[resolver]
async fn lower(#[resolve(right)] right: Confirm) -> Elicit<Confirm> {
    Elicit::ask(format!("Lower after {}?", right.sure))
}

/// Needs both.
#[tool(timeout = "5s")]
async fn both(#[resolve(upper)] upper: Confirm, #[resolve(lower)] lower: Confirm) -> String {
    format!("{} {}", upper.sure, lower.sure)
}

#[tokio::test(start_paused = true)]
async fn independent_resolvers_run_at_the_same_time() {
    // Each waits for the other: one after the other they would never be done, and the tool
    // would run into its time limit.
    let gate = Arc::new(Barrier::new(2));
    let server = McpServer::new("B", "1").tool::<both>().state(gate);
    let server = TestServer::new(server).unwrap();
    let yes = json!({ "sure": true });
    let call = server
        .tool("both", json!({}))
        .accept("left", &yes)
        .accept("right", &yes);
    let run = call
        .accept("upper", &yes)
        .accept("lower", json!({ "sure": false }))
        .run()
        .await;
    assert_eq!(run.text(), "true false");
    assert_eq!(
        run.keys_of(1),
        ["left", "right"],
        "in the order of the parameters"
    );
    assert_eq!(run.keys_of(2), ["upper", "lower"]);
    assert_eq!(run.rounds(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_order_of_questions_does_not_depend_on_who_is_first() {
    #[resolver]
    async fn slow() -> Elicit<Confirm> {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Elicit::ask("Slow?")
    }

    #[resolver]
    async fn quick() -> Elicit<Confirm> {
        Elicit::ask("Quick?")
    }

    /// Needs both.
    #[tool]
    async fn race(#[resolve(slow)] slow: Confirm, #[resolve(quick)] quick: Confirm) -> String {
        format!("{} {}", slow.sure, quick.sure)
    }

    let server = TestServer::new(McpServer::new("R", "1").tool::<race>()).unwrap();
    let yes = json!({ "sure": true });
    let run = server
        .tool("race", json!({}))
        .accept("slow", &yes)
        .accept("quick", &yes)
        .run()
        .await;
    assert_eq!(run.keys_of(1), ["slow", "quick"]);
}

// A refusal that ends the call ends it at once: nobody is asked what no longer matters.

#[resolver]
async fn first() -> Elicit<Confirm> {
    Elicit::ask("First?")
}

#[resolver]
async fn second() -> Elicit<Confirm> {
    Elicit::ask("Second?")
}

/// Needs both, in one order.
#[tool]
async fn first_then_second(#[resolve(first)] a: Confirm, #[resolve(second)] b: Confirm) -> String {
    format!("{} {}", a.sure, b.sure)
}

/// Needs both, in the other order.
#[tool]
async fn second_then_first(#[resolve(second)] b: Confirm, #[resolve(first)] a: Confirm) -> String {
    format!("{} {}", a.sure, b.sure)
}

/// Needs the second, and may do without the first.
#[tool]
async fn may_do_without(
    #[resolve(first)] a: Answer<Confirm>,
    #[resolve(second)] b: Confirm,
) -> String {
    format!("{} {}", a.accept().is_some(), b.sure)
}

#[tokio::test]
async fn a_refusal_ends_the_call_although_a_sibling_still_waits() {
    let server = McpServer::new("S", "1")
        .tool::<first_then_second>()
        .tool::<second_then_first>();
    let server = TestServer::new(server).unwrap();
    for tool in ["first_then_second", "second_then_first"] {
        let call = server.tool(tool, json!({})).decline("first").skip("second");
        let run = call.run().await;
        assert!(
            run.failure()
                .ends_with("Resolver for parameter 'a' could not resolve: elicitation was decline")
        );
        assert_eq!(run.rounds(), 2, "{tool}: `second` is not asked again");
    }
}

#[tokio::test]
async fn a_refusal_that_a_consumer_can_live_with_is_recorded_and_not_asked_again() {
    let server = TestServer::new(McpServer::new("S", "1").tool::<may_do_without>()).unwrap();
    let call = server.tool("may_do_without", json!({}));
    let run = call
        .decline("first")
        .skip("second")
        .accept("second", json!({ "sure": true }))
        .run()
        .await;
    assert_eq!(run.text(), "false true");
    assert_eq!(
        (run.keys_of(1), run.keys_of(2)),
        (vec!["first", "second"], vec!["second"])
    );
}

// A resolver sees the arguments as the body does.

/// How often the default was made.
static IDS: Count = Count(std::sync::atomic::AtomicUsize::new(0));

fn next_id() -> usize {
    IDS.one()
}

#[resolver]
fn seen(id: usize, db: String) -> String {
    format!("{id} {db}")
}

/// Compares.
#[tool]
fn compare(
    #[default = next_id()] id: usize,
    #[serde(rename = "db-name")] db: String,
    #[resolve(seen)] by_resolver: String,
) -> String {
    format!("{id} {db} / {by_resolver}")
}

#[tokio::test]
async fn resolvers_and_body_see_the_same_arguments() {
    let server = TestServer::new(McpServer::new("C", "1").tool::<compare>()).unwrap();
    // One was made for the published schema.
    let before = IDS.get();
    let run = server
        .tool("compare", json!({ "db-name": "orders" }))
        .run()
        .await;
    let id = before + 1;
    assert_eq!(run.text(), format!("{id} orders / {id} orders"));
    assert_eq!(IDS.get(), id, "the default is made once");
}

#[tokio::test]
async fn an_answer_at_the_root_of_a_deep_chain_lasts() {
    #[resolver]
    async fn one() -> Elicit<Login> {
        Elicit::ask("1?")
    }
    #[resolver]
    async fn two(#[resolve(one)] one: Login) -> Elicit<Login> {
        Elicit::ask(format!("{} 2?", one.user))
    }
    #[resolver]
    async fn three(#[resolve(two)] two: Login) -> Elicit<Login> {
        Elicit::ask(format!("{} 3?", two.user))
    }
    #[resolver]
    async fn four(#[resolve(one)] one: Login, #[resolve(three)] three: Login) -> Elicit<Login> {
        Elicit::ask(format!("{} {} 4?", one.user, three.user))
    }
    /// The end of the chain.
    #[tool]
    async fn chain(#[resolve(four)] four: Login) -> String {
        four.user
    }

    let server = TestServer::new(McpServer::new("C", "1").tool::<chain>()).unwrap();
    let mut call = server.tool("chain", json!({}));
    for key in ["one", "two", "three", "four"] {
        call = call.accept(key, json!({ "user": key }));
    }
    let run = call.converges().await;
    assert_eq!(run.text(), "four");
    assert_eq!(run.keys(), ["one", "two", "three", "four"]);
    assert_eq!(run.question("four").message(), "one three 4?");
}
