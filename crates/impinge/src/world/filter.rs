//! Stage `filter`: which candidate pairs are to be tested at all.

use super::body::Bodies;
use crate::contract::answer::Progress;
use crate::contract::ids::{BodyId, Pair};
use crate::contract::query::Query;

/// Exceptions from the groups, pair by pair. Kept sorted, so that looking up is a binary search.
#[derive(Debug, Default)]
pub(super) struct PairRules {
    rules: Vec<([BodyId; 2], Rule)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Allow,
    Deny,
}

impl PairRules {
    pub(super) fn allow(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, Some(Rule::Allow));
    }

    pub(super) fn deny(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, Some(Rule::Deny));
    }

    pub(super) fn reset(&mut self, a: BodyId, b: BodyId) {
        self.set(a, b, None);
    }

    pub(super) fn forget(&mut self, id: BodyId) {
        self.rules.retain(|(bodies, _)| !bodies.contains(&id));
    }

    fn set(&mut self, a: BodyId, b: BodyId, rule: Option<Rule>) {
        let key = ordered(a, b);
        match (self.rules.binary_search_by_key(&key, |(bodies, _)| *bodies), rule) {
            (Ok(at), Some(rule)) => self.rules[at].1 = rule,
            (Ok(at), None) => drop(self.rules.remove(at)),
            (Err(at), Some(rule)) => self.rules.insert(at, (key, rule)),
            (Err(_), None) => {}
        }
    }

    fn get(&self, a: BodyId, b: BodyId) -> Option<Rule> {
        let key = ordered(a, b);
        let at = self.rules.binary_search_by_key(&key, |(bodies, _)| *bodies).ok()?;
        Some(self.rules[at].1)
    }
}

fn ordered(a: BodyId, b: BodyId) -> [BodyId; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Keeps the first pairs, at most so many.
pub(super) fn keep_first(limit: usize, pairs: &mut Vec<Pair>) -> Progress {
    let all = pairs.len() <= limit;
    pairs.truncate(limit);
    if all { Progress::Complete } else { Progress::Limit }
}

/// Drops the pairs that groups and rules exclude, and adds each body against itself if asked.
pub(super) fn keep_allowed(
    bodies: &Bodies,
    rules: &PairRules,
    query: &Query,
    pairs: &mut Vec<Pair>,
) {
    if query.itself {
        pairs.extend(bodies.iter().map(|(id, _)| Pair::new(id.slot, id.slot)));
    }
    pairs.retain(|pair| {
        let (a, b) = (bodies.live(pair.a()), bodies.live(pair.b()));
        match rules.get(bodies.id(pair.a()), bodies.id(pair.b())) {
            Some(rule) => rule == Rule::Allow,
            None => pair.is_self() || (a.groups & b.mask != 0 && b.groups & a.mask != 0),
        }
    });
}
