//! glTF 2.0, as `.gltf` (JSON, with buffers inside or beside it) and `.glb` (one binary file).
//!
//! Every node with a mesh is a body. Node transforms are applied in f64; a mirroring transform
//! turns the triangles round, so that outside stays outside. Vertices stay as the file has them:
//! equal positions are not merged. A mesh is as it rests; how the first animation moves it, by skins,
//! morph targets and nodes, is its [`Object::animation`]. Materials are not read; points and lines have
//! no surface and are left out. Positions may be bytes and shorts whether or not the file names
//! KHR_mesh_quantization: they mean only one thing.
//!
//! The reader is our own: nothing is allocated because a count promises it, and each message
//! names the node, accessor, view or buffer at fault, the number found and the number needed.

mod accessor;
mod buffer;
mod channel;
mod container;
mod json;
mod node;
mod primitive;
mod rig;
mod uri;

use crate::animation::Animation;
use crate::error::{Fault, FileError, Place};
use crate::object::Object;
use crate::regular;
use crate::units::Unit;
use buffer::{Buffers, Opener};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use json::Document;
use node::{Affine, Instance};
use primitive::Surface;
use rig::{Broken, Puppet, Rig};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Vertices and triangles together that a file may unfold to for each byte read. Nodes may share a
/// mesh, so a small file can promise a huge scene; a node alone takes ten bytes or more.
const UNFOLDED_PER_BYTE: usize = 64;

/// What even the smallest file may unfold to.
const UNFOLDED_ALWAYS: usize = 1 << 20;

/// What no file may unfold to, so that indices fit.
const UNFOLDED_MAX: usize = 1 << 28;

/// Reads a `.gltf` or `.glb` file; its first bytes tell which it is. Buffers outside the file
/// are read from the folder of `path` or below, never from elsewhere, not even through a link.
pub fn read(bytes: &[u8], path: &Path) -> Result<Vec<Object>, FileError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let open = |relative: &Path, length: u64| read_below(folder, relative, length);
    objects(bytes, &stem(path), &open).map_err(|fault| fault.in_file(path))
}

/// The same, with the caller's way to get the bytes of a buffer beside the file.
pub fn read_with(
    bytes: &[u8],
    path: &Path,
    open: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Vec<Object>, FileError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let open = |relative: &Path, _: u64| open(&folder.join(relative));
    objects(bytes, &stem(path), &open).map_err(|fault| fault.in_file(path))
}

fn stem(path: &Path) -> Cow<'_, str> {
    path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default()
}

/// The first `length` bytes of a file in `folder` or below.
fn read_below(folder: &Path, relative: &Path, length: u64) -> io::Result<Vec<u8>> {
    // Both ends without links, for a link in the folder may lead anywhere.
    let folder = folder.canonicalize()?;
    let file = folder.join(relative).canonicalize()?;
    if !file.starts_with(&folder) {
        return Err(io::Error::other("this is a link that leads outside the file's folder"));
    }
    regular::read(&file, length)
}

fn objects(bytes: &[u8], stem: &str, open: Opener<'_>) -> Result<Vec<Object>, Fault> {
    let parts = container::split(bytes)?;
    let document = json::parse(&parts)?;
    json::check_version_and_extensions(&document)?;
    let mut buffers = Buffers::new(&document, &parts, open);
    // What is wrong with an animation is told to those who ask for it: the meshes are good without.
    let rig = Rig::read(&document, &mut buffers).map(|rig| rig.map(Arc::new));
    let mut surfaces: HashMap<usize, Surface> = HashMap::new();
    let mut names = Names::default();
    let mut found = Vec::new();
    let (mut unfolded, mut moved) = (0usize, 0usize);
    for instance in node::instances(&document)? {
        let surface = match surfaces.entry(instance.mesh) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(primitive::surface(&document, instance.mesh, &mut buffers)?)
            }
        };
        unfolded += surface.size();
        check_unfolded(unfolded, &buffers, "the nodes unfold")?;
        if surface.triangles.is_empty() {
            continue;
        }
        let mesh = place(surface, &instance.to_world)
            .map_err(|error| whole(format!("{}: {error}", describe(&instance))))?;
        let name = names.unique(base_name(&document, &instance, stem));
        let animation: Option<Arc<dyn Animation>> = match &rig {
            Ok(None) => None,
            Ok(Some(rig)) => {
                let targets = Puppet::targets(&document, &instance);
                // Nodes that share a mesh do not share what moves it.
                moved = surface.vertices.len().saturating_mul(targets + 1).saturating_add(moved);
                let read = check_unfolded(moved, &buffers, "what moves unfolds").and_then(|()| {
                    Puppet::read(&document, (&instance, surface, &mesh), rig, &mut buffers)
                });
                Some(match read {
                    Ok(puppet) => Arc::new(puppet),
                    Err(fault) => Arc::new(Broken(fault.message)),
                })
            }
            Err(fault) => Some(Arc::new(Broken(fault.message.clone()))),
        };
        found.push(Object { name, mesh, unit: Some(Unit::M), animation });
    }
    if found.is_empty() {
        return Err(whole("no node has a mesh with triangles; at least one is needed"));
    }
    Ok(found)
}

/// Refuses `size` vertices and triangles if the bytes read so far do not bear them; `user` completes
/// "… to more than".
fn check_unfolded(size: usize, buffers: &Buffers<'_>, user: &str) -> Result<(), Fault> {
    let read = buffers.bytes_read();
    let borne = read.saturating_mul(UNFOLDED_PER_BYTE);
    let most = borne.clamp(UNFOLDED_ALWAYS, UNFOLDED_MAX);
    if size <= most {
        return Ok(());
    }
    Err(whole(format!(
        "{user} to more than {most} vertices and triangles, the most for the {read} bytes read; \
         split the file into smaller ones"
    )))
}

/// A fault of the file as a whole: JSON values carry no place, their number in the message does.
fn whole(message: impl std::fmt::Display) -> Fault {
    Fault::new(Place::Whole, message)
}

fn describe(instance: &Instance) -> String {
    match instance.node {
        Some(node) => format!("node {node} (mesh {})", instance.mesh),
        None => format!("mesh {}", instance.mesh),
    }
}

fn base_name<'a>(document: &'a Document, instance: &Instance, stem: &'a str) -> &'a str {
    let node = instance.node.and_then(|node| document.nodes[node].name.as_deref());
    let mesh = document.meshes[instance.mesh].name.as_deref();
    let given = [node, mesh].into_iter().flatten().find(|name| !name.is_empty());
    given.unwrap_or(stem)
}

fn place(surface: &Surface, to_world: &Affine) -> Result<Mesh, impinge_geom::mesh::MeshError> {
    let vertices: Vec<Point> = surface.vertices.iter().map(|p| to_world.apply(p)).collect();
    let mut triangles = surface.triangles.clone();
    if to_world.mirrors() {
        for [_, b, c] in &mut triangles {
            std::mem::swap(b, c);
        }
    }
    Mesh::new(vertices, triangles)
}

/// Gives each object a name of its own: the second `bolt` becomes `bolt-2`.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    used: HashMap<String, u32>,
}

impl Names {
    fn unique(&mut self, wanted: &str) -> String {
        let uses = self.used.entry(wanted.to_owned()).or_insert(0);
        // Ends, for every turn that fails has met another of the finitely many taken names.
        loop {
            *uses += 1;
            let name = if *uses == 1 { wanted.to_owned() } else { format!("{wanted}-{uses}") };
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
