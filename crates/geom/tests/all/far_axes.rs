//! Two bodies that swing about almost the same axis, so far away that what a vector product loses to
//! rounding, times the distance, is as large as the bodies: never late and never missed.

use impinge_geom::Point;
use impinge_geom::first_contact::{Found, Wanted};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::moment::Travel;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::cross::Work;
use impinge_geom::obb_tree::travel::{TravelScratch, TravelSearch, Traveller};
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri::intersect;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A cube of edge one, turned.
fn cube(turn: &Pose) -> Mesh {
    let corner = |i: u32| [0, 1, 2].map(|k| f64::from(i >> k & 1) - 0.5);
    let vertices = (0..8).map(|i| turn.apply(&corner(i))).collect();
    let quads =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    Mesh::new(vertices, halves.collect()).unwrap()
}

fn touch(mesh: &Mesh, poses: [Pose; 2]) -> bool {
    let posed = |id: u32, pose: &Pose| mesh.triangle(id).map(|corner| pose.apply(&corner));
    (0..12).any(|i| (0..12).any(|j| intersect(&posed(i, &poses[0]), &posed(j, &poses[1]))))
}

#[test]
fn bodies_that_swing_about_a_far_axis_are_never_late_and_never_missed() {
    let mut random = Random(88_172_645_463_325_252);
    let (mut hits, mut scratch) = (0, TravelScratch::default());
    for _ in 0..5_000 {
        let q = [0; 4].map(|_| 2.0 * random.unit() - 1.0);
        let far = 10f64.powf(6.0 + 2.5 * random.unit());
        // The axes differ so little that the bodies come nearer in the middle by about their size.
        let lean = 10f64.powf(-10.0 + 3.5 * random.unit());
        let angle = 0.2 + 0.49 * random.unit();
        let dip = lean * far * (1.0 - (0.5 * angle).cos());
        let gap = dip * (0.05 + 0.9 * random.unit());
        let Ok(turn) = Pose::new(q, [0.0; 3]) else { continue };
        if !(1e-5..0.5).contains(&gap) {
            continue;
        }
        let mesh = cube(&turn);
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let swing = |place: Point, direction: Point| {
            let start = Pose::shift(turn.apply(&place)).unwrap();
            let direction = turn.apply(&direction);
            Motion::screw(start, Screw { point: [0.0; 3], direction, angle, advance: 0.0 }).unwrap()
        };
        let a = swing([far, 0.0, 0.0], [0.0, 0.0, 1.0]);
        let b = swing([far, 0.0, 1.0 + gap], [lean * cosine, lean * sine, 1.0]);
        let tree = ObbTree::of(&mesh);
        let bodies = [&a, &b].map(|motion| Traveller {
            mesh: &mesh,
            tree: &tree,
            travel: Travel::Moving(motion),
        });
        let mut search = TravelSearch { bodies, scratch: &mut scratch, work: Work::default() };
        let wanted = Wanted { tolerance: 1e-6, distance: 0.0, until: 1.0, except: &[] };
        let from = match search.run(&wanted, |_| 1 << 30) {
            Found::Free => 1.0,
            Found::Contact(first) => first.time[0],
            Found::CutShort(_) => panic!("nothing cuts it short"),
        };
        hits += u32::from(from < 1.0);
        for k in 1..12 {
            for time in [from * (1.0 - 0.5f64.powi(k)), from * f64::from(k) / 12.0] {
                let poses = [a.pose_at(time), b.pose_at(time)];
                assert!(!touch(&mesh, poses), "they touch at {time}, told was {from}: {a:?} {b:?}");
            }
        }
    }
    assert!(hits > 200, "{hits}");
}
