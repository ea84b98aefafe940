//! Stories through the public API: one binary, one module a subject.
