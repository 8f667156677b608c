//! `impinge verify`: re-checks a certificate. Nothing of what made it takes part.

use crate::args::verify::VerifyArgs;
use crate::args::{Common, Format};
use crate::input::{self, Source};
use crate::outcome::Outcome;
use crate::output;
use crate::verify_scene::difference;
use anyhow::{Context, Result, anyhow, ensure};
use impinge_geom::mesh::Mesh;
use impinge_samples::PREFIX;
use impinge_scene::units::Unit;
use impinge_verify::format::{BodyEntry, Certificate, Outcome as Claimed};
use impinge_verify::{Proven, Rejection};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The line of `impinge verify --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge verify")]
pub(crate) struct VerifyLine {
    /// Whether the certificate proves what it claims.
    proved: bool,
    /// What was proved, or why it was rejected, in one line.
    message: String,
    /// What was proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimLine>,
    /// How long reading and checking took.
    seconds: f64,
}

/// What was proved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimLine {
    /// `free`, `contact`, or `open`: free up to a time, nothing is claimed of the rest.
    outcome: &'static str,
    /// No two bodies come nearer than this.
    clearance: f64,
    /// The unit of lengths.
    unit: String,
    /// From when to when nothing touches.
    free: [f64; 2],
    /// When the path ends.
    end: f64,
    /// The first contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<ContactLine>,
    /// How many pairs of bodies were proven to stay apart.
    pairs: usize,
    /// What is not claimed: pairs that may touch, or come nearer, and why.
    excused: Vec<String>,
    /// So many separating directions were checked.
    directions: u64,
}

/// A proven contact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContactLine {
    /// The moving body.
    mover: String,
    /// The resting body.
    rest: String,
    /// They touch at this time.
    time: f64,
    /// How near they come, if that they touch is not certain.
    within: f64,
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs, common: &Common) -> Result<Outcome> {
    ensure!(common.format != Format::Csv, "a verdict is no table; --format csv is not for it");
    let start = Instant::now();
    let path = &args.certificate;
    let place = || path.display().to_string();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", place()))?;
    let mut other = None;
    let judged = match Certificate::read(&text) {
        Err(error @ (Rejection::Format(_) | Rejection::Version { .. })) => {
            return Err(anyhow!("{}: {error}", place()));
        }
        Err(error) => Err(error),
        Ok(certificate) => {
            let meshes = meshes(&certificate, args)?;
            other = match &args.scene {
                Some(scene) => difference(&certificate, scene, args.meshes.as_deref())?,
                None => None,
            };
            impinge_verify::verify(&certificate, &meshes)
        }
    };
    let proved = judged.is_ok() && other.is_none();
    let message = match (&judged, &other) {
        (Err(error), _) => format!("REJECTED  {error}").replace(char::is_control, " "),
        (Ok(_), Some(difference)) => format!("REJECTED  not about this scene: {difference}"),
        (Ok(proven), None) => proven.line(),
    };
    match common.format {
        Format::Json => {
            let claim = judged.ok().filter(|_| proved).map(claim_line);
            let seconds = start.elapsed().as_secs_f64();
            let line = VerifyLine { proved, message, claim, seconds };
            output::print(&(serde_json::to_string(&line)? + "\n"))?;
        }
        _ => output::print(&(message + "\n"))?,
    }
    Ok(if proved { Outcome::Done } else { Outcome::Hit })
}

fn claim_line(proven: Proven) -> ClaimLine {
    let [start, until, end] = proven.times;
    let contact =
        proven.contact.map(|(mover, rest, time, within)| ContactLine { mover, rest, time, within });
    ClaimLine {
        outcome: match proven.claim.outcome {
            Claimed::Free => "free",
            Claimed::Contact => "contact",
            Claimed::Open => "open",
        },
        clearance: proven.claim.clearance,
        unit: proven.unit,
        free: [start, until],
        end,
        contact,
        pairs: proven.pairs,
        excused: proven.excused,
        directions: proven.directions,
    }
}

/// The meshes of all bodies, each source read once.
fn meshes(certificate: &Certificate, args: &VerifyArgs) -> Result<Vec<Arc<Mesh>>> {
    let unit: Unit = unit(&certificate.unit)?;
    let mut sources: BTreeMap<&str, Source> = BTreeMap::new();
    let mut meshes = Vec::with_capacity(certificate.bodies.len());
    for body in &certificate.bodies {
        let name = body.source.mesh.as_str();
        if !sources.contains_key(name) {
            let found = input::read(&locate(name, args))?;
            sources.insert(name, found);
        }
        let mesh = mesh(&sources[name], body, unit);
        meshes.push(mesh.with_context(|| format!("body `{}`", body.name))?);
    }
    Ok(meshes)
}

fn unit(name: &str) -> Result<Unit> {
    name.parse().map_err(|error: String| anyhow!("the certificate's unit `{name}`: {error}"))
}

/// Where a mesh is: as the certificate says, from its folder on, else by its name in another folder.
fn locate(name: &str, args: &VerifyArgs) -> String {
    if name.starts_with(PREFIX) {
        return name.to_owned();
    }
    let path = Path::new(name);
    let stated = args.certificate.parent().unwrap_or(Path::new("")).join(path);
    let found = match (&args.meshes, path.file_name()) {
        (Some(folder), Some(file)) if !stated.exists() => folder.join(file),
        _ => stated,
    };
    found.to_string_lossy().into_owned()
}

fn mesh(source: &Source, body: &BodyEntry, to: Unit) -> Result<Arc<Mesh>> {
    let wanted = &body.source.object;
    let found = match (wanted, source.bodies.as_slice()) {
        (None, [only]) => Some(only),
        (None, _) => None,
        (Some(name), bodies) => bodies.iter().find(|found| found.name == *name),
    };
    let found = found.with_context(|| match wanted {
        Some(name) => format!("`{}` has no object `{name}`", body.source.mesh),
        None => format!("`{}` has several objects; one was expected", body.source.mesh),
    })?;
    Ok(found.convert(unit(&body.source.unit)?, to)?.0)
}
