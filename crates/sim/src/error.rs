//! Why a simulation cannot begin. Once it has begun, nothing fails.

use impinge::contract::engine::PrepareError;
use impinge::narrow::EngineError;
use impinge::world::InsertError;

/// What is wrong with settings or bodies.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// No such engine, or a parameter that it does not know.
    #[error("engine `{text}`: {error}")]
    Engine {
        /// What was asked for.
        text: String,
        /// What is wrong with it.
        error: EngineError,
    },
    /// No such pruner.
    #[error("there is no pruner `{name}`; known are {known}")]
    Pruner {
        /// What was asked for.
        name: String,
        /// The names of all pruners.
        known: String,
    },
    /// The engine refuses a mesh.
    #[error("{body}: {error}")]
    Prepare {
        /// The body.
        body: String,
        /// What is wrong with its mesh.
        error: PrepareError,
    },
    /// The world refuses a body.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// A number that has no meaning.
    #[error("{what} is {found}; {needed}")]
    Number {
        /// Which number.
        what: String,
        /// What was found.
        found: f64,
        /// What was needed.
        needed: &'static str,
    },
    /// Frames of another mesh.
    #[error("the frames of {body} have {found} vertices each; its mesh has {needed}")]
    Frames {
        /// The body.
        body: String,
        /// Vertices of a frame.
        found: usize,
        /// Vertices of the mesh.
        needed: usize,
    },
    /// What grasps would have to give way itself.
    #[error("{body} grasps, but it is free; what grasps must be fixed or scripted")]
    FreeHand {
        /// The body.
        body: String,
    },
    /// A body with a pilot that is not free to go where the pilot steers it.
    #[error("{body} has a pilot, but something else moves it; a free body is needed")]
    LedPilot {
        /// The body.
        body: String,
    },
    /// The room is empty.
    #[error("the room reaches from {min:?} to {max:?}; every side needs a length above zero")]
    Room {
        /// The lower corner.
        min: [f64; 3],
        /// The upper corner.
        max: [f64; 3],
    },
    /// A body is not in the room.
    #[error(
        "{body} reaches from {from} to {to} along {axis}, the room from {min} to {max}; all bodies \
         begin inside it"
    )]
    Outside {
        /// The body.
        body: String,
        /// `x`, `y` or `z`.
        axis: char,
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
        /// Where the room begins.
        min: f64,
        /// Where the room ends.
        max: f64,
    },
}
