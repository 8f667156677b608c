// Poses along the path, by the same formula and in the same order as `geom::motion::Motion`.

/** Numbers per piece: axis 3, angle, arm 3, base 3, drift 3, start pose 7, end pose 7. */
const PIECE = 27;

export class Path {
  constructor(times, pieces) {
    this.times = times;
    this.pieces = pieces;
    this.start = times[0];
    this.end = times[times.length - 1];
  }

  get count() {
    return this.times.length - 1;
  }

  /** The piece at a time, and how much of it is past. */
  locate(time) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    const piece = Math.min(Math.max(low - 1, 0), this.count - 1);
    const [start, end] = [this.times[piece], this.times[piece + 1]];
    return [piece, Math.min(Math.max((time - start) / (end - start), 0), 1)];
  }

  /** The pose at a time: a unit quaternion w x y z and a translation. */
  poseAt(time) {
    const [piece, part] = this.locate(time);
    const n = this.pieces.subarray(piece * PIECE, (piece + 1) * PIECE);
    if (part <= 0) return poseOf(n, 13);
    if (part >= 1) return poseOf(n, 20);
    const half = 0.5 * n[3] * part;
    const sine = Math.sin(half);
    const turn = unit([Math.cos(half), n[0] * sine, n[1] * sine, n[2] * sine]);
    const moved = rotate(rotationOf(turn), [n[4], n[5], n[6]]);
    const place = moved.map((x, k) => x + (n[7 + k] + part * n[10 + k]));
    return { rotation: unit(product(turn, n.subarray(13, 17))), translation: place };
  }

  /** The angle by which a piece turns. */
  angle(piece) {
    return this.pieces[piece * PIECE + 3];
  }
}

/** A pose that is written as seven numbers from `at` on. */
export function poseOf(numbers, at = 0) {
  const n = Array.from(numbers.slice(at, at + 7));
  return { rotation: n.slice(0, 4), translation: n.slice(4) };
}

/** The rotation as a matrix, row by row. */
export function rotationOf([w, x, y, z]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** Where a pose takes a point. */
export function apply(pose, point) {
  return rotate(rotationOf(pose.rotation), point).map((x, k) => x + pose.translation[k]);
}

/** Where a point was before a pose took it to `point`. */
export function applyInverse(pose, point) {
  const [w, x, y, z] = pose.rotation;
  return rotate(
    rotationOf([w, -x, -y, -z]),
    point.map((p, k) => p - pose.translation[k]),
  );
}

function rotate(matrix, [x, y, z]) {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z);
}

function product([a, b, c, d], [e, f, g, h]) {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}

function unit(q) {
  const length = Math.hypot(...q);
  return q.map((x) => x / length);
}
