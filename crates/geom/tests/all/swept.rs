//! Collisions of meshes whose vertices move in straight lines, against every pair of features.

use impinge_geom::Point;
use impinge_geom::first_contact::linear::{Ask, Outcome, edge_edge, vertex_face};
use impinge_geom::first_contact::swept::{
    Asked, Bodies, Collision, Collisions, Moving, Surface, Swept, Work,
};
use impinge_geom::first_contact::{Feature, Found};
use impinge_geom::motion::vertex::VertexMotion;
use impinge_geom::tri_tri::intersect;
use proptest::prelude::*;

/// A mesh with its vertices at the start and at the end.
#[derive(Clone, Debug)]
struct Cloth {
    triangles: Vec<[u32; 3]>,
    start: Vec<Point>,
    end: Vec<Point>,
}

impl Cloth {
    fn with<T>(&self, f: impl FnOnce(Moving<'_>) -> T) -> T {
        let surface = Surface::new(&self.triangles);
        let motion = VertexMotion::new(&self.start, &self.end).expect("points");
        f(Moving::new(&surface, motion).expect("as many vertices as are named"))
    }

    /// Each edge once, in the order of the higher vertex, then of the lower.
    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = (self.triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .filter(|[a, b]| a != b)
            .map(|[a, b]| [a.max(b), a.min(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().map(|[a, b]| [b, a]).collect()
    }

    fn used(&self) -> Vec<u32> {
        let mut used = self.triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn way(&self, vertex: u32) -> [Point; 2] {
        [self.start[vertex as usize], self.end[vertex as usize]]
    }
}

/// Judges two features, given by the ways of their corners.
fn meeting(ways: &[[Point; 2]; 4], vertex: bool) -> Option<([f64; 2], f64)> {
    let [start, end] = [ways.map(|way| way[0]), ways.map(|way| way[1])];
    let ask = Ask::default();
    let kernel = if vertex { vertex_face } else { edge_edge };
    match kernel(&start, &end, &ask) {
        Outcome::Free { .. } => None,
        Outcome::Contact(contact) => Some((contact.time, contact.within)),
    }
}

fn push(list: &mut Vec<Collision>, features: [u32; 2], met: Option<([f64; 2], f64)>) {
    if let Some((time, within)) = met {
        list.push(Collision { features, time, within });
    }
}

/// Everything that meets, by looking at everything. `one` leaves out what shares a vertex.
fn brute(a: &Cloth, b: &Cloth, one: bool) -> [Vec<Collision>; 3] {
    let mut found = [vec![], vec![], vec![]];
    let shared = |p: &[[Point; 2]], q: &[[Point; 2]]| one && p.iter().any(|way| q.contains(way));
    for (list, (v, f)) in [(a, b), (b, a)].into_iter().enumerate().take(2 - usize::from(one)) {
        for &vertex in &v.used() {
            for (corners, face) in f.triangles.iter().zip(0..) {
                let (way, ways) = (v.way(vertex), corners.map(|corner| f.way(corner)));
                if !shared(&[way], &ways) {
                    let met = meeting(&[way, ways[0], ways[1], ways[2]], true);
                    let features = if list == 0 { [vertex, face] } else { [face, vertex] };
                    push(&mut found[list], features, met);
                }
            }
        }
    }
    found[1].sort_by_key(|collision| collision.features);
    for (p, i) in a.edges().iter().zip(0..) {
        for (q, j) in b.edges().iter().zip(0..) {
            let (p, q) = (p.map(|vertex| a.way(vertex)), q.map(|vertex| b.way(vertex)));
            if !(shared(&p, &q) || one && i >= j) {
                push(&mut found[2], [i, j], meeting(&[p[0], p[1], q[0], q[1]], false));
            }
        }
    }
    found
}

/// Whether two faces that share no vertex meet at the start.
fn crossing(a: &Cloth, b: &Cloth, one: bool) -> bool {
    a.triangles.iter().any(|p| {
        b.triangles.iter().any(|q| {
            let (p, q) = (p.map(|corner| a.way(corner)), q.map(|corner| b.way(corner)));
            let shared = one && p.iter().any(|way| q.contains(way));
            !shared && intersect(&p.map(|way| way[0]), &q.map(|way| way[0]))
        })
    })
}

fn collisions(bodies: &Bodies<'_>) -> Collisions {
    let mut swept = Swept::default();
    let found = swept.collisions(bodies, &Asked::default(), |_| u64::MAX);
    assert!(found.complete);
    found.clone()
}

fn first(bodies: &Bodies<'_>) -> Found {
    Swept::default().first(bodies, &Asked::default(), |_| u64::MAX)
}

/// Holds everything that is found against brute force; returns how much there was.
fn check(a: &Cloth, b: Option<&Cloth>) -> Result<usize, TestCaseError> {
    let expected = brute(a, b.unwrap_or(a), b.is_none());
    let (found, first) = a.with(|a| match b {
        None => (collisions(&Bodies::One(a)), first(&Bodies::One(a))),
        Some(b) => b.with(|b| {
            let bodies = Bodies::Two([a, b]);
            (collisions(&bodies), first(&bodies))
        }),
    });
    prop_assert_eq!(&found.vertex_face, &expected[0]);
    prop_assert_eq!(&found.face_vertex, &expected[1]);
    prop_assert_eq!(&found.edge_edge, &expected[2]);
    let all = expected.as_flattened_list();
    let count = all.len();
    let earliest = all.iter().map(|c| c.time[0]).fold(f64::INFINITY, f64::min);
    let latest = all.iter().map(|c| c.time[1]).fold(f64::INFINITY, f64::min);
    match first {
        Found::Contact(first) if crossing(a, b.unwrap_or(a), b.is_none()) => {
            prop_assert_eq!(first.time[0], 0.0);
            prop_assert!(first.time[1] <= 1e-6 || first.within > 0.0, "{first:?}");
        }
        Found::Free => {
            prop_assert_eq!(count, 0);
            prop_assert!(!crossing(a, b.unwrap_or(a), b.is_none()));
        }
        Found::Contact(first) => {
            prop_assert!(first.time[0] <= earliest, "{first:?} {earliest}");
            prop_assert!(first.time[1] >= earliest && first.time[0] <= latest);
            prop_assert!(first.time[1] <= latest + 1e-6, "{first:?} {latest}");
        }
        Found::CutShort(_) => prop_assert!(false, "nothing limits it"),
    }
    Ok(count)
}

trait Flattened {
    fn as_flattened_list(&self) -> Vec<Collision>;
}

impl Flattened for [Vec<Collision>; 3] {
    fn as_flattened_list(&self) -> Vec<Collision> {
        self.iter().flatten().copied().collect()
    }
}

/// Any triangles over a few vertices, whose coordinates are made from small whole numbers.
fn cloths(range: i32, place: impl Fn(i32) -> f64 + Clone) -> impl Strategy<Value = Cloth> {
    let point = move || {
        let place = place.clone();
        prop::array::uniform3(-range..=range).prop_map(move |p| p.map(&place))
    };
    (3usize..14).prop_flat_map(move |n| {
        (
            prop::collection::vec(prop::array::uniform3(0..n as u32), 1..12),
            prop::collection::vec(point(), n),
            prop::collection::vec(point(), n),
        )
            .prop_map(|(triangles, start, end)| Cloth { triangles, start, end })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn few_places(a in cloths(2, f64::from), b in cloths(2, f64::from)) {
        check(&a, None)?;
        check(&a, Some(&b))?;
    }

    #[test]
    fn many_places(
        a in cloths(1 << 20, |x| f64::from(x) * 1e-6),
        b in cloths(1 << 20, |x| f64::from(x) * 1e-6),
    ) {
        check(&a, None)?;
        check(&a, Some(&b))?;
    }

    #[test]
    fn far_away(
        a in cloths(3, |x| 1e6 + f64::from(x) * 0.1), b in cloths(3, |x| 1e6 + f64::from(x) * 0.1),
    ) {
        check(&a, None)?;
        check(&a, Some(&b))?;
    }

    #[test]
    fn tiny_and_huge(exponent in -80i32..80, a in cloths(2, f64::from), b in cloths(2, f64::from)) {
        let scaled = |cloth: &Cloth| {
            let points = |all: &[Point]| -> Vec<Point> {
                all.iter().map(|p| p.map(|x| x * 0.3 * 10f64.powi(exponent))).collect()
            };
            Cloth {
                triangles: cloth.triangles.clone(),
                start: points(&cloth.start),
                end: points(&cloth.end),
            }
        };
        check(&scaled(&a), None)?;
        check(&scaled(&a), Some(&scaled(&b)))?;
    }
}

#[test]
fn a_vertex_through_a_face() {
    let floor = Cloth {
        triangles: vec![[0, 1, 2]],
        start: vec![[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]],
        end: vec![[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]],
    };
    let spike = |z: f64| vec![[0.0, 0.0, z], [-0.1, 0.1, z + 1.0], [0.1, 0.1, z + 1.0]];
    let spike = Cloth { triangles: vec![[0, 1, 2]], start: spike(0.25), end: spike(-0.75) };
    let found = floor.with(|a| spike.with(|b| first(&Bodies::Two([a, b]))));
    let Found::Contact(first) = found else { panic!("{found:?}") };
    assert!(first.time[0] <= 0.25 && first.time[1] >= 0.25, "{first:?}");
    assert_eq!(first.features, [Feature::Face(0), Feature::Vertex(0)]);
    assert!((first.normal[2] - 1.0).abs() < 1e-9, "{first:?}");
    for point in first.points {
        assert!(point.iter().all(|x| x.abs() < 1e-5), "{first:?}");
    }
}

/// A sheet of `2 · side²` faces whose waves change into others that fold it over.
fn sheet(side: u32) -> Cloth {
    let corner = |i: u32, j: u32| i * (side + 1) + j;
    let quads = (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
    let triangles = quads
        .flat_map(|(i, j)| {
            let [a, b] = [corner(i, j), corner(i, j + 1)];
            let [c, d] = [corner(i + 1, j), corner(i + 1, j + 1)];
            [[a, b, c], [c, b, d]]
        })
        .collect();
    let place = |i: u32, j: u32, fold: f64| {
        let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(side));
        let turn = 9.0 * u + 4.0 * v;
        [u + fold * turn.sin(), v, 0.3 * fold * (turn * 1.7).cos()]
    };
    let all = |fold: f64| {
        (0..=side)
            .flat_map(|i| (0..=side).map(move |j| (i, j)))
            .map(|(i, j)| place(i, j, fold))
            .collect()
    };
    Cloth { triangles, start: all(0.0), end: all(0.4) }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let sheet = sheet(60);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            sheet.with(|body| {
                let bodies = Bodies::One(body);
                let cut = Asked { collisions_max: 50, ..Asked::default() };
                let allow = |work: &Work| 300_000u64.saturating_sub(work.price());
                let mut swept = Swept::default();
                let all = collisions(&bodies);
                let some = swept.collisions(&bodies, &cut, |_| u64::MAX).clone();
                let short = swept.collisions(&bodies, &Asked::default(), allow).clone();
                (all, some, short, first(&bodies))
            })
        })
    };
    let (all, some, short, first) = run(1);
    assert!(all.complete && all.vertex_face.len() > 100 && all.edge_edge.len() > 100);
    // What is cut short is a part of everything.
    for part in [&some, &short] {
        assert!(!part.complete);
        assert!(part.vertex_face.iter().all(|one| all.vertex_face.contains(one)));
        assert!(part.edge_edge.iter().all(|one| all.edge_edge.contains(one)));
    }
    assert_eq!(some.vertex_face.len(), 50);
    assert!(short.work.price() < 2 * 300_000 && short.work.price() > 0, "{:?}", short.work);
    assert!(matches!(first, Found::Contact(_)));
    for threads in [2, 5] {
        assert_eq!(run(threads), (all.clone(), some.clone(), short.clone(), first));
    }
}

#[test]
fn a_search_in_small_portions_finds_everything() {
    let sheet = sheet(30);
    sheet.with(|body| {
        let bodies = Bodies::One(body);
        let (mut swept, mut asked) = (Swept::default(), 0);
        let portions = swept.collisions(&bodies, &Asked::default(), |_| {
            asked += 1;
            1000
        });
        assert!(portions.complete);
        let all = collisions(&bodies);
        assert_eq!(
            (&portions.vertex_face, &portions.edge_edge),
            (&all.vertex_face, &all.edge_edge)
        );
        assert!(asked > 20, "{asked}");
        let nothing = swept.collisions(&bodies, &Asked::default(), |_| 0);
        assert!(!nothing.complete && nothing.vertex_face.is_empty());
        let cut = swept.first(&bodies, &Asked::default(), |_| 0);
        assert_eq!(cut, Found::CutShort(0.0));
        let small = swept.first(&bodies, &Asked::default(), |_| 500);
        assert!(matches!(small, Found::Contact(_)), "{small:?}");
    });
}

#[test]
fn missing_vertices_are_refused() {
    let surface = Surface::new(&[[0, 1, 3]]);
    let points = [[0.0; 3]; 3];
    let motion = VertexMotion::new(&points, &points).expect("points");
    assert!(Moving::new(&surface, motion).is_err());
}
