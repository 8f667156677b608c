//! Answers for people: what touches first, then what is close, then what it took. Worst come first,
//! and lists that nobody would read to their end are cut; programs get all of it.

use super::line::{
    BudgetLine, ClearanceLine, FeaturesLine, Kind, PairLine, QueryLine, SeparationLine, Summary,
    Verdict, VolumeLine,
};
use super::plan::Plan;
use crate::number::{count, of, point, seconds, short as number};
use impinge::narrow;
use impinge::prelude::Point;
use std::fmt::Write;

/// Longer lists of bodies are cut.
const BODIES_MAX: usize = 12;
/// Longer lists of findings are cut after the worst.
const FINDINGS_MAX: usize = 40;
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
    let mut text = format!("{number_of_bodies}, {total}, lengths in {}\n", plan.shown);
    let listed = &bodies[..bodies.len().min(BODIES_MAX)];
    let width = listed.iter().map(|body| body.name.chars().count()).max().unwrap_or(0);
    for body in listed {
        let size = body.bounds.size().map(|x| length(x, plan)).join(" × ");
        let faces = of(faces(body), "face");
        let _ = writeln!(text, "  {:width$}  {faces:>13}  {size}", body.name);
    }
    if bodies.len() > BODIES_MAX {
        let _ = writeln!(text, "  … and {} more", bodies.len() - BODIES_MAX);
    }
    text.push('\n');
    text
}

/// Said where engines that may miss see nothing, and list nothing that could say how much that is worth.
const UNSEEN: &str = "nothing was seen to touch; this engine may miss contacts\n";

/// A single query in full.
pub(super) fn long(line: &QueryLine<'_>, plan: &Plan) -> String {
    let groups = groups(line, plan);
    let shown = groups.iter().flat_map(|group| &group.pairs);
    let width = shown.map(|pair| title(pair).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for group in groups.iter().filter(|group| !group.pairs.is_empty()) {
        let _ = writeln!(text, "{}", group.head);
        for pair in &group.pairs {
            let _ = writeln!(text, "  {:width$}  {}", title(pair), detail(pair, plan));
        }
        if group.folded > 0 {
            let _ = writeln!(text, "  … and {}", group.rest);
        }
    }
    // Pairs that are unknown have said so already.
    if !line.complete && line.pairs.iter().all(|pair| pair.verdict != Verdict::Unknown) {
        let _ = writeln!(text, "{CUT_SHORT}");
    }
    if line.verdict == Verdict::Free && text.is_empty() {
        let engine = plan.engine.split('?').next().unwrap_or_default();
        let is_exact = engine.is_empty() || narrow::exact_names().any(|name| name == engine);
        text.push_str(if is_exact { "nothing touches\n" } else { UNSEEN });
    }
    if let Some(budget) = &line.budget {
        let _ = writeln!(text, "{}", spent(budget));
    }
    text
}

/// What became of a budget.
fn spent(budget: &BudgetLine) -> String {
    match *budget {
        BudgetLine::Work { spent, left } => {
            format!("budget: {} of {} units of work spent", count(spent), count(spent + left))
        }
        BudgetLine::Seconds { spent, left } if left > 0.0 => {
            format!("budget: {} spent, {} left", seconds(spent), seconds(left))
        }
        BudgetLine::Seconds { spent, .. } => format!("budget: {} spent, none left", seconds(spent)),
    }
}

/// Pairs that are listed together.
struct Group<'a> {
    head: String,
    pairs: Vec<&'a PairLine<'a>>,
    /// How many more there are, and what is said of them.
    folded: u64,
    rest: String,
}

impl<'a> Group<'a> {
    fn new(name: &str, pairs: Vec<&'a PairLine<'a>>) -> Self {
        let mut pairs = pairs;
        let all = pairs.len();
        let folded = pairs.split_off(all.min(FINDINGS_MAX)).len() as u64;
        // A few can be counted by eye.
        let head = match folded {
            0 => name.to_owned(),
            _ => format!("{name}: {}", of(all as u64, "pair")),
        };
        Self {
            head,
            pairs,
            folded,
            rest: format!("{} more (all with --format json)", count(folded)),
        }
    }
}

fn groups<'a>(line: &'a QueryLine<'a>, plan: &Plan) -> Vec<Group<'a>> {
    let of_verdict = |verdict: Verdict| -> Vec<&PairLine<'_>> {
        line.pairs.iter().filter(|pair| pair.verdict == verdict).collect()
    };
    let mut touching = of_verdict(Verdict::Hit);
    // Two bodies against themselves and each other are read in their order, an assembly by weight,
    // what happens on the way in the order of time.
    if plan.bodies.len() > 2 {
        touching.sort_by(|a, b| severity(b).total_cmp(&severity(a)));
        let start = |pair: &PairLine<'_>| pair.time.map_or(0.0, |[from, _]| from);
        touching.sort_by(|a, b| start(a).total_cmp(&start(b)));
    }
    let mut free = of_verdict(Verdict::Free);
    let distance = |pair: &PairLine<'_>| pair.clearance.map_or(f64::INFINITY, |c| c.at_most);
    free.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let (close, mut free): (Vec<_>, Vec<_>) = free.into_iter().partition(|pair| pair.too_close);
    let folded = free.split_off(free.len().min(FREE_MAX)).len() as u64;
    let rest = format!("{} further apart", of(folded, "pair"));
    vec![
        Group::new("touching", touching),
        Group::new("too close", close),
        Group::new("unknown: a limit was reached", of_verdict(Verdict::Unknown)),
        Group { folded, rest, ..Group::new("free", free) },
    ]
}

/// What is inside something else first, then by the deepest contact.
fn severity(pair: &PairLine<'_>) -> f64 {
    match pair.kind {
        Some(Kind::Inside) => f64::INFINITY,
        _ => pair.contacts.iter().flatten().map(|contact| contact.depth).fold(0.0, f64::max),
    }
}

/// A length in the unit that people see.
fn length(x: f64, plan: &Plan) -> String {
    number(plan.unit.convert(x, plan.shown))
}

/// A place in the unit that people see.
fn place(at: &Point, plan: &Plan) -> String {
    point(&at.map(|x| plan.unit.convert(x, plan.shown)))
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
    let way_out = pair.separation.map_or(String::new(), |found| way_out(pair, &found, plan));
    found(pair, plan) + &way_out + &shared(pair, plan)
}

/// How much space the two share, if that was asked for.
fn shared(pair: &PairLine<'_>, plan: &Plan) -> String {
    let unit = plan.shown;
    // A length of one, so that the cube of it takes volumes there.
    let scale = plan.unit.convert(1.0, unit).powi(3);
    match pair.volume {
        _ if !pair.no_volume.is_empty() => {
            format!("; no volume, for no part of {} is closed", pair.no_volume.join(" and of "))
        }
        Some(VolumeLine { at_most, .. }) if at_most <= 0.0 => "; no volume in common".to_owned(),
        Some(VolumeLine { at_least, at_most, estimate }) => {
            let [low, high, about] = [at_least, at_most, estimate].map(|x| number(scale * x));
            format!("; share about {about} {unit}³, {low} to {high}")
        }
        None => String::new(),
    }
}

/// How to part the two. A length that may be far from the shortest says so.
fn way_out(pair: &PairLine<'_>, found: &SeparationLine, plan: &Plan) -> String {
    let (depth, unit) = (length(found.depth, plan), plan.shown);
    let least = length(found.at_least, plan);
    let doubt = if found.proven { String::new() } else { format!(", perhaps only {least} {unit}") };
    let way = place(&found.translation, plan);
    format!("; free if {} is moved {depth} {unit} by {way}{doubt}", pair.b)
}

fn found(pair: &PairLine<'_>, plan: &Plan) -> String {
    let unit = plan.shown;
    match (pair.verdict, pair.kind) {
        (Verdict::Hit, Some(Kind::Inside)) => {
            let inner = pair.inner.unwrap_or(pair.a);
            let outer = if inner == pair.a { pair.b } else { pair.a };
            format!("{inner} is inside {outer}")
        }
        (Verdict::Hit, _) => touching(pair, plan),
        (Verdict::Unknown, _) => {
            let known = pair.clearance.as_ref().map(|known| interval(known, plan));
            let when = pair.time.map(|time| format!("not decided {}", when(time)));
            let told: Vec<String> = known.into_iter().chain(when).collect();
            let overlap = pair.volume.is_some_and(|volume| volume.at_least > 0.0);
            match told.is_empty() {
                true if overlap => "not decided, but they overlap".to_owned(),
                true => "not decided".to_owned(),
                false => told.join(", "),
            }
        }
        (Verdict::Free, _) => match (&pair.clearance, plan.clearance) {
            (Some(known), _) if !pair.complete => interval(known, plan),
            (Some(gap), limit) => {
                let place = place(&gap.points[0], plan);
                let limit = limit.filter(|_| pair.too_close);
                let needed =
                    limit.map_or(String::new(), |l| format!(", {} {unit} needed", length(l, plan)));
                let when = pair.time.map_or(String::new(), |time| format!(" {}", when(time)));
                format!("{} {unit} apart{when} at {place}{needed}", length(gap.at_most, plan))
            }
            (None, _) if pair.a == pair.b => "no self-intersection".to_owned(),
            (None, Some(limit)) => format!("at least {} {unit} apart", length(limit, plan)),
            (None, _) => match pair.unseen {
                Some(Some(depth)) => {
                    let depth = length(depth, plan);
                    format!("do not touch, or at most {depth} {unit} deep")
                }
                Some(None) => "not seen to touch; what may be unseen is not known".to_owned(),
                None => "do not touch".to_owned(),
            },
        },
    }
}

/// A distance that a limit left wide.
fn interval(known: &ClearanceLine, plan: &Plan) -> String {
    let [low, high] = [known.at_least, known.at_most].map(|x| length(x, plan));
    format!("{low} to {high} {} apart", plan.shown)
}

/// A part of the motion.
fn when([from, to]: [f64; 2]) -> String {
    let [from, to] = [from, to].map(number);
    if from == to { format!("at t = {from}") } else { format!("between t = {from} and {to}") }
}

fn touching(pair: &PairLine<'_>, plan: &Plan) -> String {
    match (pair.time, &pair.features) {
        (Some(time), Some(features)) => {
            let contact = pair.contacts.iter().flatten().next();
            let place = contact
                .map_or(String::new(), |found| format!(", at {}", place(&found.point, plan)));
            let FeaturesLine { a, b } = features;
            let sides = format!("{a} of {} and {b} of {}", pair.a, pair.b);
            format!("first contact {}, {sides}{place}{}", when(time), all_meetings(pair))
        }
        // Exactly zero is what stands for the start.
        (Some([_, to]), None) if to <= 0.0 => {
            format!("at the start: {}{}", meeting(pair, plan), all_meetings(pair))
        }
        (Some(time), None) => format!("{}: {}", when(time), meeting(pair, plan)),
        (None, _) => meeting(pair, plan),
    }
}

/// How many features meet from a frame to the next, if they were looked for.
fn all_meetings(pair: &PairLine<'_>) -> String {
    let least = if pair.complete { "" } else { "at least " };
    let told = |n: usize| format!("; {least}{} of features that meet", of(n as u64, "pair"));
    pair.meetings.as_ref().map_or(String::new(), |all| told(all.len()))
}

/// What meets at an instant.
fn meeting(pair: &PairLine<'_>, plan: &Plan) -> String {
    let least = if pair.complete { "" } else { "at least " };
    let mut text = match (&pair.faces, &pair.contacts) {
        (Some(faces), _) => format!("{least}{}", of(faces.len() as u64, "face pair")),
        (None, Some(points)) => {
            let count = of(points.len() as u64, "point");
            format!("{least}{count} in the other body, as far as is seen")
        }
        (None, None) => {
            return pair.within.map_or("surfaces meet".to_owned(), |gap| {
                format!("touch, or at most {} {} apart", length(gap, plan), plan.shown)
            });
        }
    };
    let contacts = pair.contacts.iter().flatten();
    if let Some(deepest) = contacts.reduce(|a, b| if b.depth > a.depth { b } else { a }) {
        let place = place(&deepest.point, plan);
        let _ = if deepest.depth > 0.0 {
            let depth = length(deepest.depth, plan);
            write!(text, ", deepest contact {depth} {} at {place}", plan.shown)
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

/// What went before the first query.
pub(crate) struct Before {
    /// Wall time of reading everything.
    pub(crate) read_seconds: f64,
    /// Wall time of handing the bodies to the engine.
    pub(crate) prepare_seconds: f64,
}

/// The sum of it.
pub(super) fn tail(summary: &Summary, before: &Before, many: bool) -> String {
    let notes: String = summary.not_closed.iter().map(|name| not_closed(name)).collect();
    let work = format!(
        "{}, {}, {}; read in {}, prepared in {}",
        of(summary.counters.body_pairs, "body pair"),
        of(summary.counters.triangle_pairs, "triangle pair"),
        seconds(summary.seconds),
        seconds(before.read_seconds),
        seconds(before.prepare_seconds)
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

#[cfg(test)]
mod tests {
    use super::super::Demonstration;
    use super::super::line::{ContactLine, FeatureLine};
    use super::*;
    use clap::Parser;

    #[test]
    fn what_happens_on_the_way_is_told_with_its_time() {
        let args = Demonstration::try_parse_from(["impinge", "sample:box", "sample:box"]);
        let plan = Plan::of(&args.unwrap().check).unwrap();
        let blank = PairLine {
            a: "A",
            b: "B",
            verdict: Verdict::Hit,
            kind: Some(Kind::Surface),
            inner: None,
            complete: true,
            time: Some([0.25, 0.25 + 1e-9]),
            features: Some(FeaturesLine {
                a: FeatureLine::Edge([3, 9]),
                b: FeatureLine::Vertex(4),
            }),
            faces: Some(vec![[1, 2]]),
            triangles: Some(vec![[1, 2]]),
            contacts: None,
            meetings: None,
            separation: None,
            clearance: None,
            volume: None,
            no_volume: Vec::new(),
            within: None,
            unseen: None,
            too_close: false,
        };
        let first = "first contact at t = 0.25, edge 3-9 of A and vertex 4 of B";
        assert_eq!(detail(&blank, &plan), first);
        let contact = ContactLine {
            point: [1.0, 2.0, 3.0],
            normal: [1.0, 0.0, 0.0],
            depth: 0.0,
            voxel: None,
        };
        let with_place = PairLine { contacts: Some(vec![contact]), ..blank.clone() };
        assert_eq!(detail(&with_place, &plan), format!("{first}, at (1, 2, 3)"));
        let start = PairLine { time: Some([0.0; 2]), features: None, ..with_place.clone() };
        assert_eq!(detail(&start, &plan), "at the start: 1 face pair, e.g. at (1, 2, 3)");
        let wide = PairLine { time: Some([0.2, 0.4]), features: None, ..blank.clone() };
        assert_eq!(detail(&wide, &plan), "between t = 0.2 and 0.4: 1 face pair");

        let gap = ClearanceLine { at_least: 0.5, at_most: 0.5, points: [[1.0, 2.0, 3.0]; 2] };
        let free = PairLine { verdict: Verdict::Free, kind: None, features: None, ..blank.clone() };
        let free = PairLine { clearance: Some(gap), ..free };
        assert_eq!(detail(&free, &plan), "0.5 mm apart at t = 0.25 at (1, 2, 3)");
        let open = PairLine { verdict: Verdict::Unknown, time: Some([0.5, 1.0]), ..free };
        let told = "0.5 to 0.5 mm apart, not decided between t = 0.5 and 1";
        assert_eq!(detail(&open, &plan), told);
    }
}
