//! Choosing a type by a tag that is read first: never by trying one form after the other.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;

use crate::Raw;
use crate::decode::decode;
use crate::object::OrderedMap;

/// Returns the text under `name`; `None` if the member is absent or no text.
pub(crate) fn text_member(raw: &Raw, name: &str) -> Option<String> {
    let members: OrderedMap<&RawValue> = decode(raw.get()).ok()?;
    decode(members.get(name)?.get()).ok()
}

/// Returns whether `raw` is an object with a member `name`.
pub(crate) fn has_member(raw: &Raw, name: &str) -> bool {
    decode::<OrderedMap<IgnoredAny>>(raw.get()).is_ok_and(|map| map.contains_key(name))
}

/// Decodes the value whose type the tag chose, keeping the path in the message.
pub(crate) fn parse<T: DeserializeOwned, E: serde::de::Error>(raw: &Raw) -> Result<T, E> {
    raw.parse().map_err(E::custom)
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
                    None => Err(serde::de::Error::missing_field($tag)),
                }
            }
        }
    };
}
