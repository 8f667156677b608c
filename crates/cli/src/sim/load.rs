//! From what the user named to a scene.

use anyhow::{Result, bail};
use impinge_geom::mesh::Mesh;
use impinge_samples::Sampled;
use impinge_scene::scene::Scene;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// What was read.
pub(super) struct Loaded {
    pub(super) scene: Scene,
    /// The files that it was read from, those of all frames among them.
    files: Vec<PathBuf>,
}

/// Reads a scene file or a sample.
pub(super) fn load(text: &str) -> Result<Loaded> {
    if let Some(sample) = text.strip_prefix(impinge_samples::PREFIX) {
        let Sampled::Scene(scene) = impinge_samples::build(sample)? else {
            bail!("{text} is a mesh; a scene is needed, see `impinge samples`");
        };
        return Ok(Loaded { scene: scene.into_scene(text), files: Vec::new() });
    }
    let path = Path::new(text);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        bail!("`{text}` is no scene; a .toml file or `sample:NAME` is needed");
    }
    let files = RefCell::new(vec![path.to_owned()]);
    let resolver = |name: &str, base: &Path| {
        files.borrow_mut().push(base.join(name));
        impinge_samples::resolve(name, base)
    };
    let scene = Scene::load(path, &resolver)?;
    Ok(Loaded { scene, files: files.into_inner() })
}

impl Loaded {
    /// Refuses to write over what was read.
    pub(super) fn spare(&self, option: &str, written: Option<&Path>) -> Result<()> {
        let Some(written) = written else { return Ok(()) };
        crate::input::spare(self.files.iter().map(PathBuf::as_path), (option, written))
    }

    /// A number that changes with any mesh, frame or pose of the scene.
    pub(super) fn content(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |word: u64| {
            hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
            hash ^= hash >> 29;
        };
        let mut before: Option<&Mesh> = None;
        for body in &self.scene.bodies {
            let pose = [body.pose.rotation().as_slice(), &body.pose.translation()].concat();
            pose.iter().for_each(|x| add(x.to_bits()));
            // Many bodies of one mesh need it once.
            if before == Some(&body.mesh) {
                continue;
            }
            before = Some(&body.mesh);
            body.mesh.vertices().iter().flatten().for_each(|x| add(x.to_bits()));
            body.mesh.triangles().iter().flatten().for_each(|&v| add(u64::from(v)));
            for vertices in body.frames.iter().flat_map(|frames| frames.iter()) {
                vertices.iter().flatten().for_each(|x| add(x.to_bits()));
            }
        }
        format!("{hash:016x}")
    }
}
