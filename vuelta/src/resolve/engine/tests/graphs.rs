//! Random graphs of resolvers, answered in random portions, against a model.
//!
//! A graph of resolvers is made of types, which cannot be made at run time. So the types are
//! a family, one for each number, and what each depends on, whether it asks, and how long it
//! takes is read from shared state: the engine sees the very calls that it would see from
//! generated code, memo cells by type included, and every graph of up to `NODES` resolvers
//! can be tried. The alternative, an interpreter on top of the bookkeeping of one round,
//! would leave out what is most likely to go wrong: the memo and the concurrency.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::form::{Form, FormError, fields};
use crate::mcp::{McpServer, ToolHandler, ToolSpec};
use crate::resolve::{Elicit, Halted, NeededArgument, Produced, ResolveFor, Resolver, RoundCx};
use crate::testing::TestServer;
use crate::{CallToolResult, FormSchema, NumberSchema, Outcome, Raw};

const NODES: usize = 10;
const KEYS: [&str; NODES] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// One of the family.
struct Node<const INDEX: usize>;

/// What a node gives; also the form that one fills in who answers it.
#[derive(Clone)]
struct Value {
    value: i64,
}

impl Form for Value {
    fn schema() -> FormSchema {
        FormSchema::new().required("value", NumberSchema::integer())
    }

    fn read(content: &Raw) -> Result<Self, FormError> {
        Ok(Self {
            value: fields::<Self>(content)?.read("value")?,
        })
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

impl<const INDEX: usize> Resolver for Node<INDEX> {
    const KEY: &'static str = KEYS[INDEX];
    const DEPTH: usize = INDEX + 1;
    const ARGUMENTS: &'static [NeededArgument] = &[];
    type Output = Value;

    fn share(value: &Value) -> Value {
        value.clone()
    }
}

impl<const INDEX: usize> ResolveFor<Args> for Node<INDEX> {
    async fn run(cx: &RoundCx<Args>) -> Result<Produced<Value>, Halted> {
        let spec = cx.state::<Arc<Spec>>()?;
        let sum = sum(cx, &spec.needs[INDEX]).await?;
        spec.ran(INDEX);
        for _ in 0..spec.pauses[INDEX] {
            tokio::task::yield_now().await;
        }
        Ok(if spec.asks[INDEX] {
            Elicit::<Value>::ask(message(INDEX, sum)).into()
        } else {
            Produced::Known(Value { value: sum + 1 })
        })
    }
}

fn message(index: usize, sum: i64) -> String {
    format!("{} after {sum}", KEYS[index])
}

/// Resolves nodes at the same time, as generated code does, and adds up what they give.
async fn sum(cx: &RoundCx<Args>, nodes: &[usize]) -> Result<i64, Halted> {
    let values = join_all(nodes.iter().map(|node| resolve(cx, *node))).await;
    Halted::first(values.iter().map(|value| value.as_ref().err()))?;
    Ok(values.into_iter().flatten().sum())
}

type Resolving<'a> = Pin<Box<dyn Future<Output = Result<i64, Halted>> + Send + 'a>>;

fn resolve(cx: &RoundCx<Args>, node: usize) -> Resolving<'_> {
    async fn one<const INDEX: usize>(cx: &RoundCx<Args>) -> Result<i64, Halted> {
        let answer = cx.resolve::<Node<INDEX>>().await?.answer::<Value>()?;
        // A refusal is worth nothing, but it is an answer.
        Ok(answer.accept().map_or(0, |value| value.value))
    }
    match node {
        0 => Box::pin(one::<0>(cx)),
        1 => Box::pin(one::<1>(cx)),
        2 => Box::pin(one::<2>(cx)),
        3 => Box::pin(one::<3>(cx)),
        4 => Box::pin(one::<4>(cx)),
        5 => Box::pin(one::<5>(cx)),
        6 => Box::pin(one::<6>(cx)),
        7 => Box::pin(one::<7>(cx)),
        8 => Box::pin(one::<8>(cx)),
        _ => Box::pin(one::<9>(cx)),
    }
}

struct Sum;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {}

impl ToolHandler for Sum {
    const NAME: &'static str = "sum";
    type Args = Args;

    fn define(tool: ToolSpec) -> ToolSpec {
        tool.state::<Arc<Spec>>()
            .resolver::<Node<0>>()
            .resolver::<Node<1>>()
            .resolver::<Node<2>>()
            .resolver::<Node<3>>()
            .resolver::<Node<4>>()
            .resolver::<Node<5>>()
            .resolver::<Node<6>>()
            .resolver::<Node<7>>()
            .resolver::<Node<8>>()
            .resolver::<Node<9>>()
    }

    async fn call(cx: RoundCx<Args>) -> Result<Outcome<CallToolResult>, Halted> {
        let spec = cx.state::<Arc<Spec>>()?;
        spec.new_round();
        let sum = sum(&cx, &spec.roots).await?;
        Ok(CallToolResult::text(sum.to_string()).into())
    }
}

/// A graph, and a record of what ran.
#[derive(Debug)]
struct Spec {
    /// What each node depends on: nodes before it.
    needs: Vec<Vec<usize>>,
    asks: Vec<bool>,
    /// How often each node lets the others go first before it asks.
    pauses: Vec<u8>,
    /// What the tool depends on.
    roots: Vec<usize>,
    rounds: Mutex<Vec<Vec<usize>>>,
}

impl Spec {
    fn new_round(&self) {
        self.rounds
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Vec::new());
    }

    fn ran(&self, node: usize) {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        rounds.last_mut().unwrap().push(node);
    }
}

/// One round by the book: depth first, every node once, nothing skipped.
struct Model<'a> {
    spec: &'a Spec,
    /// The answers so far; a refusal is worth nothing.
    answers: &'a BTreeMap<usize, i64>,
    values: BTreeMap<usize, Option<i64>>,
    /// The nodes that were visited, in order.
    visited: Vec<usize>,
    ran: BTreeSet<usize>,
    pending: BTreeMap<usize, String>,
}

impl<'a> Model<'a> {
    fn round(spec: &'a Spec, answers: &'a BTreeMap<usize, i64>) -> (Self, Option<i64>) {
        let mut model = Self {
            spec,
            answers,
            values: BTreeMap::new(),
            visited: Vec::new(),
            ran: BTreeSet::new(),
            pending: BTreeMap::new(),
        };
        let sum = model.sum(&spec.roots);
        (model, sum)
    }

    fn sum(&mut self, nodes: &[usize]) -> Option<i64> {
        let values: Vec<Option<i64>> = nodes.iter().map(|node| self.visit(*node)).collect();
        values.into_iter().sum()
    }

    fn visit(&mut self, node: usize) -> Option<i64> {
        if let Some(value) = self.values.get(&node) {
            return *value;
        }
        self.visited.push(node);
        let spec = self.spec;
        let value = self.sum(&spec.needs[node]).and_then(|sum| {
            self.ran.insert(node);
            if !spec.asks[node] {
                return Some(sum + 1);
            }
            let answer = self.answers.get(&node).copied();
            if answer.is_none() {
                self.pending.insert(node, message(node, sum));
            }
            answer
        });
        self.values.insert(node, value);
        value
    }

    /// Returns the nodes that ask, in the order in which the client must see them.
    fn asked(&self) -> Vec<usize> {
        self.visited
            .iter()
            .copied()
            .filter(|node| self.pending.contains_key(node))
            .collect()
    }
}

fn spec() -> impl Strategy<Value = Spec> {
    let needs = vec(vec(any::<prop::sample::Index>(), 0..4), NODES);
    let roots = vec(0..NODES, 1..5);
    let asks = vec(prop::bool::weighted(0.6), NODES);
    (needs, asks, vec(0..4_u8, NODES), roots).prop_map(|(needs, asks, pauses, roots)| {
        let needs = needs.into_iter().enumerate().map(|(node, needs)| {
            // No node before the first one: it depends on nothing.
            let needs = needs.into_iter().filter(|_| node > 0);
            needs.map(|index| index.index(node)).collect()
        });
        Spec {
            needs: needs.collect(),
            asks,
            pauses,
            roots,
            rounds: Mutex::default(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_question_is_asked_once_whatever_comes_when(
        spec in spec(),
        portions in vec(any::<u16>(), 0..8),
        refused in any::<u16>(),
    ) {
        check(spec, &portions, refused)?;
    }
}

/// Answers in each round those questions whose bit is set in its portion, and all of them
/// when there are no more portions.
fn check(spec: Spec, portions: &[u16], refused: u16) -> Result<(), TestCaseError> {
    let mut answers = BTreeMap::new();
    let mut expected: Vec<(Vec<&str>, BTreeSet<usize>)> = Vec::new();
    let mut messages = BTreeMap::new();
    // For each question, how often it is left without an answer first.
    let mut skipped: BTreeMap<usize, usize> = BTreeMap::new();
    let sum = loop {
        let (model, sum) = Model::round(&spec, &answers);
        let asked = model.asked();
        let portion = portions.get(expected.len()).copied().unwrap_or(u16::MAX);
        expected.push((asked.iter().map(|node| KEYS[*node]).collect(), model.ran));
        messages.extend(model.pending);
        if let Some(sum) = sum {
            break sum;
        }
        for node in asked {
            if portion & (1 << node) == 0 {
                *skipped.entry(node).or_default() += 1;
            } else {
                let is_refused = refused & (1 << node) != 0;
                answers.insert(
                    node,
                    if is_refused {
                        0
                    } else {
                        100 * (i64::try_from(node).unwrap() + 1)
                    },
                );
            }
        }
    };

    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let spec = Arc::new(spec);
    let server = McpServer::new("Graphs", "1")
        .tool::<Sum>()
        .state(Arc::clone(&spec));
    let server = TestServer::new(server).unwrap();
    let mut call = server.tool("sum", json!({}));
    for (node, value) in &answers {
        let key = KEYS[*node];
        for _ in 0..skipped.get(node).copied().unwrap_or(0) {
            call = call.skip(key);
        }
        call = match refused & (1 << node) {
            0 => call.accept(key, json!({ "value": value })),
            _ => call.decline(key),
        };
    }
    let run = runtime.block_on(call.run());

    prop_assert_eq!(run.text(), sum.to_string());
    prop_assert_eq!(run.rounds(), expected.len());
    let ran = spec.rounds.lock().unwrap();
    for (index, (keys, nodes)) in expected.iter().enumerate() {
        prop_assert_eq!(&run.keys_of(index + 1), keys, "round {}", index + 1);
        let mut once = ran[index].clone();
        once.sort_unstable();
        prop_assert_eq!(
            once,
            nodes.iter().copied().collect::<Vec<_>>(),
            "round {}",
            index + 1
        );
    }
    for question in run.questions() {
        let node = KEYS.iter().position(|key| *key == question.key).unwrap();
        prop_assert_eq!(&question.message(), &messages[&node]);
        let times = run
            .keys()
            .iter()
            .filter(|key| **key == question.key)
            .count();
        prop_assert_eq!(times, 1 + skipped.get(&node).copied().unwrap_or(0));
    }
    Ok(())
}
