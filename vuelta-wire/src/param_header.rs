//! Arguments that are mirrored into HTTP headers: which ones, as what text, and whether the
//! headers that came agree with the body.
//!
//! A tool marks such an argument in its `inputSchema` with `x-mcp-header`. Nothing here knows
//! HTTP: the caller looks headers up. Source: [custom headers from tool
//! parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::object::Key;
use crate::{DecodeError, Raw, header, tag};

/// The arguments of one tool that are mirrored into headers.
///
/// # Example: one argument, from the schema to the header
///
/// ```
/// use vuelta_wire::Raw;
/// use vuelta_wire::param_header::ParamHeaders;
///
/// let schema = Raw::from(serde_json::json!({
///     "type": "object",
///     "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
/// }));
/// let headers = ParamHeaders::parse(&schema)?;
/// let rendered = headers.render(Some(r#"{"region":"us-west1"}"#));
/// assert_eq!(rendered, [("Mcp-Param-Region", "us-west1".to_owned())]);
/// # Ok::<(), vuelta_wire::param_header::AnnotationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamHeaders(Vec<ParamHeader>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ParamHeader {
    /// The whole name of the header.
    name: String,
    /// The properties that lead from the root to the argument.
    path: Vec<String>,
}

impl ParamHeaders {
    /// Reads the annotations of a tool's input schema.
    ///
    /// # Errors
    ///
    /// Returns an error if one breaks a rule of the specification. A client must then leave
    /// the tool out; a server must not offer it.
    pub fn parse(input_schema: &Raw) -> Result<Self, AnnotationError> {
        let schema: Value = input_schema.parse().map_err(AnnotationError::Unreadable)?;
        let mut headers = Self::default();
        headers.walk(&schema, &mut Vec::new(), true)?;
        Ok(headers)
    }

    /// Returns whether no argument is mirrored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the headers of a call: their names and encoded values.
    ///
    /// `arguments` is the JSON of the call's arguments. What is absent, null, an object, an
    /// array, or an integer that not every JSON reader keeps exactly has no header.
    #[must_use]
    pub fn render(&self, arguments: Option<&str>) -> Vec<(&str, String)> {
        self.0
            .iter()
            .filter_map(|param| {
                let value = param.find(arguments).ok()??;
                let text = mirrored(value)?;
                Some((param.name.as_str(), header::encode(&text).into_owned()))
            })
            .collect()
    }

    /// Checks that the headers of a call agree with its arguments.
    ///
    /// `lookup` returns every value of a header, whatever the case of its name; `arguments` is
    /// the JSON of the call's arguments. Headers that no annotation declares are not looked
    /// at.
    ///
    /// # Errors
    ///
    /// Returns the first disagreement; the call must then be refused with
    /// [`HEADER_MISMATCH`](crate::ErrorCode::HEADER_MISMATCH).
    pub fn validate<'h, I>(
        &self,
        arguments: Option<&str>,
        lookup: impl Fn(&str) -> I,
    ) -> Result<(), ParamMismatch>
    where
        I: IntoIterator<Item = &'h [u8]>,
    {
        for param in &self.0 {
            let mut values = lookup(&param.name).into_iter();
            let value = values.next();
            let outcome = match values.next() {
                Some(_) => Err(Problem::Repeated),
                None => param.check(arguments, value),
            };
            outcome.map_err(|problem| ParamMismatch {
                header: param.name.clone(),
                argument: param.path.join("."),
                problem,
            })?;
        }
        Ok(())
    }

    /// Collects the annotations of a schema and of those below it. `reachable` tells whether
    /// `properties` alone led here; `at` holds the names on the way, and the other keywords.
    fn walk<'a>(
        &mut self,
        schema: &'a Value,
        at: &mut Vec<&'a str>,
        reachable: bool,
    ) -> Result<(), AnnotationError> {
        let Value::Object(members) = schema else {
            return Ok(());
        };
        if let Some(annotation) = members.get(ANNOTATION) {
            self.add(annotation, members.get("type"), at, reachable)?;
        }
        for (keyword, value) in members {
            let keyword = keyword.as_str();
            match value {
                Value::Object(properties) if keyword == "properties" => {
                    self.walk_named(properties, at, reachable)?;
                }
                Value::Object(schemas) if MAPS.contains(&keyword) => {
                    at.push(keyword);
                    self.walk_named(schemas, at, false)?;
                    at.pop();
                }
                _ if SUBSCHEMAS.contains(&keyword) => {
                    at.push(keyword);
                    match value {
                        Value::Array(schemas) => {
                            for schema in schemas {
                                self.walk(schema, at, false)?;
                            }
                        }
                        schema => self.walk(schema, at, false)?,
                    }
                    at.pop();
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn walk_named<'a>(
        &mut self,
        schemas: &'a serde_json::Map<String, Value>,
        at: &mut Vec<&'a str>,
        reachable: bool,
    ) -> Result<(), AnnotationError> {
        for (name, schema) in schemas {
            at.push(name);
            self.walk(schema, at, reachable)?;
            at.pop();
        }
        Ok(())
    }

    fn add(
        &mut self,
        annotation: &Value,
        kind: Option<&Value>,
        at: &[&str],
        reachable: bool,
    ) -> Result<(), AnnotationError> {
        let path = at.join(".");
        if !reachable || at.is_empty() {
            return Err(AnnotationError::Unreachable { path });
        }
        let Some(token) = annotation.as_str() else {
            return Err(AnnotationError::NotText { path });
        };
        if token.is_empty() || !token.bytes().all(is_token_byte) {
            return Err(AnnotationError::NotToken {
                path,
                name: token.to_owned(),
            });
        }
        if !matches!(
            kind.and_then(Value::as_str),
            Some("string" | "integer" | "boolean")
        ) {
            return Err(AnnotationError::NotPrimitive { path });
        }
        let name = format!("{PREFIX}{token}");
        if let Some(first) = self
            .0
            .iter()
            .find(|param| param.name.eq_ignore_ascii_case(&name))
        {
            return Err(AnnotationError::Duplicate {
                path,
                name: token.to_owned(),
                first: first.path.join("."),
            });
        }
        self.0.push(ParamHeader {
            name,
            path: at.iter().map(|&name| name.to_owned()).collect(),
        });
        Ok(())
    }
}

impl ParamHeader {
    /// Returns the argument; `None` if it is absent or null.
    fn find<'a>(&self, arguments: Option<&'a str>) -> Result<Option<&'a RawValue>, Problem> {
        let Some(mut json) = arguments else {
            return Ok(None);
        };
        let mut found = None;
        for name in &self.path {
            if !json.starts_with('{') {
                return Ok(None);
            }
            // It is an object, so a failure is a member that is there twice: one reader would
            // see the first and another the last.
            found = tag::member(json, name).map_err(|_| Problem::Ambiguous)?;
            match found {
                Some(value) => json = value.get(),
                None => return Ok(None),
            }
        }
        Ok(found.filter(|value| value.get() != "null"))
    }

    fn check(&self, arguments: Option<&str>, value: Option<&[u8]>) -> Result<(), Problem> {
        match (self.find(arguments)?, value) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Problem::Orphan),
            (Some(argument), None) if mirrored(argument).is_none() => Ok(()),
            (Some(_), None) => Err(Problem::Missing),
            (Some(argument), Some(value)) => {
                let text = std::str::from_utf8(value).ok().and_then(header::decode);
                let text = text.ok_or(Problem::Malformed)?;
                if agrees(argument, &text) {
                    Ok(())
                } else {
                    Err(Problem::Different)
                }
            }
        }
    }
}

/// Returns the text of a value that has a header.
fn mirrored(value: &RawValue) -> Option<Cow<'_, str>> {
    let json = value.get();
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str(json).ok().map(Key::into_cow),
        b'{' | b'[' => None,
        b't' | b'f' => Some(Cow::Borrowed(json)),
        _ => match whole(json) {
            None => Some(Cow::Borrowed(json)),
            Some((_, "")) => Some(Cow::Borrowed("0")),
            Some((sign, digits)) => {
                let is_safe = digits.parse().is_ok_and(|value: u64| value <= GREATEST);
                is_safe.then(|| Cow::Owned(format!("{sign}{digits}")))
            }
        },
    }
}

/// Returns whether a header's text says the same as an argument: of integers, whether the
/// numbers are equal, for texts such as `42` and `42.0` differ.
fn agrees(argument: &RawValue, text: &str) -> bool {
    let same_number = !argument.get().starts_with('"')
        && whole(argument.get()).is_some_and(|number| whole(text) == Some(number));
    same_number || mirrored(argument).is_some_and(|mirrored| mirrored == text)
}

/// Returns the sign and the significant digits of a whole number in plain decimal notation.
fn whole(text: &str) -> Option<(&str, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (digits, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_whole = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte == b'0');
    let digits = digits.trim_start_matches('0');
    let sign = if digits.is_empty() { "" } else { sign };
    is_whole.then_some((sign, digits))
}

/// Returns whether a field name may hold the byte (RFC 9110, section 5.6.2: `tchar`).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

const ANNOTATION: &str = "x-mcp-header";
const PREFIX: &str = "Mcp-Param-";

/// The greatest integer that every JSON reader keeps exactly: 2^53 - 1.
const GREATEST: u64 = (1 << 53) - 1;

/// Keywords of JSON Schema, other than `properties`, whose value is a schema or an array of
/// schemas. Values of `const`, `default`, `enum` and `examples` are data.
const SUBSCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords of JSON Schema whose value holds schemas under names.
const MAPS: [&str; 5] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
];

/// Why a tool's `x-mcp-header` annotations are invalid; says where and which rule is broken.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnnotationError {
    /// The schema is nested too deep to be read.
    Unreadable(DecodeError),
    /// The annotation is somewhere else than on a property that `properties` alone lead to.
    Unreachable {
        /// The names and keywords that lead there; empty at the root.
        path: String,
    },
    /// The annotation is no text.
    NotText {
        /// The property.
        path: String,
    },
    /// The annotation cannot be part of a header's name.
    NotToken {
        /// The property.
        path: String,
        /// The annotation.
        name: String,
    },
    /// The property's type is not exactly one of `string`, `integer` and `boolean`.
    NotPrimitive {
        /// The property.
        path: String,
    },
    /// Two properties have the same annotation, compared without case.
    Duplicate {
        /// The second property.
        path: String,
        /// The annotation.
        name: String,
        /// The first property.
        first: String,
    },
}

impl fmt::Display for AnnotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(_) => f.write_str("unreadable `inputSchema`"),
            Self::Unreachable { path } if path.is_empty() => {
                write!(f, "`{ANNOTATION}` at the root: move it to a property")
            }
            Self::Unreachable { path } => write!(
                f,
                "`{path}`: `{ANNOTATION}` off the chain of `properties` from the root"
            ),
            Self::NotText { path } => write!(f, "`{path}`: `{ANNOTATION}` must be a string"),
            Self::NotToken { path, name } => write!(
                f,
                "`{path}`: `{ANNOTATION}` {name:?} is no header name (RFC 9110 token)"
            ),
            Self::NotPrimitive { path } => write!(
                f,
                "`{path}`: `{ANNOTATION}` needs the type string, integer or boolean"
            ),
            Self::Duplicate { path, name, first } => {
                write!(f, "`{path}`: `{ANNOTATION}` {name:?} is taken by `{first}`")
            }
        }
    }
}

impl std::error::Error for AnnotationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

/// How a header and the argument that it mirrors disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamMismatch {
    header: String,
    argument: String,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Missing,
    Orphan,
    Different,
    Malformed,
    Repeated,
    Ambiguous,
}

impl ParamMismatch {
    /// Returns the name of the header.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Returns the dotted path of the argument.
    #[must_use]
    pub fn argument(&self) -> &str {
        &self.argument
    }
}

impl fmt::Display for ParamMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            header, argument, ..
        } = self;
        match self.problem {
            Problem::Missing => write!(
                f,
                "header {header} is missing: argument `{argument}` has a value"
            ),
            Problem::Orphan => write!(
                f,
                "header {header} must be left out: argument `{argument}` has no value"
            ),
            Problem::Different => {
                write!(f, "header {header} does not match argument `{argument}`")
            }
            Problem::Malformed => write!(
                f,
                "header {header} holds invalid characters or malformed base64"
            ),
            Problem::Repeated => write!(f, "header {header} is given more than once"),
            Problem::Ambiguous => write!(
                f,
                "header {header} mirrors argument `{argument}`, which is given more than once"
            ),
        }
    }
}

impl std::error::Error for ParamMismatch {}

#[cfg(test)]
mod tests;
