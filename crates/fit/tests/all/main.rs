//! All tests outside of the crate's own files, in one program.

mod certificates;
mod closed_form;
mod generated;
mod limits;
mod made;
mod parts;
