//! Depth maps and counters of the graphics processor are those of the processor, but for pixels near edges and
//! depths near each other, each of which is checked to be so; and so are verdicts away from those.

use crate::duel::{Couple, ask, job, sample};
use crate::gpu;
use crate::random::Random;
use impinge::narrow::r98::{R98, Settings};
use impinge::prelude::*;
use impinge_geom::recode::render::{
    Counts, Depths, Drawing, Keep, Rect, Renderer as _, SetZ, Size, TestZ,
};
use impinge_geom::recode::software::Software;
use impinge_gpu::device::Gpu;
use impinge_gpu::renderer::Renderer;

/// A closed convex block in image coordinates.
struct Block {
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Block {
    /// An ellipsoid or a box, turned, of so many pixels.
    fn new(random: &mut Random, name: &str, (middle, radius): ([f64; 3], f64)) -> Self {
        let mesh = sample(name);
        let turn = Pose::new(random.quaternion(), [0.0; 3]).expect("a rotation");
        let stretch: [f64; 3] = std::array::from_fn(|_| 0.1 + 0.9 * random.unit());
        let place = |p: &Point| {
            let q = turn.apply(&std::array::from_fn(|k| p[k] * stretch[k]));
            let [x, y] = [0, 1].map(|k| (middle[k] + radius * q[k]) as f32);
            [x, y, (middle[2] + 0.3 * q[2]) as f32]
        };
        let points = mesh.vertices().iter().map(place).collect();
        Self { points, triangles: mesh.triangles().to_vec() }
    }

    fn drawing(&self) -> Drawing<'_> {
        Drawing { points: &self.points, triangles: &self.triangles }
    }

    fn faces(&self) -> impl Iterator<Item = [[f64; 3]; 3]> {
        self.triangles.iter().map(|t| t.map(|k| self.points[k as usize].map(f64::from)))
    }

    /// Whether the centre of a pixel is within a distance of an edge.
    fn is_near_edge(&self, at: [f64; 2], band: f64) -> bool {
        self.faces().any(|face| {
            (0..3).any(|k| {
                let ([ax, ay, _], [bx, by, _]) = (face[k], face[(k + 1) % 3]);
                let (dx, dy) = (bx - ax, by - ay);
                let along =
                    ((at[0] - ax) * dx + (at[1] - ay) * dy) / (dx * dx + dy * dy).max(1e-300);
                let t = along.clamp(0.0, 1.0);
                (ax + t * dx - at[0]).hypot(ay + t * dy - at[1]) <= band
            })
        })
    }

    /// The depths of faces over a pixel, and how much they change if a face is moved by the band.
    fn depths(&self, at: [f64; 2], band: f64) -> Vec<[f64; 2]> {
        let depth = |[a, b, c]: [[f64; 3]; 3]| {
            let [u, v] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
            let w = [at[0] - a[0], at[1] - a[1]];
            let area = u[0] * v[1] - u[1] * v[0];
            let [s, t] = [(w[0] * v[1] - w[1] * v[0]) / area, (u[0] * w[1] - u[1] * w[0]) / area];
            let is_over = area != 0.0 && s >= 0.0 && t >= 0.0 && s + t <= 1.0;
            let steep = ((u[2] * v[1] - u[1] * v[2]) / area).abs()
                + ((u[0] * v[2] - u[2] * v[0]) / area).abs();
            is_over.then_some([a[2] + s * u[2] + t * v[2], steep * band])
        };
        self.faces().filter_map(depth).collect()
    }
}

/// How often something was compared, and how often it differed.
#[derive(Debug, Default)]
struct Tally {
    pixels: usize,
    masks: usize,
    depths: usize,
    counts: usize,
}

struct Trial<'a> {
    blocks: [&'a Block; 2],
    /// Of edges, in pixels, and of depths.
    band: [f64; 2],
    tally: &'a mut Tally,
}

impl Trial<'_> {
    fn maps(&mut self, ours: &Depths, theirs: &Depths) {
        let width = ours.size.width as usize;
        for pixel in 0..ours.mask.len() {
            self.tally.pixels += 1;
            let at = [pixel % width, pixel / width].map(|x| x as f64 + 0.5);
            let a = self.blocks[0];
            if ours.mask[pixel] != theirs.mask[pixel] {
                self.tally.masks += 1;
                assert!(a.is_near_edge(at, self.band[0]), "{at:?}");
            } else if ours.mask[pixel] == 1 && ours.depth[pixel] != theirs.depth[pixel] {
                self.tally.depths += 1;
                let off = f64::from((ours.depth[pixel] - theirs.depth[pixel]).abs());
                let over = a.depths(at, self.band[0]);
                let most = over.iter().fold(0.0f64, |most, depth| most.max(depth[1]));
                assert!(
                    off <= most + self.band[1] || a.is_near_edge(at, self.band[0]),
                    "{at:?}: {off} {most}"
                );
            }
        }
    }

    fn counts(&mut self, ours: (&Depths, &Counts), theirs: (&Depths, &Counts)) {
        let (over, width) = (ours.1.over, ours.1.over.size().width);
        assert_eq!((over, ours.1.count.len()), (theirs.1.over, theirs.1.count.len()));
        for (i, (one, other)) in ours.1.count.iter().zip(&theirs.1.count).enumerate() {
            let [x, y] = [i as u32 % width + over.min[0], i as u32 / width + over.min[1]];
            let pixel = (y * ours.0.size.width + x) as usize;
            if one == other || ours.0.mask[pixel] != theirs.0.mask[pixel] {
                continue;
            }
            self.tally.counts += 1;
            let at = [f64::from(x) + 0.5, f64::from(y) + 0.5];
            let [a, b] = self.blocks;
            let map = f64::from(ours.0.depth[pixel]);
            let steep_a = a.depths(at, self.band[0]).iter().fold(0.0f64, |most, d| most.max(d[1]));
            let close = |[z, steep]: &[f64; 2]| {
                (z.clamp(0.0, 1.0) - map).abs() <= steep + steep_a + 2.0 * self.band[1]
            };
            let explained = b.depths(at, self.band[0]).iter().any(close)
                || self.blocks.iter().any(|block| block.is_near_edge(at, self.band[0]));
            assert!(explained, "{at:?}: {one} {other}");
        }
    }
}

const KINDS: [&str; 3] = ["sphere?faces=320", "box", "sphere?faces=80"];

#[test]
fn pictures_differ_only_within_rounding() {
    let Some(gpu) = gpu() else { return };
    let renderer = Renderer::new(&gpu).expect("it has a stencil");
    let slack = renderer.slack();
    // A corner that is moved along x and y moves an edge by up to the diagonal.
    let band = [1.5 * slack.pixels, slack.depth];
    let mut random = Random(12);
    let mut tally = Tally::default();
    for trial in 0..60 {
        let size = [[16, 16], [64, 40], [150, 200], [257, 31]][trial % 4];
        let size = Size { width: size[0], height: size[1] };
        let middle = |random: &mut Random| {
            [
                0.5 * f64::from(size.width),
                0.5 * f64::from(size.height),
                0.5 + 0.2 * random.symmetric(),
            ]
        };
        let radius = 0.6 * f64::from(size.width.min(size.height));
        // The last are far larger than the image, and reach beyond all depths.
        let radius = if trial % 10 == 9 { 20.0 * radius } else { radius };
        let blocks: Vec<Block> = (0..3)
            .map(|k| {
                let place = (middle(&mut random), radius);
                Block::new(&mut random, KINDS[(trial + k) % 3], place)
            })
            .collect();
        let keep = [Keep::Farthest, Keep::Nearest][trial % 2];
        let sets: Vec<SetZ<'_>> =
            blocks.iter().map(|block| SetZ { drawing: block.drawing(), size, keep }).collect();
        let (theirs, ours) = (renderer.set_z(&sets), Software.set_z(&sets));
        let over = Rect { min: [size.width / 4, 3], max: [size.width, size.height - 2] };
        for (a, b) in [(0, 1), (1, 2), (0, 2), (1, 0)] {
            let read = renderer.read(&theirs[a]);
            let [one, other] = [&blocks[a], &blocks[b]];
            let mut trial = Trial { blocks: [one, other], band, tally: &mut tally };
            trial.maps(&ours[a], &read);
            let drawing = other.drawing();
            let on_gpu = renderer.test_z(&[TestZ { drawing, map: &theirs[a], over }]).remove(0);
            let here = Software.test_z(&[TestZ { drawing, map: &ours[a], over }]).remove(0);
            trial.counts((&ours[a], &here), (&read, &on_gpu));
        }
    }
    assert!(renderer.drawn() > 400 && gpu.is_sound(), "{} {:?}", renderer.drawn(), gpu.fault());
    let Tally { pixels, masks, counts, .. } = tally;
    assert!(pixels > 2_000_000, "{tally:?}");
    // Few enough that the bands were not all that was looked at.
    assert!(masks * 1000 < pixels && counts * 1000 < pixels, "{tally:?}");
}

#[test]
fn counters_stay_where_they_are_full_and_tests_leave_maps_alone() {
    let Some(gpu) = gpu() else { return };
    let renderer = Renderer::new(&gpu).expect("it has a stencil");
    let size = Size { width: 4, height: 4 };
    let points = [[-9.0, -9.0, 0.5], [9.0, -9.0, 0.5], [-9.0, 20.0, 0.5], [9.0, 20.0, 0.5]];
    let whole = [[0, 1, 2], [1, 2, 3]];
    let drawing = Drawing { points: &points, triangles: &whole };
    let map = renderer.set_z(&[SetZ { drawing, size, keep: Keep::Farthest }]).remove(0);
    let before = renderer.read(&map);
    assert!(before.mask.iter().all(|mask| *mask == 1));
    let many = vec![whole; 300].concat();
    let over = Rect { min: [1, 0], max: [3, 4] };
    let test = |triangles: &[[u32; 3]]| {
        let drawing = Drawing { points: &points, triangles };
        renderer.test_z(&[TestZ { drawing, map: &map, over }]).remove(0).count
    };
    assert!(test(&many).iter().all(|count| *count >= 127));
    assert_eq!(test(&whole), [1; 8]);
    assert_eq!(test(&[]), [0; 8]);
    assert_eq!(renderer.read(&map), before);
}

#[test]
fn what_cannot_be_drawn_there_is_drawn_here() {
    if gpu().is_none() {
        return;
    }
    let own = Gpu::open().expect("there is one");
    let renderer = Renderer::new(&own).expect("it has a stencil");
    let size = Size { width: 8, height: 6 };
    let far = [[-1e9, -1e9, -4.0], [1e9, -1e9, -4.0], [0.0, 1e9, 5.0]];
    let near = [[0.3, 0.2, 0.1], [7.0, 1.0, 0.9], [2.0, 5.0, 0.4]];
    let set = |points| {
        let drawing = Drawing { points, triangles: &[[0, 1, 2]] };
        SetZ { drawing, size, keep: Keep::Farthest }
    };
    let sets = [set(&far), set(&near)];
    let maps = renderer.set_z(&sets);
    let here = Software.set_z(&sets);
    assert_eq!((renderer.read(&maps[0]), renderer.drawn()), (here[0].clone(), 1));
    own.give_up("a test");
    let over = Rect { min: [0; 2], max: [8, 6] };
    // The same face, a little nearer: no rounding decides.
    let nearer = near.map(|[x, y, z]| [x, y, z - 0.01]);
    let drawing = Drawing { points: &nearer, triangles: &[[0, 1, 2]] };
    let counts = renderer.test_z(&[TestZ { drawing, map: &maps[1], over }]);
    assert_eq!(renderer.drawn(), 1);
    assert_eq!(counts[0].count, renderer.read(&maps[1]).mask);
    assert_eq!(renderer.read(&renderer.set_z(&sets)[1]), here[1]);
    assert!(Renderer::new(&own).is_err());
}

#[test]
fn verdicts_are_those_of_the_processor_away_from_contact() {
    let Some(gpu) = gpu() else { return };
    let meshes = ["sphere?faces=320", "torus-knot?segments=24&sides=6"];
    let couple = Couple::new("ball and knot", sample(meshes[0]), sample(meshes[1]));
    let settings = Settings::read("").expect("nothing is set");
    let renderer = Renderer::new(&gpu).expect("it has a stencil");
    let mut engines: Vec<Box<dyn impinge::contract::engine::Engine>> =
        vec![Box::new(R98::with(renderer, settings)), Box::new(R98::new(settings))];
    for engine in &mut engines {
        for (id, mesh) in (0..).zip(&couple.meshes) {
            engine.prepare(ShapeId(id), mesh).expect("any mesh will do");
        }
    }
    let mut random = Random(13);
    let both = couple.radii()[0] + couple.radii()[1];
    let jobs: Vec<_> = (0..200)
        .map(|_| {
            let away = both * random.unit();
            let pose = Pose::new(random.quaternion(), random.vector(away)).expect("a rotation");
            job([Pose::IDENTITY, pose])
        })
        .collect();
    let [there, here] = [0, 1].map(|k| ask(&*engines[k], &jobs, &Query::TOUCHING).0);
    let (gaps, _) = ask(&*couple.engine("bvh"), &jobs, &Query::CLEARANCE);
    let (mut hits, mut free, mut differ) = (0, 0, 0);
    for (i, answer) in there.all().iter().enumerate() {
        let is_hit = |verdict: Verdict| matches!(verdict, Verdict::Hit(_));
        let [one, other] = [answer.verdict, here.all()[i].verdict].map(is_hit);
        hits += usize::from(one);
        free += usize::from(!one);
        differ += usize::from(one != other);
        // Away from contact there is no doubt.
        let gap = gaps.all()[i].clearance.map_or(0.0, |gap| gap.at_least);
        assert!(gap < 1e-2 * both || !(one || other), "pose {i}");
    }
    assert!(hits > 50 && free > 50 && differ <= 2, "{hits} {free} {differ}");
}
