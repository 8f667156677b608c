//! One image by itself: what overlaps is kept, what clearly shares no bin is left out.

use crate::gpu;
use crate::random::Random;
use impinge_geom::image::sieve::Sieve as _;
use impinge_gpu::sieve::Sieve;
use impinge_simd::image::extents::Extents;
use impinge_simd::image::grid::Raster;
use impinge_simd::image::{Extent, overlap};

/// Ends on a lattice, so that they often coincide, and some anywhere, also far outside.
fn extent(random: &mut Random, size: f32) -> Extent {
    let mut extent = [0.0; 8];
    for k in 0..3 {
        let end = |random: &mut Random| match random.next() % 4 {
            0 | 1 => (random.next() % 65) as f32 / 32.0 - 1.0,
            2 => 2.0 * random.symmetric() as f32,
            _ => 4.0 * random.symmetric() as f32,
        };
        let low = end(random);
        let width = if random.next().is_multiple_of(8) { end(random).abs() } else { size };
        let width =
            width * random.unit() as f32 * f32::from(u8::from(!random.next().is_multiple_of(8)));
        (extent[k], extent[k + 4]) = (low, -(low + width));
    }
    extent
}

fn body(random: &mut Random, count: usize, size: f32) -> Extents {
    let extents = (0..count).map(|_| extent(random, size)).collect();
    Extents { extents, names: (0..count as u32).map(|i| 7 * i).collect() }
}

/// The cells of an extent in f64, grown by a part of a cell.
fn cells(extent: &Extent, raster: &Raster, slack: f64) -> [[i64; 2]; 3] {
    [0, 1, 2].map(|k| {
        let at = |x: f32, slack: f64| {
            let e = (f64::from(x) - f64::from(raster.origin[k])) * f64::from(raster.scale[k]);
            ((e + 0.5 + slack).floor() as i64).clamp(0, i64::from(raster.last[k]))
        };
        [at(extent[k], -slack), at(-extent[k + 4], slack)]
    })
}

fn share(one: &[[i64; 2]; 3], other: &[[i64; 2]; 3]) -> bool {
    one.iter().zip(other).all(|(p, q)| p[0] <= q[1] && q[0] <= p[1])
}

/// Twice what the shaders grant, in cells.
const SLACK: f64 = 1.0 / 1024.0;

/// What is left of both, checked; tells how many were left out.
fn sifted(sieve: &Sieve, both: &[Extents; 2], raster: &Raster) -> usize {
    let mut left = both.clone();
    let images = sieve.images();
    assert!(sieve.sift(&mut left, raster));
    assert_eq!(sieve.images(), images + 1);
    let kept = |k: usize, i: usize| left[k].names.binary_search(&both[k].names[i]).is_ok();
    let grown = |k: usize| both[k].extents.iter().map(|extent| cells(extent, raster, SLACK));
    let grown = [0, 1].map(|k| grown(k).collect::<Vec<_>>());
    for k in [0, 1] {
        for (extent, name) in left[k].extents.iter().zip(&left[k].names) {
            assert_eq!(*extent, both[k].extents[*name as usize / 7]);
        }
        for (i, one) in both[k].extents.iter().enumerate() {
            let overlaps = both[1 - k].extents.iter().any(|other| overlap(one, other));
            assert!(!overlaps || kept(k, i), "body {k}, {i}: {one:?}");
            // A is held against what is left of B.
            let mut others = grown[1 - k].iter().enumerate().filter(|&(j, _)| k == 1 || kept(1, j));
            let near = others.any(|(_, other)| share(&grown[k][i], other));
            assert!(near || !kept(k, i), "body {k}, {i}: {one:?}");
        }
    }
    both[0].len() + both[1].len() - left[0].len() - left[1].len()
}

fn raster(random: &mut Random, pixels: [u16; 2], width: f32) -> Raster {
    let mut mor = [0.0; 8];
    for k in 0..3 {
        let low = random.symmetric() as f32;
        (mor[k], mor[k + 4]) = (low, -(low + width));
    }
    Raster::of(&mor, [pixels[0], pixels[1], 64])
}

#[test]
fn what_overlaps_is_kept_and_what_is_apart_is_left_out() {
    let Some(gpu) = gpu() else { return };
    let sieve = Sieve::new(&gpu).expect("it takes the shaders");
    let mut random = Random(5);
    let mut left_out = 0;
    for pixels in [[1, 1], [8, 8], [64, 17], [3, 128], [256, 256], [1024, 1024], [1024, 2]] {
        for width in [1.9, 0.3, 1e-3, 1e-7, 0.0] {
            for (count, size) in [(1, 0.1), (90, 0.3), (700, 0.02)] {
                let both = [0, 1].map(|_| body(&mut random, count, size));
                left_out += sifted(&sieve, &both, &raster(&mut random, pixels, width));
            }
        }
    }
    assert!(left_out > 3000, "{left_out}");
    assert!(gpu.is_sound());
}

#[test]
fn many_buffers_say_what_one_says() {
    let Some(gpu) = gpu() else { return };
    let whole = Sieve::new(&gpu).expect("it takes the shaders");
    let mut random = Random(6);
    let both = [5000, 3001].map(|count| body(&mut random, count, 0.02));
    let raster = raster(&mut random, [64, 64], 1.5);
    let expected = sifted(&whole, &both, &raster);
    for faces in [64, 100, 1024, 4999] {
        let parts = Sieve::new(&gpu).expect("as before").in_chunks_of(faces);
        assert_eq!(sifted(&parts, &both, &raster), expected);
        // With the same memory again, of which most is not needed.
        let few = [10, 20].map(|count| body(&mut random, count, 0.02));
        sifted(&parts, &few, &raster);
    }
}

#[test]
fn bodies_without_faces_are_not_drawn() {
    let Some(gpu) = gpu() else { return };
    let sieve = Sieve::new(&gpu).expect("it takes the shaders");
    let mut random = Random(7);
    let raster = raster(&mut random, [8, 8], 1.0);
    let mut both = [body(&mut random, 9, 0.1), Extents::default()];
    let before = both.clone();
    assert!(!sieve.sift(&mut both, &raster));
    assert_eq!(both, before);
}

/// All faces of a group fill the image, and only the last pixel tells: a driver that ends long loops misses it.
#[test]
fn images_full_of_large_faces_are_drawn_to_the_end() {
    let Some(gpu) = gpu() else { return };
    let sieve = Sieve::new(&gpu).expect("it takes the shaders");
    for pixels in [128, 256, 1024] {
        let raster = Raster::of(&[0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0], [pixels, pixels, 64]);
        // Large ones in bins of their own, and a small one in the last pixel of each of those.
        let (mut a, mut b) = (Extents::default(), Extents::default());
        for i in 0..60u32 {
            let depth = (i as f32 + 0.5) / 64.0;
            a.push([0.0, 0.0, depth, 0.0, -1.0, -1.0, -depth, 0.0], i);
            b.push([1.0, 1.0, depth, 0.0, -1.0, -1.0, -depth, 0.0], i);
        }
        let apart = 63.5 / 64.0;
        a.push([0.0, 0.0, apart, 0.0, -1.0, -1.0, -apart, 0.0], 60);
        for both in [[a.clone(), b.clone()], [b, a]] {
            let mut left = both;
            assert!(sieve.sift(&mut left, &raster));
            for body in &left {
                assert_eq!(body.names, (0..60).collect::<Vec<_>>(), "{pixels}");
            }
        }
    }
}
