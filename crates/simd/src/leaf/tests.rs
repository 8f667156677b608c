//! Both forms agree bit for bit on any numbers. Whether they are right is tested where exact
//! arithmetic is at hand, in the crate above.

use super::*;
use crate::obb::tests::{any_way, still};
use crate::obb::{Box1, Boxes8};
use proptest::prelude::*;

/// Any f32, NaN, infinities and denormals among them, but mostly plain ones.
pub(crate) fn numbers() -> impl Strategy<Value = f32> + Clone {
    prop_oneof![
        12 => -1.0..1.0f32,
        4 => (-4..=4i8).prop_map(|x| f32::from(x) * 0.25),
        1 => proptest::num::f32::ANY,
        1 => prop::sample::select(vec![
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-45, 1e38, -1e38, 1e-20, 1e19,
        ]),
    ]
}

/// Eight triangles: plain ones, wild ones and vacant lanes.
pub(crate) fn any_leaf() -> impl Strategy<Value = Triangles8> {
    let plain = prop_oneof![-1.0..1.0f32, (-4..=4i8).prop_map(|x| f32::from(x) * 0.25)];
    let of = |x: BoxedStrategy<f32>| {
        prop::array::uniform3(prop::array::uniform3(prop::array::uniform8(x)))
    };
    (prop_oneof![3 => of(plain.boxed()), 1 => of(numbers().boxed())], any::<u8>()).prop_map(
        |(mut leaf, vacant)| {
            for lane in (0..8).filter(|lane| vacant & 0x92 >> lane & 1 == 1) {
                leaf.iter_mut().flatten().for_each(|column| column[lane] = f32::NAN);
            }
            leaf
        },
    )
}

/// What leaves borrow.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    leaves: [Leaf; 2],
    boxes: [Boxes8; 2],
    way: Way,
}

impl Owned {
    fn new(triangles: [Triangles8; 2], boxes: [Box1; 2], way: Way) -> Self {
        let boxed = |one: Box1| {
            let mut boxes = Boxes8::VACANT;
            boxes.set(5, &one);
            boxes
        };
        let leaves = triangles.map(|triangles| Leaf { triangles, ids: [0; 8] });
        Self { leaves, boxes: boxes.map(boxed), way }
    }

    pub(crate) fn leaves(&self) -> Leaves<'_> {
        Leaves {
            leaves: self.leaves.each_ref(),
            boxes: self.boxes.each_ref().map(|boxes| Source { boxes, lane: 5 }),
            way: &self.way,
        }
    }
}

fn any_box() -> impl Strategy<Value = Box1> {
    let vector = || prop::array::uniform3(numbers());
    let wild = (vector(), prop::array::uniform3(vector())).prop_map(|(half, axes)| Box1 {
        center: [0.0; 3],
        half,
        axes,
    });
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let plain = prop::array::uniform3(0.0..2.0f32).prop_map(move |half| Box1 {
        center: [0.0; 3],
        half,
        axes,
    });
    prop_oneof![4 => plain, 1 => wild]
}

pub(crate) fn any_leaves() -> impl Strategy<Value = Owned> {
    let error = prop_oneof![Just(1e-7f32), Just(1e-3), Just(0.0), numbers()];
    let near = (
        error,
        prop::array::uniform3(-0.5..0.5f64),
        prop::array::uniform3(prop::array::uniform3(-1.0..1.0f32)),
    );
    let near = near.prop_map(|(error, [x, y, z], rows)| Way {
        shift: [x, y, z, 0.0],
        rows,
        ..still(error)
    });
    let boxes = prop::array::uniform2(any_box());
    (prop::array::uniform2(any_leaf()), boxes, prop_oneof![3 => near, 1 => any_way()])
        .prop_map(|(triangles, boxes, way)| Owned::new(triangles, boxes, way))
}

/// The same bits, but any NaN for any other.
pub(crate) fn alike(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

#[cfg(target_arch = "x86_64")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_forms_of_crossings_agree_bit_for_bit(leaves in any_leaves()) {
        let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
        let leaves = leaves.leaves();
        prop_assert_eq!(cross_all::<Scalar8>(&leaves), x86::crossings(proof, &leaves));
    }

    #[test]
    fn both_forms_of_extents_agree_bit_for_bit(
        axes in prop::array::uniform3(prop::array::uniform3(numbers())),
        leaves in prop::collection::vec((any_leaf(), prop::array::uniform3(numbers())), 1..4),
    ) {
        let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
        let [mut scalar, mut avx] = [Extents::new(axes); 2];
        for (leaf, middle) in &leaves {
            extend::<Scalar8>(&mut scalar, leaf, *middle);
            x86::extend(proof, &mut avx, leaf, *middle);
        }
        let all = |of: &Extents| [of.low, of.high];
        let pairs = [all(&scalar), all(&avx)];
        let [s, x] = pairs.each_ref().map(|all| all.as_flattened().as_flattened());
        prop_assert!(s.iter().zip(x).all(|(&s, &x)| alike(s, x)));
    }
}

proptest! {
    /// Extents hold every corner, up to the rounding of a scalar product, and no more than that.
    #[test]
    fn extents_are_those_of_the_corners(
        leaves in prop::collection::vec(
            (prop::array::uniform3(prop::array::uniform3(prop::array::uniform8(-1.0..1.0f32))),
             prop::array::uniform3(-4.0..4.0f32), 1..9usize), 1..4),
        axes in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f32)),
    ) {
        let mut extents = Extents::new(axes);
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (leaf, middle, filled) in leaves {
            let mut leaf: Triangles8 = leaf;
            for lane in filled..8 {
                leaf.iter_mut().flatten().for_each(|column| column[lane] = f32::NAN);
            }
            extents.add(&leaf, middle);
            for (corner, lane) in leaf.iter().flat_map(|c| (0..filled).map(move |l| (c, l))) {
                for k in 0..3 {
                    let product = |i: usize| f64::from(corner[i][lane]) * f64::from(axes[k][i]);
                    let along = product(0) + product(1) + product(2) + f64::from(middle[k]);
                    (low[k], high[k]) = (low[k].min(along), high[k].max(along));
                }
            }
        }
        let found = extents.low_high();
        for k in 0..3 {
            let off = 8.0 * f64::from(U) * 8.0;
            prop_assert!((f64::from(found.0[k]) - low[k]).abs() <= off);
            prop_assert!((f64::from(found.1[k]) - high[k]).abs() <= off);
        }
    }
}

#[test]
fn vacant_leaves_meet_nothing() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let shape = Box1 { center: [0.0; 3], half: [1.0; 3], axes };
    let full = [[[0.25; 8]; 3], [[0.5; 8]; 3], [[-0.5; 8]; 3]];
    let vacant = [[[f32::NAN; 8]; 3]; 3];
    for triangles in [[full, vacant], [vacant, full], [vacant, vacant]] {
        let owned = Owned::new(triangles, [shape; 2], still(1e-6));
        assert_eq!(crossings(&owned.leaves()), Crossings::default());
    }
}
