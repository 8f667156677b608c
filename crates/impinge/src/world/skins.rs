//! The skins of a body that deforms: as it is, and as it was at the last step.
//!
//! New vertices go into the skin that is not needed any more, so that a steady frame allocates nothing.

use super::shapes::Extent;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::skin::Skin;
use impinge_geom::sphere::Sphere;
use std::sync::Arc;

/// What a body looks and looked like.
#[derive(Debug)]
pub(super) struct Skins {
    now: Skin,
    /// As it was before the first deformation since the last step; none while it is taken out.
    before: Option<Skin>,
    /// What a further deformation goes into. Made when a body first deforms twice between two steps.
    spare: Option<Skin>,
    /// Some vertices are used by no triangle and must not inflate bounds.
    strays: bool,
}

impl Skins {
    /// Of a body that deforms for the first time.
    pub(super) fn new(now: Skin, before: Arc<Mesh>) -> Self {
        let strays = before.used().contains(&false);
        Self { now, before: Some(Skin::of(before)), spare: None, strays }
    }

    pub(super) fn now(&self) -> &Skin {
        &self.now
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent_of(&self.now)
    }

    /// The mesh at the last step, and what it covered.
    pub(super) fn start(&self) -> Option<(&Arc<Mesh>, Extent)> {
        let before = self.before.as_ref()?;
        Some((before.mesh(), self.extent_of(before)))
    }

    /// A skin for other vertices, to be worn or put back; with `keep_start` it is not the one before.
    pub(super) fn take_out(&mut self, keep_start: bool) -> Skin {
        self.place(keep_start).take().unwrap_or_else(|| self.now.clone())
    }

    /// It is not worn after all.
    pub(super) fn put_back(&mut self, skin: Skin, keep_start: bool) {
        *self.place(keep_start) = Some(skin);
    }

    /// It is worn from now on, and what was worn takes its place.
    pub(super) fn wear(&mut self, skin: Skin, keep_start: bool) {
        let worn = std::mem::replace(&mut self.now, skin);
        self.put_back(worn, keep_start);
    }

    fn place(&mut self, keep_start: bool) -> &mut Option<Skin> {
        if keep_start { &mut self.spare } else { &mut self.before }
    }

    /// The sphere is the one around the box: a smaller one would take longer than all else.
    fn extent_of(&self, skin: &Skin) -> Extent {
        let bounds = if self.strays { skin.mesh().bounds() } else { *skin.bounds() };
        Extent::new(bounds, around(&bounds))
    }
}

fn around(bounds: &Aabb) -> Sphere {
    let center = bounds.center();
    let half = |k: usize| (bounds.max[k] - center[k]).max(center[k] - bounds.min[k]);
    let [x, y, z] = [half(0), half(1), half(2)];
    // Scaled, so that no square is too large or too small for a number.
    let scale = x.max(y).max(z).max(f64::MIN_POSITIVE);
    let sum: f64 = [x, y, z].iter().map(|side| (side / scale) * (side / scale)).sum();
    Sphere { center, radius: sum.sqrt() * scale * (1.0 + 8.0 * f64::EPSILON) }
}
