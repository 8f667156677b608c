//! Answers for people: what touches first, then what is close, then what it took.

use super::line::{ClearanceLine, Kind, PairLine, QueryLine, Summary, Verdict};
use super::plan::Plan;
use crate::number::{count, of, point, seconds, short as number};
use std::fmt::Write;

/// Longer lists of bodies are cut.
const BODIES_MAX: usize = 12;
/// Longer lists of free pairs are cut after the nearest.
const FREE_MAX: usize = 6;
/// What lists lack when a budget ended them.
const CUT_SHORT: &str = "a limit was reached: this is not all";

/// The bodies.
pub(super) fn head(plan: &Plan) -> String {
    let bodies = &plan.bodies;
    let faces = |body: &super::plan::PlanBody| body.mesh.face_count() as u64;
    let total = bodies.iter().map(faces).sum();
    let number_of_bodies = of(bodies.len() as u64, "body");
    let total = of(total, "face");
    let mut text = format!("{number_of_bodies}, {total}, lengths in {}\n", plan.unit);
    let listed = &bodies[..bodies.len().min(BODIES_MAX)];
    let width = listed.iter().map(|body| body.name.chars().count()).max().unwrap_or(0);
    for body in listed {
        let size = body.bounds.size().map(number).join(" × ");
        let faces = of(faces(body), "face");
        let _ = writeln!(text, "  {:width$}  {faces:>13}  {size}", body.name);
    }
    if bodies.len() > BODIES_MAX {
        let _ = writeln!(text, "  … and {} more", bodies.len() - BODIES_MAX);
    }
    text.push('\n');
    text
}

/// A single query in full.
pub(super) fn long(line: &QueryLine<'_>, plan: &Plan) -> String {
    let of_verdict = |verdict: Verdict| -> Vec<&PairLine<'_>> {
        line.pairs.iter().filter(|pair| pair.verdict == verdict).collect()
    };
    let mut free = of_verdict(Verdict::Free);
    let distance = |pair: &PairLine<'_>| pair.clearance.map_or(f64::INFINITY, |c| c.at_most);
    free.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let (close, mut free): (Vec<_>, Vec<_>) = free.into_iter().partition(|pair| pair.too_close);
    // Findings are listed to the last one, free pairs only as long as they interest.
    let folded = free.split_off(free.len().min(FREE_MAX)).len() as u64;
    let groups = [
        ("touching", of_verdict(Verdict::Hit)),
        ("too close", close),
        ("unknown: a limit was reached", of_verdict(Verdict::Unknown)),
        ("free", free),
    ];
    let shown = groups.iter().flat_map(|(_, pairs)| pairs);
    let width = shown.map(|pair| title(pair).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, pairs) in groups.iter().filter(|(_, pairs)| !pairs.is_empty()) {
        let _ = writeln!(text, "{name}");
        for pair in pairs {
            let _ = writeln!(text, "  {:width$}  {}", title(pair), detail(pair, plan));
        }
    }
    if folded > 0 {
        let _ = writeln!(text, "  … and {} further apart", of(folded, "pair"));
    }
    // Pairs that are unknown have said so already.
    if !line.complete && line.pairs.iter().all(|pair| pair.verdict != Verdict::Unknown) {
        let _ = writeln!(text, "{CUT_SHORT}");
    }
    match line.verdict {
        Verdict::Free if text.is_empty() => "nothing touches\n".to_owned(),
        _ => text,
    }
}

/// One of many queries, in a line.
pub(super) fn short(line: &QueryLine<'_>, plan: &Plan) -> String {
    let mut text = format!("query {:<6}  {:<7}", line.query, verdict(line));
    // Where something is found, what is far apart is left out.
    let finding = |pair: &PairLine<'_>| pair.verdict != Verdict::Free || pair.too_close;
    let any = line.pairs.iter().any(finding);
    let listed = line.pairs.iter().filter(|pair| finding(pair) || !any && pair.clearance.is_some());
    for (i, pair) in listed.enumerate() {
        let separator = if i == 0 { "  " } else { "; " };
        let _ = write!(text, "{separator}{}: {}", title(pair), detail(pair, plan));
    }
    if !line.complete && line.verdict == Verdict::Hit {
        let _ = write!(text, "; {CUT_SHORT}");
    }
    format!("{}\n", text.trim_end())
}

/// The verdict alone.
pub(super) fn verdict_only(line: &QueryLine<'_>, many: bool) -> String {
    if many {
        format!("query {:<6}  {}\n", line.query, verdict(line))
    } else {
        format!("{}\n", verdict(line))
    }
}

fn verdict(line: &QueryLine<'_>) -> &'static str {
    match line.verdict {
        Verdict::Free if line.pairs.iter().any(|pair| pair.too_close) => "too close",
        verdict => verdict.name(),
    }
}

fn title(pair: &PairLine<'_>) -> String {
    if pair.a == pair.b {
        format!("{} with itself", pair.a)
    } else {
        format!("{} × {}", pair.a, pair.b)
    }
}

fn detail(pair: &PairLine<'_>, plan: &Plan) -> String {
    let unit = plan.unit;
    match (pair.verdict, pair.kind) {
        (Verdict::Hit, Some(Kind::Inside)) => {
            let inner = pair.inner.unwrap_or(pair.a);
            let outer = if inner == pair.a { pair.b } else { pair.a };
            format!("{inner} is inside {outer}")
        }
        (Verdict::Hit, _) => touching(pair, plan),
        (Verdict::Unknown, _) => match &pair.clearance {
            Some(known) => interval(known, plan),
            None => "not decided".to_owned(),
        },
        (Verdict::Free, _) => match (&pair.clearance, plan.clearance) {
            (Some(known), _) if !pair.complete => interval(known, plan),
            (Some(gap), limit) => {
                let place = point(&gap.points[0]);
                let limit = limit.filter(|_| pair.too_close);
                let needed =
                    limit.map_or(String::new(), |l| format!(", {} {unit} needed", number(l)));
                format!("{} {unit} apart at {place}{needed}", number(gap.at_most))
            }
            (None, _) if pair.a == pair.b => "no self-intersection".to_owned(),
            (None, Some(limit)) => format!("at least {} {unit} apart", number(limit)),
            (None, _) => "do not touch".to_owned(),
        },
    }
}

/// A distance that a limit left wide.
fn interval(known: &ClearanceLine, plan: &Plan) -> String {
    format!("{} to {} {} apart", number(known.at_least), number(known.at_most), plan.unit)
}

fn touching(pair: &PairLine<'_>, plan: &Plan) -> String {
    let Some(faces) = &pair.faces else { return "surfaces meet".to_owned() };
    let least = if pair.complete { "" } else { "at least " };
    let mut text = format!("{least}{}", of(faces.len() as u64, "face pair"));
    let contacts = pair.contacts.iter().flatten();
    if let Some(deepest) = contacts.reduce(|a, b| if b.depth > a.depth { b } else { a }) {
        let place = point(&deepest.point);
        let _ = if deepest.depth > 0.0 {
            write!(text, ", deepest contact {} {} at {place}", number(deepest.depth), plan.unit)
        } else {
            // Faces that merely touch and faces that coincide look alike, so neither is claimed.
            write!(text, ", e.g. at {place}")
        };
    }
    text
}

fn not_closed(name: &str) -> String {
    format!(
        "note: {name} is not closed, so what its open parts surround does not count as inside\n"
    )
}

/// The sum of it.
pub(super) fn tail(summary: &Summary, many: bool) -> String {
    let notes: String = summary.not_closed.iter().map(|name| not_closed(name)).collect();
    let work = format!(
        "{}, {}, {}",
        of(summary.counters.body_pairs, "body pair"),
        of(summary.counters.triangle_pairs, "triangle pair"),
        seconds(summary.seconds)
    );
    if !many {
        return format!("{notes}\nlooked at {work}\n");
    }
    let mut text = format!(
        "{notes}\n{}: {} hit, {} free",
        of(summary.queries, "query"),
        count(summary.hits),
        count(summary.free)
    );
    if summary.unknown > 0 {
        let _ = write!(text, ", {} unknown", count(summary.unknown));
    }
    if let Some(close) = summary.too_close {
        let _ = write!(text, ", {} too close", count(close));
    }
    let _ = writeln!(text, "\nlooked at {work}");
    text
}
