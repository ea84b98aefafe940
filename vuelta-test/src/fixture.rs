//! The fixture.
