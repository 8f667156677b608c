//! `--report`: the answer as a page to look at and to hand on.

use super::line::feature;
use super::{Fitted, text};
use crate::number::{of, seconds};
use anyhow::{Context, Result};
use impinge_fit::answer::{Feature, Interval, Kind, Near, Side, State, Verdict as Found};
use impinge_fit::duty::Excuse;
use impinge_report::{Allowance, Body, Contact, CurvePoint, Facts, Report, Span, SpanKind};
use impinge_report::{TouchedFaces, Up, Verdict, VerdictKind};
use impinge_verify::format::mesh_hash;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Makes the report and writes it.
pub(super) fn write(fitted: &Fitted, scene: &str, path: &Path) -> Result<()> {
    let page = impinge_report::html(&report(fitted, scene));
    std::fs::write(path, page).with_context(|| format!("{} cannot be written", path.display()))
}

fn report(fitted: &Fitted, scene: &str) -> Report {
    let prepared = &fitted.prepared;
    let moving: Vec<&str> =
        prepared.movers.iter().map(|mover| prepared.bodies[mover.body].name.as_str()).collect();
    let title = format!("{} in {}", moving.join(", "), scene_name(scene));
    let mut report = Report::new(title, prepared.path.clone());
    report.verdict = verdict(fitted);
    report.partial = fitted.answer.partial.then(|| match fitted.cancelled {
        true => "interrupted before all was asked".to_owned(),
        false => "the budget ended before all was asked".to_owned(),
    });
    report.unit = fitted.unit.to_string();
    report.up = up(fitted);
    report.bodies = bodies(fitted);
    report.curve = curve(fitted);
    report.minimum = minimum(fitted);
    report.required = fitted.clearance;
    report.contacts = contacts(fitted);
    report.spans = spans(fitted);
    report.allowances = allowances(fitted);
    report.facts = vec![check_facts(fitted, scene), part_facts(fitted)];
    report
}

/// As the files have it, if all are of one kind: y is up in glTF.
fn up(fitted: &Fitted) -> Up {
    let is_gltf = |body: &impinge_scene::scene::SceneBody| {
        let kind = body.source.path.as_ref().and_then(|path| path.extension());
        kind.is_some_and(|kind| {
            kind.eq_ignore_ascii_case("glb") || kind.eq_ignore_ascii_case("gltf")
        })
    };
    if fitted.prepared.bodies.iter().all(is_gltf) { Up::Y } else { Up::Z }
}

/// The file's stem, or the sample's name.
fn scene_name(scene: &str) -> String {
    match scene.strip_prefix(impinge_samples::PREFIX) {
        Some(sample) => sample.split('?').next().unwrap_or(sample).to_owned(),
        None => Path::new(scene).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

fn verdict(fitted: &Fitted) -> Verdict {
    let line = text::verdict(fitted);
    // The words in capitals come first.
    let is_word = |c: char| c.is_ascii_uppercase() || c == ' ';
    let start = line.find(|c| !is_word(c)).unwrap_or(line.len());
    let (headline, detail) = line.split_at(start);
    let kind = match fitted.answer.verdict {
        Found::Contact => VerdictKind::Contact,
        Found::Free if fitted.answer.too_close.is_some() => VerdictKind::TooClose,
        Found::Free if !fitted.clearance_is_open() => VerdictKind::Free,
        Found::Free | Found::Unknown => VerdictKind::Unknown,
    };
    Verdict { kind, headline: headline.trim().to_owned(), detail: detail.trim().to_owned() }
}

fn bodies(fitted: &Fitted) -> Vec<Body> {
    let prepared = &fitted.prepared;
    let body = |(i, body): (usize, &impinge_scene::scene::SceneBody)| match prepared
        .movers
        .iter()
        .find(|mover| mover.body == i)
    {
        Some(mover) => Body::moving(&body.name, Arc::clone(&mover.mesh)),
        None => Body::resting(&body.name, Arc::clone(&body.mesh), body.pose),
    };
    prepared.bodies.iter().enumerate().map(body).collect()
}

fn curve(fitted: &Fitted) -> Vec<CurvePoint> {
    let point = |sample: &impinge_fit::answer::Sample| match sample.state {
        State::Apart(near) => nearest(&near, sample.time, fitted),
        State::Touching { pair, point, .. } => CurvePoint {
            time: sample.time,
            at_least: Some(0.0),
            at_most: Some(0.0),
            points: point.map(|point| [point; 2]),
            parts: Some(fitted.prepared.bodies_of(pair)),
        },
        State::Allowed | State::Unknown => CurvePoint {
            time: sample.time,
            at_least: None,
            at_most: None,
            points: None,
            parts: None,
        },
    };
    fitted.answer.curve.iter().map(point).collect()
}

fn nearest(near: &Near, time: f64, fitted: &Fitted) -> CurvePoint {
    CurvePoint {
        time,
        at_least: Some(near.at_least),
        at_most: Some(near.at_most),
        points: Some(near.points),
        parts: Some(fitted.prepared.bodies_of(near.pair)),
    }
}

fn minimum(fitted: &Fitted) -> Option<CurvePoint> {
    let found = fitted.answer.clearance.as_ref()?;
    let point = nearest(&found.nearest, found.time, fitted);
    Some(CurvePoint { at_least: Some(found.at_least), ..point })
}

/// All intervals of contact, in the order of time, with the triangles that touch when they begin.
fn contacts(fitted: &Fitted) -> Vec<Contact> {
    let mut intervals: Vec<&Interval> = fitted.answer.intervals.iter().collect();
    intervals.sort_by(|a, b| a.enter[1].total_cmp(&b.enter[1]).then(a.pair.cmp(&b.pair)));
    intervals.into_par_iter().map(|interval| contact(interval, fitted)).collect()
}

fn contact(interval: &Interval, fitted: &Fitted) -> Contact {
    let prepared = &fitted.prepared;
    let parts = prepared.bodies_of(interval.pair);
    let touching = prepared.touching(interval.at).into_iter();
    let met: Vec<[u32; 2]> = touching
        .filter(|touching| touching.pair == interval.pair && touching.counts)
        .flat_map(|touching| touching.triangles)
        .collect();
    let faces = [0, 1].map(|k| {
        let mut triangles: Vec<u32> = met.iter().map(|pair| pair[k]).collect();
        triangles.sort_unstable();
        triangles.dedup();
        TouchedFaces { body: parts[k], triangles }
    });
    // The first contact is told more of; its interval was found again by itself, so that its times
    // may differ a little.
    let [from, to] = interval.enter;
    let first = fitted.answer.contact.as_ref().filter(|first| {
        first.pair == interval.pair && first.time[0] <= to && from <= first.time[1]
    });
    Contact {
        time: [interval.enter[1], interval.leave[0]],
        onset: first.map_or(interval.enter, |first| first.time),
        parts,
        features: features((interval, first.and_then(|first| first.features)), fitted),
        point: first.and_then(|first| first.point),
        // Ours points to the resting body; the page shows how that one pushes back.
        normal: first.and_then(|first| first.normal).map(|normal| normal.map(|x| -x)),
        face_pairs: interval.triangle_pairs,
        faces: faces.into(),
        allowed: false,
    }
}

fn features((interval, first): (&Interval, Option<[Feature; 2]>), fitted: &Fitted) -> [String; 2] {
    let bodies = fitted.prepared.bodies_of(interval.pair);
    let told = |k: usize, found: Feature| {
        feature(found, &fitted.prepared.bodies[bodies[k]].mesh).to_string()
    };
    match (first.or(interval.features), interval.kind) {
        (Some([a, b]), _) => [told(0, a), told(1, b)],
        (None, Kind::Inside(Side::Mover)) => ["inside".to_owned(), String::new()],
        (None, Kind::Inside(Side::Rest)) => [String::new(), "inside".to_owned()],
        (None, Kind::Surface) => [String::new(), String::new()],
    }
}

fn spans(fitted: &Fitted) -> Vec<Span> {
    let prepared = &fitted.prepared;
    let [start, end] = prepared.path.span();
    let mut spans = Vec::new();
    for (pair, of_pair) in prepared.pairs.iter().enumerate() {
        let from = of_pair.duties.first().map_or(end, |duty| duty.from.time(&prepared.path));
        if from > start {
            let note = format!("{} may touch", prepared.names(pair).join(" and "));
            spans.push(Span { time: [start, from], kind: SpanKind::Allowed, note });
        }
    }
    if let Some(time) = fitted.answer.undecided {
        spans.push(Span { time, kind: SpanKind::Unknown, note: "not decided".to_owned() });
    }
    spans
}

fn allowances(fitted: &Fitted) -> Vec<Allowance> {
    let prepared = &fitted.prepared;
    let pairs = prepared.pairs.iter().enumerate();
    pairs
        .flat_map(|(pair, of_pair)| of_pair.excuses.iter().map(move |excuse| (pair, excuse)))
        .map(|(pair, excuse): (usize, &Excuse)| Allowance {
            between: prepared.names(pair).map(str::to_owned),
            extent: text::extent(excuse, fitted),
            reason: prepared.allowed[excuse.rule].reason.clone().unwrap_or_default(),
        })
        .collect()
}

fn check_facts(fitted: &Fitted, scene: &str) -> Facts {
    let row = |name: &str, value: String| [name.to_owned(), value];
    let [read, built] = fitted.before_seconds;
    let times = [read, built, fitted.answer.seconds].map(seconds);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = vec![
        row("scene", scene.to_owned()),
        row("pairs tested", fitted.prepared.pairs.len().to_string()),
        row("read, prepared, answered in", times.join(", ")),
        row("program", format!("impinge {}", env!("CARGO_PKG_VERSION"))),
        row("command", format!("impinge {}", arguments.join(" "))),
        row("date", impinge_lab::stamp::today()),
    ];
    Facts { title: "Check".to_owned(), rows }
}

/// Where meshes come from, and what they hold.
fn part_facts(fitted: &Fitted) -> Facts {
    let row = |body: &impinge_scene::scene::SceneBody| {
        let source = &body.source;
        let object = source.object.as_ref().map_or(String::new(), |name| format!(" · {name}"));
        let hash = mesh_hash(&body.mesh);
        let faces = of(body.mesh.face_count() as u64, "face");
        let value = format!("{faces} · {}{object} · SHA-256 {}…", source.mesh, &hash[..16]);
        [body.name.clone(), value]
    };
    let rows = fitted.prepared.bodies.par_iter().map(row).collect();
    Facts { title: "Parts".to_owned(), rows }
}
