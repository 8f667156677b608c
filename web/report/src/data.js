// The report's data as the program wrote them: JSON, with long columns as base64.

import { Path, poseOf } from './motion.js';

/** Reads the data of the page. */
export function read(text) {
  const data = JSON.parse(text);
  data.path = new Path(column(data.times, Float64Array), column(data.pieces, Float64Array));
  delete data.times;
  delete data.pieces;
  for (const body of data.bodies) {
    body.pose = poseOf(body.pose);
    body.positions = column(body.positions, Float32Array);
    body.corners = column(body.corners, body.wide ? Uint32Array : Uint16Array);
  }
  data.curve = curve(column(data.curve, Float64Array));
  data.minimum = curve(column(data.minimum, Float64Array))[0] ?? null;
  if (data.minimum && !data.curve.some((point) => point.time === data.minimum.time)) {
    data.curve.push(data.minimum);
    data.curve.sort((a, b) => a.time - b.time);
  }
  // What is no number was written as null, which JavaScript would take for zero.
  const time = (ends) => ends.map((end) => end ?? NaN);
  data.spans = data.spans.filter((span) => !span.time.includes(null));
  for (const contact of data.contacts) {
    contact.time = time(contact.time);
    contact.onset = time(contact.onset);
    if (contact.point?.includes(null)) contact.point = null;
    if (contact.normal?.includes(null)) contact.normal = null;
    for (const faces of contact.faces) faces.triangles = column(faces.triangles, Uint32Array);
  }
  data.nameOf = (body) => data.bodies[body]?.name ?? 'unknown part';
  return data;
}

function column(text, Kind) {
  if (Uint8Array.fromBase64) return new Kind(Uint8Array.fromBase64(text).buffer);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return new Kind(bytes.buffer);
}

/** Numbers per point of the curve: time, both bounds, two places, two bodies. */
const POINT = 11;

function curve(numbers) {
  const points = [];
  for (let at = 0; at < numbers.length; at += POINT) {
    const [time, least, most] = numbers.subarray(at, at + 3);
    if (!Number.isFinite(time)) continue;
    const places = [3, 6].map((k) => Array.from(numbers.subarray(at + k, at + k + 3)));
    points.push({
      time,
      least,
      most,
      // What is drawn: the upper bound where there is one.
      value: Number.isNaN(most) ? least : most,
      points: places.flat().every(Number.isFinite) ? places : null,
      parts: Array.from(numbers.subarray(at + 9, at + 11)),
    });
  }
  return points.filter((point) => !Number.isNaN(point.value) || point.points);
}

/** The clearance at a time, between the instants at which it is known; NaN beyond them. */
export function clearanceAt(points, time) {
  const after = firstAfter(points, time);
  const [a, b] = [points[after - 1], points[after]];
  if (a?.time === time || (a && !b && time - a.time < 1e-12)) return a.value;
  if (!a || !b) return NaN;
  return a.value + ((time - a.time) / (b.time - a.time)) * (b.value - a.value);
}

/** The known instant that is nearest to a time and says where the nearest points are. */
export function nearestKnown(points, time) {
  let best = null;
  const after = firstAfter(points, time);
  for (const step of [-1, 1]) {
    let at = step < 0 ? after - 1 : after;
    while (points[at] && !points[at].points) at += step;
    const found = points[at];
    if (found && !(best && Math.abs(best.time - time) <= Math.abs(found.time - time))) best = found;
  }
  return best;
}

function firstAfter(points, time) {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
