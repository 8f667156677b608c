//! An order of faces such that halves of it, and halves of those, are near each other: in space they
//! are cut at the median along their longest extent.

use glam::DVec3;
use impinge_geom::mesh::Mesh;

/// All triangles of a mesh, in such an order.
pub(super) fn order(mesh: &Mesh) -> Vec<u32> {
    // Three times the middle of each triangle, which serves as well.
    let middles: Vec<DVec3> = mesh
        .triangles()
        .iter()
        .map(|corners| corners.iter().map(|&v| DVec3::from(mesh.vertices()[v as usize])).sum())
        .collect();
    let mut order: Vec<u32> = (0..middles.len() as u32).collect();
    let mut left = vec![(0, order.len())];
    while let Some((from, to)) = left.pop() {
        if to - from < 2 {
            continue;
        }
        let part = &mut order[from..to];
        let bounds = part.iter().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], &i| {
            [low.min(middles[i as usize]), high.max(middles[i as usize])]
        });
        let axis = (bounds[1] - bounds[0]).max_position();
        let middle = from.midpoint(to);
        // Ties are broken by the number, so that the order is the same everywhere.
        let key = |i: &u32| (middles[*i as usize][axis], *i);
        part.select_nth_unstable_by(middle - from, |a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        left.extend([(from, middle), (middle, to)]);
    }
    order
}
