//! What the page gets to know of a report, as one JSON text.
//!
//! Corners are f32 relative to the middle of their body and in units of its size, which keeps all
//! that a screen can show whatever the coordinates are; poses and times are f64, bit for bit.

use crate::json::Json;
use crate::{Allowance, Body, Contact, CurvePoint, Facts, Report, Span, SpanKind, Up, VerdictKind};
use impinge_geom::Point;
use impinge_geom::motion::{Motion, MotionKind};
use impinge_geom::pose::Pose;

/// The report's data.
pub(crate) fn json(report: &Report) -> String {
    let mut json = Json::with_capacity(size(report));
    json.object(|json| {
        json.key("title").string(&report.title);
        json.key("verdict").object(|json| {
            json.key("kind").string(verdict_name(report.verdict.kind));
            json.key("headline").string(&report.verdict.headline);
            json.key("detail").string(&report.verdict.detail);
        });
        json.key("partial");
        match &report.partial {
            Some(why) => json.string(why),
            None => json.null(),
        }
        json.key("unit").string(&report.unit);
        json.key("timeUnit").string(&report.time_unit);
        json.key("up").string(match report.up {
            Up::Y => "y",
            Up::Z => "z",
        });
        json.key("required").number(report.required.unwrap_or(f64::NAN));
        json.key("bodies").array(&report.bodies, body);
        json.key("times").column(report.path.times().iter().map(|t| t.to_le_bytes()));
        let pieces = report.path.motions().iter().flat_map(piece);
        json.key("pieces").column(pieces.map(f64::to_le_bytes));
        json.key("curve").column(report.curve.iter().flat_map(curve_point).map(f64::to_le_bytes));
        let minimum = report.minimum.iter().flat_map(curve_point);
        json.key("minimum").column(minimum.map(f64::to_le_bytes));
        json.key("contacts").array(&report.contacts, contact);
        json.key("spans").array(&report.spans, span);
        json.key("allowances").array(&report.allowances, allowance);
        json.key("facts").array(&report.facts, facts);
    });
    json.into_text()
}

/// About how many bytes it will be, so that the text hardly ever has to be moved.
fn size(report: &Report) -> usize {
    let mesh = |body: &Body| 16 * (body.mesh.vertices().len() + body.mesh.triangles().len()) + 500;
    let touched = report.contacts.iter().flat_map(|contact| &contact.faces);
    let touched: usize = touched.map(|faces| 8 * faces.triangles.len()).sum();
    let path = 260 * report.path.motions().len() + 120 * report.curve.len();
    report.bodies.iter().map(mesh).sum::<usize>() + touched + path + 20_000
}

fn verdict_name(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Free => "free",
        VerdictKind::Contact => "contact",
        VerdictKind::TooClose => "too-close",
        VerdictKind::Unknown => "unknown",
    }
}

fn body(json: &mut Json, body: &Body) {
    let (vertices, triangles) = (body.mesh.vertices(), body.mesh.triangles());
    let bounds = body.mesh.bounds();
    let center = bounds.center();
    // A body without extent is shown as the point it is.
    let scale = Some(0.5 * bounds.diagonal()).filter(|half| *half > 0.0).unwrap_or(1.0);
    json.object(|json| {
        json.key("name").string(&body.name);
        json.key("color");
        match body.color {
            Some(color) => json.array(color, |json, c| json.count(usize::from(c))),
            None => json.null(),
        }
        json.key("moving").boolean(body.moving);
        json.key("pose").numbers(&numbers(&body.pose));
        json.key("faces").count(body.mesh.face_count());
        json.key("center").numbers(&center);
        json.key("scale").number(scale);
        let local = |v: &Point| -> [f64; 3] { std::array::from_fn(|k| (v[k] - center[k]) / scale) };
        // Corners that no triangle uses may lie anywhere, so they may become infinite; nobody looks.
        let positions = vertices.iter().flat_map(local).map(|x| (x as f32).to_le_bytes());
        json.key("positions").column(positions);
        let wide = vertices.len() > usize::from(u16::MAX);
        json.key("wide").boolean(wide);
        let corners = triangles.iter().flatten();
        if wide {
            json.key("corners").column(corners.map(|v| v.to_le_bytes()));
        } else {
            json.key("corners").column(corners.map(|v| (*v as u16).to_le_bytes()));
        }
    });
}

/// Rotation `w x y z` and translation.
fn numbers(pose: &Pose) -> [f64; 7] {
    let ([w, x, y, z], [a, b, c]) = (pose.rotation(), pose.translation());
    [w, x, y, z, a, b, c]
}

/// The numbers of a motion: axis, angle, arm, base and drift as `Motion` defines them, then the
/// poses at its ends.
fn piece(motion: &Motion) -> [f64; 27] {
    let (axis, angle) = motion.turn();
    let (start, end) = (motion.pose0(), motion.pose1());
    let less = |a: Point, b: Point| -> Point { std::array::from_fn(|k| a[k] - b[k]) };
    let (arm, base, drift) = match motion.kind() {
        MotionKind::LerpSlerp => {
            ([0.0; 3], start.translation(), less(end.translation(), start.translation()))
        }
        MotionKind::Screw(screw) => {
            let arm = less(start.translation(), screw.point);
            (arm, screw.point, axis.map(|u| u * screw.advance))
        }
    };
    let parts = [&axis[..], &[angle], &arm, &base, &drift, &numbers(start), &numbers(end)];
    let mut all = parts.into_iter().flatten();
    std::array::from_fn(|_| *all.next().expect("3 + 1 + 3 + 3 + 3 + 7 + 7 numbers"))
}

/// Time, both bounds, both points, both bodies; what is not known is no number.
fn curve_point(point: &CurvePoint) -> [f64; 11] {
    let known = |value: Option<f64>| value.filter(|x| x.is_finite()).unwrap_or(f64::NAN);
    let [p, q] = point.points.unwrap_or([[f64::NAN; 3]; 2]);
    let [a, b] = point.parts.map_or([f64::NAN; 2], |parts| parts.map(|part| part as f64));
    let (least, most) = (known(point.at_least), known(point.at_most));
    [point.time, least, most, p[0], p[1], p[2], q[0], q[1], q[2], a, b]
}

fn contact(json: &mut Json, contact: &Contact) {
    let place = |json: &mut Json, point: Option<Point>| match point {
        Some(point) => json.numbers(&point),
        None => json.null(),
    };
    json.object(|json| {
        json.key("time").numbers(&contact.time);
        json.key("onset").numbers(&contact.onset);
        json.key("parts").array(contact.parts, |json, part| json.count(part));
        json.key("features").array(&contact.features, |json, feature| json.string(feature));
        place(json.key("point"), contact.point);
        place(json.key("normal"), contact.normal);
        json.key("facePairs").count(contact.face_pairs);
        json.key("allowed").boolean(contact.allowed);
        json.key("faces").array(&contact.faces, |json, faces| {
            json.object(|json| {
                json.key("body").count(faces.body);
                json.key("triangles").column(faces.triangles.iter().map(|t| t.to_le_bytes()));
            });
        });
    });
}

fn span(json: &mut Json, span: &Span) {
    json.object(|json| {
        json.key("time").numbers(&span.time);
        json.key("kind").string(match span.kind {
            SpanKind::Allowed => "allowed",
            SpanKind::Unknown => "unknown",
            SpanKind::TooClose => "too-close",
        });
        json.key("note").string(&span.note);
    });
}

fn allowance(json: &mut Json, allowance: &Allowance) {
    json.object(|json| {
        json.key("between").array(&allowance.between, |json, name| json.string(name));
        json.key("extent").string(&allowance.extent);
        json.key("reason").string(&allowance.reason);
    });
}

fn facts(json: &mut Json, facts: &Facts) {
    json.object(|json| {
        json.key("title").string(&facts.title);
        json.key("rows").array(&facts.rows, |json, row| {
            json.array(row, |json, cell| json.string(cell));
        });
    });
}
