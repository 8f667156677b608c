//! From the entries of the file to the scene: meshes fetched and scaled, poses made, names checked.

use super::file::{AxisAngle, BodyEntry, FramesEntry, IgnoreEntry, LengthEntry};
use super::file::{PoseEntry, SceneFile, SpanFault};
use super::sequence::{Sequence, matching};
use super::{Scene, SceneBody, Selector, Source, build_fit, sim_file};
use crate::frames::Frames;
use crate::object::Object;
use crate::resolve::{BUILT_IN, Resolver};
use crate::units::{Length, Unit};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

pub(super) fn scene(
    file: &SceneFile,
    base: &Path,
    resolver: &dyn Resolver,
) -> Result<Scene, SpanFault> {
    if file.body.is_empty() {
        let message = "the scene has no bodies; at least one [[body]] is needed".to_owned();
        return Err(SpanFault { span: None, message });
    }
    let clearance = file.clearance.as_ref().map(|text| length(text, file.units)).transpose()?;
    check_names(&file.body)?;
    let mut store = Store { base, resolver, unit: file.units, sources: HashMap::new() };
    let mut bodies: Vec<SceneBody> = Vec::new();
    let mut names = HashSet::new();
    for entry in &file.body {
        for body in store.bodies(entry)? {
            // Entries are unique by now, but an entry may be called like an object of another one.
            if !names.insert(body.name.clone()) {
                return Err(used_twice(&entry.name, &body.name));
            }
            bodies.push(body);
        }
    }
    let known = Known::new(&bodies);
    let pair = |rule: &IgnoreEntry| Ok((known.select(&rule.a)?, known.select(&rule.b)?));
    let ignored = file.ignore.iter().map(pair).collect::<Result<_, SpanFault>>()?;
    let fit = build_fit::fit(file, &bodies, base)?;
    let sim = sim_file::sim(file, &bodies, fit.as_ref())?;
    Ok(Scene { unit: file.units, bodies, ignored, clearance, fit, sim })
}

fn length(entry: &Spanned<LengthEntry>, unit: Unit) -> Result<f64, SpanFault> {
    let text = match entry.get_ref() {
        LengthEntry::Number(value) => &value.to_string(),
        LengthEntry::Text(text) => text,
    };
    let length: Result<Length, String> = text.parse();
    let length = length.map_err(|message| SpanFault::new(entry.span(), message))?.to(unit);
    if length.is_finite() {
        return Ok(length);
    }
    Err(SpanFault::new(entry.span(), format!("`{text}` is too large a length, in {unit}")))
}

fn voxel(entry: &Spanned<LengthEntry>, unit: Unit) -> Result<f64, SpanFault> {
    let size = length(entry, unit)?;
    if size > 0.0 {
        return Ok(size);
    }
    Err(SpanFault::new(entry.span(), format!("the voxels have an edge of {size}; more is needed")))
}

/// Names of entries are unique, and no group is called like an entry: rules name either.
fn check_names(entries: &[BodyEntry]) -> Result<(), SpanFault> {
    let mut names = HashSet::new();
    for BodyEntry { name, .. } in entries {
        if name.get_ref().is_empty() {
            return Err(SpanFault::new(name.span(), "the name is empty; a body needs a name"));
        }
        if !names.insert(name.get_ref()) {
            return Err(used_twice(name, name.get_ref()));
        }
    }
    let groups = entries.iter().flat_map(|entry| &entry.groups);
    match groups.into_iter().find(|group| names.contains(group.get_ref())) {
        None => Ok(()),
        Some(group) => {
            let name = group.get_ref();
            let message = format!("`{name}` is the name of a body; a group needs another one");
            Err(SpanFault::new(group.span(), message))
        }
    }
}

fn used_twice(place: &Spanned<String>, name: &str) -> SpanFault {
    let message = format!("the name `{name}` is used twice; names of bodies must differ");
    SpanFault::new(place.span(), message)
}

/// The objects of one mesh file, and their meshes by object and unit.
struct Loaded {
    objects: Vec<Object>,
    shared: HashMap<Key, Shape>,
}

/// An object of a file, its unit, and how many frames are wanted.
type Key = (usize, Unit, Option<u32>);

/// What bodies share.
#[derive(Clone)]
struct Shape {
    mesh: Arc<Mesh>,
    frames: Option<Arc<Frames>>,
}

/// What an entry says of its mesh.
struct Wanted {
    /// The name of the mesh, or of the first file of a sequence, and where it stands.
    name: Spanned<String>,
    /// Files of a sequence; else none.
    sequence: Vec<String>,
    count: Option<u32>,
}

/// Everything that was resolved so far: each source is loaded once.
struct Store<'a> {
    base: &'a Path,
    resolver: &'a dyn Resolver,
    unit: Unit,
    sources: HashMap<PathBuf, Loaded>,
}

impl Store<'_> {
    /// The bodies of an entry: one, or one per object of its file.
    fn bodies(&mut self, entry: &BodyEntry) -> Result<Vec<SceneBody>, SpanFault> {
        let pose = pose(&entry.pose)?;
        let voxel = entry.voxel.as_ref().map(|size| voxel(size, self.unit)).transpose()?;
        let wanted = wanted(entry, self.base)?;
        let mesh = wanted.name.get_ref();
        let (scene_unit, path) = (self.unit, self.path(mesh));
        let source = self.source(&wanted, entry.object.as_ref())?;
        let chosen = match &entry.object {
            Some(object) => vec![find(&source.objects, object, mesh)?],
            None => (0..source.objects.len()).collect(),
        };
        let alone = chosen.len() == 1;
        let name = entry.name.get_ref();
        let mut bodies = Vec::with_capacity(chosen.len());
        for index in chosen {
            let unit = entry.units.or(source.objects[index].unit).unwrap_or(Unit::Mm);
            let shape = source.shape((index, unit, wanted.count), scene_unit).map_err(|error| {
                SpanFault::new(wanted.name.span(), format!("`{mesh}`: {error}"))
            })?;
            let mut groups: Vec<String> =
                entry.groups.iter().map(|group| group.get_ref().clone()).collect();
            let object = &source.objects[index].name;
            let several = source.objects.len() > 1;
            let origin = Source {
                mesh: mesh.clone(),
                path: path.clone(),
                object: several.then(|| object.clone()),
                unit,
            };
            let name = if alone {
                name.clone()
            } else {
                // Rules can then name all objects of the entry at once.
                groups.push(name.clone());
                format!("{name}/{object}")
            };
            let Shape { mesh, frames } = shape;
            bodies.push(SceneBody { name, mesh, frames, pose, voxel, groups, source: origin });
        }
        Ok(bodies)
    }

    /// The file that a mesh is read from, if it is one.
    fn path(&self, mesh: &str) -> Option<PathBuf> {
        (!mesh.starts_with(BUILT_IN)).then(|| self.base.join(mesh))
    }

    fn source(
        &mut self,
        Wanted { name: mesh, sequence, .. }: &Wanted,
        object: Option<&Spanned<String>>,
    ) -> Result<&mut Loaded, SpanFault> {
        let name = mesh.get_ref();
        // `./part.stl` and `part.stl` are the same file.
        let parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
        // A sequence is another source than its first file; no path has a line feed in it.
        let key = match sequence.as_slice() {
            [] => parts.collect(),
            files => PathBuf::from(files.join("\n") + "\n" + object.map_or("", |o| o.get_ref())),
        };
        let source = match self.sources.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let objects = if sequence.is_empty() {
                    let objects = self.resolver.resolve(name, self.base);
                    objects.map_err(|message| SpanFault::new(mesh.span(), message))?
                } else {
                    let sequence = Sequence { files: sequence, span: mesh.span(), object };
                    vec![sequence.load(self.base, self.resolver)?]
                };
                entry.insert(Loaded { objects, shared: HashMap::new() })
            }
        };
        if source.objects.is_empty() {
            let message = format!("`{name}` holds no object; at least one is needed");
            return Err(SpanFault::new(mesh.span(), message));
        }
        Ok(source)
    }
}

impl Loaded {
    /// The mesh of an object and its frames, taken from `unit` to the scene's. In the same unit no bit
    /// changes.
    fn shape(&mut self, key: Key, scene: Unit) -> Result<Shape, String> {
        if let Some(shape) = self.shared.get(&key) {
            return Ok(shape.clone());
        }
        let (index, unit, count) = key;
        let object = &self.objects[index];
        let frames = match count {
            Some(count) => Some(object.frames(count)?),
            None => object.own_frames()?,
        };
        let shape = match frames {
            None => {
                let mesh = unit.convert_mesh(&object.mesh, scene).map_err(|e| e.to_string())?;
                Shape { mesh: Arc::new(mesh), frames: None }
            }
            Some(frames) => {
                let converted = frames.convert(&object.mesh, (unit, scene));
                let (mesh, frames) = converted.map_err(|error| error.to_string())?;
                Shape { mesh: Arc::new(mesh), frames: Some(Arc::new(frames)) }
            }
        };
        self.shared.insert(key, shape.clone());
        Ok(shape)
    }
}

/// Mesh and frames of an entry, and which of the two it needs.
fn wanted(entry: &BodyEntry, base: &Path) -> Result<Wanted, SpanFault> {
    let frames = entry.frames.as_ref();
    let named = |files: Vec<String>, span: std::ops::Range<usize>| {
        let first = files.first().cloned().ok_or_else(|| {
            SpanFault::new(span.clone(), "the list of frames is empty; at least one file is needed")
        })?;
        Ok(Wanted { name: Spanned::new(span, first), sequence: files, count: None })
    };
    match (&entry.mesh, frames.map(|frames| (frames.get_ref(), frames.span()))) {
        (Some(mesh), None) => Ok(Wanted { name: mesh.clone(), sequence: Vec::new(), count: None }),
        (Some(_), Some((FramesEntry::Count(0), span))) => {
            Err(SpanFault::new(span, "0 frames; at least one is needed"))
        }
        (Some(mesh), Some((FramesEntry::Count(count), _))) => {
            Ok(Wanted { name: mesh.clone(), sequence: Vec::new(), count: Some(*count) })
        }
        (Some(_), Some((_, span))) => {
            let message = "both `mesh` and the files of `frames` are given; one of them is needed";
            Err(SpanFault::new(span, message))
        }
        (None, Some((FramesEntry::Pattern(pattern), span))) => {
            let files = matching(pattern, base);
            named(files.map_err(|message| SpanFault::new(span.clone(), message))?, span)
        }
        (None, Some((FramesEntry::Files(files), span))) => named(files.clone(), span),
        (None, None | Some((FramesEntry::Count(_), _))) => {
            let name = entry.name.get_ref();
            let message = format!("the body `{name}` has no `mesh`; it is needed");
            Err(SpanFault::new(entry.name.span(), message))
        }
    }
}

fn find(objects: &[Object], wanted: &Spanned<String>, mesh: &str) -> Result<usize, SpanFault> {
    let name = wanted.get_ref();
    objects.iter().position(|object| object.name == *name).ok_or_else(|| {
        let known = list(objects.iter().map(|object| object.name.as_str()));
        let message = format!("`{mesh}` has no object `{name}`; it has {known}");
        SpanFault::new(wanted.span(), message)
    })
}

/// The first few names, for a message.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.take(9).map(|name| format!("`{name}`")).collect();
    if names.len() == 9 {
        names[8] = "…".to_owned();
    }
    names.join(", ")
}

pub(super) fn pose(entry: &PoseEntry) -> Result<Pose, SpanFault> {
    let translation = entry.translation.as_ref().map_or([0.0; 3], |t| *t.get_ref());
    let (rotation, span) = match (&entry.rotation, &entry.rotation_deg) {
        (Some(_), Some(second)) => {
            let message = "both `rotation` and `rotation_deg` are given; one of them is needed";
            return Err(SpanFault::new(second.span(), message));
        }
        (Some(rotation), None) => (*rotation.get_ref(), Some(rotation.span())),
        (None, Some(turn)) => (quaternion(turn)?, Some(turn.span())),
        (None, None) => ([1.0, 0.0, 0.0, 0.0], None),
    };
    // Each part by itself first, so that the message has the line of the right one.
    let turned = Pose::new(rotation, [0.0; 3]).map_err(|error| (error, span.clone()));
    let moved = Pose::new([1.0, 0.0, 0.0, 0.0], translation)
        .map_err(|error| (error, entry.translation.as_ref().map(Spanned::span)));
    turned
        .and(moved)
        .and(Pose::new(rotation, translation).map_err(|error| (error, span)))
        .map_err(|(error, span)| SpanFault { span, message: error.to_string() })
}

fn quaternion(turn: &Spanned<AxisAngle>) -> Result<[f64; 4], SpanFault> {
    let AxisAngle { axis, angle } = turn.get_ref();
    let fault = |message: String| SpanFault::new(turn.span(), message);
    if !angle.is_finite() || axis.iter().any(|x| !x.is_finite()) {
        return Err(fault(format!("axis {axis:?} and angle {angle} must be finite numbers")));
    }
    // Divided by the largest part first, so that no square over- or underflows.
    let largest = axis.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if largest < f64::MIN_POSITIVE {
        return Err(fault("the axis has length 0; a rotation needs a direction".to_owned()));
    }
    let axis = axis.map(|x| x / largest);
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (sin, cos) = sin_cos_of_half(*angle);
    let [x, y, z] = axis.map(|x| x / length * sin);
    Ok([cos, x, y, z])
}

/// Sine and cosine of half an angle in degrees; whole and half turns are exact.
fn sin_cos_of_half(angle: f64) -> (f64, f64) {
    let angle = angle % 720.0;
    match angle.abs() {
        0.0 => (0.0, 1.0),
        180.0 => (angle.signum(), 0.0),
        360.0 => (0.0, -1.0),
        540.0 => (-angle.signum(), 0.0),
        _ => (angle / 2.0).to_radians().sin_cos(),
    }
}

/// The names that rules may use.
pub(super) struct Known<'a> {
    bodies: &'a [SceneBody],
    names: BTreeSet<&'a str>,
    groups: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    pub(super) fn new(bodies: &'a [SceneBody]) -> Self {
        let names = bodies.iter().map(|body| body.name.as_str()).collect();
        let groups = bodies.iter().flat_map(|body| &body.groups).map(String::as_str).collect();
        Self { bodies, names, groups }
    }

    /// How many bodies there are.
    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }

    /// The bodies that a side of a rule means, as places in the list of bodies.
    pub(super) fn members(&self, side: &Selector) -> Vec<usize> {
        (0..self.bodies.len()).filter(|&i| side.matches(&self.bodies[i])).collect()
    }

    pub(super) fn select(&self, name: &Spanned<String>) -> Result<Selector, SpanFault> {
        let wanted = name.get_ref();
        if self.names.contains(wanted.as_str()) {
            return Ok(Selector::Body(wanted.clone()));
        }
        if self.groups.contains(wanted.as_str()) {
            return Ok(Selector::Group(wanted.clone()));
        }
        let known = list(self.bodies.iter().map(|body| body.name.as_str()));
        let message = format!("`{wanted}` names no body and no group; the bodies are {known}");
        Err(SpanFault::new(name.span(), message))
    }
}
