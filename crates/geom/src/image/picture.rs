//! What the engine sees of two bodies, for people: which bins of depth each reaches in the pixels over what
//! both reach, which faces were left for the exact test, and which of them meet.

use super::winnow::{outline, shrink};
use super::{Direction, Image, Look};
use crate::Point;
use crate::aabb::Aabb;
use crate::face_cells::{Ask, Side};
use glam::DVec3;
use impinge_simd::image::extents::{Extents, around, of_faces, see};
use impinge_simd::image::grid::{Bins, PIXELS_MAX, Raster};
use impinge_simd::image::{Extent, NOTHING, View};

/// Bins of depth per pixel.
pub const BINS: u16 = 64;
/// Pixels along the longer side where no resolution was asked for: what people can look at.
const PIXELS: u16 = 256;

/// A picture of two bodies. Pixels come row by row from the top, in each the lowest bit is what is nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels from left to right.
    pub width: u16,
    /// Pixels from top to bottom.
    pub height: u16,
    /// The bins that each body may reach. Where no pixel has a bin in common, nothing meets.
    pub seen: [Vec<u64>; 2],
    /// The bins of those faces that were left for the exact test.
    pub left: [Vec<u64>; 2],
    /// The bins of those faces that meet one of the other body.
    pub met: [Vec<u64>; 2],
    /// How many faces of each body were left for the exact test.
    pub faces_left: [usize; 2],
    /// How many pairs of faces meet.
    pub hits: usize,
    /// Which ways in the world lead to the right, down and away, each of length one.
    pub frame: [Point; 3],
    /// Where in the world the nearest corner at the top left is.
    pub corner: Point,
    /// How wide, high and deep it is in the world.
    pub size: Point,
}

/// What is known of a face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Seen,
    Left,
    Met,
}

/// Faces that may be in a picture, and what is known of all of them.
struct Faces<'a> {
    side: &'a Side<'a>,
    extents: Extents,
    parts: Vec<Part>,
}

impl Image {
    /// Looks at two meshes as [`Image::search`] does, and makes a picture along the same direction. None if
    /// the boxes around them share nothing.
    ///
    /// It is as fine as the look says, or else as people like it; the search is as it always is.
    pub fn picture(&mut self, sides: [&Side<'_>; 2], look: &Look<'_>) -> Option<Picture> {
        let region = sides[0].bounds.intersection(sides[1].bounds);
        if region.is_empty() {
            return None;
        }
        let ask = Ask { first_only: false, units: u64::MAX, is_over: &|| false };
        let (_, direction) = self.search(sides, look, &ask);
        let direction = direction.unwrap_or_else(|| Direction::longest(&region));
        let view = direction.view(&region, &sides[0].bounds.union(sides[1].bounds));
        let within = around(&view, &corners(&region));
        let mut faces = sides.map(|side| Faces::of(side, &view, &within));
        for (k, one) in faces.iter_mut().enumerate() {
            self.faces[k].names.iter().for_each(|&face| one.parts[face as usize] = Part::Left);
            self.hits.iter().for_each(|pair| one.parts[pair[k] as usize] = Part::Met);
        }
        // Along this direction there may be room between them; then all is shown that they might share.
        let mut both = faces.each_ref().map(|one| one.extents.clone());
        let shown = shrink(&mut both).map_or(within, |(shown, _)| shown);
        for one in &mut faces {
            one.extents.keep_within(&shown);
        }
        let raster = raster(&shown, look.resolution.unwrap_or(PIXELS));
        let drawn = |from: Part| faces.each_ref().map(|one| one.draw(&view, &raster, from));
        let (frame, corner, size) = world(&view, &shown);
        Some(Picture {
            width: raster.last[0] + 1,
            height: raster.last[1] + 1,
            seen: drawn(Part::Seen),
            left: drawn(Part::Left),
            met: drawn(Part::Met),
            faces_left: self.faces.each_ref().map(Extents::len),
            hits: self.hits.len(),
            frame,
            corner,
            size,
        })
    }
}

fn corners(region: &Aabb) -> [Point; 8] {
    std::array::from_fn(|i| {
        std::array::from_fn(|k| if i >> k & 1 == 0 { region.min[k] } else { region.max[k] })
    })
}

/// Square pixels, so many along the longer side.
fn raster(shown: &Extent, resolution: u16) -> Raster {
    let [width, height] = [0, 1].map(|k| f64::from(-shown[k + 4]) - f64::from(shown[k]));
    let most = f64::from(resolution.clamp(1, PIXELS_MAX));
    // Of what is only a line away, no number is the quotient; one pixel shows all of it.
    let count = |side: f64| (most * side / width.max(height)).ceil().max(1.0).min(most) as u16;
    Raster::of(shown, [count(width), count(height), BINS])
}

/// Where in the world what is shown lies: its directions, its nearest corner at the top left, its size.
fn world(view: &View, shown: &Extent) -> ([Point; 3], Point, Point) {
    let row = |k: usize| DVec3::from(view.columns.map(|column| column[k]));
    let scale = row(0).length();
    let frame = [row(0), row(1), row(2)].map(|row| row / scale);
    let corner = (0..3).fold(DVec3::from(view.centre), |corner, k| {
        corner + frame[k] * (f64::from(shown[k]) / scale)
    });
    let size = |k: usize| (f64::from(-shown[k + 4]) - f64::from(shown[k])) / scale;
    (frame.map(|way| way.to_array()), corner.to_array(), [size(0), size(1), size(2)])
}

impl<'a> Faces<'a> {
    fn of(side: &'a Side<'a>, view: &View, within: &Extent) -> Self {
        let mut extents = Extents::default();
        let mut seen = Vec::new();
        for run in (0..side.boxes.len() as u32).map(|run| side.layout.run(run)) {
            seen.resize(run.vertices.len(), NOTHING);
            see(view, side.points, run.vertices, &mut seen);
            of_faces((&seen, &run), view.grant, within, &mut extents);
        }
        Self { side, extents, parts: vec![Part::Seen; side.triangles.len()] }
    }

    /// The bins of the faces of which at least so much is known.
    fn draw(&self, view: &View, raster: &Raster, from: Part) -> Vec<u64> {
        let (mut cells, mut bins) = (Vec::new(), Bins::default());
        raster.cells(&self.extents.extents, &mut cells);
        bins.begin(raster);
        for (cells, &face) in cells.iter().zip(&self.extents.names) {
            if self.parts[face as usize] < from {
                continue;
            }
            if cells[4] - cells[0] <= 1 && cells[5] - cells[1] <= 1 {
                bins.draw(cells);
            } else {
                outline(self.side, face, (view, raster)).draw(cells, &mut bins);
            }
        }
        let [last_x, last_y, _] = raster.last.map(usize::from);
        let rows = (0..=last_y).flat_map(|y| (0..=last_x).map(move |x| (x, y)));
        rows.map(|(x, y)| bins.get(x, y)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::touch;
    use crate::face_cells::Layout;
    use crate::mesh::Mesh;

    /// A wavy sheet of so many squares along a side, about a place.
    fn sheet(count: u32, [x, y, z]: Point, turned: bool) -> Mesh {
        let at = |i: u32, j: u32| {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(count) - 0.5);
            let w = 0.1 * (9.0 * u).sin() * (7.0 * v).cos();
            if turned { [x + u, y + w, z + v] } else { [x + u, y + v, z + w] }
        };
        let points = (0..=count).flat_map(|i| (0..=count).map(move |j| at(i, j))).collect();
        let corner = |i: u32, j: u32| i * (count + 1) + j;
        let squares = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let halves = squares.flat_map(|(i, j)| {
            let [a, b, c, d] =
                [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        Mesh::new(points, halves.collect()).expect("a sheet")
    }

    fn picture(meshes: [&Mesh; 2], resolution: Option<u16>) -> Option<(Picture, Vec<[u32; 2]>)> {
        let layouts = meshes.map(Layout::of);
        let boxes = [0, 1].map(|k| {
            let mut boxes = Vec::new();
            layouts[k].boxes(meshes[k].vertices(), &mut boxes);
            boxes
        });
        let bounds = meshes.map(Mesh::bounds);
        let sides = [0, 1].map(|k: usize| Side {
            points: meshes[k].vertices(),
            triangles: meshes[k].triangles(),
            boxes: &boxes[k],
            bounds: &bounds[k],
            layout: &layouts[k],
        });
        let mut image = Image::default();
        let found = image.picture(sides.each_ref(), &Look { resolution, ..Look::default() });
        found.map(|picture| (picture, image.hits().to_vec()))
    }

    /// The pixel and the bin of a point of the world.
    fn place(picture: &Picture, point: Point) -> (usize, u32) {
        let way = DVec3::from(point) - DVec3::from(picture.corner);
        let count = [picture.width, picture.height, BINS];
        let [x, y, bin] = [0, 1, 2].map(|k| {
            let part = way.dot(DVec3::from(picture.frame[k])) / picture.size[k];
            (part * f64::from(count[k])).clamp(0.0, f64::from(count[k] - 1)) as usize
        });
        (y * usize::from(picture.width) + x, bin as u32)
    }

    #[test]
    fn what_meets_is_in_the_picture_where_it_is_in_the_world() {
        for resolution in [None, Some(8), Some(100), Some(1024)] {
            let meshes = [sheet(20, [0.0; 3], false), sheet(17, [0.02, 0.01, 0.03], true)];
            let (picture, hits) = picture([&meshes[0], &meshes[1]], resolution).expect("they meet");
            assert!(picture.hits == hits.len() && hits.len() > 20);
            let (width, height) = (usize::from(picture.width), usize::from(picture.height));
            assert_eq!(width.max(height), usize::from(resolution.unwrap_or(PIXELS)));
            for pair in hits {
                let [a, b] = [0, 1].map(|k| meshes[k].triangle(pair[k]));
                let (pixel, bin) = place(&picture, touch(&a, &b).expect("they meet").center);
                for k in 0..2 {
                    assert!(picture.met[k][pixel] >> bin & 1 == 1, "{resolution:?} {pair:?}");
                }
            }
            for k in 0..2 {
                assert_eq!(picture.seen[k].len(), width * height);
                for i in 0..width * height {
                    assert_eq!(picture.met[k][i] & !picture.left[k][i], 0);
                    assert_eq!(picture.left[k][i] & !picture.seen[k][i], 0);
                }
            }
        }
    }

    #[test]
    fn what_is_free_is_seen_to_be() {
        let meshes = [sheet(20, [0.0; 3], false), sheet(20, [0.0, 0.0, 0.15], false)];
        let (picture, hits) = picture([&meshes[0], &meshes[1]], None).expect("boxes overlap");
        assert!(hits.is_empty() && picture.faces_left == [0, 0]);
        let seen = picture.seen.each_ref().map(|of| of.iter().filter(|bins| **bins != 0).count());
        assert!(seen.iter().all(|count| 5 * count > picture.seen[0].len()), "{seen:?}");
        let common = picture.seen[0].iter().zip(&picture.seen[1]).filter(|(a, b)| *a & *b != 0);
        assert_eq!(common.count(), 0);
    }

    #[test]
    fn what_is_flat_has_a_pixel() {
        let line = [0.5, 0.5, -1.0, 0.0, -0.5, -0.5, -1.0, 0.0];
        assert_eq!(raster(&line, 256).last, [0, 0, BINS - 1]);
        let wide = [-1.0, 0.5, -1.0, 0.0, -1.0, -0.5, -1.0, 0.0];
        assert_eq!(raster(&wide, 256).last, [255, 0, BINS - 1]);
    }

    #[test]
    fn there_is_none_of_what_is_far_apart() {
        let meshes = [sheet(3, [0.0; 3], false), sheet(3, [9.0; 3], false)];
        assert!(picture([&meshes[0], &meshes[1]], None).is_none());
    }
}
