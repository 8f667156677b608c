//! A small body at the middle of one that is up to 10²⁰ times as large: every engine sees the contact.

use crate::engines;

/// The middle of the first edge is the origin.
const SMALL: [[f64; 3]; 3] = [[-0.25, -0.25, 0.5], [0.25, 0.25, -0.5], [0.5, -0.5, 0.1]];
/// The origin is inside.
const LARGE: [[f64; 3]; 3] = [[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [-3.0, -1.0, -2.0]];

#[test]
fn a_contact_is_seen_however_unlike_the_sizes() {
    for power in 0..67 {
        let scale = 2f64.powi(power);
        let large = LARGE.map(|corner| corner.map(|x| x * scale));
        assert_eq!(engines::pairs(&[SMALL], &[large]), [[0, 0]], "2^{power}");
        assert_eq!(engines::pairs(&[large], &[SMALL]), [[0, 0]], "2^{power}");
    }
}
