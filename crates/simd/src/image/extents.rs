//! Extents of runs of faces, and of the faces of a run.

use super::{Extent, FAR, NOTHING, SIGNS, View, facing};
use crate::faces::ranges::Run;
use crate::lanes::Lanes4;
#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};

/// Extents with the names of what they are around.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extents {
    /// The boxes.
    pub extents: Vec<Extent>,
    /// Their names, in the same order.
    pub names: Vec<u32>,
}

/// Of some extents, each cut off where another ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The extent around them.
    pub hull: Extent,
    /// Their sum, lane by lane.
    pub sum: Extent,
}

impl Extents {
    /// None any more.
    pub fn clear(&mut self) {
        self.extents.clear();
        self.names.clear();
    }

    /// Adds one.
    #[inline(always)]
    pub fn push(&mut self, extent: Extent, name: u32) {
        self.extents.push(extent);
        self.names.push(name);
    }

    /// The extent around all.
    pub fn hull(&self) -> Extent {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { self.hull_avx2() };
        }
        self.hull_any::<Scalar8>()
    }

    /// Leaves out what does not overlap an extent; tells of the rest what is within it.
    pub fn keep_within(&mut self, within: &Extent) -> Summary {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { self.keep_within_avx2(within) };
        }
        self.keep_within_any::<Scalar8>(within)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn hull_avx2(&self) -> Extent {
        self.hull_any::<Avx8>()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn keep_within_avx2(&mut self, within: &Extent) -> Summary {
        self.keep_within_any::<Avx8>(within)
    }

    #[inline(always)]
    fn hull_any<L: Lanes8>(&self) -> Extent {
        let mut hull = L::load(&NOTHING);
        for extent in &self.extents {
            hull = hull.min(L::load(extent));
        }
        hull.store()
    }

    #[inline(always)]
    fn keep_within_any<L: Lanes8>(&mut self, within: &Extent) -> Summary {
        let (most, within) = (L::load(&facing(within)), L::load(within));
        let (mut hull, mut sum) = (L::load(&NOTHING), L::splat(0.0));
        let mut kept = 0;
        for i in 0..self.names.len() {
            let extent = L::load(&self.extents[i]);
            if extent.le(most) == 0xff {
                let clipped = extent.max(within);
                (hull, sum) = (hull.min(clipped), sum.add(clipped));
                self.extents[kept] = extent.store();
                self.names[kept] = self.names[i];
                kept += 1;
            }
        }
        self.extents.truncate(kept);
        self.names.truncate(kept);
        Summary { hull: hull.store(), sum: sum.store() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// Finds the extents of some of the points, not grown, and tells the extent around them, grown by what the
/// view grants.
///
/// # Panics
/// If one of them is not there, or if there are fewer places for extents than points.
#[inline]
pub fn see(view: &View, points: &[[f64; 3]], ids: &[u32], seen: &mut [Extent]) -> Extent {
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { see_avx2(view, points, ids, seen) };
    }
    see_any::<Scalar8>(view, points, ids, seen)
}

/// The extent around some points, grown by what the view grants.
#[inline]
pub fn around(view: &View, points: &[[f64; 3]]) -> Extent {
    let eye = Eye::<Scalar8>::of(view);
    let all = points.iter().fold(Scalar8::load(&NOTHING), |all, point| all.min(eye.see(point)));
    all.sub(Scalar8::splat(view.grant)).store()
}

/// Adds the extents of those faces of a run that overlap `within`, given those of its vertices, and how
/// much they are to be grown.
///
/// # Panics
/// If a face names a vertex that is not there.
#[inline]
pub fn of_faces(
    (seen, run): (&[Extent], &Run<'_>),
    grant: f32,
    within: &Extent,
    out: &mut Extents,
) {
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        unsafe {
            of_faces_avx2((seen, run), grant, within, out);
        }
        return;
    }
    of_faces_any::<Scalar8>((seen, run), grant, within, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn see_avx2(view: &View, points: &[[f64; 3]], ids: &[u32], seen: &mut [Extent]) -> Extent {
    see_any::<Avx8>(view, points, ids, seen)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn of_faces_avx2(
    (seen, run): (&[Extent], &Run<'_>),
    grant: f32,
    within: &Extent,
    out: &mut Extents,
) {
    of_faces_any::<Avx8>((seen, run), grant, within, out);
}

/// A view in registers.
#[derive(Clone, Copy)]
struct Eye<L: Lanes8> {
    centre: [L::Wide; 3],
    columns: [L::Wide; 3],
    signs: L,
    far: L,
    near: L,
}

impl<L: Lanes8> Eye<L> {
    #[inline(always)]
    fn of(view: &View) -> Self {
        let [x, y, z] = view.centre;
        let [i, j, k] = &view.columns;
        Self {
            centre: [L::Wide::splat(x), L::Wide::splat(y), L::Wide::splat(z)],
            columns: [L::Wide::load(i), L::Wide::load(j), L::Wide::load(k)],
            signs: L::load(&SIGNS),
            far: L::splat(FAR),
            near: L::splat(-FAR),
        }
    }

    /// The extent of a point, not grown.
    #[inline(always)]
    fn see(&self, point: &[f64; 3]) -> L {
        let along = |k: usize| L::Wide::splat(point[k]).sub(self.centre[k]).mul(self.columns[k]);
        let place = along(0).add(along(1)).add(along(2));
        L::twice(place).min(self.far).max(self.near).mul(self.signs)
    }
}

#[inline(always)]
fn see_any<L: Lanes8>(
    view: &View,
    points: &[[f64; 3]],
    ids: &[u32],
    seen: &mut [Extent],
) -> Extent {
    let eye = Eye::<L>::of(view);
    // Two chains, so that one need not wait for the other.
    let (mut one, mut other) = (L::load(&NOTHING), L::load(&NOTHING));
    let (twos, rest) = ids.as_chunks::<2>();
    let (seen_twos, seen_rest) = seen.split_at_mut(2 * twos.len());
    for (&[i, j], seen) in twos.iter().zip(seen_twos.as_chunks_mut::<2>().0) {
        let [u, v] = [eye.see(&points[i as usize]), eye.see(&points[j as usize])];
        (seen[0], seen[1]) = (u.store(), v.store());
        (one, other) = (one.min(u), other.min(v));
    }
    for (&id, seen) in rest.iter().zip(seen_rest) {
        let last = eye.see(&points[id as usize]);
        *seen = last.store();
        one = one.min(last);
    }
    one.min(other).sub(L::splat(view.grant)).store()
}

#[inline(always)]
fn of_faces_any<L: Lanes8>(
    (seen, run): (&[Extent], &Run<'_>),
    grant: f32,
    within: &Extent,
    out: &mut Extents,
) {
    let (grant, most) = (L::splat(grant), L::load(&facing(within)));
    for (faces, places) in run.faces.chunks(8).zip(run.corners) {
        for (lane, &name) in faces.iter().enumerate() {
            let [a, b, c] = [places[0][lane], places[1][lane], places[2][lane]];
            let [a, b, c] = [&seen[usize::from(a)], &seen[usize::from(b)], &seen[usize::from(c)]];
            let extent = L::load(a).min(L::load(b)).min(L::load(c)).sub(grant);
            if extent.le(most) == 0xff {
                out.push(extent.store(), name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::overlap;
    use super::*;
    use proptest::prelude::*;

    fn view() -> impl Strategy<Value = View> {
        let column = prop::array::uniform3(-1.0..1.0f64).prop_map(|[u, v, w]| [u, v, w, 0.0]);
        (prop::array::uniform3(-2.0..2.0f64), prop::array::uniform3(column), 0.0..0.1f32)
            .prop_map(|(centre, columns, grant)| View { centre, columns, grant })
    }

    proptest! {
        #[test]
        fn both_forms_agree_and_hold_every_corner(
            view in view(),
            points in prop::collection::vec(prop::array::uniform3(-3.0..3.0f64), 3..50),
            corners in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..65),
        ) {
            let vertices: Vec<u32> = (0..points.len() as u32).rev().collect();
            let mut places = vec![[[0; 8]; 3]; corners.len().div_ceil(8)];
            for (i, three) in corners.iter().enumerate() {
                for k in 0..3 {
                    places[i / 8][k][i % 8] = three[k].index(points.len()) as u8;
                }
            }
            let faces: Vec<u32> = (0..corners.len() as u32).map(|i| 7 * i).collect();
            let run = Run { vertices: &vertices, corners: &places, faces: &faces };
            let (mut seen, mut same) = (vec![NOTHING; points.len()], vec![NOTHING; points.len()]);
            let all = see(&view, &points, &vertices, &mut seen);
            prop_assert_eq!(all, see_any::<Scalar8>(&view, &points, &vertices, &mut same));
            prop_assert_eq!(&seen, &same);
            let (mut wide, mut twin) = (Extents::default(), Extents::default());
            of_faces((&seen, &run), view.grant, &all, &mut wide);
            of_faces_any::<Scalar8>((&seen, &run), view.grant, &all, &mut twin);
            prop_assert_eq!(&wide, &twin);
            prop_assert_eq!(&wide.names, &faces);
            for (extent, three) in wide.extents.iter().zip(&corners) {
                for corner in three {
                    let one = seen[corner.index(points.len())];
                    prop_assert!((0..8).all(|lane| extent[lane] <= one[lane]));
                    prop_assert!((0..8).all(|lane| all[lane] <= extent[lane]));
                }
            }
            let part = wide.extents[0];
            let mut near = Extents::default();
            of_faces((&seen, &run), view.grant, &part, &mut near);
            let expected = wide.extents.iter().filter(|one| overlap(one, &part)).count();
            prop_assert_eq!(near.len(), expected);
            let mut twin = wide.clone();
            prop_assert_eq!(wide.hull(), twin.hull_any::<Scalar8>());
            let summary = wide.keep_within(&part);
            prop_assert_eq!(summary, twin.keep_within_any::<Scalar8>(&part));
            prop_assert_eq!(&wide, &twin);
            prop_assert_eq!(&wide, &near);
            for extent in &wide.extents {
                let clipped = super::super::common(extent, &part);
                prop_assert!((0..8).all(|lane| summary.hull[lane] <= clipped[lane]));
            }
        }
    }
}
