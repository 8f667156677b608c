//! From what the user named to meshes at places: files, scenes and built-in samples.

use anyhow::{Context, Result, anyhow, ensure};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_samples::Sampled;
use impinge_scene::frames::Frames;
use impinge_scene::load;
use impinge_scene::object::Object;
use impinge_scene::scene::{Scene, SceneBody};
use impinge_scene::units::Unit;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What one argument stands for.
#[derive(Debug)]
pub(crate) struct Source {
    /// A short name: the file's stem, or the sample's name.
    pub(crate) name: String,
    /// At least one.
    pub(crate) bodies: Vec<SourceBody>,
    /// Pairs of bodies that a scene excludes.
    pub(crate) ignored: Vec<[usize; 2]>,
    /// The files that it was read from.
    pub(crate) files: Vec<PathBuf>,
    /// The least clearance that a scene asks for, in its own unit.
    pub(crate) clearance: Option<f64>,
}

/// A body of a source, in its own unit.
#[derive(Debug)]
pub(crate) struct SourceBody {
    /// Its name within the source.
    pub(crate) name: String,
    pub(crate) mesh: Arc<Mesh>,
    /// If it deforms, its vertices frame by frame, in its own unit; the mesh has those of the first.
    pub(crate) frames: Option<Arc<Frames>>,
    pub(crate) pose: Pose,
    /// The edge of its voxels in its own unit, if a scene says it.
    pub(crate) voxel: Option<f64>,
    /// The unit that the source states, if it does.
    pub(crate) unit: Option<Unit>,
}

impl SourceBody {
    /// Mesh and pose, taken from `unit` to another. In the same unit no bit changes.
    pub(crate) fn convert(&self, unit: Unit, to: Unit) -> Result<(Arc<Mesh>, Pose)> {
        if unit == to {
            return Ok((self.mesh.clone(), self.pose));
        }
        let failed = |error: &dyn std::fmt::Display| {
            anyhow!("body `{}` cannot be taken from {unit} to {to}: {error}", self.name)
        };
        let mesh = unit.convert_mesh(&self.mesh, to).map_err(|error| failed(&error))?;
        let moved = self.pose.translation().map(|x| unit.convert(x, to));
        let pose = Pose::new(self.pose.rotation(), moved).map_err(|error| failed(&error))?;
        Ok((Arc::new(mesh), pose))
    }
}

/// Reads what `text` names.
pub(crate) fn read(text: &str) -> Result<Source> {
    ensure!(!text.is_empty(), "a MESH is an empty text; a file or `sample:NAME` is needed");
    if let Some(sample) = text.strip_prefix(impinge_samples::PREFIX) {
        return of_sample(sample);
    }
    let path = Path::new(text);
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return of_scene(name, path);
    }
    let mut bodies: Vec<SourceBody> =
        load::load(path)?.into_iter().map(of_object).collect::<Result<_>>()?;
    // Who names a file of one part thinks of the file, not of the name that a program put into it.
    if let [body] = bodies.as_mut_slice() {
        body.name.clone_from(&name);
    }
    let files = vec![path.to_owned()];
    Ok(Source { name, bodies, ignored: Vec::new(), files, clearance: None })
}

fn of_object(object: Object) -> Result<SourceBody> {
    let frames = object.own_frames().map_err(|message| anyhow!("{}: {message}", object.name))?;
    let Object { name, mesh, unit, .. } = object;
    let (mesh, frames) = (Arc::new(mesh), frames.map(Arc::new));
    Ok(SourceBody { name, mesh, frames, pose: Pose::IDENTITY, voxel: None, unit })
}

fn of_sample(sample: &str) -> Result<Source> {
    let name = sample.split('?').next().unwrap_or(sample).to_owned();
    let bodies = match impinge_samples::build(sample)? {
        Sampled::Mesh(mesh) => {
            vec![of_object(Object::rigid(name.clone(), mesh, None))?]
        }
        Sampled::Scene(scene) => {
            let scene = scene.into_scene(sample);
            scene.bodies.into_iter().map(|body| of_body(body, scene.unit)).collect()
        }
    };
    Ok(Source { name, bodies, ignored: Vec::new(), files: Vec::new(), clearance: None })
}

fn of_scene(name: String, path: &Path) -> Result<Source> {
    let files = RefCell::new(vec![path.to_owned()]);
    let resolver = |name: &str, base: &Path| {
        files.borrow_mut().push(base.join(name));
        impinge_samples::resolve(name, base)
    };
    let scene = Scene::load(path, &resolver)?;
    let files = files.into_inner();
    let ignored = scene.ignored_pairs().into_iter().collect();
    let bodies = scene.bodies.into_iter().map(|body| of_body(body, scene.unit)).collect();
    Ok(Source { name, bodies, ignored, files, clearance: scene.clearance })
}

fn of_body(body: SceneBody, unit: Unit) -> SourceBody {
    let SceneBody { name, mesh, frames, pose, voxel, .. } = body;
    SourceBody { name, mesh, frames, pose, voxel, unit: Some(unit) }
}

/// All bodies of a source at their places as one mesh, in the unit of the first.
pub(crate) fn joined(source: &Source, units: Option<Unit>) -> Result<(Mesh, Unit)> {
    let own = |unit: Option<Unit>| unit.or(units).unwrap_or(Unit::Mm);
    let unit = own(source.bodies[0].unit);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for body in &source.bodies {
        let (mesh, pose) = body.convert(own(body.unit), unit)?;
        let first = u32::try_from(vertices.len()).context("the bodies have too many vertices")?;
        vertices.extend(mesh.vertices().iter().map(|point| pose.apply(point)));
        let shifted = mesh.triangles().iter().map(|corners| corners.map(|v| v.checked_add(first)));
        for [a, b, c] in shifted {
            let all = (a.zip(b).zip(c)).context("the bodies have too many vertices")?;
            triangles.push([all.0.0, all.0.1, all.1]);
        }
    }
    Ok((Mesh::new(vertices, triangles)?, unit))
}

/// Refuses to write two files into one, by whatever names. Before the work, so that it is not lost.
pub(crate) fn keep_apart(one: (&str, Option<&Path>), other: (&str, Option<&Path>)) -> Result<()> {
    let ((option, Some(path)), (second, Some(path_of_second))) = (one, other) else {
        return Ok(());
    };
    ensure!(
        place(path) != place(path_of_second),
        "{option} and {second} name the same file {}; two are needed",
        path.display()
    );
    Ok(())
}

/// Where a file is or would be, whatever way leads there.
fn place(path: &Path) -> PathBuf {
    if let Ok(known) = path.canonicalize() {
        return known;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        // Nothing can be written there, which is told when it is tried.
        _ => path.to_owned(),
    }
}

/// Refuses to write over what was read, by whatever name. Before the work, so that it is not lost.
pub(crate) fn spare<'a>(
    files: impl Iterator<Item = &'a Path>,
    (option, written): (&str, &Path),
) -> Result<()> {
    // What does not exist yet is no input.
    let Ok(written) = written.canonicalize() else { return Ok(()) };
    for file in files {
        ensure!(
            file.canonicalize().ok().as_ref() != Some(&written),
            "{option} would write over the input {}; another name is needed",
            file.display()
        );
    }
    Ok(())
}
