//! Stage `diff`: what began, went on or ended since the last step.

use crate::contract::answer::{Answers, Verdict};
use crate::contract::ids::{BodyId, Pair};

/// A change, or the lack of one, between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The two touch and did not in the step before.
    Begin(BodyId, BodyId),
    /// The two touch and did in the step before.
    Stay(BodyId, BodyId),
    /// The two touched in the step before and do not any more, or one of them is gone.
    End(BodyId, BodyId),
}

/// The pairs that touched in the last step, sorted.
#[derive(Debug, Default)]
pub(super) struct Touching {
    now: Vec<[BodyId; 2]>,
    before: Vec<[BodyId; 2]>,
}

/// Compares with the step before. A pair whose verdict is unknown stays as it was, without an event.
pub(super) fn diff(
    touching: &mut Touching,
    (pairs, names): (&[Pair], impl Fn(Pair) -> [BodyId; 2]),
    answers: &Answers,
    events: &mut Vec<Event>,
) {
    let Touching { now, before } = touching;
    std::mem::swap(now, before);
    now.clear();
    events.clear();
    let mut silent = Vec::new();
    for (&pair, answer) in pairs.iter().zip(answers.all()) {
        let bodies = names(pair);
        let touched = before.binary_search(&bodies).is_ok();
        match answer.verdict {
            Verdict::Hit(_) => {
                now.push(bodies);
                let [a, b] = bodies;
                events.push(if touched { Event::Stay(a, b) } else { Event::Begin(a, b) });
            }
            Verdict::Unknown if touched => silent.push(bodies),
            Verdict::Unknown | Verdict::Free => {}
        }
    }
    now.extend(silent);
    now.sort_unstable();
    let ended = before.iter().filter(|bodies| now.binary_search(bodies).is_err());
    events.extend(ended.map(|&[a, b]| Event::End(a, b)));
}
