//! How long one round of a large graph takes: 100 resolvers in five layers of 20, each of
//! which asks, and each of which depends on two of the layer before. A round asks one layer:
//! 20 questions.
//!
//! Measured is all that a server does between the transport and the transport: the request
//! decoded, its state opened, all resolvers visited, the answers so far matched with their
//! questions and checked against their forms, the new state sealed and the result encoded.
//! Round 1 has no state and no answers; round 6 has all answers and runs the tool.

#![allow(missing_docs, reason = "a benchmark")]

use divan::Bencher;
use serde_json::{Map, Value, json};
use vuelta::form::{Form, FormError, fields};
use vuelta::mcp::{ToolHandler, ToolSpec};
use vuelta::resolve::{Elicit, Halted, NeededArgument, Produced, ResolveFor, Resolver, RoundCx};
use vuelta::server::Incoming;
use vuelta::testing::TestServer;
use vuelta::{
    CallToolResult, FormSchema, McpServer, NumberSchema, Outcome, Outlet, Raw, Server, StringSchema,
};

fn main() {
    divan::main();
}

/// What every question asks for.
struct Machine {
    name: String,
    cores: i64,
}

impl Form for Machine {
    fn schema() -> FormSchema {
        FormSchema::new()
            .required("name", StringSchema::new().min_length(1_u64))
            .required("cores", NumberSchema::integer().minimum(1_i64))
    }

    fn read(content: &Raw) -> Result<Self, FormError> {
        let fields = fields::<Self>(content)?;
        Ok(Self {
            name: fields.read("name")?,
            cores: fields.read("cores")?,
        })
    }

    fn duplicate(&self) -> Self {
        Self {
            name: self.name.clone(),
            cores: self.cores,
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {}

/// Calls a macro with the nodes of a layer, each with its neighbour.
macro_rules! nodes {
    ($callback:ident $($first:tt)*) => {
        $callback! {
            $($first)*;
            A B, B C, C D, D E, E F, F G, G H, H I, I J, J K,
            K L, L M, M N, N O, O P, P Q, Q R, R S, S T, T A
        }
    };
}

macro_rules! layer {
    ($layer:ident $depth:literal; $($node:ident $next:ident),+) => {
        mod $layer {
            use super::*;

            $( node!($node $layer $depth, |_cx| String::from(stringify!($node))); )+
        }
    };
    ($layer:ident $depth:literal after $before:ident; $($node:ident $next:ident),+) => {
        mod $layer {
            use super::*;

            $(
                node!($node $layer $depth, |cx| {
                    let (one, two) = tokio::join!(
                        cx.resolve::<$before::$node>(),
                        cx.resolve::<$before::$next>()
                    );
                    let one = one.and_then(|given| given.take::<Machine>("one"));
                    let two = two.and_then(|given| given.take::<Machine>("two"));
                    Halted::first([one.as_ref().err(), two.as_ref().err()])?;
                    format!("{} beside {} and {}", stringify!($node), one?.name, two?.name)
                });
            )+
        }
    };
}

/// A resolver that asks with a name that it works out.
macro_rules! node {
    ($node:ident $layer:ident $depth:literal, |$cx:ident| $name:expr) => {
        pub(super) struct $node;

        impl Resolver for $node {
            const KEY: &'static str = concat!(stringify!($layer), "_", stringify!($node));
            const DEPTH: usize = $depth;
            const ARGUMENTS: &'static [NeededArgument] = &[];
            type Output = Machine;

            fn share(value: &Machine) -> Machine {
                value.duplicate()
            }
        }

        impl ResolveFor<Args> for $node {
            async fn run($cx: &RoundCx<Args>) -> Result<Produced<Machine>, Halted> {
                let name = $name;
                let question = format!("Which machine should {name} run on?");
                Ok(Elicit::<Machine>::ask(question).into())
            }
        }
    };
}

nodes!(layer one 1);
nodes!(layer two 2 after one);
nodes!(layer three 3 after two);
nodes!(layer four 4 after three);
nodes!(layer five 5 after four);

struct Deploy;

macro_rules! tool {
    (; $($node:ident $next:ident),+) => {
        impl ToolHandler for Deploy {
            const NAME: &'static str = "deploy";
            type Args = Args;

            fn define(tool: ToolSpec) -> ToolSpec {
                tool$(
                    .resolver::<one::$node>()
                    .resolver::<two::$node>()
                    .resolver::<three::$node>()
                    .resolver::<four::$node>()
                    .resolver::<five::$node>()
                )+
            }

            #[allow(non_snake_case, reason = "named after the nodes")]
            async fn call(cx: RoundCx<Args>) -> Result<Outcome<CallToolResult>, Halted> {
                let ($($node,)+) = tokio::join!($(cx.resolve::<five::$node>()),+);
                $( let $node = $node.and_then(|given| given.take::<Machine>("machine")); )+
                Halted::first([$($node.as_ref().err()),+])?;
                let cores: i64 = [$($node?.cores),+].iter().sum();
                Ok(CallToolResult::text(cores.to_string()).into())
            }
        }
    };
}

nodes!(tool);

const LAYERS: [&str; 5] = ["one", "two", "three", "four", "five"];

/// One round: what is sent, as the transport hands it over.
struct Round {
    server: Server,
    params: Raw,
}

/// Runs the flow up to a round, from 1, and prepares that round's request.
async fn prepare(round: usize) -> Round {
    let server = McpServer::new("Fleet", "1.0.0").tool::<Deploy>();
    let server = TestServer::new(server).expect("a valid server");
    let mut call = server.tool("deploy", json!({}));
    let content = json!({ "name": "m5", "cores": 4 });
    for key in LAYERS
        .iter()
        .flat_map(|layer| ('A'..='T').map(move |node| format!("{layer}_{node}")))
    {
        call = call.accept(key, &content);
    }
    let mut params = json!({
        "name": "deploy",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        },
    });
    if let Some(layer) = round.checked_sub(2) {
        let waiting = call.until(&format!("{}_A", LAYERS[layer])).await;
        assert_eq!(waiting.questions().count(), 20, "one layer");
        let answer = json!({ "action": "accept", "content": content });
        let answers: Map<String, Value> = waiting
            .questions()
            .map(|(key, _)| (key.to_owned(), answer.clone()))
            .collect();
        params["inputResponses"] = answers.into();
        params["requestState"] = waiting.state().into();
    }
    Round {
        server: server.server().clone(),
        params: params.into(),
    }
}

#[divan::bench(args = [1, 2, 3, 4, 5, 6])]
fn round(bencher: Bencher<'_, '_>, number: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let Round { server, params } = runtime.block_on(prepare(number));
    bencher
        .with_inputs(|| Incoming::new(1_i64.into(), "tools/call", Some(params.clone())))
        .bench_local_values(|incoming| {
            let result = runtime.block_on(server.dispatch(incoming, Outlet::closed()));
            result.expect("a result")
        });
}
