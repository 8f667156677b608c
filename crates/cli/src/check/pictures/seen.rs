//! Pictures of engine `image`: the depth of both bodies, what they have in common, and what meets.

use super::{BACKGROUND, Color, DEPTHS_A, DEPTHS_B, Legend, More, Placed, Sheet, Shot, mix};
use crate::check::line::Verdict;
use impinge::prelude::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::face_cells::{Ends, Layout, Side};
use impinge_geom::image::picture::{BINS, Picture};
use impinge_geom::image::{Image, Look};
use serde::Serialize;

const COMMON: Color = [52, 142, 120];
const LEFT: Color = [250, 204, 60];
const MET: Color = [226, 44, 44];

/// The engine's eye.
pub(super) struct Seen {
    pub(super) image: Image,
    /// Pixels along the longer side, if the engine was told.
    pub(super) resolution: Option<u16>,
}

/// Where a picture is in the world, and what came of it.
#[derive(Serialize)]
pub(super) struct Facts {
    bins_of_depth: u16,
    /// Ways of length one.
    right: Point,
    down: Point,
    away: Point,
    /// The nearest corner at the top left.
    corner: Point,
    /// How wide, high and deep it is.
    size: Point,
    /// Of each body, for the exact test.
    faces_left: [usize; 2],
    /// Left out where the verdict is unknown: a picture has no budget, so this would be another answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs_that_meet: Option<usize>,
}

/// A body as the engine has it.
struct Body<'a> {
    placed: &'a Placed,
    points: Vec<Point>,
    boxes: Vec<Ends>,
    bounds: Aabb,
    layout: Layout,
}

impl<'a> Body<'a> {
    fn of(placed: &'a Placed) -> Self {
        let Placed { mesh, pose } = placed;
        let points: Vec<Point> = mesh.vertices().iter().map(|vertex| pose.apply(vertex)).collect();
        let (layout, mut boxes) = (Layout::of(mesh), Vec::new());
        layout.boxes(&points, &mut boxes);
        let around = boxes.iter().map(|&[min, max]| Aabb { min, max });
        let bounds = around.fold(Aabb::EMPTY, |all, one| all.union(&one));
        Self { placed, points, boxes, bounds, layout }
    }

    fn side(&self) -> Side<'_> {
        let Self { placed, points, boxes, bounds, layout } = self;
        Side { points, triangles: placed.mesh.triangles(), boxes, bounds, layout }
    }
}

impl Seen {
    /// The picture of two bodies that got a verdict, if they reach a part of space in common.
    pub(super) fn shoot<'n>(
        &mut self,
        (bodies, verdict): ([&Placed; 2], Verdict),
        blank: impl Fn(More) -> Legend<'n>,
    ) -> Vec<Shot<'n>> {
        let [a, b] = bodies.map(Body::of);
        let look = Look { resolution: self.resolution, ..Look::default() };
        let picture = self.image.picture([&a.side(), &b.side()], &look);
        let shot = |picture: Picture| {
            let pixels = [picture.width, picture.height].map(u32::from);
            let sheet = Sheet::of(3, pixels, |panel, i| match panel {
                0 => depth(picture.seen[0][i], DEPTHS_A),
                1 => depth(picture.seen[1][i], DEPTHS_B),
                _ => both(&picture, i),
            });
            let legend = Legend {
                panels: vec![
                    "depth of a, near is bright",
                    "depth of b, near is bright",
                    "both, and what they have in common",
                ],
                colours: colours(),
                pixels,
                ..blank(More::Image(Facts::of(&picture, verdict)))
            };
            Shot { suffix: String::new(), sheet, legend }
        };
        picture.map(shot).into_iter().collect()
    }
}

impl Facts {
    fn of(picture: &Picture, verdict: Verdict) -> Self {
        let [right, down, away] = picture.frame;
        Self {
            bins_of_depth: BINS,
            right,
            down,
            away,
            corner: picture.corner,
            size: picture.size,
            faces_left: picture.faces_left,
            pairs_that_meet: Some(picture.hits).filter(|_| verdict != Verdict::Unknown),
        }
    }
}

fn colours() -> Vec<(&'static str, Color)> {
    vec![
        ("nothing", BACKGROUND),
        ("a, nearest", DEPTHS_A[1]),
        ("a, farthest", DEPTHS_A[0]),
        ("b, nearest", DEPTHS_B[1]),
        ("b, farthest", DEPTHS_B[0]),
        ("a bin of depth in common", COMMON),
        ("faces for the exact test", LEFT),
        ("faces that meet", MET),
    ]
}

/// The nearest of some bins.
fn depth(bins: u64, [far, near]: [Color; 2]) -> Color {
    if bins == 0 {
        return BACKGROUND;
    }
    mix(near, far, f64::from(bins.trailing_zeros()) / f64::from(BINS - 1))
}

fn both(picture: &Picture, i: usize) -> Color {
    let [a, b] = [0, 1].map(|k| picture.seen[k][i]);
    // What meets shares a bin; faces that meet something elsewhere may be in one pixel at other depths.
    if picture.met[0][i] & picture.met[1][i] != 0 {
        MET
    } else if a & b != 0 {
        COMMON
    } else if picture.left[0][i] | picture.left[1][i] != 0 {
        LEFT
    } else {
        let pale = match (a, b) {
            (0, _) => depth(b, DEPTHS_B),
            (_, 0) => depth(a, DEPTHS_A),
            _ => mix(depth(a, DEPTHS_A), depth(b, DEPTHS_B), 0.5),
        };
        mix(pale, BACKGROUND, 0.6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_what_the_legend_says() {
        let picture = Picture {
            width: 5,
            height: 1,
            seen: [vec![1, 1, 1, 3, 3], vec![2, 2, 2, 2, 2]],
            left: [vec![0, 1, 0, 1, 3], vec![0, 0, 2, 2, 2]],
            met: [vec![0, 0, 0, 1, 2], vec![0, 0, 0, 2, 2]],
            faces_left: [1, 1],
            hits: 1,
            frame: [[0.0; 3]; 3],
            corner: [0.0; 3],
            size: [1.0; 3],
        };
        let [near, left, also, common, met] = [0, 1, 2, 3, 4].map(|i| both(&picture, i));
        assert!(![LEFT, COMMON, MET].contains(&near));
        assert_eq!([left, also, common, met], [LEFT, LEFT, COMMON, MET]);
    }
}
