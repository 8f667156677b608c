//! Writes reports about the built-in headlight, and one full of nasty names, into a folder: what the
//! page is tested with.
//!
//! `demo FOLDER [FACES]`. Clearances and contacts are looked up at the keyframes alone, which is
//! enough to have something to show and proves nothing. `expected.json` tells where the moving
//! parts are at some times, as `Path::pose_at` has it.

use anyhow::{Context, Result, bail};
use impinge::prelude::*;
use impinge_geom::motion::path::Path;
use impinge_report::{
    Allowance, Body as Part, Contact, CurvePoint, Facts, Report, Span, SpanKind, TouchedFaces, Up,
    Verdict as Answer, VerdictKind, html,
};
use impinge_samples::{SampleScene, Sampled, build, build_mesh, sequence};
use std::fmt::Write;
use std::path::Path as Folder;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, faces) = match &arguments[..] {
        [folder] => (folder, 60_000),
        [folder, faces] => (folder, faces.parse().context("FACES is a number")?),
        _ => bail!("usage: demo FOLDER [FACES]"),
    };
    let folder = Folder::new(folder);
    std::fs::create_dir_all(folder)?;
    let free = headlight(faces, "free-left")?;
    let reports = [
        ("free", with_verdict(free.clone())),
        ("contact", with_verdict(headlight(faces, "forced-left")?)),
        ("partial", stopped(free)),
        ("nasty", nasty()?),
    ];
    let mut expected = String::new();
    for (name, report) in &reports {
        let start = Instant::now();
        let page = html(report);
        let ms = start.elapsed().as_secs_f64() * 1e3;
        println!("{name}.html: {} kB in {ms:.1} ms", page.len() / 1000);
        std::fs::write(folder.join(format!("{name}.html")), page)?;
        let comma = if expected.is_empty() { "" } else { ",\n" };
        write!(expected, "{comma}\"{name}\":{}", poses(&report.path))?;
    }
    std::fs::write(folder.join("expected.json"), format!("{{{expected}}}\n"))?;
    Ok(())
}

/// Times, and the three rows of the matrix at each.
fn poses(path: &Path) -> String {
    let [start, end] = path.span();
    let keys = path.times().iter().copied().take(3);
    let between = (0..=40).map(|i| start + (end - start) * f64::from(i) / 40.0);
    let rows = keys.chain(between).map(|time| {
        let pose = path.pose_at(time);
        let (turn, shift) = (pose.matrix(), pose.translation());
        let rows = [0, 1, 2].map(|k| [turn[k][0], turn[k][1], turn[k][2], shift[k]]);
        format!("{{\"time\":{time:?},\"rows\":{rows:?}}}")
    });
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

/// The headlight and one of its sequences, with what is found at the keyframes.
fn headlight(faces: u32, motion: &str) -> Result<Report> {
    let name = format!("headlight-fitting?faces={faces}");
    let Sampled::Scene(scene) = build(&name)? else { bail!("the headlight is a scene") };
    let sequence = sequence(&name, motion)?;
    let motions: Vec<Motion> = sequence.motions().collect();
    let times = (0..=motions.len()).map(|i| i as f64 / motions.len() as f64).collect();
    let title = format!("Headlight: cover off its bayonet, {motion}");
    let mut report = Report::new(title, Path::new(times, motions)?);
    report.up = Up::Y;
    report.required = Some(0.3);
    add_parts(&mut report, scene, sequence.part);
    look_around(&mut report)?;
    report.allowances.push(Allowance {
        between: ["cover-left".to_owned(), "cable-loom".to_owned()],
        extent: "until release".to_owned(),
        reason: "the loom may lie on the cover while it is turned".to_owned(),
    });
    let facts = |title: &str, rows: &[[&str; 2]]| Facts {
        title: title.to_owned(),
        rows: rows.iter().map(|row| row.map(str::to_owned)).collect(),
    };
    let hash = "b3:5f0c2a9d7e6b41f8a3c9d2e17b60f4a85f0c2a9d7e6b41f8a3c9d2e17b60f4a8";
    report.facts.push(facts("Files", &[[&format!("sample:{name}"), hash]]));
    report.facts.push(facts(
        "Run",
        &[
            ["Program", concat!("impinge ", env!("CARGO_PKG_VERSION"))],
            ["Command", &format!("impinge fit sample:{name} --clearance 0.3mm --report out.html")],
            ["Date", "2026-01-31 12:00 UTC"],
            ["Run time", "0.41 s on 2 threads"],
        ],
    ));
    Ok(report)
}

fn add_parts(report: &mut Report, scene: SampleScene, moving: usize) {
    report.unit = scene.unit.symbol().to_owned();
    for (i, part) in scene.parts.into_iter().enumerate() {
        let mesh = Arc::new(part.mesh);
        report.bodies.push(if i == moving {
            Part::moving(part.name, mesh)
        } else {
            Part::resting(part.name, mesh, part.pose)
        });
    }
}

/// Clearances and contacts of the moving part with all others, at all keyframes.
fn look_around(report: &mut Report) -> Result<()> {
    let moving = report.bodies.iter().position(|body| body.moving).context("a part moves")?;
    let times = report.path.times().to_vec();
    let poses: Vec<Pose> = times.iter().map(|&time| report.path.pose_at(time)).collect();
    let at =
        |&time: &f64| CurvePoint { time, at_least: None, at_most: None, points: None, parts: None };
    let mut curve: Vec<CurvePoint> = times.iter().map(at).collect();
    let mut contacts = Vec::new();
    for (other, body) in report.bodies.iter().enumerate().filter(|(_, body)| !body.moving) {
        let pair = [Arc::clone(&body.mesh), Arc::clone(&report.bodies[moving].mesh)];
        let [a, b] = pair;
        let mut pair = PosedPair::new(a, b)?;
        let back = body.pose.inverse();
        let relative: Vec<Pose> = poses.iter().map(|pose| back.after(pose)).collect();
        let query = Query { want: Want::Contacts, ..Query::CLEARANCE };
        let found = pair.check(&relative, &query);
        let mut open: Option<Contact> = None;
        for (answer, point) in found.all().iter().zip(&mut curve) {
            let gap = answer.clearance.map_or(0.0, |gap| gap.at_most);
            if point.at_most.is_none_or(|least| gap < least) {
                point.at_most = Some(gap);
                point.at_least = Some(answer.clearance.map_or(0.0, |gap| gap.at_least));
                point.points = answer.clearance.map(|gap| gap.points.map(|p| body.pose.apply(&p)));
                point.parts = Some([other, moving]);
            }
            if answer.verdict == Verdict::Free {
                contacts.extend(open.take());
                continue;
            }
            let pairs = found.triangle_pairs(answer);
            let contact = open.get_or_insert_with(|| {
                let touch = found.contacts(answer).first();
                first_touch([other, moving], point.time, body, touch)
            });
            contact.time[1] = point.time;
            add_faces(contact, pairs);
        }
        contacts.extend(open);
    }
    contacts.sort_by(|a, b| a.time[0].total_cmp(&b.time[0]));
    let free = curve.iter().filter(|point| point.at_most > Some(0.0)).copied();
    let least = free.min_by(|a, b| a.at_most.partial_cmp(&b.at_most).expect("no NaN"));
    report.minimum = least.filter(|_| contacts.is_empty());
    report.curve = curve;
    report.contacts = contacts;
    Ok(())
}

type Touch = impinge::prelude::Contact;

fn first_touch(parts: [usize; 2], time: f64, rest: &Part, touch: Option<&Touch>) -> Contact {
    let [a, b] = touch.map_or([0, 0], |touch| touch.triangles);
    Contact {
        time: [time, time],
        onset: [time - 1.0 / 320.0, time],
        parts,
        features: [format!("face {a}"), format!("face {b}")],
        point: touch.map(|touch| rest.pose.apply(&touch.point)),
        normal: touch.map(|touch| rest.pose.rotate(&touch.normal)),
        face_pairs: 0,
        faces: parts.map(|body| TouchedFaces { body, triangles: Vec::new() }).to_vec(),
        allowed: false,
    }
}

fn add_faces(contact: &mut Contact, pairs: &[[u32; 2]]) {
    contact.face_pairs = contact.face_pairs.max(pairs.len());
    for (side, faces) in contact.faces.iter_mut().enumerate() {
        faces.triangles.extend(pairs.iter().map(|pair| pair[side]));
        faces.triangles.sort_unstable();
        faces.triangles.dedup();
    }
}

fn with_verdict(mut report: Report) -> Report {
    let name = |body: usize| report.bodies[body].name.clone();
    report.verdict = match (report.contacts.first(), &report.minimum) {
        (Some(contact), _) => Answer {
            kind: VerdictKind::Contact,
            headline: "FIRST CONTACT".to_owned(),
            detail: format!(
                "t ∈ [{:.5}, {:.5}], {} {} × {} {}, {} face pairs",
                contact.onset[0],
                contact.onset[1],
                name(contact.parts[0]),
                contact.features[0],
                name(contact.parts[1]),
                contact.features[1],
                contact.face_pairs
            ),
        },
        (None, Some(least)) => Answer {
            kind: VerdictKind::Free,
            headline: "CERTIFIED FREE".to_owned(),
            detail: format!(
                "clearance ≥ {:.4} mm (at t = {:.4}, {} ↔ {})",
                least.at_least.unwrap_or(0.0),
                least.time,
                least.parts.map_or(String::new(), |parts| name(parts[1])),
                least.parts.map_or(String::new(), |parts| name(parts[0])),
            ),
        },
        (None, None) => report.verdict,
    };
    report
}

/// The same, as it is when the check is stopped on its way.
fn stopped(mut report: Report) -> Report {
    let end = 0.62;
    report.curve.retain(|point| point.time <= end);
    report.partial = Some(format!("Stopped by Ctrl-C; times after t = {end} were not checked."));
    report.verdict = Answer {
        kind: VerdictKind::Unknown,
        headline: "UNKNOWN".to_owned(),
        detail: format!("free up to t = {end}, undecided for t ∈ [{end}, 1]"),
    };
    let span = |time, kind, note: &str| Span { time, kind, note: note.to_owned() };
    report.spans.push(span([0.0, 0.12], SpanKind::Allowed, "the loom may lie on the cover"));
    report.spans.push(span([end, 1.0], SpanKind::Unknown, "not checked"));
    report
}

/// Screws of many turns, and names that would break a page that did not expect them.
fn nasty() -> Result<Report> {
    let axis = [0.2, -0.3, 1.0];
    let turn =
        Motion::lerp_slerp(Pose::IDENTITY, Pose::new([0.3, 0.1, -0.8, 0.2], [2.0, 1.0, 0.5])?);
    let screw = Screw { point: [1.0, 2.0, 0.0], direction: axis, angle: 45.0, advance: 6.0 };
    let screw = Motion::screw(*turn.pose1(), screw)?;
    let back =
        Screw { point: [-3.0, 0.5, 9.0], direction: [0.0, 5.0, 0.0], angle: -4.0, advance: -1.0 };
    let back = Motion::screw(*screw.pose1(), back)?;
    let path = Path::new(vec![-1.0, 0.5, 2.0, 7.0], vec![turn, screw, back])?;
    let mut report = Report::new("</title></script><script>alert('title')</script> “ß” 漢字", path);
    report.verdict = Answer {
        kind: VerdictKind::TooClose,
        headline: "TOO CLOSE <b>".to_owned(),
        detail: "</div><img src=x onerror=\"alert(1)\"> & 'so on' \u{2028}".to_owned(),
    };
    report.time_unit = "s".to_owned();
    let knot = Arc::new(build_mesh("torus-knot?segments=120&sides=10")?);
    let block = Arc::new(build_mesh("box?x=6&y=6&z=1")?);
    report.bodies.push(Part::resting(
        "</script><img src=x onerror=alert(2)>",
        block,
        Pose::IDENTITY,
    ));
    report.bodies.push(Part::moving("\"part\" `${7}` \\ \u{202e}right to left", knot));
    report.contacts.push(Contact {
        time: [1.25, 1.75],
        onset: [1.25, 1.25 + 1e-9],
        parts: [0, 99],
        features: ["<i>edge</i>".to_owned(), String::new()],
        point: Some([0.0, 0.0, 0.5]),
        normal: Some([0.0, 0.0, f64::NAN]),
        face_pairs: 3,
        faces: vec![
            TouchedFaces { body: 0, triangles: vec![0, 1, 4_000_000_000] },
            TouchedFaces { body: 99, triangles: vec![0] },
        ],
        allowed: true,
    });
    report.facts.push(Facts {
        title: "<script>".to_owned(),
        rows: vec![["<style>".to_owned(), "</style>".to_owned()]],
    });
    Ok(report)
}
