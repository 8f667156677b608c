//! Whether a certificate is about a scene: the same meshes at the same places, the same path, and
//! nothing excused that the scene does not allow. What it proves of that is for `verify` to say.

use crate::fit::load::{Loaded, load};
use anyhow::Result;
use impinge_fit::moment::Moment;
use impinge_fit::prepared::{Duty, Prepared};
use impinge_verify::format::{BodyEntry, Certificate, PairEntry, PathEntry, decode_numbers};
use impinge_verify::format::{mesh_hash, pose_numbers};
use impinge_verify::route::Place;
use std::path::Path;

/// What is different; nothing if the certificate is about the scene.
pub(crate) fn difference(
    certificate: &Certificate,
    scene: &str,
    meshes: Option<&Path>,
) -> Result<Option<String>> {
    let Loaded { assembly, unit, .. } = load(scene, meshes)?;
    let prepared = Prepared::new(assembly)?;
    let about = About { certificate, prepared: &prepared };
    if certificate.unit != unit.to_string() {
        return Ok(Some(format!("its unit is {}, that of the scene {unit}", certificate.unit)));
    }
    if certificate.path != PathEntry::of(&prepared.path) {
        return Ok(Some("its path is another one".to_owned()));
    }
    Ok(about.bodies().or_else(|| about.excuses()).or_else(|| about.contact()))
}

struct About<'a> {
    certificate: &'a Certificate,
    prepared: &'a Prepared,
}

impl About<'_> {
    fn bodies(&self) -> Option<String> {
        let (found, wanted) = (&self.certificate.bodies, &self.prepared.bodies);
        if found.len() != wanted.len() {
            return Some(format!("it has {} bodies, the scene {}", found.len(), wanted.len()));
        }
        let differs = |(i, entry): (usize, &BodyEntry)| {
            let mover = self.prepared.movers.iter().find(|mover| mover.body == i);
            let pose = mover.map_or(&wanted[i].pose, |mover| &mover.offset);
            let same = entry.name == wanted[i].name
                && entry.moves == mover.is_some()
                && entry.pose == pose_numbers(pose)
                && entry.sha256 == mesh_hash(&wanted[i].mesh);
            (!same).then(|| format!("body `{}` is not as in the scene", entry.name))
        };
        found.iter().enumerate().find_map(differs)
    }

    /// A contact that the scene allows.
    fn contact(&self) -> Option<String> {
        let witness = self.certificate.contact.as_ref()?;
        let entry = self.certificate.pairs.get(witness.pair)?;
        let at = Moment { piece: witness.at.0, part: witness.at.1 };
        let pair = (0..self.prepared.pairs.len())
            .find(|&pair| self.prepared.bodies_of(pair) == [entry.mover, entry.rest]);
        let duty = pair.and_then(|pair| self.prepared.pairs[pair].duty_at(at));
        let counts = duty.is_some_and(|duty| {
            witness.triangles.is_none_or(|[_, j]| duty.exempt.binary_search(&j).is_err())
        });
        (!counts).then(|| "its contact is one that the scene allows".to_owned())
    }

    /// An excuse that the scene does not give.
    fn excuses(&self) -> Option<String> {
        self.certificate.pairs.iter().find_map(|entry| {
            let of_pair = (0..self.prepared.pairs.len())
                .find(|&pair| self.prepared.bodies_of(pair) == [entry.mover, entry.rest]);
            // What the scene leaves out need not be proven.
            let duties = &self.prepared.pairs[of_pair?].duties;
            let name = |i: usize| &self.certificate.bodies[i].name;
            let excused = is_excused(entry, duties);
            (!excused).then(|| {
                format!(
                    "{} and {} may touch more than in the scene",
                    name(entry.mover),
                    name(entry.rest)
                )
            })
        })
    }
}

/// Whether all that is not claimed of a pair is allowed.
fn is_excused(entry: &PairEntry, duties: &[Duty]) -> bool {
    let place = |duty: &Duty| Place(duty.from.piece, duty.from.part);
    let mut from = Place::START;
    entry.phases.iter().all(|phase| {
        let start = std::mem::replace(&mut from, phase.until);
        // What counts at some time of the phase.
        let first = duties.iter().rposition(|duty| place(duty) <= start);
        let counting: Vec<&Duty> =
            duties[first.unwrap_or(0)..].iter().filter(|duty| place(duty) < phase.until).collect();
        match &phase.apart {
            None => counting.is_empty(),
            Some(apart) => {
                let exempt = decode_numbers(&apart.exempt);
                let nearer = apart.distance.is_some() && !duties.iter().any(|duty| duty.parts);
                let same = |duty: &&Duty| exempt.as_ref() == Some(&duty.exempt);
                !nearer && (counting.iter().all(same) || apart.exempt.is_empty())
            }
        }
    })
}
