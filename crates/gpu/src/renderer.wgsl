// Faces in image coordinates, each an instance of three corners. See renderer.rs.

struct Face {
    // Corners, as the viewport wants them.
    @location(0) a: vec2<f32>,
    @location(1) b: vec2<f32>,
    @location(2) c: vec2<f32>,
    // The depth over the image: a pixel and the depth there, the slopes, and the depths of the corners.
    @location(3) start: vec3<f32>,
    @location(4) slope: vec2<f32>,
    @location(5) range: vec2<f32>,
}

struct Seen {
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) start: vec3<f32>,
    @location(1) @interpolate(flat) slope: vec2<f32>,
    @location(2) @interpolate(flat) range: vec2<f32>,
}

@vertex
fn corner(face: Face, @builtin(vertex_index) k: u32) -> Seen {
    let at = select(select(face.c, face.b, k == 1u), face.a, k == 0u);
    // Nothing is clipped away for its depth.
    return Seen(vec4<f32>(at, 0.5, 1.0), face.start, face.slope, face.range);
}

@fragment
fn depth(seen: Seen) -> @builtin(frag_depth) f32 {
    let away = (seen.at.xy - seen.start.xy) * seen.slope;
    let z = seen.start.z + (away.x + away.y);
    return clamp(clamp(z, seen.range.x, seen.range.y), 0.0, 1.0);
}
