//! Generated pegs, slots, bayonets and cams whose answers are known: no verdict is wrong, and none is
//! left open but where rounding decides.

use crate::made::assembly;
use impinge_fit::answer::Verdict;
use impinge_fit::prelude::*;
use impinge_samples::fitting::{Generated, Truth, generated};
use rayon::prelude::*;

const SEEDS: u64 = 600;

/// How much of the true clearance has to be proven.
const PROVEN: f64 = 0.9979;

/// What is wrong with the answer, if anything is.
fn judge(case: &Generated) -> Result<(), String> {
    let prepared = Prepared::new(assembly(&case.scene)).expect("a fitting check");
    let answer = fit(&prepared, &Question::default(), &());
    let [start, end] = prepared.path.span();
    let wide = 3e-6 * (end - start);
    let fault = |what: String| Err(format!("{}: {what}, {:?}", case.name, case.truth));
    match (case.truth, answer.verdict) {
        (Truth::Free { clearance, .. }, Verdict::Free) => {
            let found = answer.clearance.expect("something counts");
            let (least, most) = (found.at_least, found.nearest.at_most);
            let holds = least <= clearance + case.rounding && clearance - case.rounding <= most;
            let tight = least >= PROVEN * clearance - case.rounding;
            if holds && tight { Ok(()) } else { fault(format!("{least} to {most}")) }
        }
        (Truth::Contact { time }, Verdict::Contact) => {
            let found = answer.contact.expect("the verdict says so").time;
            let holds = found[0] <= time[1] && time[0] <= found[1];
            let width = (time[1] - time[0]) + wide;
            let tight = found[1] - found[0] <= width;
            if holds && tight { Ok(()) } else { fault(format!("{found:?}")) }
        }
        (Truth::Free { clearance, .. }, Verdict::Unknown) if clearance <= case.rounding => Ok(()),
        (_, verdict) => fault(format!("{verdict:?} {:?}", answer.undecided)),
    }
}

#[test]
fn no_verdict_is_wrong() {
    let judged: Vec<_> = (0..SEEDS).into_par_iter().map(|seed| judge(&generated(seed))).collect();
    let faults: Vec<&String> = judged.iter().filter_map(|judged| judged.as_ref().err()).collect();
    assert!(faults.is_empty(), "{} of {SEEDS}: {faults:#?}", faults.len());
}
