//! Both forms agree bit for bit on any numbers, and no bound is ever on the wrong side: the truth is
//! worked out in f64 from points of the boxes.

use super::*;
use proptest::prelude::*;

/// Any f32, NaN, infinities and denormals among them, but mostly plain ones.
pub(crate) fn numbers() -> impl Strategy<Value = f32> + Clone {
    prop_oneof![
        8 => -2.0..2.0f32,
        1 => proptest::num::f32::ANY,
        1 => prop::sample::select(vec![
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-45, 1e38, -1e38, 1e-38, 1e30,
        ]),
    ]
}

fn columns() -> impl Strategy<Value = [[f32; 8]; 3]> {
    prop::array::uniform3(prop::array::uniform8(numbers()))
}

pub(crate) fn any_boxes() -> impl Strategy<Value = Boxes8> {
    (columns(), columns(), prop::array::uniform3(columns()), any::<u8>()).prop_map(
        |(center, half, axes, vacant)| {
            let mut boxes = Boxes8 { center, half, axes, child: [0; 8] };
            for lane in (0..8).filter(|lane| vacant & 0x55 >> lane & 1 == 1) {
                boxes.set(lane, &Boxes8::VACANT.get(lane));
            }
            boxes
        },
    )
}

fn any_probe() -> impl Strategy<Value = Probe> {
    let vector = || prop::array::uniform3(numbers());
    (vector(), vector(), prop::array::uniform3(vector()), numbers())
        .prop_map(|(center, half, axes, slack)| Probe { shape: Box1 { center, half, axes }, slack })
}

pub(crate) fn any_way() -> impl Strategy<Value = Way> {
    let wide = || prop_oneof![8 => -2.0..2.0f64, 1 => proptest::num::f64::ANY];
    let turn = prop::array::uniform3(prop::array::uniform4(numbers()))
        .prop_map(|columns| columns.map(|[x, y, z, _]| [x, y, z, 0.0, x, y, z, 0.0]));
    (
        turn,
        prop::array::uniform3(prop::array::uniform4(wide())),
        prop::array::uniform4(wide()),
        prop::array::uniform3(prop::array::uniform3(numbers())),
        (numbers(), numbers()),
    )
        .prop_map(|(turn, place, shift, rows, (scale, error))| Way {
            turn,
            place,
            shift,
            rows,
            scale,
            error,
        })
}

/// A way that leads nowhere else.
pub(crate) fn still(error: f32) -> Way {
    let unit = |k: usize| [0, 1, 2, 3].map(|i: usize| f64::from(u8::from(i == k)));
    let column = |k: usize| std::array::from_fn(|i| unit(k)[i % 4] as f32);
    Way {
        turn: [column(0), column(1), column(2)],
        place: [unit(0), unit(1), unit(2)],
        shift: [0.0; 4],
        rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        scale: 1.0,
        error,
    }
}

/// Lower bounds of the distances of eight boxes from one in their frame.
fn gaps(probe: &Probe, boxes: &Boxes8) -> [f32; 8] {
    let source = boxes_of(&[probe.shape]);
    gaps_after(&Source { boxes: &source, lane: 0 }, &still(probe.slack), boxes)
}

/// The same with products of axes.
fn margins_of(probe: &Probe, boxes: &Boxes8) -> [f32; 8] {
    let source = boxes_of(&[probe.shape]);
    margins_after(&Source { boxes: &source, lane: 0 }, &still(probe.slack), boxes)
}

#[cfg(target_arch = "x86_64")]
proptest! {
    #[test]
    fn both_forms_agree_bit_for_bit(
        probe in any_probe(),
        boxes in any_boxes(),
        (other, lane) in (any_probe(), 0..8usize),
        way in prop_oneof![any_way().boxed(), numbers().prop_map(still).boxed()],
    ) {
        let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
        let scalar = met_probe::<Scalar8>(&probe, &boxes);
        let avx = x86::overlaps(proof, &probe, &boxes);
        let others = boxes_of(&[other.shape; 8]);
        let source = Source { boxes: &others, lane };
        prop_assert_eq!(scalar.lanes, avx.lanes);
        let pairs = scalar.order.into_iter().zip(avx.order);
        let gaps = apart(&Spread::<Scalar8>::after(&source, &way), &boxes).store();
        let found = x86::gaps_after(proof, &source, &way, &boxes);
        let margins = margins(&Spread::<Scalar8>::after(&source, &way), &boxes).store();
        let with_products = x86::margins_after(proof, &source, &way, &boxes);
        let all = pairs.chain(gaps.into_iter().zip(found));
        for (s, x) in all.chain(margins.into_iter().zip(with_products)) {
            // Which NaN comes out is nobody's business; that one does is.
            prop_assert!(s.to_bits() == x.to_bits() || s.is_nan() && x.is_nan(), "{} {}", s, x);
        }
    }

    #[test]
    fn a_nan_in_the_place_or_size_of_a_box_meets(
        mut probe in any_probe(),
        mut boxes in any_boxes(),
        place in 0..3usize,
        (in_probe, in_center) in any::<(bool, bool)>(),
    ) {
        let mut one = if in_probe { probe.shape } else { boxes.get(3) };
        let numbers = if in_center { &mut one.center } else { &mut one.half };
        numbers[place] = f32::NAN;
        if in_probe { probe.shape = one } else { boxes.set(3, &one) }
        prop_assert_eq!(overlaps(&probe, &boxes).lanes >> 3 & 1, 1);
        // Half an edge of one of the eight is only looked at along the axes of the other box.
        if in_probe || in_center {
            prop_assert_eq!(gaps(&probe, &boxes)[3], 0.0);
            prop_assert!(margins_of(&probe, &boxes)[3] <= 0.0);
        }
    }
}

/// A box whose middle and size are still to come.
#[derive(Clone, Debug)]
struct Sketch {
    center: [f32; 3],
    axes: [[f32; 3]; 3],
    /// How much larger than needed to hold the common point, along each axis.
    room: [f32; 3],
}

/// Axes in f32 of a rotation.
fn axes([w, x, y, z]: [f64; 4]) -> [[f32; 3]; 3] {
    let n = 2.0 / (w * w + x * x + y * y + z * z);
    let rows = [
        [1.0 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)],
        [n * (x * y + w * z), 1.0 - n * (x * x + z * z), n * (y * z - w * x)],
        [n * (x * z - w * y), n * (y * z + w * x), 1.0 - n * (x * x + y * y)],
    ];
    rows.map(|row| row.map(|x| x as f32))
}

fn rotations() -> impl Strategy<Value = [[f32; 3]; 3]> {
    let quarter = prop::sample::select(vec![-1.0, 0.0, 1.0, 1e-4, 1e-7]);
    prop_oneof![
        prop::array::uniform4(-1.0..1.0f64),
        prop::array::uniform4(quarter),
        Just([1.0, 0.0, 0.0, 0.0]),
    ]
    .prop_filter("no rotation", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
    .prop_map(axes)
}

/// Lengths from 1e-6 to 1e3, with either sign, or nothing.
fn lengths() -> impl Strategy<Value = f32> + Clone {
    let sized = (-6.0..3.0f64, -1.0..1.0f64).prop_map(|(e, x)| (10f64.powf(e) * x) as f32);
    prop_oneof![4 => -1.0..1.0f32, 3 => sized, 1 => Just(0.0f32), 1 => Just(1.0f32)]
}

fn sketches() -> impl Strategy<Value = Sketch> {
    let room = prop_oneof![3 => Just(0.0f32), 1 => lengths()];
    (prop::array::uniform3(lengths()), rotations(), prop::array::uniform3(room))
        .prop_map(|(center, axes, room)| Sketch { center, axes, room })
}

fn wide(v: &[f32; 3]) -> [f64; 3] {
    v.map(f64::from)
}

fn dot64(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross64(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The coordinates of a point in the box: axes are not quite orthonormal, so by Cramer's rule.
fn coordinates(center: &[f32; 3], axes: &[[f32; 3]; 3], point: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = axes.each_ref().map(wide);
    let way = minus(point, &wide(center));
    let det = dot64(&x, &cross64(&y, &z));
    [cross64(&y, &z), cross64(&z, &x), cross64(&x, &y)].map(|n| dot64(&way, &n) / det)
}

/// The smallest box of this sketch that holds the point, and some room.
///
/// Boxes of trees are made larger than their content by 32u of their size. Some of that the kernel
/// takes for granted: along an axis of one of the eight it grants nothing for the size of that box,
/// which counts where the probe is small beside it.
fn holding(sketch: &Sketch, point: &[f64; 3]) -> Box1 {
    let at = coordinates(&sketch.center, &sketch.axes, point);
    let spare = 8.0 * f64::from(U) * at.iter().map(|x| x.abs()).sum::<f64>();
    let half = std::array::from_fn(|k| {
        // The quotient is off by some 1e-16 of what went in.
        let needed = at[k].abs() * (1.0 + 1e-12) + 1e-13 * point[k].abs() + spare;
        (needed as f32).next_up() + sketch.room[k].abs()
    });
    Box1 { center: sketch.center, half, axes: sketch.axes }
}

/// What must be inside: the box without the room that trees grant.
fn content(of: &Box1) -> Box1 {
    let spare = 8.0 * U * (of.half[0] + of.half[1] + of.half[2]);
    Box1 { half: of.half.map(|half| (half - spare).max(0.0)), ..*of }
}

/// The nearest point of a box to a point, up to what axes lack of being orthonormal; it is in the box.
fn nearest(of: &Box1, point: &[f64; 3]) -> [f64; 3] {
    let way = minus(point, &wide(&of.center));
    let mut found = wide(&of.center);
    for k in 0..3 {
        let half = f64::from(of.half[k]);
        let along = dot64(&way, &wide(&of.axes[k])).clamp(-half, half);
        (0..3).for_each(|i| found[i] += along * f64::from(of.axes[k][i]));
    }
    found
}

/// An upper bound of the distance of two boxes: from point to point until it settles.
fn distance(a: &Box1, b: &Box1) -> f64 {
    let mut point = wide(&b.center);
    let mut apart = f64::INFINITY;
    for _ in 0..200 {
        let mine = nearest(a, &point);
        point = nearest(b, &mine);
        let way = minus(&point, &mine);
        apart = apart.min(dot64(&way, &way).sqrt());
    }
    apart
}

fn boxes_of(each: &[Box1]) -> Boxes8 {
    let mut boxes = Boxes8::VACANT;
    each.iter().enumerate().for_each(|(lane, one)| boxes.set(lane, one));
    boxes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Boxes are made as small as a common point allows, so most meet in a face, an edge or a corner.
    #[test]
    fn boxes_that_share_a_point_meet(
        point in prop::array::uniform3(lengths()),
        probe in sketches(),
        others in prop::collection::vec(sketches(), 8),
        off in prop::array::uniform3(-1.0..1.0f32),
        slack in prop_oneof![Just(0.0f32), 1e-6..1e-2f32],
    ) {
        let point = wide(&point);
        let shape = holding(&probe, &point);
        // The probe is given a bit beside its place, within its slack.
        let center = std::array::from_fn(|k| shape.center[k] + 0.5 * slack * off[k]);
        let rounding = center.iter().map(|x| x.abs()).sum::<f32>() * 1.2e-7;
        let slack = if slack > 0.0 { slack + rounding } else { 0.0 };
        let probe = Probe { shape: Box1 { center, ..shape }, slack };
        let boxes: Vec<Box1> = others.iter().map(|one| holding(one, &point)).collect();
        let boxes = boxes_of(&boxes);
        prop_assert_eq!(overlaps(&probe, &boxes).lanes, 0xff);
        prop_assert_eq!(gaps(&probe, &boxes), [0.0; 8]);
        prop_assert!(margins_of(&probe, &boxes).iter().all(|&margin| margin <= 0.0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn gaps_are_not_above_the_distance(
        point in prop::array::uniform3(lengths()),
        probe in sketches(),
        others in prop::collection::vec((sketches(), prop::array::uniform3(lengths())), 8),
    ) {
        let shape = holding(&probe, &wide(&point));
        let each: Vec<Box1> =
            others.iter().map(|(one, inner)| holding(one, &wide(inner))).collect();
        let probe = Probe { shape, slack: 0.0 };
        let boxes = boxes_of(&each);
        let found = gaps(&probe, &boxes);
        let margins = margins_of(&probe, &boxes);
        let met = overlaps(&probe, &boxes).lanes;
        for (lane, one) in each.iter().enumerate() {
            let apart = distance(&content(&shape), &content(one));
            prop_assert!(f64::from(found[lane]) <= apart, "{} {}", found[lane], apart);
            prop_assert!(f64::from(margins[lane]) <= apart, "{} {}", margins[lane], apart);
            prop_assert!(margins[lane] >= found[lane]);
            prop_assert!(found[lane] == 0.0 || met >> lane & 1 == 0);
            // And no test that everything passes: balls that are apart are told to be.
            let radius = |of: &Box1| dot64(&wide(&of.half), &wide(&of.half)).sqrt();
            let way = minus(&wide(&one.center), &wide(&shape.center));
            let between = dot64(&way, &way).sqrt();
            let clear = between - radius(&shape) - radius(one);
            if clear > 1e-4 * between {
                prop_assert_eq!(met >> lane & 1, 0);
            }
        }
    }
}

#[test]
fn a_gap_along_an_axis_is_found_whole() {
    let axes = axes([1.0, 0.0, 0.0, 0.0]);
    let shape = Box1 { center: [0.0; 3], half: [1.0; 3], axes };
    let other = Box1 { center: [3.0, 4.0, 0.0], half: [1.0, 1.0, 1.0], axes };
    let found = gaps(&Probe { shape, slack: 0.0 }, &boxes_of(&[other; 8]));
    let expected = 5f32.sqrt();
    assert!(found.iter().all(|&gap| gap <= expected && gap > expected - 1e-4), "{found:?}");
}

#[test]
fn vacant_lanes_are_far_from_everything() {
    let shape = Box1 { center: [3.0; 3], half: [1e6; 3], axes: axes([1.0, 0.3, 0.2, 0.1]) };
    let probe = Probe { shape, slack: 1.0 };
    assert_eq!(overlaps(&probe, &Boxes8::VACANT).lanes, 0);
    assert!(gaps(&probe, &Boxes8::VACANT).iter().all(|&gap| gap > 1e6));
    assert!(margins_of(&probe, &Boxes8::VACANT).iter().all(|&gap| gap > 1e6));
}

/// Two beams across each other, a bit apart: no face parts them, but the product of their edges does.
#[test]
fn a_product_of_axes_tells_a_gap() {
    let (c, s) = (0.8, 0.6);
    let half = [0.05, 0.05, 4.0];
    let probe = Box1 { center: [0.0; 3], half, axes: [[s, c, 0.0], [-c, s, 0.0], [0.0, 0.0, 1.0]] };
    let other = [[c, 0.0, s], [-s, 0.0, c], [0.0, 1.0, 0.0]];
    let other = Box1 { center: [0.145, 0.0, 0.0], half, axes: other };
    let (probe, boxes) = (Probe { shape: probe, slack: 0.0 }, boxes_of(&[other; 8]));
    let true_gap = 0.145 - 0.05 * 2.0 * (c + s);
    assert_eq!(gaps(&probe, &boxes), [0.0; 8]);
    let found = margins_of(&probe, &boxes);
    assert!(found.iter().all(|&gap| gap <= true_gap && gap > true_gap - 1e-4), "{found:?}");
}
