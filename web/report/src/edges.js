// The edges that make a shape readable: borders, and where two faces meet at more than 30°.

const COSINE = Math.cos(Math.PI / 6);
const NONE = 0xffffffff;

/** Pairs of vertex indices. Vertices at the same place count as one. */
export function featureEdges(positions, corners) {
  const same = merged(positions);
  const normals = faceNormals(positions, corners);
  const table = new Table(corners.length);
  const flat = new Uint8Array(corners.length);
  const first = new Uint32Array(corners.length).fill(NONE);
  const ends = new Uint32Array(2 * corners.length);
  let count = 0;
  for (let i = 0; i < corners.length; i += 1) {
    const next = i % 3 === 2 ? i - 2 : i + 1;
    const [a, b] = [same[corners[i]], same[corners[next]]];
    if (a === b) continue;
    const face = (i / 3) | 0;
    const edge = table.find(Math.min(a, b), Math.max(a, b), count);
    if (edge === count) {
      ends[2 * edge] = corners[i];
      ends[2 * edge + 1] = corners[next];
      first[edge] = face;
      count += 1;
    } else if (dot(normals, first[edge], face) > COSINE) {
      flat[edge] = 1;
    }
  }
  const kept = [];
  for (let edge = 0; edge < count; edge += 1) {
    if (!flat[edge]) kept.push(ends[2 * edge], ends[2 * edge + 1]);
  }
  return kept;
}

/** For each vertex the first one at the same place. */
function merged(positions) {
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
  const count = positions.length / 3;
  const size = 1 << Math.max(4, Math.ceil(Math.log2(2 * count + 1)));
  const slots = new Uint32Array(size).fill(NONE);
  const same = new Uint32Array(count);
  for (let v = 0; v < count; v += 1) {
    const [x, y, z] = [bits[3 * v], bits[3 * v + 1], bits[3 * v + 2]];
    let slot = hash(hash(x, y), z) & (size - 1);
    for (;;) {
      const held = slots[slot];
      if (held === NONE) {
        slots[slot] = v;
        same[v] = v;
        break;
      }
      if (bits[3 * held] === x && bits[3 * held + 1] === y && bits[3 * held + 2] === z) {
        same[v] = held;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return same;
}

function hash(a, b) {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h ^= h >>> 15;
  h = Math.imul(h, 0x27d4eb2f);
  return (h ^ (h >>> 13)) >>> 0;
}

/** Numbers pairs in the order in which they are first asked for. */
class Table {
  constructor(most) {
    this.size = 1 << Math.max(4, Math.ceil(Math.log2(2 * most + 1)));
    this.keys = new Uint32Array(2 * this.size);
    this.values = new Uint32Array(this.size).fill(NONE);
  }

  /** The number of a pair, or `fresh`, which is then its number. */
  find(a, b, fresh) {
    let slot = hash(a, b) & (this.size - 1);
    while (this.values[slot] !== NONE) {
      if (this.keys[2 * slot] === a && this.keys[2 * slot + 1] === b) return this.values[slot];
      slot = (slot + 1) & (this.size - 1);
    }
    this.keys[2 * slot] = a;
    this.keys[2 * slot + 1] = b;
    this.values[slot] = fresh;
    return fresh;
  }
}

function faceNormals(p, corners) {
  const normals = new Float32Array(corners.length);
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [3 * corners[i], 3 * corners[i + 1], 3 * corners[i + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[i] = x / length;
    normals[i + 1] = y / length;
    normals[i + 2] = z / length;
  }
  return normals;
}

function dot(normals, a, b) {
  const [i, j] = [3 * a, 3 * b];
  return (
    normals[i] * normals[j] + normals[i + 1] * normals[j + 1] + normals[i + 2] * normals[j + 2]
  );
}
