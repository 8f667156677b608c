//! Area, first and second moments of pieces of surface, and the principal axes that follow.
//!
//! The axes begin a search that turns them further, so what is asked of them is to be quick: the
//! axis of the least spread comes from powers of the adjugate matrix, the others from a matrix of
//! two rows in closed form.

use crate::obb::principal_axes;
use glam::{DMat3, DVec3};

/// The corners of eight triangles, column by column: x y z of the first, of the second, of the third.
pub(super) type Corners8 = [[[f64; 8]; 3]; 3];

/// Area, and the first and second moments of a piece of surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    area: f64,
    first: DVec3,
    second: Symmetric,
}

impl Weight {
    /// Of the first `count` triangles.
    pub(super) fn of([a, b, c]: &Corners8, count: usize) -> Self {
        let mut sums = [[0.0; 8]; 10];
        for lane in 0..8 {
            let at = |corner: &[[f64; 8]; 3]| corner.each_ref().map(|column| column[lane]);
            let (a, b, c) = (DVec3::from(at(a)), DVec3::from(at(b)), DVec3::from(at(c)));
            // A triangle without area still has a place; its weight only must not count.
            let area = (b - a).cross(c - a).length() + 1e-30;
            let area = if lane < count { area } else { 0.0 };
            let corners = a + b + c;
            let first = corners * (area / 3.0);
            // (9 m mᵀ + a aᵀ + b bᵀ + c cᵀ) / 12, m the centroid.
            let share = area / 12.0;
            let second = |i: usize, j: usize| {
                (corners[i] * corners[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) * share
            };
            sums[0][lane] = area;
            (sums[1][lane], sums[2][lane], sums[3][lane]) = (first.x, first.y, first.z);
            (sums[4][lane], sums[5][lane], sums[6][lane]) =
                (second(0, 0), second(1, 1), second(2, 2));
            (sums[7][lane], sums[8][lane], sums[9][lane]) =
                (second(0, 1), second(0, 2), second(1, 2));
        }
        let [area, x, y, z, second @ ..] = sums.map(|lanes| lanes.iter().sum::<f64>());
        Self { area, first: DVec3::new(x, y, z), second: Symmetric(second) }
    }

    /// Of all of them together.
    pub(super) fn sum<'a>(weights: impl Iterator<Item = &'a Self>) -> Self {
        let none = Self { area: 0.0, first: DVec3::ZERO, second: Symmetric([0.0; 6]) };
        weights.fold(none, |mut sum, weight| {
            sum.area += weight.area;
            sum.first += weight.first;
            (0..6).for_each(|k| sum.second.0[k] += weight.second.0[k]);
            sum
        })
    }

    pub(super) fn center(&self) -> DVec3 {
        self.first / self.area
    }

    /// Principal axes, the longest first.
    pub(super) fn axes(&self) -> [[f32; 3]; 3] {
        let [x, y, z] = self.center().into();
        let middle = [x * x, y * y, z * z, x * y, x * z, y * z];
        let share = self.area.recip();
        let spread = std::array::from_fn(|k| self.second.0[k] * share - middle[k]);
        Symmetric(spread).principal_axes().map(|axis| axis.as_vec3().into())
    }
}

/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy, Debug)]
struct Symmetric([f64; 6]);

/// Adjugates with a trace below this, against that of the matrix, are mostly rounding: needles.
const NEEDLE: f64 = 1e-8;

impl Symmetric {
    fn principal_axes(&self) -> [DVec3; 3] {
        let adjugate = self.adjugate();
        let trace = |m: &Self| m.0[0] + m.0[1] + m.0[2];
        let (size, least) = (trace(self), trace(&adjugate));
        let is_sound = size > 1e-100 && least > NEEDLE * size * size;
        if !is_sound {
            let axes = principal_axes(self.matrix());
            return [axes.x_axis, axes.y_axis, axes.z_axis];
        }
        // The largest eigenvalue of the adjugate is that of the least spread, and is at least a
        // third; its 64th power outgrows the others and is still far from underflow.
        let mut power = Self(adjugate.0.map(|x| x / least));
        for _ in 0..6 {
            power = power.square();
        }
        let z = power.longest_column().normalize();
        let (u, v) = z.any_orthonormal_pair();
        let (of_u, of_v) = (self.times(u), self.times(v));
        let half = 0.5 * (u.dot(of_u) - v.dot(of_v));
        let mixed = u.dot(of_v);
        let root = (half * half + mixed * mixed).sqrt();
        let [along_u, along_v] =
            if half >= 0.0 { [half + root, mixed] } else { [mixed, root - half] };
        let x = (u * along_u + v * along_v).try_normalize().unwrap_or(u);
        [x, z.cross(x), z]
    }

    fn adjugate(&self) -> Self {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        Self([
            yy * zz - yz * yz,
            xx * zz - xz * xz,
            xx * yy - xy * xy,
            xz * yz - xy * zz,
            xy * yz - xz * yy,
            xy * xz - yz * xx,
        ])
    }

    fn square(&self) -> Self {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        Self([
            xx * xx + xy * xy + xz * xz,
            xy * xy + yy * yy + yz * yz,
            xz * xz + yz * yz + zz * zz,
            xx * xy + xy * yy + xz * yz,
            xx * xz + xy * yz + xz * zz,
            xy * xz + yy * yz + yz * zz,
        ])
    }

    fn columns(&self) -> [DVec3; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        [DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz)]
    }

    fn matrix(&self) -> DMat3 {
        let [x, y, z] = self.columns();
        DMat3::from_cols(x, y, z)
    }

    fn times(&self, v: DVec3) -> DVec3 {
        self.matrix() * v
    }

    /// That with the largest diagonal entry, which is the longest where one eigenvalue rules.
    fn longest_column(&self) -> DVec3 {
        let columns = self.columns();
        let longer = |a: usize, b: usize| if self.0[b] > self.0[a] { b } else { a };
        columns[longer(longer(0, 1), 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    proptest! {
        /// Spreads along the axes found are as those along the axes that went in, unless two of
        /// these are alike; and the axes are orthonormal.
        #[test]
        fn the_axes_that_went_in_come_out(
            turn in prop::array::uniform4(-1.0..1.0f64),
            powers in prop::array::uniform3(-14.0..0.0f64),
            size in -30..30i32,
        ) {
            let turn = DQuat::from_array(turn);
            prop_assume!(turn.length() > 0.1);
            let turn = DMat3::from_quat(turn.normalize());
            let mut spreads = powers.map(|power| 10f64.powf(power));
            spreads.sort_by(|a, b| b.total_cmp(a));
            let scale = 10f64.powi(size);
            let spread = DMat3::from_diagonal(DVec3::from(spreads));
            let matrix = turn * spread * turn.transpose() * scale;
            let [x, y, z] = matrix.to_cols_array_2d();
            let given = Symmetric([x[0], y[1], z[2], x[1], x[2], y[2]]);
            let axes = given.principal_axes();
            for i in 0..3 {
                for j in 0..3 {
                    let expected = f64::from(u8::from(i == j));
                    prop_assert!((axes[i].dot(axes[j]) - expected).abs() < 1e-12);
                }
                let found = axes[i].dot(matrix * axes[i]) / scale;
                prop_assert!((found - spreads[i]).abs() < 0.1 * spreads[i] + 1e-14 * spreads[0]
                    , "{found} {spreads:?}");
            }
        }
    }
}
