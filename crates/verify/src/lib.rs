//! Re-checks certificates of the fitting check: that parts do not touch along a path, or that two
//! triangles do.
//!
//! This crate knows the format of a certificate ([`mod@format`]), one inequality ([`gap`]) and how a proof
//! is followed ([`steps`]); from `geom` it takes meshes, motions and exact predicates. It has nothing
//! in common with what finds the proofs, and believes none of it. Cost: for each direction the corners
//! of the faces that it keeps apart, at both ends of each piece of the path; most are settled by boxes.

pub mod body;
pub mod format;
pub mod gap;
mod inside;
mod round;
pub mod route;
pub mod steps;

use body::Body;
use format::{ApartEntry, BodyEntry, Certificate, Claim, Outcome, PairEntry, PhaseEntry, Witness};
use format::{decode, decode_numbers, mesh_hash, pose};
use gap::Pair;
use impinge_geom::distance::triangle_triangle;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri;
use rayon::prelude::*;
use route::{Place, Span};
use std::sync::Arc;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Rejection {
    /// The file is no certificate.
    #[error("this is no certificate: {0}")]
    Format(String),
    /// Another kind of file, or one of another time.
    #[error(
        "`{kind}` of version {version} cannot be checked; `{known}` of version {} can",
        format::VERSION,
        known = format::KIND
    )]
    Version {
        /// What it calls itself.
        kind: String,
        /// Its version.
        version: u32,
    },
    /// The file was changed.
    #[error("the checksum does not fit: the file was changed or damaged")]
    Checksum,
    /// A claim that makes no sense.
    #[error("the claim is not complete: {0}")]
    Claim(&'static str),
    /// The path is none.
    #[error("the path is wrong: {0}")]
    Path(String),
    /// Something about a body.
    #[error("body `{0}`: {1}")]
    Body(String, String),
    /// Something about a pair.
    #[error("`{mover}` and `{rest}`: {fault}")]
    Pair {
        /// The moving body.
        mover: String,
        /// The resting one.
        rest: String,
        /// What is wrong.
        fault: String,
    },
}

/// What was proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Proven {
    /// What.
    pub claim: Claim,
    /// When the path begins, up to when nothing touches, and when it ends.
    pub times: [f64; 3],
    /// The first contact: the moving and the resting body, by when they touch, and how near they come
    /// if that is not certain.
    pub contact: Option<(String, String, f64, f64)>,
    /// Pairs of bodies that were proven to be apart.
    pub pairs: usize,
    /// What is not claimed: pairs that may touch, or come nearer, for a while or with some faces.
    pub excused: Vec<String>,
    /// So many directions were checked.
    pub directions: u64,
    /// The unit of lengths.
    pub unit: String,
}

impl Proven {
    /// In one line, whatever names and reasons hold.
    pub fn line(&self) -> String {
        self.text().replace(char::is_control, " ")
    }

    fn text(&self) -> String {
        let [start, until, end] = self.times;
        let Claim { outcome, clearance, .. } = self.claim;
        let apart = match clearance > 0.0 {
            true => {
                format!("{} pairs of bodies stay ≥ {clearance} {} apart", self.pairs, self.unit)
            }
            false => format!("{} pairs of bodies do not touch", self.pairs),
        };
        let except = match self.excused.is_empty() {
            true => String::new(),
            false => format!(" (except {})", self.excused.join("; ")),
        };
        let checked = format!("{} directions checked", self.directions);
        match (outcome, &self.contact) {
            (Outcome::Free, _) => {
                format!("PROVED FREE  {apart} for t = {start} … {end}{except}; {checked}")
            }
            (Outcome::Contact, Some((mover, rest, by, within))) => {
                let near = match *within > 0.0 {
                    true => format!("come within {within} {}", self.unit),
                    false => "touch".to_owned(),
                };
                format!(
                    "PROVED CONTACT  {mover} and {rest} {near} by t = {by}; \
                     {apart} for t = {start} … {until}{except}; {checked}"
                )
            }
            _ => format!(
                "PROVED FREE UNTIL t = {until}  {apart} from t = {start} on{except}; \
                 nothing is claimed after it; {checked}"
            ),
        }
    }
}

/// The meshes, the path and the claim of a certificate.
struct Case<'a> {
    certificate: &'a Certificate,
    meshes: &'a [Arc<Mesh>],
    path: Path,
    places: Vec<Pose>,
    orders: Vec<Vec<u32>>,
}

/// Checks a certificate against the meshes of its bodies, in their order.
pub fn verify(certificate: &Certificate, meshes: &[Arc<Mesh>]) -> Result<Proven, Rejection> {
    let case = Case::new(certificate, meshes)?;
    case.check_claim()?;
    case.check_pairs_are_all()?;
    let directions = case.check_pairs()?;
    let contact = match &certificate.contact {
        Some(witness) => Some(case.check_witness(witness)?),
        None => None,
    };
    let tested = |pair: &&PairEntry| pair.phases.iter().any(|phase| phase.apart.is_some());
    let until = case.certificate.claim.until.time(&case.path);
    let [start, end] = case.path.span();
    Ok(Proven {
        claim: certificate.claim,
        times: [start, until, end],
        contact,
        pairs: certificate.pairs.iter().filter(tested).count(),
        excused: certificate.pairs.iter().flat_map(|pair| case.excuses(pair)).collect(),
        directions,
        unit: certificate.unit.clone(),
    })
}

impl<'a> Case<'a> {
    fn new(certificate: &'a Certificate, meshes: &'a [Arc<Mesh>]) -> Result<Self, Rejection> {
        if meshes.len() != certificate.bodies.len() {
            return Err(Rejection::Claim("there is not one mesh for each body"));
        }
        let path = certificate.path.path()?;
        let mut places = Vec::new();
        let mut orders = Vec::new();
        for (body, mesh) in certificate.bodies.iter().zip(meshes) {
            let wrong = |text: String| Rejection::Body(body.name.clone(), text);
            if mesh_hash(mesh) != body.sha256 {
                return Err(wrong("its mesh is not the one that the proof is about".to_owned()));
            }
            places.push(pose(&body.pose).map_err(|error| wrong(error.to_string()))?);
            orders.push(order(body, mesh).map_err(|text| wrong(text.to_owned()))?);
        }
        Ok(Self { certificate, meshes, path, places, orders })
    }

    fn check_claim(&self) -> Result<(), Rejection> {
        let Claim { outcome, clearance, until } = self.certificate.claim;
        let wrong = |text| Err(Rejection::Claim(text));
        if !(clearance >= 0.0 && clearance.is_finite()) {
            return wrong("the clearance is no distance");
        }
        if !until.is_on(&self.path) {
            return wrong("it ends beyond the path");
        }
        let phases = self.certificate.pairs.iter().flat_map(|pair| &pair.phases);
        let mut claims = phases.filter_map(|phase| phase.apart.as_ref());
        // Else it could be any clearance, or any path.
        let is_kept = match clearance > 0.0 {
            true => claims.any(|apart| apart.distance.is_none()),
            false => outcome != Outcome::Free || claims.next().is_some(),
        };
        if !is_kept {
            return wrong("there is no pair that it is made of");
        }
        match (outcome, &self.certificate.contact) {
            (Outcome::Free, _) if until != Place::end(&self.path) => {
                wrong("a free path is free to its end")
            }
            (Outcome::Free | Outcome::Open, Some(_)) => {
                wrong("there is a contact, but none is claimed")
            }
            (Outcome::Contact, None) => wrong("a contact is claimed, but there is none"),
            (Outcome::Contact, Some(witness)) if self.is_before(witness.at, until) => {
                wrong("the contact lies before the end of what is free")
            }
            _ => Ok(()),
        }
    }

    fn is_before(&self, one: Place, other: Place) -> bool {
        one.forward(&self.path) < other.forward(&self.path)
    }

    /// Each moving body against each resting one, once, in the order of the bodies.
    fn check_pairs_are_all(&self) -> Result<(), Rejection> {
        let bodies = &self.certificate.bodies;
        let chosen = |moves| (0..bodies.len()).filter(move |&i| bodies[i].moves == moves);
        let wanted = chosen(true).flat_map(|mover| chosen(false).map(move |rest| (mover, rest)));
        let found = self.certificate.pairs.iter().map(|pair| (pair.mover, pair.rest));
        if self.certificate.pairs.is_empty() {
            return Err(Rejection::Claim("nothing moves, or nothing is at rest"));
        }
        match wanted.eq(found) {
            true => Ok(()),
            false => Err(Rejection::Claim("not each moving body is held against each resting one")),
        }
    }

    fn fault(&self, pair: &PairEntry, fault: &dyn std::fmt::Display) -> Rejection {
        let name = |i: usize| self.certificate.bodies[i].name.clone();
        Rejection::Pair { mover: name(pair.mover), rest: name(pair.rest), fault: fault.to_string() }
    }

    /// All proofs. The number of directions.
    fn check_pairs(&self) -> Result<u64, Rejection> {
        let all: Vec<usize> = (0..self.meshes.len()).collect();
        let bodies: Vec<Option<Body>> =
            all.par_iter().map(|&i| Body::new(&self.faces(i, &self.orders[i]))).collect();
        let checked: Vec<Result<u64, Rejection>> =
            self.certificate.pairs.par_iter().map(|pair| self.check_pair(pair, &bodies)).collect();
        // Of several faults the first one is told, whatever the threads.
        checked.into_iter().sum()
    }

    fn check_pair(&self, pair: &PairEntry, bodies: &[Option<Body>]) -> Result<u64, Rejection> {
        let mut directions = 0;
        for (start, phase) in self.phases(pair)? {
            directions += self.check_phase((pair, phase), start, bodies)?;
        }
        Ok(directions)
    }

    /// The phases of a pair with their starts: they must follow each other to the end of the claim.
    fn phases<'p>(&self, pair: &'p PairEntry) -> Result<Vec<(Place, &'p PhaseEntry)>, Rejection> {
        let mut at = Place::START;
        let mut phases = Vec::with_capacity(pair.phases.len());
        for phase in &pair.phases {
            if !(phase.until.is_on(&self.path) && self.is_before(at, phase.until)) {
                return Err(self.fault(pair, &"its phases do not follow each other"));
            }
            phases.push((at, phase));
            at = phase.until.forward(&self.path);
        }
        match at == self.certificate.claim.until.forward(&self.path) {
            true => Ok(phases),
            false => Err(self.fault(pair, &"its phases do not reach to the end of the claim")),
        }
    }

    fn check_phase(
        &self,
        (pair, phase): (&PairEntry, &PhaseEntry),
        start: Place,
        bodies: &[Option<Body>],
    ) -> Result<u64, Rejection> {
        let wrong = |text: &str| Err(self.fault(pair, &text));
        let is_whole = |apart: &ApartEntry| apart.exempt.is_empty() && apart.distance.is_none();
        if !phase.apart.as_ref().is_some_and(is_whole) && phase.reason.is_empty() {
            return wrong("less is claimed of it than of others, and no reason is given");
        }
        let Some(apart) = &phase.apart else { return Ok(0) };
        let distance = apart.distance.unwrap_or(self.certificate.claim.clearance);
        if !(0.0..=self.certificate.claim.clearance).contains(&distance) {
            return wrong("its distance is not less than that of all others");
        }
        let exempt = self.exempt(pair, apart)?;
        // Surfaces that never meet do not change what is inside what: one instant is enough.
        if exempt.is_empty() && self.is_inside(pair, start) {
            return wrong("one of them is inside the other");
        }
        let kept = (!exempt.is_empty()).then(|| self.without(pair.rest, &exempt));
        let own = kept.as_ref().and_then(|kept| Body::new(kept));
        let rest = if kept.is_none() { bodies[pair.rest].as_ref() } else { own.as_ref() };
        let (Some(rest), Some(mover)) = (rest, &bodies[pair.mover]) else {
            // Where there are no faces nothing can touch.
            return if apart.spans.is_empty() {
                Ok(0)
            } else {
                wrong("it has no faces, but a proof")
            };
        };
        let geometry = Pair { rest, mover, path: &self.path };
        let spans = self.spans(pair, (start, phase.until), apart)?;
        let follow = |(span, text): &(Span, &str)| {
            let steps = decode(text).ok_or_else(|| self.fault(pair, &"its steps are no base64"))?;
            let followed = geometry.follow(&steps, *span, distance);
            followed.map_err(|fault| {
                let [from, to] = [span.from, span.to].map(|place| place.time(&self.path));
                self.fault(pair, &format!("t = {from} … {to}: {fault}"))
            })
        };
        let checked: Vec<Result<u64, Rejection>> = spans.par_iter().map(follow).collect();
        checked.into_iter().sum()
    }

    /// The spans of a proof, which must follow each other.
    fn spans<'p>(
        &self,
        pair: &PairEntry,
        (start, end): (Place, Place),
        apart: &'p ApartEntry,
    ) -> Result<Vec<(Span, &'p str)>, Rejection> {
        let mut at = start;
        let mut spans = Vec::with_capacity(apart.spans.len());
        for entry in &apart.spans {
            let span = Span { from: at, to: entry.until };
            if !(entry.until.is_on(&self.path) && span.from < span.to) {
                return Err(self.fault(pair, &"its spans of time do not follow each other"));
            }
            spans.push((span, entry.steps.as_str()));
            at = entry.until.forward(&self.path);
        }
        match at == end.forward(&self.path) {
            true => Ok(spans),
            false => {
                Err(self.fault(pair, &"its proof does not reach to the end of what is claimed"))
            }
        }
    }

    /// The triangles of the resting body that do not count.
    fn exempt(&self, pair: &PairEntry, apart: &ApartEntry) -> Result<Vec<u32>, Rejection> {
        let count = self.meshes[pair.rest].triangles().len();
        let numbers = decode_numbers(&apart.exempt);
        let numbers = numbers.filter(|list| {
            list.windows(2).all(|two| two[0] < two[1])
                && list.last().is_none_or(|&last| (last as usize) < count)
        });
        numbers.ok_or_else(|| self.fault(pair, &"its exempt faces are no list of faces"))
    }

    fn without(&self, body: usize, exempt: &[u32]) -> Vec<[impinge_geom::Point; 3]> {
        let kept = |i: &&u32| exempt.binary_search(i).is_err();
        let order: Vec<u32> = self.orders[body].iter().filter(kept).copied().collect();
        self.faces(body, &order)
    }

    /// Faces in an order: of what rests in the world, of what moves in the frame that moves.
    fn faces(&self, body: usize, order: &[u32]) -> Vec<[impinge_geom::Point; 3]> {
        let (mesh, place) = (&self.meshes[body], &self.places[body]);
        order.iter().map(|&i| mesh.triangle(i).map(|p| inside::placed(place, &p))).collect()
    }

    fn is_inside(&self, pair: &PairEntry, at: Place) -> bool {
        let pose = at.pose(&self.path);
        let [mover, rest] = [pair.mover, pair.rest];
        inside::is_one_inside(
            (&self.meshes[rest], &|p| inside::placed(&self.places[rest], p)),
            (&self.meshes[mover], &|p| pose.apply(&inside::placed(&self.places[mover], p))),
        )
    }

    /// The bodies that touch, by when, and how near they come if that is not certain.
    fn check_witness(&self, witness: &Witness) -> Result<(String, String, f64, f64), Rejection> {
        let wrong = |text| Err(Rejection::Claim(text));
        let Some(pair) = self.certificate.pairs.get(witness.pair) else {
            return wrong("the contact is that of no pair");
        };
        if !witness.at.is_on(&self.path) {
            return wrong("the contact lies beyond the path");
        }
        if !(witness.within >= 0.0 && witness.within.is_finite()) {
            return wrong("the contact is within no distance");
        }
        let Some([i, j]) = witness.triangles else {
            if !self.is_inside(pair, witness.at) || witness.within > 0.0 {
                return Err(self.fault(pair, &"neither is inside the other"));
            }
            return Ok(self.touching(pair, witness));
        };
        let [a, b] = [(pair.mover, i), (pair.rest, j)].map(|(body, triangle)| {
            let mesh = &self.meshes[body];
            ((triangle as usize) < mesh.triangles().len())
                .then(|| mesh.triangle(triangle).map(|p| inside::placed(&self.places[body], &p)))
        });
        let (Some(a), Some(b)) = (a, b) else {
            return Err(self.fault(pair, &"the triangles that touch do not exist"));
        };
        let pose = witness.at.pose(&self.path);
        let a = a.map(|p| pose.apply(&p));
        let near = || witness.within > 0.0 && triangle_triangle(&a, &b).hi <= witness.within;
        match tri_tri::intersect(&a, &b) || near() {
            true => Ok(self.touching(pair, witness)),
            false => Err(self.fault(pair, &"the triangles that should touch do not")),
        }
    }

    fn touching(&self, pair: &PairEntry, witness: &Witness) -> (String, String, f64, f64) {
        let name = |i: usize| self.certificate.bodies[i].name.clone();
        (name(pair.mover), name(pair.rest), witness.at.time(&self.path), witness.within)
    }

    /// What is not claimed of a pair.
    fn excuses(&self, pair: &PairEntry) -> Vec<String> {
        let name = |i: usize| &self.certificate.bodies[i].name;
        let both = format!("{} and {}", name(pair.mover), name(pair.rest));
        let end = Place::end(&self.path);
        let excuse = |phase: &PhaseEntry| {
            let what = match &phase.apart {
                None => "not tested",
                Some(apart) if !apart.exempt.is_empty() => "some faces may touch",
                Some(apart) if apart.distance.is_some() => "may come nearer",
                Some(_) => return None,
            };
            let until = match phase.until == end {
                true => String::new(),
                false => format!(" until t = {}", phase.until.time(&self.path)),
            };
            Some(format!("{both}, {what}{until}: {}", phase.reason))
        };
        pair.phases.iter().filter_map(excuse).collect()
    }
}

/// The order of a body's triangles: each of them once.
fn order(body: &BodyEntry, mesh: &Mesh) -> Result<Vec<u32>, &'static str> {
    let order = decode_numbers(&body.order).ok_or("its order is no list of faces")?;
    let count = mesh.triangles().len();
    let mut seen = vec![false; count];
    for &i in &order {
        match seen.get_mut(i as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err("its order names a face twice, or one that it does not have"),
        }
    }
    if order.len() == count { Ok(order) } else { Err("its order leaves faces out") }
}
