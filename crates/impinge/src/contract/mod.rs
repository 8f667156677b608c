//! The words that every stage speaks. No stage is here, only what passes between them.

pub mod answer;
pub mod bounds;
pub mod counters;
pub mod engine;
pub mod ids;
pub mod job;
pub mod promise;
pub mod pruner;
pub mod query;
pub mod sink;
