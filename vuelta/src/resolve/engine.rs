//! One round of one call: every resolver once, independent ones together, all questions in
//! one result.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use vuelta_wire::{ElicitAction, InputRequest, Raw};

use crate::resolve::graph::{Arg, Gives, ResolveFor, Resolver};
use crate::resolve::live::Asking;
use crate::resolve::rounds::{Halt, Round, Settled};
use crate::resolve::states::States;
use crate::resolve::{Answer, Ask};
use crate::service::Context;

/// What a resolver came to.
#[expect(clippy::exhaustive_enums, reason = "a resolver knows or asks")]
pub enum Produced<T> {
    /// The value: no question is asked.
    Known(T),
    /// The question that gives the value.
    Asks(Question<T>),
}

/// A question and how its answer is read.
pub struct Question<T> {
    pub(crate) request: InputRequest,
    /// Whether the content of an accepted form is one that the question allows.
    pub(crate) fits: fn(&Raw) -> bool,
    /// Reads what came with an accepted answer.
    pub(crate) read: fn(Option<&Raw>) -> Option<T>,
}

/// Why a call does not run to its end in this round.
#[derive(Clone, Debug)]
pub struct Halted(Why);

#[derive(Clone, Debug)]
enum Why {
    /// A question waits for its answer.
    Waiting,
    /// The call ends.
    Ends(Halt),
}

impl Halted {
    pub(crate) const WAITING: Self = Self(Why::Waiting);

    /// Creates the end of a call whose tool failed, with the reason for the model.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self(Why::Ends(Halt::Failed(reason.into())))
    }

    /// Creates the end of a call whose resolver failed: an error of the protocol goes to the
    /// peer as it is, the text of any other is for the model.
    #[must_use]
    pub fn error<E: fmt::Display + 'static>(error: &E) -> Self {
        // The alternate form: errors that hold their causes show them.
        Halt::protocol(error).map_or_else(|| Self::failed(format!("{error:#}")), Self::from)
    }

    /// Returns the first reason to end the call among `results`, or that one of them waits.
    ///
    /// # Errors
    ///
    /// Returns that reason; nothing if none has one.
    pub fn first<'a>(results: impl IntoIterator<Item = Option<&'a Self>>) -> Result<(), Self> {
        let mut waits = None;
        for halted in results.into_iter().flatten() {
            match halted.0 {
                Why::Waiting => waits = Some(halted),
                Why::Ends(_) => return Err(halted.clone()),
            }
        }
        waits.map_or(Ok(()), |halted| Err(halted.clone()))
    }

    /// Returns why the call ends; `None` if it only waits.
    pub(crate) fn into_halt(self) -> Option<Halt> {
        match self.0 {
            Why::Waiting => None,
            Why::Ends(halt) => Some(halt),
        }
    }
}

impl From<Halt> for Halted {
    fn from(halt: Halt) -> Self {
        Self(Why::Ends(halt))
    }
}

/// What is shared by everything that runs in one round of one call.
pub(crate) struct Scope {
    pub(crate) context: Context,
    /// The name or URI that was asked for.
    pub(crate) target: String,
    pub(crate) states: Arc<States>,
    pub(crate) round: Round,
    pub(crate) asking: Asking,
    memo: Mutex<HashMap<TypeId, Cell>>,
}

type Cell = Arc<OnceCell<Result<Arc<dyn Any + Send + Sync>, Halted>>>;

/// What a resolver gave in this round.
enum Value<T> {
    Known(T),
    Declined,
    Cancelled,
    Waiting,
}

/// One round of one call, with its arguments.
pub struct RoundCx<A> {
    args: A,
    scope: Arc<Scope>,
}

impl Scope {
    pub(crate) fn new(
        context: Context,
        target: &str,
        states: Arc<States>,
        round: Round,
    ) -> Arc<Self> {
        let target = target.to_owned();
        Arc::new(Self {
            context,
            target,
            states,
            round,
            asking: Asking::new(0),
            memo: Mutex::new(HashMap::new()),
        })
    }

    fn cell(&self, resolver: TypeId) -> Cell {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(memo.entry(resolver).or_default())
    }

    async fn settle<T>(
        &self,
        key: &str,
        visit: usize,
        produced: Produced<T>,
    ) -> Result<Value<T>, Halted> {
        let Question {
            request,
            fits,
            read,
        } = match produced {
            Produced::Known(value) => return Ok(Value::Known(value)),
            Produced::Asks(question) => question,
        };
        Ok(match self.ask(visit, key, request, fits).await? {
            Settled::Pending => Value::Waiting,
            Settled::Answered(ElicitAction::Accept, data) => match read(data.as_ref()) {
                Some(value) => Value::Known(value),
                None => {
                    return Err(Halted::failed(format!(
                        "The answer to {key:?} cannot be read"
                    )));
                }
            },
            Settled::Answered(ElicitAction::Decline, _) => Value::Declined,
            Settled::Answered(ElicitAction::Cancel, _) => Value::Cancelled,
        })
    }
}

/// What a resolver gave, for its consumers.
pub struct Resolved<R>(
    Arc<dyn Any + Send + Sync>,
    std::marker::PhantomData<fn() -> R>,
);

impl<R: Resolver> Resolved<R> {
    fn value(&self) -> &Value<R::Output> {
        self.0
            .downcast_ref()
            .expect("the cell of a resolver holds its own value")
    }

    /// Returns the value for the parameter `name`; a refusal ends the call.
    ///
    /// # Errors
    ///
    /// Returns that the user refused, or that the question waits.
    pub fn take<T>(&self, name: &str) -> Result<T, Halted>
    where
        R: Gives<T>,
    {
        let refused = |action: &str| {
            Halted::failed(format!(
                "Resolver for parameter '{name}' could not resolve: elicitation was {action}"
            ))
        };
        match self.value() {
            Value::Known(value) => Ok(R::give(R::share(value))),
            Value::Declined => Err(refused("decline")),
            Value::Cancelled => Err(refused("cancel")),
            Value::Waiting => Err(Halted::WAITING),
        }
    }

    /// Returns what the user did with the question.
    ///
    /// # Errors
    ///
    /// Returns that the question waits.
    pub fn answer<T>(&self) -> Result<Answer<T>, Halted>
    where
        R: Gives<T>,
    {
        match self.value() {
            Value::Known(value) => Ok(Answer::Accept(R::give(R::share(value)))),
            Value::Declined => Ok(Answer::Decline),
            Value::Cancelled => Ok(Answer::Cancel),
            Value::Waiting => Err(Halted::WAITING),
        }
    }
}

impl<A> RoundCx<A> {
    pub(crate) fn new(args: A, scope: Arc<Scope>) -> Self {
        Self { args, scope }
    }

    /// Runs a resolver, once a round however many consumers it has.
    ///
    /// # Errors
    ///
    /// Returns why the call ends.
    pub async fn resolve<R: ResolveFor<A>>(&self) -> Result<Resolved<R>, Halted>
    where
        A: Send + Sync,
    {
        let visit = self.scope.round.visit();
        let cell = self.scope.cell(TypeId::of::<R>());
        let work = || {
            // On the heap: the futures of a deep graph would otherwise be one large value.
            Box::pin(async {
                let produced = match R::run(self).await {
                    Ok(produced) => self.scope.settle(R::KEY, visit, produced).await,
                    Err(halted) => match halted.0 {
                        Why::Waiting => Ok(Value::Waiting),
                        Why::Ends(_) => Err(halted),
                    },
                };
                produced.map(|value| Arc::new(value) as Arc<dyn Any + Send + Sync>)
            })
        };
        let resolved = cell.get_or_init(work).await.clone()?;
        Ok(Resolved(resolved, std::marker::PhantomData))
    }

    /// Returns an argument of the call.
    pub fn arg<const NAME: u64>(&self) -> &A::Type
    where
        A: Arg<NAME>,
    {
        self.args.arg()
    }

    /// Returns the request.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.scope.context
    }

    /// Returns the name of the tool or prompt, or the URI of the resource, that was asked for.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.scope.target
    }

    /// Returns the handle for questions from inside a body.
    #[must_use]
    pub fn ask(&self) -> Ask {
        Ask::new(Arc::clone(&self.scope))
    }

    /// Returns a value that all calls share.
    ///
    /// # Errors
    ///
    /// Returns an error if the server was not given one of this type, which building it
    /// checks.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, Halted> {
        self.scope.states.get::<T>().ok_or_else(|| {
            let name = std::any::type_name::<T>();
            Halted::failed(format!("the server has no state of type `{name}`"))
        })
    }

    /// Returns the arguments, when everything is resolved.
    pub fn into_args(self) -> A {
        self.args
    }
}

impl<A> fmt::Debug for RoundCx<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundCx")
            .field("context", &self.scope.context)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Produced<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known(_) => "Known",
            Self::Asks(_) => "Asks",
        })
    }
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

impl<R: Resolver> fmt::Debug for Resolved<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved")
            .field("key", &R::KEY)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
