//! Objects that are written without some of their members.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::object::Members;

/// An object without some of its members.
pub(super) struct Without<'a, T>(pub(super) &'a T, pub(super) &'a [&'a str]);

impl<T: Members> Serialize for Without<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write_members(&mut map)?;
        map.end()
    }
}

impl<T: Members> Members for Without<'_, T> {
    fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let mut filter = Filter {
            map,
            hidden: self.1,
            is_hidden: false,
        };
        self.0.write_members(&mut filter)
    }
}

/// Passes on the entries of a map whose keys are not hidden.
struct Filter<'a, M> {
    map: &'a mut M,
    hidden: &'a [&'a str],
    is_hidden: bool,
}

impl<M: SerializeMap> SerializeMap for Filter<'_, M> {
    type Ok = ();
    type Error = M::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), M::Error> {
        let key_text = serde_json::to_value(key);
        self.is_hidden = key_text.is_ok_and(|key| self.hidden.iter().any(|hidden| key == *hidden));
        if self.is_hidden {
            return Ok(());
        }
        self.map.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        if self.is_hidden {
            return Ok(());
        }
        self.map.serialize_value(value)
    }

    fn end(self) -> Result<(), M::Error> {
        Ok(())
    }
}
