//! The page around the data: head, verdict, style, script.

use crate::json::escape_html;
use crate::{Report, VerdictKind, data};

/// The page, with `{{name}}` where something is filled in. Its content policy makes sure that
/// nothing is fetched, whatever stands in the data.
const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");

/// The report as the text of an HTML file, which needs no other file and no network.
///
/// Title and verdict are part of the markup and can be read without scripts; all else is shown by
/// the script, which fetches nothing.
pub fn html(report: &Report) -> String {
    let data = data::json(report);
    let title = escape_html(&report.title);
    let headline = escape_html(&report.verdict.headline);
    let detail = escape_html(&report.verdict.detail);
    let partial = partial(report);
    let (class, mark) = match report.verdict.kind {
        VerdictKind::Free => ("free", "✓"),
        VerdictKind::Contact | VerdictKind::TooClose => ("contact", "✕"),
        VerdictKind::Unknown => ("unknown", "?"),
    };
    let mut page = String::with_capacity(data.len() + SCRIPT.len() + STYLE.len() + 10_000);
    // In one pass, so that what was filled in is not searched for more to fill in.
    for piece in FRAME.split("{{") {
        let (name, rest) = piece.split_once("}}").unwrap_or(("", piece));
        page.push_str(match name {
            "title" => &title,
            "headline" => &headline,
            "detail" => &detail,
            "class" => class,
            "mark" => mark,
            "partial" => &partial,
            "data" => &data,
            "style" => STYLE,
            "script" => SCRIPT,
            _ => "",
        });
        page.push_str(rest);
    }
    page
}

fn partial(report: &Report) -> String {
    let Some(why) = &report.partial else { return String::new() };
    let why = escape_html(why);
    format!("<p class=\"partial\"><strong>Partial report.</strong> {why}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::decoded;
    use crate::{Body, Contact, CurvePoint, Facts, TouchedFaces};
    use impinge_geom::mesh::Mesh;
    use impinge_geom::motion::path::Path;
    use impinge_geom::motion::{Motion, Screw};
    use impinge_geom::pose::Pose;
    use impinge_samples::build_mesh;
    use serde_json::Value;
    use std::sync::Arc;
    use std::time::Instant;

    const NASTY: &str = "</script><!--{{data}}'\"&\u{2028}\u{0}\\ß漢";

    fn report(mesh: Mesh) -> Report {
        let screw =
            Screw { point: [1.0; 3], direction: [0.0, 0.0, 2.0], angle: 20.0, advance: 3.0 };
        let screw = Motion::screw(Pose::IDENTITY, screw).unwrap();
        let mut report = Report::new(NASTY, Path::new(vec![0.0, 1.0], vec![screw]).unwrap());
        report.bodies.push(Body::moving(NASTY, Arc::new(mesh)));
        report
    }

    fn data_of(page: &str) -> Value {
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn names_do_not_become_markup() {
        let mut report = report(build_mesh("box").unwrap());
        report.verdict.headline = NASTY.to_owned();
        report.verdict.detail = NASTY.to_owned();
        report.partial = Some(NASTY.to_owned());
        report.facts.push(Facts {
            title: NASTY.to_owned(),
            rows: vec![[NASTY.to_owned(), NASTY.to_owned()]],
        });
        let page = html(&report);
        // Those of the page itself, and no more.
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<!--").count(), 0);
        let data = data_of(&page);
        assert_eq!(data["title"], NASTY);
        assert_eq!(data["bodies"][0]["name"], NASTY);
        assert_eq!(data["facts"][0]["rows"][0][1], NASTY);
    }

    #[test]
    fn numbers_that_are_none_are_left_out() {
        let mut report = report(build_mesh("box").unwrap());
        report.required = Some(f64::NAN);
        report.curve.push(CurvePoint {
            time: 0.5,
            at_least: Some(f64::NEG_INFINITY),
            at_most: Some(f64::INFINITY),
            points: None,
            parts: None,
        });
        report.contacts.push(Contact {
            time: [f64::NAN, f64::INFINITY],
            onset: [0.0; 2],
            parts: [7, 8],
            features: [String::new(), String::new()],
            point: None,
            normal: Some([f64::NAN; 3]),
            face_pairs: 0,
            faces: vec![TouchedFaces { body: 9, triangles: vec![u32::MAX] }],
            allowed: false,
        });
        let data = data_of(&html(&report));
        assert!(data["required"].is_null());
        assert!(data["contacts"][0]["time"][0].is_null());
        assert_eq!(data["contacts"][0]["faces"][0]["triangles"], "/////w==");
    }

    #[test]
    fn huge_and_flat_meshes_are_shown_in_their_own_size() {
        let corners = vec![[2e90, -2e90, 0.0], [-2e90, 0.0, 0.0], [0.0; 3]];
        let data = data_of(&html(&report(Mesh::new(corners, vec![[0, 1, 2]]).unwrap())));
        assert!(data["bodies"][0]["scale"].as_f64().unwrap() > 1e90);
        let bytes = decoded(data["bodies"][0]["positions"].as_str().unwrap());
        let (numbers, rest) = bytes.as_chunks::<4>();
        assert_eq!((numbers.len(), rest.len()), (9, 0));
        assert!(numbers.iter().all(|x| f32::from_le_bytes(*x).abs() <= 1.0));
        let point = Mesh::new(vec![[5.0; 3]], vec![[0, 0, 0]]).unwrap();
        assert_eq!(data_of(&html(&report(point)))["bodies"][0]["scale"], 1.0);
    }

    #[test]
    fn many_faces_take_little_room_and_time() {
        let mesh = build_mesh("sphere?faces=60000").unwrap();
        let faces = mesh.triangles().len();
        let report = report(mesh);
        let start = Instant::now();
        let page = html(&report);
        let time = start.elapsed();
        let geometry = page.len() - SCRIPT.len() - STYLE.len();
        assert!(geometry < 24 * faces, "{geometry} bytes for {faces} faces");
        // Far more than the 10 ms that it takes, for machines that do other things as well.
        assert!(time.as_millis() < 500, "{time:?}");
    }
}
