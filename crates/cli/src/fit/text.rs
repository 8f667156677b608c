//! The answer for people: the verdict first.

use super::Fitted;
use super::line::feature;
use crate::check::line::FeatureLine;
use crate::number::{count, of, point, seconds, short};
use impinge_fit::answer::{Contact, Interval, Kind, Near, Side, Verdict};
use impinge_fit::duty::Excuse;
use impinge_geom::Point;
use impinge_scene::scene::fit::Until;
use std::fmt::Write;

/// The first line.
pub(super) fn verdict(fitted: &Fitted) -> String {
    let answer = &fitted.answer;
    let mut text = match answer.verdict {
        Verdict::Free => free(fitted),
        Verdict::Contact => answer.contact.as_ref().map_or(String::new(), |c| contact(c, fitted)),
        Verdict::Unknown => {
            let [from, to] = answer.undecided.unwrap_or(fitted.prepared.path.span());
            let why = if fitted.cancelled {
                "interrupted"
            } else if answer.partial {
                "the budget ended"
            } else {
                "as near as rounding errors"
            };
            format!("UNKNOWN  t ∈ {} not decided: {why}", times([from, to]))
        }
    };
    text.push('\n');
    text
}

/// All of it.
pub(super) fn all(fitted: &Fitted) -> String {
    let mut text = verdict(fitted);
    if fitted.answer.partial {
        let why = if fitted.cancelled { "interrupted" } else { "the budget ended" };
        let _ = writeln!(text, "partial answer: {why} before all was asked");
    }
    intervals(fitted, &mut text);
    allowed(fitted, &mut text);
    at_start(fitted, &mut text);
    facts(fitted, &mut text);
    text
}

fn free(fitted: &Fitted) -> String {
    let answer = &fitted.answer;
    let Some(found) = &answer.clearance else {
        return "CERTIFIED FREE  all contacts are allowed".to_owned();
    };
    let unit = fitted.shown;
    let place = format!("at t = {}, {}", short(found.time), nearest(&found.nearest, fitted));
    let wanted = fitted.clearance.map_or(String::new(), |wanted| length(wanted, fitted));
    if let Some(close) = &answer.too_close {
        let most = length(found.nearest.at_most, fitted);
        let from = times(close.time);
        return format!(
            "TOO CLOSE  clearance {most} {unit}, {wanted} {unit} needed ({place}); closer than \
             that first at t ∈ {from}"
        );
    }
    let least = length_down(found.at_least, fitted);
    if fitted.clearance_is_open() {
        let most = length(found.nearest.at_most, fitted);
        return format!(
            "UNKNOWN  free, but {wanted} {unit} needed and the clearance is {least} to {most} \
             {unit} ({place})"
        );
    }
    if found.at_least > 0.0 {
        format!("CERTIFIED FREE  clearance ≥ {least} {unit} ({place})")
    } else {
        let most = length(found.nearest.at_most, fitted);
        format!("CERTIFIED FREE  clearance not bounded, at most {most} {unit} ({place})")
    }
}

fn contact(contact: &Contact, fitted: &Fitted) -> String {
    let [a, b] = fitted.prepared.names(contact.pair);
    let when = if contact.at_start && contact.time[0] == contact.time[1] {
        format!("t = {}", short(contact.time[1]))
    } else {
        format!("t ∈ {}", times(contact.time))
    };
    if let Kind::Inside(side) = contact.kind {
        let (inner, outer) = if side == Side::Mover { (a, b) } else { (b, a) };
        return format!("FIRST CONTACT {when}, {inner} is inside {outer}");
    }
    let sides = match contact.features {
        Some(features) => {
            let [p, q] = told(features, contact.pair, fitted);
            format!("{a} {p} × {b} {q}")
        }
        None => format!("{a} × {b}"),
    };
    let normal = contact.normal.map_or(String::new(), |n| format!(", normal {}", point(&n)));
    let place = contact.point.map_or(String::new(), |p| format!(", at {}", position(&p, fitted)));
    let pairs = of(super::line::faces(contact, fitted).len() as u64, "face pair");
    format!("FIRST CONTACT {when}, {sides}{normal}{place}, {pairs}")
}

/// What is nearest: `cover f12 ↔ housing e3-9`.
fn nearest(near: &Near, fitted: &Fitted) -> String {
    let [a, b] = fitted.prepared.names(near.pair);
    let brief = |feature: FeatureLine| match feature {
        FeatureLine::Vertex(v) => format!("v{v}"),
        FeatureLine::Edge([p, q]) => format!("e{p}-{q}"),
        FeatureLine::Face(f) => format!("f{f}"),
    };
    let [p, q] = told(near.features, near.pair, fitted).map(brief);
    format!("{a} {p} ↔ {b} {q}")
}

fn told(
    features: [impinge_fit::answer::Feature; 2],
    pair: usize,
    fitted: &Fitted,
) -> [FeatureLine; 2] {
    let bodies = fitted.prepared.bodies_of(pair);
    [0, 1].map(|k| feature(features[k], &fitted.prepared.bodies[bodies[k]].mesh))
}

/// The table of all contacts.
fn intervals(fitted: &Fitted, text: &mut String) {
    let intervals = &fitted.answer.intervals;
    if intervals.is_empty() {
        return;
    }
    let span = fitted.prepared.path.span();
    let title = |interval: &Interval| fitted.prepared.names(interval.pair).join(" × ");
    let width = intervals.iter().map(|i| title(i).chars().count()).max().unwrap_or(0).max(5);
    let _ = writeln!(text, "\n{:width$}  {:24}  {:24}  blocked  face pairs", "parts", "from", "to");
    for interval in intervals {
        let part = (interval.leave[1] - interval.enter[0]) / (span[1] - span[0]);
        let pairs = match (interval.certain, interval.kind) {
            (false, _) => "not certain".to_owned(),
            (true, Kind::Inside(_)) => "inside".to_owned(),
            (true, Kind::Surface) => count(interval.triangle_pairs as u64),
        };
        let _ = writeln!(
            text,
            "{:width$}  {:24}  {:24}  {:>6.2}%  {pairs}",
            title(interval),
            times(interval.enter),
            times(interval.leave),
            100.0 * part
        );
    }
}

/// What may touch, so that nothing is excused silently.
fn allowed(fitted: &Fitted, text: &mut String) {
    for (pair, of_pair) in fitted.prepared.pairs.iter().enumerate() {
        for excuse in &of_pair.excuses {
            let [a, b] = fitted.prepared.names(pair);
            let reason = fitted.prepared.allowed[excuse.rule].reason.as_ref();
            let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
            let _ = writeln!(text, "allowed: {a} × {b} {}{reason}", extent(excuse, fitted));
        }
    }
}

/// With what bodies may touch, and how long.
pub(super) fn extent(excuse: &Excuse, fitted: &Fitted) -> String {
    let path = &fitted.prepared.path;
    let what = match &excuse.triangles {
        None => "may touch".to_owned(),
        Some(some) => format!(
            "may touch with {}, and whether one is inside is not judged,",
            of(some.len() as u64, "triangle")
        ),
    };
    let until = match (excuse.until, excuse.ends) {
        (Until::Release, Some(at)) => format!("until released, t = {}", short(at.time(path))),
        (Until::Release, None) => "until released, which they never are".to_owned(),
        (_, Some(at)) => format!("until t = {}", short(at.time(path))),
        (_, None) => "to the end".to_owned(),
    };
    format!("{what} {until}")
}

fn at_start(fitted: &Fitted, text: &mut String) {
    let pairs = fitted.answer.pairs.iter().enumerate();
    let touching = pairs.filter(|(_, answer)| answer.at_start);
    let is_excused = |pair: usize| !fitted.prepared.pairs[pair].excuses.is_empty();
    for (pair, _) in touching {
        let [a, b] = fitted.prepared.names(pair);
        let hint = if is_excused(pair) { "" } else { "; an [[allow]] rule can excuse that" };
        let _ = writeln!(text, "touching at the start: {a} × {b}{hint}");
    }
}

fn facts(fitted: &Fitted, text: &mut String) {
    let prepared = &fitted.prepared;
    let answer = &fitted.answer;
    let faces: usize = prepared.bodies.iter().map(|body| body.mesh.face_count()).sum();
    let moving: Vec<&str> =
        prepared.movers.iter().map(|mover| prepared.bodies[mover.body].name.as_str()).collect();
    let [start, end] = prepared.path.span();
    let [read, built] = fitted.before_seconds;
    let _ = writeln!(
        text,
        "\n{} of {}, in {}; moving: {}; path t = {} to {} in {}\n\
         {}, {}; read in {}, prepared in {}, answered in {}",
        of(prepared.bodies.len() as u64, "body"),
        of(faces as u64, "face"),
        fitted.unit,
        moving.join(", "),
        short(start),
        short(end),
        of(prepared.path.motions().len() as u64, "piece"),
        of(prepared.pairs.len() as u64, "pair"),
        of(answer.counters.searches, "search").replace("searchs", "searches"),
        seconds(read),
        seconds(built),
        seconds(answer.seconds)
    );
}

fn length(x: f64, fitted: &Fitted) -> String {
    short(fitted.unit.convert(x, fitted.shown))
}

/// The same, but never more than it is: for what is proven.
fn length_down(x: f64, fitted: &Fitted) -> String {
    let x = fitted.unit.convert(x, fitted.shown);
    let text = short(x);
    let told: f64 = text.parse().unwrap_or(x);
    // A unit of the fifth digit less.
    if told > x { short(x - 1e-4 * 10f64.powf(x.log10().floor())) } else { text }
}

fn position(place: &Point, fitted: &Fitted) -> String {
    point(&place.map(|x| fitted.unit.convert(x, fitted.shown)))
}

/// An interval with as many digits as tell its ends apart, rounded outward.
fn times([from, to]: [f64; 2]) -> String {
    let digits = if to > from { 1 - (to - from).log10().floor() as i32 } else { 5 };
    let digits = digits.clamp(5, 12);
    let scale = 10f64.powi(digits);
    let (low, high) = ((from * scale).floor() / scale, (to * scale).ceil() / scale);
    let digits = digits as usize;
    format!("[{low:.digits$}, {high:.digits$}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_outward_and_told_apart() {
        assert_eq!(times([0.312_699_2, 0.312_700_1]), "[0.31269920, 0.31270010]");
        assert_eq!(times([0.25, 0.25]), "[0.25000, 0.25000]");
        assert_eq!(times([0.0, 1.0]), "[0.00000, 1.00000]");
    }
}
