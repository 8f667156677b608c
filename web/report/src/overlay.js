// What is written over the 3D view: contact point and normal, nearest points, the axes.

import { drawn, short } from './words.js';
import { apply, applyInverse } from './motion.js';
import { clearanceAt, nearestKnown } from './data.js';

const ARROW = 62;

export class Overlay {
  constructor(data, view) {
    this.data = data;
    this.view = view;
    this.shown = true;
    this.normal = drawn('line', { class: 'normal', 'marker-end': 'url(#tip)' });
    this.spot = drawn('circle', { class: 'spot', r: 5 });
    this.contactLabel = drawn('text', { class: 'label contact' });
    this.gap = drawn('line', { class: 'gap' });
    this.ends = [drawn('circle', { class: 'end', r: 3 }), drawn('circle', { class: 'end', r: 3 })];
    this.gapLabel = drawn('text', { class: 'label near' });
    this.contactMarks = drawn('g', {}, this.normal, this.spot, this.contactLabel);
    this.nearMarks = drawn('g', {}, this.gap, ...this.ends, this.gapLabel);
    this.axes = ['X', 'Y', 'Z'].map((name) => ({
      line: drawn('line', { class: `axis ${name}` }),
      text: drawn('text', { class: `axis ${name}` }, name),
    }));
    const tip = drawn(
      'marker',
      {
        id: 'tip',
        viewBox: '0 0 10 10',
        refX: 8,
        refY: 5,
        markerWidth: 5,
        markerHeight: 5,
        orient: 'auto',
      },
      drawn('path', { d: 'M0 0L10 5L0 10z', class: 'tip' }),
    );
    this.root = drawn(
      'svg',
      { class: 'overlay', 'aria-hidden': 'true' },
      drawn('defs', {}, tip),
      ...this.axes.flatMap(({ line, text }) => [line, text]),
      this.nearMarks,
      this.contactMarks,
    );
  }

  /** The contact that is marked at a time: the one that began last and still lasts, or the first. */
  contactAt(time) {
    const begun = this.data.contacts.filter((c) => c.point && c.time[0] <= time);
    const lasting = begun.filter((c) => time <= c.time[1]);
    return lasting.at(-1) ?? begun.find((c) => !c.allowed) ?? null;
  }

  /** The nearest points at a time: that on the moving part goes with it from the known instant. */
  nearestAt(time) {
    const { data } = this;
    const near = nearestKnown(data.curve, time);
    if (!near || near.value === 0) return null;
    const [then, now] = [data.path.poseAt(near.time), this.view.pose];
    const points = near.points.map((point, k) =>
      data.bodies[near.parts[k]]?.moving ? apply(now, applyInverse(then, point)) : point,
    );
    // The same number as beside the slider, between the known instants too.
    return { points, value: clearanceAt(data.curve, time) };
  }

  /** What the button that zooms in goes to. */
  focus(time) {
    return this.contactAt(time)?.point ?? this.nearestAt(time)?.points[0] ?? null;
  }

  update(time) {
    const { camera } = this.view;
    const contact = this.shown ? this.contactAt(time) : null;
    const lasts = contact && time <= contact.time[1];
    this.markContact(contact, lasts);
    this.markNearest(this.shown && !lasts ? this.nearestAt(time) : null);
    // In print the picture is stretched to the paper, and so is what is written on it.
    this.root.setAttribute('viewBox', `0 0 ${camera.size.join(' ')}`);
    const [x, y] = [42, camera.size[1] - 42];
    camera.axes().forEach(([right, down], k) => {
      const { line, text } = this.axes[k];
      place(line, [x, y], [x + 24 * right, y + 24 * down]);
      text.setAttribute('x', x + 33 * right);
      text.setAttribute('y', y + 33 * down + 3.5);
    });
  }

  markContact(contact, lasts) {
    const { camera } = this.view;
    const point = contact && this.view.shown(contact.point);
    const seen = point && camera.project(point);
    this.contactMarks.toggleAttribute('hidden', !seen);
    if (!seen) return;
    const kind = contact.allowed ? 'allowed' : 'found';
    this.contactMarks.setAttribute('class', lasts ? kind : `${kind} past`);
    at(this.spot, seen);
    const length = ARROW * camera.pixelAt(point);
    const tip = contact.normal?.map((n, k) => point[k] + length * n);
    const end = tip && camera.project(tip);
    this.normal.toggleAttribute('hidden', !end);
    if (end) place(this.normal, seen, end);
    const [a, b] = contact.features;
    const text = lasts ? `${a} × ${b}` : `contact at t = ${short(contact.time[0])}`;
    this.write(this.contactLabel, seen, text);
  }

  markNearest(near) {
    const { camera } = this.view;
    const seen = near?.points.map((point) => camera.project(this.view.shown(point)));
    const visible = Boolean(seen?.every(Boolean));
    this.nearMarks.toggleAttribute('hidden', !visible);
    if (!visible) return;
    place(this.gap, ...seen);
    seen.forEach((point, k) => at(this.ends[k], point));
    const middle = [0, 1].map((k) => (seen[0][k] + seen[1][k]) / 2);
    this.write(this.gapLabel, middle, `${short(near.value)} ${this.data.unit}`);
  }

  /** Text beside a point, on the side where there is room. */
  write(label, [x, y], text) {
    const left = x > this.view.camera.size[0] * 0.7;
    label.setAttribute('x', x + (left ? -12 : 12));
    label.setAttribute('y', y - 10);
    label.setAttribute('text-anchor', left ? 'end' : 'start');
    if (label.textContent !== text) label.textContent = text;
  }
}

function at(circle, [x, y]) {
  circle.setAttribute('cx', x);
  circle.setAttribute('cy', y);
}

function place(line, [x1, y1], [x2, y2]) {
  for (const [key, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(key, value);
}
