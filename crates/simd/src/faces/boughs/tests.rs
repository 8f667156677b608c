//! Trees of boxes against all pairs of boxes.

use super::*;
use proptest::prelude::*;

fn coordinate() -> impl Strategy<Value = f64> {
    let far = prop::sample::select(vec![-1e90, 1e90, 1e-90, 0.0]);
    prop_oneof![8 => -1.0..8.0f64, 4 => (0i8..8).prop_map(f64::from), 1 => far]
}

/// Vertices, and the corners of up to sixty-four faces.
type Soup = (Vec<[f64; 3]>, Vec<[prop::sample::Index; 3]>);

fn soup() -> impl Strategy<Value = Soup> {
    let points = prop::collection::vec(prop::array::uniform3(coordinate()), 1..50);
    (points, prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..65))
}

/// The boxes of the faces of a soup, opened in both forms, and truly.
fn opened<B: Boxes>(steps: &Steps, (points, corners): &Soup) -> ([Opened<B>; 2], Vec<Ends>) {
    let vertices: Vec<u32> = (0..points.len() as u32).rev().collect();
    let mut places = vec![[[0; 8]; 3]; corners.len().div_ceil(8)];
    let mut boxes = Vec::new();
    for (i, three) in corners.iter().enumerate() {
        let at = [0, 1, 2].map(|k| three[k].index(points.len()));
        (0..3).for_each(|k| places[i / 8][k][i % 8] = at[k] as u8);
        let [p, q, r] = at.map(|at| points[points.len() - 1 - at]);
        boxes.push([
            std::array::from_fn(|k| p[k].min(q[k]).min(r[k])),
            std::array::from_fn(|k| p[k].max(q[k]).max(r[k])),
        ]);
    }
    let faces: Vec<u32> = (0..corners.len() as u32).collect();
    let run = Run { vertices: &vertices, corners: &places, faces: &faces };
    let mut both = [Opened::default(); 2];
    // After one that has more vertices, of which nothing must be left.
    let other = [[0; 8]; 3];
    let full = Run { vertices: &[0; VERTICES_MAX], corners: &[other; 8], faces: &[0; 64] };
    let mut first = Opened::default();
    B::open(steps, points, [(full, &mut first), (run, &mut both[0])].into_iter());
    open_scalar(steps, points, &run, &mut both[1]);
    (both, boxes)
}

fn overlap(a: &Ends, b: &Ends) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}

proptest! {
    #[test]
    fn runs_meet_where_their_faces_do(a in soup(), b in soup(), last in 1.0..9.0f64) {
        let steps = Steps::of([0.0; 3], [last, last, 7.0]);
        let ((asking, of_a), (asked, of_b)) =
            (opened::<Asking>(&steps, &a), opened::<Asked>(&steps, &b));
        prop_assert_eq!(asking[0], asking[1]);
        prop_assert_eq!(asked[0], asked[1]);
        let names: Vec<u32> = (0..64).collect();
        let (mut found, mut twin) = (Vec::new(), Vec::new());
        let runs = (&asking[0], &asked[0], Pairing::Two);
        let looked = meet(runs, [&names, &names], &mut found);
        let again = meet_by(runs, [&names, &names], &mut twin, meets_scalar);
        prop_assert_eq!((looked, &found), (again, &twin));
        found.sort_unstable();
        prop_assert!(found.windows(2).all(|two| two[0] != two[1]));
        // With itself it is the same, each pair once.
        let (asked_itself, _) = opened::<Asked>(&steps, &a);
        let (mut all, mut once) = (Vec::new(), Vec::new());
        let run = |pairing| (&asking[0], &asked_itself[0], pairing);
        meet(run(Pairing::Two), [&names, &names], &mut all);
        meet(run(Pairing::Itself), [&names, &names], &mut once);
        all.retain(|pair| pair[0] < pair[1]);
        all.sort_unstable();
        once.sort_unstable();
        prop_assert_eq!(all, once);
        for (i, one) in (0..).zip(&of_a) {
            for (j, other) in (0..).zip(&of_b) {
                let apart = (0..3).any(|k| {
                    let (one, other) = (one.map(|end| end[k]), other.map(|end| end[k]));
                    let inside = |x: f64| 0.0 < x && x < last.min(7.0);
                    let grain = 1e-3;
                    (inside(one[1]) && one[1] + grain < other[0])
                        || (inside(other[1]) && other[1] + grain < one[0])
                });
                let is_found = found.binary_search(&[i, j]).is_ok();
                prop_assert!(is_found || !overlap(one, other));
                prop_assert!(!(is_found && apart));
            }
        }
    }

    #[test]
    fn trees_end_at_the_boxes_that_share_a_point(
        corners in prop::collection::vec(prop::array::uniform3(0.0..9.0f64), 1..300),
        count in any::<prop::sample::Index>(),
        size in 0.0..3.0f64,
    ) {
        let boxes: Vec<Ends> = corners.iter().map(|&at| [at, at.map(|x| x + size)]).collect();
        let (a, b) = boxes.split_at(count.index(boxes.len()));
        let steps = Steps::of([1.0; 3], [8.0; 3]);
        let mut asking = vec![Vec::new(); 3];
        let mut asked = vec![Vec::new(); 3];
        Asking::of_ends(&steps, a, &mut asking[0]);
        Asked::of_ends(&steps, b, &mut asked[0]);
        let (mut twin, mut other) = (Vec::new(), Vec::new());
        of_ends_scalar(&steps, a, &mut twin);
        of_ends_scalar(&steps, b, &mut other);
        prop_assert_eq!((&asking[0], &asked[0]), (&twin, &other));
        for level in 1..3 {
            let (below, above) = asking.split_at_mut(level);
            parents(&below[level - 1], &mut above[0]);
            let (below, above) = asked.split_at_mut(level);
            parents(&below[level - 1], &mut above[0]);
        }
        asking[2].resize(1, Asking::default());
        let mut pairs = vec![[0, 0]];
        for level in (0..3).rev() {
            let (nodes, mut next, mut twin) =
                ((&asking[level][..], &asked[level][..], Pairing::Two), Vec::new(), Vec::new());
            prop_assert!(descend(nodes, &pairs, (&mut next, usize::MAX)));
            prop_assert!(descend_by(nodes, &pairs, (&mut twin, usize::MAX), meets_scalar));
            prop_assert_eq!(&next, &twin);
            prop_assert!(next.is_empty() || !descend(nodes, &pairs, (&mut twin, 0)));
            pairs = next;
        }
        pairs.sort_unstable();
        prop_assert!(pairs.windows(2).all(|two| two[0] != two[1]));
        for (i, one) in (0..).zip(a) {
            for (j, other) in (0..).zip(b) {
                let found = pairs.binary_search(&[i, j]).is_ok();
                prop_assert!(found || !overlap(one, other));
            }
        }
        prop_assert!(pairs.iter().all(|&[i, j]| (i as usize) < a.len() && (j as usize) < b.len()));
    }
}
