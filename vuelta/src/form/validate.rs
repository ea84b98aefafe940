//! Whether what a user filled in fits the form that was shown.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::form::Form;
use crate::schema::{Checker, Violation};

/// Compiled forms: one for each type, made when its first answer comes.
static CHECKERS: LazyLock<Mutex<HashMap<TypeId, Arc<Checker>>>> = LazyLock::new(Mutex::default);

/// Returns every field of `content` that does not fit the form `T`; a field that the form
/// does not have is ignored.
pub(super) fn violations<T: Form>(
    content: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Violation>> {
    // An empty field is shown as null by some clients.
    let content: Map<String, Value> = content
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect();
    let checker = checker::<T>().map_err(|problem| {
        vec![Violation {
            field: String::new(),
            problem,
        }]
    })?;
    let content = Value::Object(content);
    let violations = checker.violations(&content);
    match content {
        Value::Object(content) if violations.is_empty() => Ok(content),
        _ => Err(violations),
    }
}

fn checker<T: Form>() -> Result<Arc<Checker>, String> {
    let mut checkers = CHECKERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(checker) = checkers.get(&TypeId::of::<T>()) {
        return Ok(Arc::clone(checker));
    }
    let schema = serde_json::to_value(T::schema()).map_err(|error| error.to_string())?;
    let checker = Arc::new(Checker::new(&schema)?);
    checkers.insert(TypeId::of::<T>(), Arc::clone(&checker));
    Ok(checker)
}

#[cfg(test)]
mod tests;
