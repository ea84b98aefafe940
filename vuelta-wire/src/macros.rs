//! How a wire type is written down: members, their JSON names, and what is required.
//!
//! A derive with `#[serde(flatten)]` would buffer every unknown member through an
//! intermediate form that breaks raw values and slows the common case. [`wire!`] writes the
//! two `impl`s directly: known members are typed, unknown ones are kept as they were sent.

/// Defines a JSON object type: the struct, its constructor and setters, and its codec.
///
/// Member groups, each optional and in this order:
/// - `tag "type" = "text";` a member with one fixed string value;
/// - `required { .. }` must be there, and is an argument of `new`;
/// - `defaulted { .. }` reads as `Default::default()` when absent or null, always written;
/// - `optional { .. }` is `None` when absent or null, and is then not written;
/// - `any { .. }` is `None` when absent only: an explicit null is a value;
/// - `ignored { .. }` is skipped on reading (another layer owns it) and never written.
macro_rules! wire {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(tag $tag:literal = $tag_value:literal;)?
            $(required { $( $(#[$rm:meta])* $rf:ident: $rt:ty = $rk:literal ),+ $(,)? })?
            $(defaulted { $( $(#[$dm:meta])* $df:ident: $dt:ty = $dk:literal ),+ $(,)? })?
            $(optional { $( $(#[$om:meta])* $of:ident: $ot:ty = $ok:literal ),+ $(,)? })?
            $(any { $( $(#[$am:meta])* $af:ident: $at:ty = $ak:literal ),+ $(,)? })?
            $(ignored { $( $ik:literal ),+ $(,)? })?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($( $(#[$rm])* pub $rf: $rt, )+)?
            $($( $(#[$dm])* pub $df: $dt, )+)?
            $($( $(#[$om])* pub $of: Option<$ot>, )+)?
            $($( $(#[$am])* pub $af: Option<$at>, )+)?
            /// Members this crate does not know, kept as they were sent.
            pub extra: $crate::Extra,
        }

        impl $name {
            /// Creates the value from its required members.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "`Default` follows where nothing is required")]
            pub fn new($($($rf: impl Into<$rt>),+)?) -> Self {
                Self {
                    $($( $rf: $rf.into(), )+)?
                    $($( $df: Default::default(), )+)?
                    $($( $of: None, )+)?
                    $($( $af: None, )+)?
                    extra: $crate::Extra::default(),
                }
            }

            $($(
                #[doc = concat!("Sets `", $dk, "`.")]
                #[must_use]
                pub fn $df(mut self, value: impl Into<$dt>) -> Self {
                    self.$df = value.into();
                    self
                }
            )+)?
            $($(
                #[doc = concat!("Sets `", $ok, "`.")]
                #[must_use]
                pub fn $of(mut self, value: impl Into<$ot>) -> Self {
                    self.$of = Some(value.into());
                    self
                }
            )+)?
            $($(
                #[doc = concat!("Sets `", $ak, "`; null is a value.")]
                #[must_use]
                pub fn $af(mut self, value: impl Into<$at>) -> Self {
                    self.$af = Some(value.into());
                    self
                }
            )+)?
        }

        impl $crate::Members for $name {
            fn write_members<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $( map.serialize_entry($tag, $tag_value)?; )?
                $($( map.serialize_entry($rk, &self.$rf)?; )+)?
                $($( map.serialize_entry($dk, &self.$df)?; )+)?
                $($( if let Some(value) = &self.$of { map.serialize_entry($ok, value)?; } )+)?
                $($( if let Some(value) = &self.$af { map.serialize_entry($ak, value)?; } )+)?
                self.extra.write_members(map)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::object::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Object;

                impl<'de> serde::de::Visitor<'de> for Object {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object (", stringify!($name), ")"))
                    }

                    #[allow(unused_mut, unused_variables, clippy::redundant_closure_call, reason = "depends on the groups given")]
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        $( let mut tag_seen: Option<()> = None; let _: &str = $tag; )?
                        $($( let mut $rf: Option<$rt> = None; )+)?
                        $($( let mut $df: Option<Option<$dt>> = None; )+)?
                        $($( let mut $of: Option<Option<$ot>> = None; )+)?
                        $($( let mut $af: Option<$at> = None; )+)?
                        let mut extra = $crate::Extra::default();
                        while let Some(key) = map.next_key::<$crate::object::Key<'de>>()? {
                            match key.as_str() {
                                $( $tag => {
                                    let value: $crate::object::Key<'de> = map.next_value()?;
                                    if value.as_str() != $tag_value {
                                        return Err(<A::Error as serde::de::Error>::custom(format_args!(
                                            concat!("`", $tag, "` is {}, expected \"", $tag_value, "\""), value
                                        )));
                                    }
                                    $crate::object::set(&mut tag_seen, $tag, ())?;
                                } )?
                                $($( $rk => $crate::object::set(&mut $rf, $rk, map.next_value()?)?, )+)?
                                $($( $dk => $crate::object::set(&mut $df, $dk, map.next_value()?)?, )+)?
                                $($( $ok => $crate::object::set(&mut $of, $ok, map.next_value()?)?, )+)?
                                $($( $ak => $crate::object::set(&mut $af, $ak, map.next_value()?)?, )+)?
                                $($( $ik => { map.next_value::<serde::de::IgnoredAny>()?; } )+)?
                                _ => extra.add(key, map.next_value::<$crate::Raw>()?)?,
                            }
                        }
                        $( if tag_seen.is_none() { return Err(<A::Error as serde::de::Error>::missing_field($tag)); } )?
                        Ok($name {
                            $($( $rf: $rf.ok_or_else(|| <A::Error as serde::de::Error>::missing_field($rk))?, )+)?
                            $($( $df: $df.flatten().unwrap_or_default(), )+)?
                            $($( $of: $of.flatten(), )+)?
                            $($( $af, )+)?
                            extra,
                        })
                    }
                }

                deserializer.deserialize_map(Object)
            }
        }
    };
}

/// Defines `Default` as `new()` for wire types without required members.
macro_rules! wire_default {
    ($($name:ident),+ $(,)?) => {
        $( impl Default for $name { fn default() -> Self { Self::new() } } )+
    };
}

/// Defines an open string enum: known values are variants, others are kept as sent.
macro_rules! wire_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$vm:meta])* $variant:ident = $value:literal ),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$vm])* $variant, )+
            /// A value this crate does not know, kept as it was sent.
            Other(Box<str>),
        }

        impl $name {
            /// Returns the value as it stands on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $value, )+
                    Self::Other(value) => value,
                }
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                match value {
                    $( $value => Self::$variant, )+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::object::Key::deserialize(deserializer)?;
                Ok(Self::from(text.as_str()))
            }
        }
    };
}
