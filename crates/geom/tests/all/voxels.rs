//! Voxels inside meshes and touched by them, against tests of single points and single cubes.

use impinge_geom::aabb::Aabb;
use impinge_geom::inside::{Location, Ray, locate_along};
use impinge_geom::mesh::Mesh;
use impinge_geom::shells::{Shell, shells};
use impinge_geom::tri_box::sat;
use impinge_geom::voxels::grid::Grid;
use impinge_geom::voxels::map::VoxelMap;
use impinge_geom::voxels::seed;
use impinge_geom::voxels::solid::{Inside, VoxelError, inside};
use impinge_geom::voxels::surface::touched;
use impinge_geom::winding::winding_number;
use impinge_geom::{Point, Triangle};
use proptest::prelude::*;

type Soup = Vec<Triangle>;

fn mesh_of(soup: &[Triangle]) -> Mesh {
    let indices = (0..soup.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(soup.as_flattened().to_vec(), indices).unwrap()
}

fn cuboid(low: Point, high: Point) -> Soup {
    let corner = |i: usize| [0, 1, 2].map(|k| if (i >> k) & 1 == 0 { low[k] } else { high[k] });
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = quads.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    halves.concat().iter().map(|t| t.map(corner)).collect()
}

fn turned(soup: &[Triangle]) -> Soup {
    soup.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

/// Voxels of size 1 whose middles are the whole numbers from −`reach` to `reach`.
fn whole_grid(reach: u32) -> Grid {
    let counts = 2 * reach + 3;
    Grid::new([-f64::from(reach) - 1.5; 3], 1.0, [counts; 3]).unwrap()
}

/// For each middle in the inner part of the grid whether it is filled, and the middle.
fn middles(map: &VoxelMap) -> impl Iterator<Item = (Point, bool)> {
    let counts = map.grid().counts();
    let rows = (1..counts[2] - 1).flat_map(move |z| (1..counts[1] - 1).map(move |y| [y, z]));
    let all = rows.flat_map(move |[y, z]| (1..counts[0] - 1).map(move |x| [x, y, z]));
    all.map(|voxel| (map.grid().centre(voxel), map.is_filled(voxel)))
}

/// Middles on the surface count as if moved a little down, and much less along x, and less along y.
/// Small whole numbers leave room for a move that no rounding swallows.
fn agrees_with_points(mesh: &Mesh, map: &VoxelMap) {
    let shells = shells(mesh);
    for (middle, filled) in middles(map) {
        let moved = [middle[0] + 1e-7, middle[1] + 1e-10, middle[2] - 1e-4];
        let around: i32 = shells.iter().map(|shell| turns_around(mesh, shell, &moved)).sum();
        assert_eq!(filled, around != 0, "{middle:?}: {around}");
    }
}

/// How often a shell runs around a point. Where all of its faces agree about what is outside, the
/// winding number is whole; it is 2 where the shell overlaps itself, as boxes with a common edge do.
/// Otherwise the shell counts once where every ray crosses it oddly often. (A sheet with two sides is
/// among the shells with one of them, and then no point is inside for all rays.)
fn turns_around(mesh: &Mesh, shell: &Shell, point: &Point) -> i32 {
    let faces = || shell.triangles.iter().map(|&i| mesh.triangle(i));
    let winding = |point: &Point| winding_number(point, faces());
    let is_whole = |x: f64| (x - x.round()).abs() < 1e-6;
    if [[0.123, 0.456, -0.789], [5.1, -4.7, 6.3], [-3.3, 0.7, 7.9]]
        .iter()
        .all(|p| is_whole(winding(p)))
    {
        return winding(point).round() as i32;
    }
    let is_inside = |ray| locate_along(ray, point, faces()) == Location::Inside;
    let sign = if shell.inward { -1 } else { 1 };
    if Ray::ALL.into_iter().all(is_inside) { sign } else { 0 }
}

fn corners() -> impl Strategy<Value = [Point; 2]> {
    let sides = prop::array::uniform3((-4..4i32).prop_flat_map(|low| (Just(low), low + 1..5)));
    sides.prop_map(|sides| [sides.map(|s| f64::from(s.0)), sides.map(|s| f64::from(s.1))])
}

fn tetrahedra() -> impl Strategy<Value = Soup> {
    prop::array::uniform4(prop::array::uniform3((-4..5i32).prop_map(f64::from)))
        .prop_map(|[a, b, c, d]| vec![[a, c, b], [a, b, d], [b, c, d], [c, a, d]])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every face, edge and corner goes through middles.
    #[test]
    fn boxes_are_filled_from_their_low_sides_to_their_high_ones([low, high] in corners()) {
        for soup in [cuboid(low, high), turned(&cuboid(low, high))] {
            let map = both_ways(&mesh_of(&soup), whole_grid(5)).unwrap();
            for (p, filled) in middles(&map) {
                let within = (0..2).all(|k| low[k] <= p[k] && p[k] < high[k]);
                prop_assert_eq!(filled, within && low[2] < p[2] && p[2] <= high[2], "{:?}", p);
            }
        }
    }

    #[test]
    fn overlapping_shells_and_cavities_agree_with_single_points(
        boxes in prop::collection::vec((corners(), any::<bool>()), 1..4),
        tetrahedron in tetrahedra(),
        twice in any::<bool>(),
    ) {
        let mut soup = tetrahedron;
        for ([low, high], is_turned) in boxes {
            let part = cuboid(low, high);
            soup.extend(if is_turned { turned(&part) } else { part });
        }
        if twice {
            soup.push(soup[5]);
            soup.push([soup[0][0], soup[0][1], soup[0][1]]);
        }
        let mesh = mesh_of(&soup);
        match both_ways(&mesh, whole_grid(5)) {
            Ok(map) => agrees_with_points(&mesh, &map),
            // Shells that meet in faces and corners may fall apart into what is not closed.
            Err(error) => prop_assert!(matches!(error, VoxelError::Open { .. }), "{}", error),
        }
    }

    #[test]
    fn tetrahedra_agree_with_single_points_at_any_scale(
        soup in tetrahedra(),
        exponent in -250..250i32,
        turn in 0..5usize,
    ) {
        let scale = 2f64.powi(exponent);
        let mut soup = soup;
        // One face that looks the wrong way makes the shell count by turns.
        if let Some(face) = soup.get_mut(turn) {
            face.swap(0, 1);
        }
        let scaled: Soup = soup.iter().map(|t| t.map(|p| p.map(|x| x * scale))).collect();
        let (mesh, unit) = (mesh_of(&scaled), mesh_of(&soup));
        let grid = Grid::new([-5.5 * scale; 3], scale, [11; 3]).unwrap();
        match inside(&mesh, grid, Inside::Closed) {
            Ok(map) => {
                let same = both_ways(&unit, whole_grid(4)).unwrap();
                prop_assert_eq!(map.bricks(), same.bricks());
                agrees_with_points(&unit, &same);
            }
            // Two equal faces become a single one, which is open, if one of them is turned.
            Err(VoxelError::Open { faces: 2, edges: 3 }) => prop_assert!(turn < 4),
            Err(error) => prop_assert_eq!(error, VoxelError::Flat { faces: 4 }),
        }
    }

    #[test]
    fn all_touched_cubes_are_found_and_few_others(
        soup in prop::collection::vec(sheets(), 1..4),
        shift in prop_oneof![Just(0.0), Just(1e3), Just(-3e6)],
    ) {
        let soup: Soup = soup.iter().map(|t| t.map(|p| p.map(|x| x + shift))).collect();
        let grid = Grid::new([shift - 5.5; 3], 1.0, [11; 3]).unwrap();
        let map = touched(&mesh_of(&soup), grid);
        for (middle, filled) in middles(&map) {
            let cube = |half: f64| Aabb {
                min: middle.map(|x| x - half),
                max: middle.map(|x| x + half),
            };
            let is_touched = |half: f64| soup.iter().any(|triangle| sat(triangle, &cube(half)));
            prop_assert!(filled || !is_touched(0.5), "{:?} is touched", middle);
            prop_assert!(!filled || is_touched(0.5 + 1e-6), "{:?} is not touched", middle);
        }
    }
}

fn sheets() -> impl Strategy<Value = Triangle> {
    prop_oneof![triangles(1.0), triangles(0.5), anywhere()]
}

fn triangles(step: f64) -> impl Strategy<Value = Triangle> {
    prop::array::uniform3(prop::array::uniform3((-5..6i32).prop_map(move |x| f64::from(x) * step)))
}

fn anywhere() -> impl Strategy<Value = Triangle> {
    prop::array::uniform3(prop::array::uniform3(-6.0..6.0f64))
}

#[test]
fn what_has_no_inside_is_refused() {
    let error = |soup: &[Triangle]| {
        inside(&mesh_of(soup), whole_grid(5), Inside::Closed).unwrap_err().to_string()
    };
    let cube = cuboid([-2.0; 3], [2.0; 3]);
    let open = error(&cube[1..]);
    assert!(open.starts_with("11 faces belong to no closed surface (3 edges"), "{open}");
    assert!(!open.contains("winding"), "what helps is for callers to say: {open}");
    let flat = "the mesh has zero thickness";
    assert!(error(&cuboid([-2.0; 3], [2.0, 2.0, -2.0])).starts_with(flat));
    let sheet = &cube[..4];
    assert!(error(&[sheet, &turned(sheet)].concat()).starts_with(flat));
    assert!(error(&[[[1.0; 3]; 3]]).starts_with(flat));
    let no_place = |soup: &[Triangle]| inside(&mesh_of(soup), whole_grid(5), Inside::Winding);
    // A sheet along two axes, one across all of them, a line and a point.
    let tilted = |p: Point| [p[0], p[1], p[0] + 2.0 * p[1]];
    let across: Soup = sheet[..2].iter().map(|t| t.map(tilted)).collect();
    for soup in [&sheet[..2], &across, &[[[0.0; 3], [1.0; 3], [2.0; 3]]], &[[[1.0; 3]; 3]]] {
        let refused = VoxelError::Flat { faces: soup.len() };
        assert_eq!(no_place(soup), Err(refused));
        assert_eq!(error(soup), refused.to_string());
    }
    // Hardly bent it has an inside, if a small one.
    let mut bent = sheet[..2].to_vec();
    bent[1][2][2] = bent[1][2][2].next_up();
    assert!(no_place(&bent).is_ok());
}

/// Cubes of n³ voxels wherever they are, by whatever way.
#[test]
fn a_cube_has_as_many_voxels_as_fit() {
    for (corner, side, n) in [
        ([0.1, 0.3, 0.7], 10.0, 10u32),
        ([0.0; 3], 10.0, 100),
        ([0.0; 3], 10.0, 7),
        ([-3.7, 1e4, 0.3], 1.0 / 3.0, 13),
    ] {
        let mesh = mesh_of(&cuboid(corner, corner.map(|x| x + side)));
        for size in [side / f64::from(n), (side / f64::from(n)).next_up()] {
            let grid = Grid::around(&mesh.bounds(), size).unwrap();
            assert_eq!(grid.counts(), [n + 2; 3], "{corner:?} {size}");
            let map = both_ways(&mesh, grid).unwrap();
            assert_eq!(map.filled(), u64::from(n).pow(3), "{corner:?} {size}");
        }
    }
}

/// The surface lies on faces of voxels; those on both sides are touched, and none is on the rim.
#[test]
fn all_voxels_that_a_cube_touches_are_in_the_grid() {
    for (corner, side, n) in [([0.1, 0.3, 0.7], 10.0, 10u32), ([0.0; 3], 10.0, 7)] {
        let mesh = mesh_of(&cuboid(corner, corner.map(|x| x + side)));
        let grid = Grid::covering(&mesh.bounds(), side / f64::from(n)).unwrap();
        let cover = both_ways(&mesh, grid).unwrap().union(&touched(&mesh, grid));
        assert_eq!(grid.counts(), [n + 4; 3]);
        assert_eq!(cover.filled(), u64::from(n + 2).pow(3));
        for i in 0..=20u32 {
            let at = |i: u32, k: usize| corner[k] + side * f64::from(i) / 20.0;
            for x in [at(i, 0), at(i, 0).next_up(), at(i, 0).next_down()] {
                for z in [corner[2].next_down(), (corner[2] + side).next_up()] {
                    let voxel = grid.voxel(&[x, at(7, 1), z]).unwrap();
                    assert!(cover.is_filled(voxel), "{voxel:?}");
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let soup = [cuboid([-3.0; 3], [4.0; 3]), cuboid([-1.3, -2.0, -9.0], [0.7, 3.1, 9.0])].concat();
    let mesh = mesh_of(&soup);
    let grid = Grid::around(&mesh.bounds(), 0.1973).unwrap();
    let maps = [1, 2, 7].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let winding = || inside(&mesh, grid, Inside::Winding).unwrap();
        pool.install(|| [both_ways(&mesh, grid).unwrap(), touched(&mesh, grid), winding()])
    });
    assert_eq!(maps[0], maps[1]);
    assert_eq!(maps[0], maps[2]);
    let [closed, surface, winding] = &maps[0];
    assert!(closed.filled() > 0 && closed.union(surface).filled() > closed.filled());
    assert_eq!(closed, winding);
}

/// Both ways to the inside of a closed mesh.
fn both_ways(mesh: &Mesh, grid: Grid) -> Result<VoxelMap, VoxelError> {
    let by_rays = inside(mesh, grid, Inside::Closed);
    assert_eq!(by_rays, seed::inside(mesh, grid));
    by_rays
}
