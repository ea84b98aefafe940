//! Programs that must compile, and run; and programs that must not, with what is said.
//!
//! `TRYBUILD=overwrite cargo test -p vuelta-macros --test ui` writes what is said anew: read
//! it before it is committed.

#[path = "ui/pass_01_provision.rs"]
mod pass_01_provision;
#[path = "ui/pass_02_arguments.rs"]
mod pass_02_arguments;
#[path = "ui/pass_03_resolvers.rs"]
mod pass_03_resolvers;
#[path = "ui/pass_04_prompts_resources.rs"]
mod pass_04_prompts_resources;
#[path = "ui/pass_05_methods.rs"]
mod pass_05_methods;
#[path = "ui/pass_06_forms.rs"]
mod pass_06_forms;
#[path = "ui/pass_07_attributes.rs"]
mod pass_07_attributes;
#[path = "ui/pass_08_places.rs"]
mod pass_08_places;
#[path = "ui/pass_09_ask.rs"]
mod pass_09_ask;

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("tests/ui/[0-9]*.rs");
}
