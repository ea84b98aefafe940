//! Choosing a type by a tag that is read first: never by trying one form after the other.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::Raw;
use crate::object::Key;

/// Finds one member of an object and decodes nothing else.
///
/// # Errors
///
/// Returns an error if `json` is no object, or has the member twice.
pub(crate) fn member<'a>(
    json: &'a str,
    name: &str,
) -> Result<Option<&'a RawValue>, serde_json::Error> {
    struct Find<'n>(&'n str);

    impl<'de> Visitor<'de> for Find<'_> {
        type Value = Option<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(key) = map.next_key::<Key<'de>>()? {
                if key.as_str() != self.0 {
                    map.next_value::<IgnoredAny>()?;
                } else if found.replace(map.next_value()?).is_some() {
                    return Err(A::Error::custom(format_args!("duplicate member {key}")));
                }
            }
            Ok(found)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(json);
    let found = deserializer.deserialize_map(Find(name))?;
    deserializer.end()?;
    Ok(found)
}

/// Returns the text under `name`; `None` if there is no such member, or it is no text.
pub(crate) fn text_member<'a>(raw: &'a Raw, name: &str) -> Option<Cow<'a, str>> {
    let value = member(raw.get(), name).ok()??;
    let text: Key<'a> = serde_json::from_str(value.get()).ok()?;
    Some(text.into_cow())
}

/// Returns whether `raw` is an object with a member `name`.
pub(crate) fn has_member(raw: &Raw, name: &str) -> bool {
    member(raw.get(), name).is_ok_and(|value| value.is_some())
}

/// Decodes the value whose type the tag chose, keeping the path in the message.
pub(crate) fn parse<T: DeserializeOwned, E: Error>(raw: &Raw) -> Result<T, E> {
    raw.parse().map_err(E::custom)
}

/// Returns the error of a value without a readable tag.
pub(crate) fn missing<E: Error>(name: &str) -> E {
    E::custom(format_args!(
        "expected an object with a text under `{name}`"
    ))
}

/// Writes the codec of an enum that is chosen by a tag, with `Other(Raw)` for unknown ones.
macro_rules! tagged {
    ($name:ident by $tag:literal { $($value:literal => $variant:ident($ty:ty)),+ $(,)? }) => {
        $(
            impl From<$ty> for $name {
                fn from(value: $ty) -> Self {
                    Self::$variant(value)
                }
            }
        )+

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(value) => value.serialize(serializer), )+
                    Self::Other(raw) => raw.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = Raw::deserialize(deserializer)?;
                match tag::text_member(&raw, $tag).as_deref() {
                    $( Some($value) => tag::parse(&raw).map(Self::$variant), )+
                    Some(_) => Ok(Self::Other(raw)),
                    None => Err(tag::missing($tag)),
                }
            }
        }
    };
}
