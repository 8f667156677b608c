//! Pictures of engine `r98-recode`: for each pair of blocks and each pass the depth of the block that was drawn,
//! and how many faces of the other one are not beyond it.

use super::{BACKGROUND, Color, DEPTHS_A, DEPTHS_B, Legend, More, Placed, Sheet, Shot, mix};
use impinge::narrow::r98::{Picture, R98};
use serde::Serialize;

/// By the counter.
const COUNTERS: [(&str, Color); 4] = [
    ("no face of the other block before it", [58, 84, 122]),
    ("one face of the other block before it: they overlap", [226, 44, 44]),
    ("two faces of the other block before it", [250, 204, 60]),
    ("more faces of the other block before it", [200, 80, 220]),
];

/// What was drawn.
#[derive(Serialize)]
pub(super) struct Facts {
    /// Which block of a and which of b.
    blocks: [u32; 2],
    /// In the first a is drawn, in the second b.
    pass: u8,
}

/// The pictures of two bodies.
pub(super) fn shoot<'n>(
    engine: &R98,
    [a, b]: [&Placed; 2],
    blank: impl Fn(More) -> Legend<'n>,
) -> Vec<Shot<'n>> {
    let pictures = engine.pictures([(&a.mesh, &a.pose), (&b.mesh, &b.pose)]);
    let shot = |Picture { blocks, pass, image }: Picture| {
        let pixels = [image.width, image.height];
        let depths = if pass == 1 { DEPTHS_A } else { DEPTHS_B };
        let sheet = Sheet::of(2, pixels, |panel, i| match (panel, image.mask[i]) {
            (_, 0) => BACKGROUND,
            // From a quarter to three quarters.
            (0, _) => {
                mix(depths[1], depths[0], (2.0 * f64::from(image.depth[i]) - 0.5).clamp(0.0, 1.0))
            }
            _ => COUNTERS[usize::from(image.counter[i]).min(COUNTERS.len() - 1)].1,
        });
        let drawn = [("nothing", BACKGROUND), ("nearest", depths[1]), ("farthest", depths[0])];
        let legend = Legend {
            panels: vec![
                "depth of the far side of the block that was drawn, near is bright",
                "faces of the other block that are not beyond it",
            ],
            colours: drawn.into_iter().chain(COUNTERS).collect(),
            pixels,
            ..blank(More::Recode(Facts { blocks, pass }))
        };
        Shot { suffix: format!("-blocks{}_{}-pass{pass}", blocks[0], blocks[1]), sheet, legend }
    };
    pictures.into_iter().map(shot).collect()
}
