// Reads the pictures that the browser takes: PNG of 8 bits per channel, not interlaced.

import { inflateSync } from 'node:zlib';

export function decode(file) {
  const parts = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const kind = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[body[9]];
      if (body[8] !== 8 || !channels || body[12]) throw new Error('an unexpected kind of PNG');
    }
    if (kind === 'IDAT') parts.push(body);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? data[y * stride + x - channels] : 0;
      const up = y ? data[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? data[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter];
      data[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, channels, data };
}

function nearest(left, up, corner) {
  const sum = left + up - corner;
  const [a, b, c] = [left, up, corner].map((x) => Math.abs(sum - x));
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
