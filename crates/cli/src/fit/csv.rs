//! The clearance over time as a table.

use super::Fitted;
use crate::output::csv_field;
use impinge_fit::answer::State;
use std::fmt::Write;

/// A row per sample.
pub(super) fn curve(fitted: &Fitted) -> String {
    let mut text =
        "time,state,clearance_at_least,clearance_at_most,a,b,ax,ay,az,bx,by,bz\n".to_owned();
    for sample in &fitted.answer.curve {
        let names = |pair: usize| fitted.prepared.names(pair).map(csv_field).join(",");
        // Writing to a string cannot fail.
        let _ = match &sample.state {
            State::Apart(near) => {
                let points = near.points.as_flattened().iter().map(f64::to_string);
                let points = points.collect::<Vec<_>>().join(",");
                let (low, high, names) = (near.at_least, near.at_most, names(near.pair));
                writeln!(text, "{},free,{low},{high},{names},{points}", sample.time)
            }
            State::Touching { pair, point, .. } => {
                let of_point = |point: &[f64; 3]| point.map(|x| x.to_string()).join(",");
                let point = point.as_ref().map_or(",,".to_owned(), of_point);
                writeln!(text, "{},hit,0,0,{},{point},{point}", sample.time, names(*pair))
            }
            State::Allowed => writeln!(text, "{},allowed,,,,,,,,,,", sample.time),
            State::Unknown => writeln!(text, "{},unknown,,,,,,,,,,", sample.time),
        };
    }
    text
}
