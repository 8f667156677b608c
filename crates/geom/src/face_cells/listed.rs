//! Pairs of faces that are known from earlier, without looking for any.

use super::tile::scale_of;
use super::{Ask, Ended, HITS_MAX, Scratch, Side, UNITS_MAX, Work, meet};
use impinge_simd::faces::pairs::judge;

/// So many pairs are tested between two looks at the clock.
const BATCH: usize = 1024;

impl Scratch {
    /// Finds those of some pairs that share a point, as [`Scratch::search`] does of all.
    pub fn test(&mut self, sides: [&Side<'_>; 2], pairs: &[[u32; 2]], ask: &Ask<'_>) -> Ended {
        self.hits.clear();
        let mut ended = Ended { complete: false, work: Work::default() };
        let [a, b] = sides.map(|side| side.soup());
        let units = ask.units.min(UNITS_MAX);
        let scale = scale_of(&sides[0].bounds.union(sides[1].bounds));
        let mut judged = std::mem::take(&mut self.judged);
        for some in pairs.chunks(BATCH) {
            let too_much = ended.work.units() > units || self.hits.len() > HITS_MAX;
            if too_much || (ask.is_over)() {
                self.judged = judged;
                return ended;
            }
            judged.hits.clear();
            judged.open.clear();
            judge(a, b, (some, scale), &mut judged);
            ended.work.pairs += some.len() as u64;
            ended.work.exact += judged.open.len() as u64;
            let settled = judged.open.iter().filter(|&&pair| meet(sides, pair));
            self.hits.extend(judged.hits.iter().chain(settled));
            if ask.first_only && !self.hits.is_empty() {
                break;
            }
        }
        self.judged = judged;
        self.hits.sort_unstable();
        self.hits.truncate(if ask.first_only { 1 } else { HITS_MAX });
        ended.complete = true;
        ended
    }
}
