// One image of depth: 64 bins per pixel, in two words. `draw` marks the bins of faces that were not left
// out, `hold` leaves out faces none of whose bins is marked. See sieve.rs for why that is safe.
//
// Groups of 64 take 64 faces. Small faces are drawn by one invocation each, large ones by all of the group
// together, and by several groups, the parts: no invocation goes through more than 2^15 pixels.

struct Raster {
    origin: vec4<f32>,
    scale: vec4<f32>,
    // The last column, row and bin; in how many parts large faces are drawn.
    last: vec4<f32>,
}

// Upper ends are negated, as in impinge_simd::image.
struct Extent {
    low: vec4<f32>,
    high: vec4<f32>,
}

struct Cells {
    low: vec3<u32>,
    high: vec3<u32>,
}

@group(0) @binding(0) var<uniform> raster: Raster;
@group(0) @binding(1) var<storage, read> extents: array<Extent>;
@group(0) @binding(2) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>>;

// What is added to the flag of a face: for each part of it that no marked bin is in, and for each other.
const APART = 2u;
const MEETS = 0x10000u;

const GROUP = 64u;
// Faces of more pixels than this are large.
const LARGE = 16u;
// In pixels; derived in sieve.rs.
const SLACK = 0.00048828125;

var<workgroup> large: array<u32, GROUP>;
var<workgroup> large_meets: array<atomic<u32>, GROUP>;
var<workgroup> large_count: atomic<u32>;

fn cells_of(i: u32) -> Cells {
    let low = (extents[i].low.xyz - raster.origin.xyz) * raster.scale.xyz;
    let high = (-extents[i].high.xyz - raster.origin.xyz) * raster.scale.xyz;
    let zero = vec3<f32>(0.0);
    return Cells(
        vec3<u32>(clamp(low + (0.5 - SLACK), zero, raster.last.xyz)),
        vec3<u32>(clamp(high + (0.5 + SLACK), zero, raster.last.xyz)),
    );
}

// The bins from the lowest to the highest that are in the word from bin `first` on.
fn word(cells: Cells, first: u32) -> u32 {
    let low = max(cells.low.z, first) - first;
    let end = clamp(cells.high.z + 1u, first, first + 32u) - first;
    return insertBits(0u, 0xffffffffu, min(low, end), end - min(low, end));
}

fn pixels(cells: Cells) -> u32 {
    let size = cells.high.xy - cells.low.xy + 1u;
    return size.x * size.y;
}

// Where the bins of one of the pixels begin.
fn place(cells: Cells, pixel: u32) -> u32 {
    let wide = cells.high.x - cells.low.x + 1u;
    let x = cells.low.x + pixel % wide;
    let y = cells.low.y + pixel / wide;
    return 2u * (y * (u32(raster.last.x) + 1u) + x);
}

fn parts() -> u32 {
    return u32(raster.last.w);
}

fn is_left_out(i: u32) -> bool {
    return atomicLoad(&flags[i]) == APART * parts();
}

// Every `step`-th pixel from `first` on.
fn mark(cells: Cells, first: u32, step: u32) {
    let words = vec2<u32>(word(cells, 0u), word(cells, 32u));
    let count = pixels(cells);
    for (var pixel = first; pixel < count; pixel += step) {
        let at = place(cells, pixel);
        if words.x != 0u {
            atomicOr(&bins[at], words.x);
        }
        if words.y != 0u {
            atomicOr(&bins[at + 1u], words.y);
        }
    }
}

// Whether none of those pixels has a marked bin in common with a face.
fn is_apart(cells: Cells, first: u32, step: u32) -> bool {
    let words = vec2<u32>(word(cells, 0u), word(cells, 32u));
    let count = pixels(cells);
    var pixel = first;
    for (; pixel < count; pixel += step) {
        let at = place(cells, pixel);
        let both = vec2<u32>(atomicLoad(&bins[at]), atomicLoad(&bins[at + 1u])) & words;
        if (both.x | both.y) != 0u {
            return false;
        }
    }
    // A driver may end a loop that takes long.
    return pixel >= count;
}

@compute @workgroup_size(64)
fn draw(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) here: u32,
) {
    let i = id.x;
    if i < arrayLength(&extents) && !is_left_out(i) {
        let cells = cells_of(i);
        if pixels(cells) > LARGE {
            large[atomicAdd(&large_count, 1u)] = i;
        } else if id.y == 0u {
            mark(cells, 0u, 1u);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&large_count);
    for (var k = 0u; k < count; k++) {
        mark(cells_of(large[k]), id.y * GROUP + here, GROUP * parts());
    }
}

@compute @workgroup_size(64)
fn hold(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) here: u32,
) {
    let i = id.x;
    if i < arrayLength(&extents) {
        let cells = cells_of(i);
        if pixels(cells) > LARGE {
            large[atomicAdd(&large_count, 1u)] = i;
        } else if id.y == 0u {
            let apart = is_apart(cells, 0u, 1u);
            atomicAdd(&flags[i], select(MEETS, APART * parts(), apart));
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&large_count);
    for (var k = 0u; k < count; k++) {
        if !is_apart(cells_of(large[k]), id.y * GROUP + here, GROUP * parts()) {
            atomicAdd(&large_meets[k], 1u);
        }
    }
    workgroupBarrier();
    if here < count {
        let apart = atomicLoad(&large_meets[here]) == 0u;
        atomicAdd(&flags[large[here]], select(MEETS, APART, apart));
    }
}
