//! Blocks of bodies whose convex parts are known, and of bodies that have none.

use super::*;
use crate::Triangle;
use crate::inside::{Location, locate};
use glam::DVec3;

/// A prism over a polygon that turns left in x and y, from z = 0 to 1; its fan starts at corner 0.
fn prism(outline: &[[f64; 2]], caps: &[[u32; 3]]) -> Mesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |&[x, y]| [x, y, z]);
    let vertices: Vec<Point> = at(0.0).chain(at(1.0)).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for &[i, j, k] in caps {
        triangles.extend([[i, k, j], [i + n, j + n, k + n]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// Two bars at a right angle.
fn angle() -> Mesh {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    prism(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
}

/// Three bars around a gap.
fn fork() -> Mesh {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 3.0],
        [2.0, 3.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    prism(&outline, &[[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 4, 5], [0, 5, 6], [0, 6, 7]])
}

/// A ring of square tube around z.
fn ring(sides: u32) -> Mesh {
    let corners = [[2.0, -0.5], [3.0, -0.5], [3.0, 0.5], [2.0, 0.5]];
    let mut vertices: Vec<Point> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..sides {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / f64::from(sides)).sin_cos();
        vertices.extend(corners.map(|[r, z]| [r * cos, r * sin, z]));
        for k in 0..4 {
            let [a, b] = [4 * i + k, 4 * i + (k + 1) % 4];
            let [c, d] = [a, b].map(|v| (v + 4) % (4 * sides));
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

fn holds(block: &Block, point: &Point, slack: f64) -> bool {
    let at = |v: u32| DVec3::from(block.points[v as usize]);
    let middle = block.points.iter().map(|p| DVec3::from(*p)).sum::<DVec3>();
    let middle = middle / block.points.len() as f64;
    block.triangles.iter().all(|&[i, j, k]| {
        let normal = (at(j) - at(i)).cross(at(k) - at(i)).normalize_or_zero();
        let side = (middle - at(i)).dot(normal).signum();
        side * (DVec3::from(*point) - at(i)).dot(normal) >= -slack
    })
}

/// Points of a grid over the body: whatever is inside is in a block, and what is in a block is not farther from
/// the body than the block says.
fn check_cover(mesh: &Mesh, blocks: &Blocks) {
    let triangles: Vec<Triangle> =
        (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i)).collect();
    let bounds = mesh.bounds();
    let mut inside = 0;
    for k in 0..17 * 17 * 17 {
        let share = [k % 17, k / 17 % 17, k / 289].map(|x| (f64::from(x) + 0.3) / 17.0);
        let point: Point =
            std::array::from_fn(|i| bounds.min[i] + share[i] * (bounds.max[i] - bounds.min[i]));
        let holding = || blocks.all().iter().filter(|block| holds(block, &point, 1e-9));
        if locate(&point, triangles.iter().copied()) == Location::Outside {
            let distances = triangles.iter().map(|t| crate::distance::point_triangle(&point, t).hi);
            let distance = distances.fold(f64::INFINITY, f64::min);
            for block in holding() {
                assert!(distance <= block.excess + 1e-9, "{distance} {}", block.excess);
            }
        } else {
            inside += 1;
            assert!(holding().next().is_some(), "{point:?}");
        }
    }
    assert!(inside > 100);
}

#[test]
fn bars_are_found() {
    for (mesh, count) in [(angle(), 2), (fork(), 3)] {
        let blocks = Blocks::of(&mesh, &Recipe::default());
        assert_eq!(blocks.all().len(), count);
        check_cover(&mesh, &blocks);
        // Cut through the deepest corner, nothing is left beyond the body.
        assert!(blocks.all().iter().all(|block| block.excess < 1e-9));
        let one = Blocks::of(&mesh, &Recipe { count_max: 1, ..Recipe::default() });
        assert_eq!(one.all().len(), 1);
        assert!(one.all()[0].excess > 0.5);
        check_cover(&mesh, &one);
    }
}

#[test]
fn more_blocks_lie_closer() {
    let mesh = ring(48);
    let mut last = f64::INFINITY;
    for count_max in [1, 4, 16, 64] {
        let recipe = Recipe { count_max, concavity: 0.0, ..Recipe::default() };
        let blocks = Blocks::of(&mesh, &recipe);
        assert_eq!(blocks.all().len(), count_max);
        check_cover(&mesh, &blocks);
        let volume = |block: &Block| {
            let hull = Hull::around(&block.points);
            hull.volume()
        };
        let all = blocks.all().iter().map(volume).sum::<f64>();
        assert!(all < last, "{all} of {count_max} after {last}");
        last = all;
    }
    // That of the ring itself.
    assert!((last - 15.6).abs() < 0.8, "{last}");
}

#[test]
fn what_is_convex_stays_as_it_is() {
    // Points of a ball whose hull has many faces, and a box with points within its sides.
    let ball: Vec<Point> = (0..500)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 500.0;
            let (sin, cos) = (f64::from(k) * 2.399_963).sin_cos();
            let r = (1.0 - z * z).sqrt();
            [r * cos, r * sin, z]
        })
        .collect();
    let hull = Hull::around(&ball);
    let sphere = Mesh::new(hull.points, hull.triangles).unwrap();
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.0, 1.0]];
    let slab = prism(&square, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    for mesh in [sphere, slab] {
        let blocks = Blocks::of(&mesh, &Recipe::default());
        let [block] = blocks.all() else { panic!("{}", blocks.all().len()) };
        let of = |points: &[Point], triangles: &[[u32; 3]]| -> Vec<Triangle> {
            triangles.iter().map(|t| t.map(|v| points[v as usize])).collect()
        };
        let (own, made) =
            (of(mesh.vertices(), mesh.triangles()), of(&block.points, &block.triangles));
        assert_eq!(own, made);
        assert!(block.excess < 1e-7 && block.slenderness < 20.0);
    }
}

#[test]
fn what_is_open_or_flat_or_nothing_is_covered() {
    let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, 5.0, 5.0]];
    let of = |triangles: Vec<[u32; 3]>| {
        let mesh = Mesh::new(corner.to_vec(), triangles).unwrap();
        Blocks::of(&mesh, &Recipe::default())
    };
    // One triangle, a point, a line.
    let triangle = of(vec![[0, 1, 2]]);
    assert_eq!((triangle.all()[0].triangles.len(), triangle.all()[0].excess), (2, 0.0));
    for degenerate in [of(vec![[4, 4, 4]]), of(vec![[0, 1, 1]])] {
        assert_eq!(degenerate.all().len(), 1);
        assert!(degenerate.all()[0].triangles.is_empty());
    }
    // A sheet of two triangles, an open corner of three, and two pieces.
    assert_eq!(of(vec![[0, 1, 2], [0, 2, 3]]).all().len(), 1);
    assert_eq!(of(vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]).all()[0].triangles.len(), 4);
    assert_eq!(of(vec![[0, 1, 2], [4, 4, 4]]).all().len(), 2);
    // Two sheets on each other.
    let sheets = of(vec![[0, 1, 2], [0, 2, 1]]);
    assert!(sheets.all().iter().all(|block| block.triangles.len() == 2 && block.excess == 0.0));
}

/// A cube around a point of the x axis.
fn cube(half: f64, at: f64, inward: bool) -> Mesh {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let made = prism(&corners, &[[0, 1, 2], [0, 2, 3]]);
    let vertices = made.vertices().iter().map(|p| [p[0] + at, p[1], (p[2] - 0.5) * 2.0 * half]);
    let flip = |t: &[u32; 3]| if inward { [t[0], t[2], t[1]] } else { *t };
    let triangles = made.triangles().iter().map(flip);
    Mesh::new(vertices.collect(), triangles.collect()).unwrap()
}

/// All faces of some meshes.
fn together(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let n = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + n)));
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// An open box of side 2 with walls that are so thick.
fn tray(wall: f64) -> Mesh {
    let square = |half: f64, z: f64| {
        [[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]
    };
    let inner = 1.0 - wall;
    let rings =
        [square(1.0, -1.0), square(1.0, 1.0), square(inner, 1.0), square(inner, wall - 1.0)];
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    for ring in 0..3 {
        for k in 0..4 {
            let [a, b] = [4 * ring + k, 4 * ring + (k + 1) % 4];
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    Mesh::new(rings.concat(), triangles).unwrap()
}

/// A ball of 0.1 in the middle is 0.9 away from walls, however thin they are, and that is told.
#[test]
fn what_is_near_its_hull_may_be_hollow() {
    for wall in [1e-9, 1e-6, 1e-5, 1e-3, 0.1] {
        let foil = together(&[cube(1.0, 0.0, false), cube(1.0 - wall, 0.0, true)]);
        for mesh in [tray(wall), foil] {
            for cut in [true, false] {
                let blocks = Blocks::of(&mesh, &Recipe { cut, ..Recipe::default() });
                assert!(blocks.covers());
                let moved = blocks.follow(&mesh);
                for block in blocks.all().iter().chain(moved.all()) {
                    let filled = holds(block, &[0.01, 0.02, 0.03], 0.0);
                    assert!(!filled || block.excess > 0.9 - wall, "{wall} {cut} {}", block.excess);
                }
            }
        }
    }
    check_cover(&tray(0.1), &Blocks::of(&tray(0.1), &Recipe::default()));
}

/// Where two solids overlap is solid, also if some other shell is inside out.
#[test]
fn shells_that_overlap_are_solid_where_they_do() {
    let inverted = cube(1.0, 20.0, true);
    let apart = together(&[cube(1.0, 0.0, false), cube(1.0, 1.0, false), inverted]);
    let hole = cube(0.3, 0.5, true);
    let with_hole = together(&[cube(1.0, 0.0, false), cube(1.0, 1.0, false), hole]);
    for mesh in [apart, with_hole] {
        for count_max in [1, 16, 256] {
            let recipe = Recipe { count_max, concavity: 0.0, ..Recipe::default() };
            let blocks = Blocks::of(&mesh, &recipe);
            // Twice inside and once taken away is inside.
            for point in [[0.5, 0.0, 0.0], [0.5, 0.9, 0.1], [0.9, 0.2, 0.3], [-0.9, 0.0, 0.0]] {
                assert!(blocks.all().iter().any(|block| holds(block, &point, 1e-9)), "{point:?}");
            }
        }
    }
}

#[test]
fn one_shell_that_is_inside_out_spoils_no_others() {
    let all: Vec<Mesh> = (0..60).map(|k| cube(0.4, f64::from(k), k % 7 == 3)).collect();
    let blocks = Blocks::of(&together(&all), &Recipe::default());
    assert_eq!(blocks.all().len(), 60);
    assert!(blocks.all().iter().all(|block| block.excess < 1e-8));
}

#[test]
fn scale_is_no_matter() {
    for scale in [1e-85, 1e-30, 1.0, 1e85] {
        let at = |mesh: Mesh| {
            let all = mesh.vertices().iter().map(|p| p.map(|x| scale * x)).collect();
            mesh.with_vertices(all).unwrap()
        };
        let blocks = Blocks::of(&at(cube(1.0, 3.0, false)), &Recipe::default());
        assert!(blocks.all()[0].excess < 1e-8 * scale, "{scale}: {}", blocks.all()[0].excess);
    }
}

#[test]
fn cavities_are_not_filled_and_shells_are_kept_apart() {
    let hollow = together(&[cube(1.0, 0.0, false), cube(0.8, 0.0, true)]);
    let blocks = Blocks::of(&hollow, &Recipe::default());
    check_cover(&hollow, &blocks);
    let filling = blocks.all().iter().find(|block| holds(block, &[0.0; 3], 0.0));
    assert_eq!(filling.map(|block| block.bounds), None, "{}", blocks.all().len());
    let apart = together(&[cube(1.0, 0.0, false), cube(1.0, 3.0, false)]);
    assert_eq!(Blocks::of(&apart, &Recipe::default()).all().len(), 2);
    // Given as parts, it is the same; as one hull each, the cavity is filled.
    let parts = [cube(1.0, 0.0, false), cube(1.0, 3.0, false)];
    assert_eq!(
        Blocks::from_parts(&parts).unwrap().all(),
        Blocks::of(&apart, &Recipe::default()).all()
    );
    assert_eq!(Blocks::from_parts(&[]).err(), Some(NoParts));
    let shells = Blocks::of(&hollow, &Recipe { cut: false, ..Recipe::default() });
    assert!(shells.all().iter().any(|block| holds(block, &[0.0; 3], 0.0)));
}

/// A bent mesh.
fn bend(mesh: &Mesh, by: f64) -> Mesh {
    let place = |&[x, y, z]: &Point| [x + by * (2.0 * z).sin(), y + by * (3.0 * x).cos(), z];
    mesh.with_vertices(mesh.vertices().iter().map(place).collect()).unwrap()
}

#[test]
fn parts_follow_their_faces() {
    for mesh in [angle(), fork(), ring(48)] {
        let blocks = Blocks::of(&mesh, &Recipe::default());
        for by in [0.0, 0.3] {
            let bent = bend(&mesh, by);
            let moved = blocks.follow(&bent);
            assert_eq!(moved.all().len(), blocks.all().len());
            for i in 0..bent.triangles().len() as u32 {
                let corners = bent.triangle(i);
                let is_in = |block: &&Block| corners.iter().all(|p| holds(block, p, 1e-9));
                assert!(moved.all().iter().any(|block| is_in(&block)), "face {i}, {by}");
            }
            for block in moved.all() {
                let triangles: Vec<Triangle> =
                    block.faces.iter().map(|&i| bent.triangle(i)).collect();
                let around = Aabb::around(triangles.as_flattened());
                assert_eq!(around, block.bounds);
                assert!(block.excess >= 0.999 * around.diagonal());
            }
        }
    }
}

#[test]
fn convex_shells_are_blocks_wherever_they_go() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.0, 1.0]];
    let slab = prism(&square, &[[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    let blocks = Blocks::of(&slab, &Recipe::default());
    let at = |f: fn(&Point) -> Point| {
        let moved = slab.with_vertices(slab.vertices().iter().map(f).collect()).unwrap();
        (blocks.follow(&moved), moved)
    };
    let (sheared, mesh) = at(|&[x, y, z]| [x + 0.25 * z + 7.0, y - 0.5 * x, z]);
    assert_eq!(sheared.all(), Blocks::of(&mesh, &Recipe::default()).all());
    assert!(sheared.all()[0].excess < 1e-7);
    // Dented: no longer convex, but covered. Then it is convex again.
    let (dented, _) = at(|&[x, y, z]| if x == 0.5 { [x, 0.5, z] } else { [x, y, z] });
    assert!(dented.all()[0].excess > 1.0 && dented.all()[0].points.len() == 8);
    assert_eq!(dented.follow(&slab).all(), blocks.all());
}

#[test]
fn parts_of_a_user_follow_the_mesh_of_all() {
    let parts = [angle(), fork()];
    let n = parts[0].vertices().len() as u32;
    let shift = |p: &Point| [p[0] + 10.0, p[1], p[2]];
    let other = parts[1].with_vertices(parts[1].vertices().iter().map(shift).collect()).unwrap();
    let vertices = [parts[0].vertices(), other.vertices()].concat();
    let numbered = other.triangles().iter().map(|t| t.map(|v| v + n));
    let triangles = parts[0].triangles().iter().copied().chain(numbered);
    let whole = Mesh::new(vertices, triangles.collect()).unwrap();
    let blocks = Blocks::from_parts(&[parts[0].clone(), other]).unwrap();
    let bounds = |blocks: &Blocks| blocks.all().iter().map(|b| b.bounds).collect::<Vec<_>>();
    assert_eq!(bounds(&blocks.follow(&whole)), bounds(&blocks));
}

#[test]
fn trees_find_the_pairs_that_all_boxes_find() {
    let blocks =
        Blocks::of(&ring(48), &Recipe { count_max: 20, concavity: 0.0, ..Recipe::default() });
    for k in 0..30 {
        let turn = [1.0, 0.1 * f64::from(k), 0.3, -0.05 * f64::from(k)];
        let pose = Pose::new(turn, [0.2 * f64::from(k), 0.1, 0.5]).unwrap();
        let (near, looks) = Blocks::near([(&blocks, &Pose::IDENTITY), (&blocks, &pose)]);
        let near_one = |i: usize, j: usize| {
            // Blocks whose points are apart along an axis of either are never asked for; all others may be.
            let one = Blocks::assemble(vec![blocks.all()[i].clone()], true);
            let other = Blocks::assemble(vec![blocks.all()[j].clone()], true);
            !Blocks::near([(&one, &Pose::IDENTITY), (&other, &pose)]).0.is_empty()
        };
        let count = blocks.all().len();
        let all = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let brute: Vec<[u32; 2]> =
            all.filter(|&(i, j)| near_one(i, j)).map(|(i, j)| [i as u32, j as u32]).collect();
        assert_eq!(near, brute);
        assert!(looks <= 2 * (2 * count * count) as u64);
    }
}
