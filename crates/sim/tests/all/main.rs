//! All tests outside of the crate's own files but one that counts memory: it has a program of its own.

mod grouped;
mod kinds;
mod physics;
mod pilot;
mod room;
