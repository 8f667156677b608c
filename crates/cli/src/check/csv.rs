//! Answers as a table: a row per query and listed pair, so that every query has at least one.

use super::line::{PairLine, QueryLine};
use crate::output::csv_field;
use std::fmt::Write;

/// The names of the columns.
pub(super) const HEAD: &str = "query,a,b,verdict,kind,inner,face_pairs,triangle_pairs,\
    depth_max,clearance_at_least,clearance_at_most,too_close,complete,\
    separation_x,separation_y,separation_z,separation_at_least,\
    time_from,time_to,feature_a,feature_b,meetings,within,unseen,\
    volume_at_least,volume_at_most,volume_estimate\n";

/// The rows of a query.
pub(super) fn rows(line: &QueryLine<'_>) -> String {
    let mut text = String::new();
    if line.pairs.is_empty() {
        text = format!(
            "{},,,{},,,,,,,,,{},,,,,,,,,,,,,,\n",
            line.query,
            line.verdict.name(),
            line.complete
        );
    }
    for pair in &line.pairs {
        let fields = fields(pair);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{}", line.query, fields.join(","));
    }
    text
}

fn fields(pair: &PairLine<'_>) -> [String; 26] {
    fn optional<T: ToString>(value: Option<T>) -> String {
        value.map_or(String::new(), |value| value.to_string())
    }
    let depths = pair.contacts.iter().flatten().map(|contact| contact.depth);
    [
        csv_field(pair.a),
        csv_field(pair.b),
        pair.verdict.name().to_owned(),
        optional(pair.kind.map(super::line::Kind::name)),
        optional(pair.inner.map(csv_field)),
        optional(pair.faces.as_ref().map(Vec::len)),
        optional(pair.triangles.as_ref().map(Vec::len)),
        optional(depths.reduce(f64::max)),
        optional(pair.clearance.map(|clearance| clearance.at_least)),
        optional(pair.clearance.map(|clearance| clearance.at_most)),
        pair.too_close.to_string(),
        pair.complete.to_string(),
        optional(pair.separation.map(|found| found.translation[0])),
        optional(pair.separation.map(|found| found.translation[1])),
        optional(pair.separation.map(|found| found.translation[2])),
        optional(pair.separation.map(|found| found.at_least)),
        optional(pair.time.map(|[from, _]| from)),
        optional(pair.time.map(|[_, to]| to)),
        optional(pair.features.map(|features| features.a)),
        optional(pair.features.map(|features| features.b)),
        optional(pair.meetings.as_ref().map(Vec::len)),
        optional(pair.within),
        // What may be unseen and is not known has no end.
        optional(pair.unseen.map(|depth| depth.unwrap_or(f64::INFINITY))),
        optional(pair.volume.map(|volume| volume.at_least)),
        optional(pair.volume.map(|volume| volume.at_most)),
        optional(pair.volume.map(|volume| volume.estimate)),
    ]
}
