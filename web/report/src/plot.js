// Clearance over time: the curve, what is known of spans of time, and a cursor that goes with the view.

import { drawn, element, short } from './words.js';

const HEIGHT = 168;
const EDGE = { left: 56, right: 18, top: 14, bottom: 26 };

export class Plot {
  constructor(data, seek) {
    this.data = data;
    this.seek = seek;
    const values = data.curve.map((point) => point.value).filter((v) => v > 0);
    this.low = Math.min(...values, data.required > 0 ? data.required : Infinity);
    this.high = Math.max(...values, data.required ?? 0);
    this.usable = values.length > 0;
    // Where the part ends far away, a linear scale would show nothing of what matters.
    this.logarithmic = this.usable && this.high / this.low > 10;
    const label = { role: 'img', 'aria-label': this.summary() };
    this.root = drawn('svg', { class: 'plot', height: HEIGHT, ...label });
    this.root.addEventListener('pointerdown', (event) => this.drag(event));
    this.cursor = drawn('line', { class: 'cursor', y1: EDGE.top - 6, y2: HEIGHT - EDGE.bottom });
    this.dot = drawn('circle', { class: 'dot', r: 4 });
    this.scales = ['Linear', 'Log'].map((name) =>
      element('button', { type: 'button', click: () => this.setScale(name === 'Log') }, name),
    );
    const group = { class: 'segments', role: 'group', 'aria-label': 'Clearance scale' };
    this.scaleSwitch = element('span', group, ...this.scales);
    this.legend = element(
      'span',
      { class: 'legend' },
      ...this.kinds().map(([kind, word]) =>
        element(
          'span',
          {},
          drawn(
            'svg',
            { width: 14, height: 10 },
            drawn('rect', { class: `span ${kind}`, width: 14, height: 10 }),
          ),
          word,
        ),
      ),
    );
  }

  /** What is marked on the plot, in words. */
  kinds() {
    const { contacts, spans } = this.data;
    const used = new Set([
      ...contacts.map((contact) => (contact.allowed ? 'allowed' : 'contact')),
      ...spans.map((span) => span.kind),
    ]);
    const words = [
      ['contact', 'contact'],
      ['allowed', 'allowed'],
      ['too-close', 'too close'],
      ['unknown', 'not decided'],
    ];
    return words.filter(([kind]) => used.has(kind));
  }

  summary() {
    const { data } = this;
    const { minimum, unit } = data;
    const least = minimum
      ? `least ${short(minimum.value)} ${unit} at ${short(minimum.time)}; `
      : '';
    return `Clearance over time; ${least}${data.contacts.length} intervals of contact`;
  }

  setScale(logarithmic) {
    this.logarithmic = logarithmic;
    this.draw(this.width);
  }

  x(time) {
    const { start, end } = this.data.path;
    return EDGE.left + ((time - start) / (end - start)) * (this.width - EDGE.left - EDGE.right);
  }

  y(value) {
    const [low, high] = this.range;
    const share = this.logarithmic
      ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
      : (value - low) / (high - low);
    const room = HEIGHT - EDGE.top - EDGE.bottom;
    return HEIGHT - EDGE.bottom - Math.min(Math.max(share, 0), 1) * room;
  }

  draw(width) {
    this.width = width;
    this.root.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.root.setAttribute('width', width);
    this.range = this.logarithmic
      ? [10 ** Math.floor(Math.log10(this.low * 0.8)), this.high * 1.3]
      : [0, (this.high || 1) * 1.08];
    this.scales.forEach((button, k) => {
      button.setAttribute('aria-pressed', String((k === 1) === this.logarithmic));
      button.disabled = !this.usable;
    });
    this.root.replaceChildren(
      hatching(),
      ...this.spans(),
      ...this.grid(),
      ...this.limit(),
      ...this.curve(),
      ...this.least(),
      this.cursor,
      this.dot,
    );
    if (this.time !== undefined) this.setTime(this.time, this.value);
  }

  spans() {
    const band = ([from, to], kind, note) =>
      drawn(
        'rect',
        {
          class: `span ${kind}`,
          x: this.x(from),
          // Spans may be too short to be seen; a contact never is.
          width: Math.max(this.x(to) - this.x(from), kind === 'contact' ? 2 : 0.5),
          y: EDGE.top,
          height: HEIGHT - EDGE.top - EDGE.bottom,
        },
        drawn('title', {}, note),
      );
    const { data } = this;
    const named = ({ parts, time: [from, to] }) =>
      `${parts.map(data.nameOf).join(' × ')}, t = ${short(from)} … ${short(to)}`;
    const timed = data.contacts.filter(({ time }) => time.every(Number.isFinite));
    return [
      ...data.spans.map((span) => band(span.time, span.kind, span.note)),
      ...timed.map((c) => band(c.time, c.allowed ? 'allowed' : 'contact', named(c))),
    ];
  }

  grid() {
    const { data, width } = this;
    const floor = HEIGHT - EDGE.bottom;
    const across = { x1: EDGE.left, x2: width - EDGE.right };
    const marks = [drawn('line', { class: 'base', ...across, y1: floor, y2: floor })];
    const write = (x, y, [text, kind, anchor]) =>
      marks.push(drawn('text', { x, y, class: kind, 'text-anchor': anchor }, text));
    for (const time of steps(data.path.start, data.path.end, Math.max(3, width / 130))) {
      const x = this.x(time);
      marks.push(drawn('line', { class: 'tick', x1: x, x2: x, y1: floor, y2: floor + 5 }));
      write(x, floor + 18, [short(time), null, 'middle']);
    }
    const unit = data.timeUnit ? `t / ${data.timeUnit}` : 't';
    write(width - EDGE.right, floor - 6, [unit, 'unit', 'end']);
    write(EDGE.left - 8, EDGE.top - 3, [data.unit, 'unit', 'end']);
    if (!this.usable) {
      const middle = (EDGE.left + width - EDGE.right) / 2;
      write(middle, HEIGHT / 2, ['No clearances are known', null, 'middle']);
      return marks;
    }
    const [low, high] = this.range;
    for (const value of this.logarithmic ? decades(low, high) : steps(low, high, 4)) {
      const y = this.y(value);
      if (y < EDGE.top + 4) continue;
      marks.push(drawn('line', { class: 'grid', ...across, y1: y, y2: y }));
      if (y > EDGE.top + 16) write(EDGE.left - 8, y + 4, [short(value), null, 'end']);
    }
    return marks;
  }

  limit() {
    const { required, unit } = this.data;
    if (!(required > 0)) return [];
    const y = this.y(required);
    const x = this.width - EDGE.right - 4;
    return [
      drawn('line', { class: 'limit', x1: EDGE.left, x2: this.width - EDGE.right, y1: y, y2: y }),
      drawn(
        'text',
        { class: 'limit', x, y: y - 5, 'text-anchor': 'end' },
        `required ${short(required)} ${unit}`,
      ),
    ];
  }

  curve() {
    const points = this.data.curve.filter((point) => !Number.isNaN(point.value));
    if (!this.usable || !points.length) return [];
    const place = (point, value) => `${this.x(point.time).toFixed(1)} ${this.y(value).toFixed(1)}`;
    const known = points.filter((point) => point.least <= point.most);
    const band = [
      ...known.map((point) => place(point, point.most)),
      ...known.toReversed().map((point) => place(point, point.least)),
    ];
    const line = points.map((point) => place(point, point.value));
    return [
      band.length > 2 ? drawn('path', { class: 'band', d: `M${band.join('L')}Z` }) : null,
      drawn('path', { class: 'curve', d: `M${line.join('L')}` }),
    ].filter(Boolean);
  }

  least() {
    const { minimum, unit } = this.data;
    if (!this.usable || !minimum || !(minimum.value > 0)) return [];
    const [x, y] = [this.x(minimum.time), this.y(minimum.value)];
    const left = x > this.width * 0.75;
    return [
      drawn('path', { class: 'least', d: `M${x} ${y}m-5 -10l5 6l5 -6z` }),
      drawn(
        'text',
        {
          class: 'least',
          x: x + (left ? -9 : 9),
          y: y - 8,
          'text-anchor': left ? 'end' : 'start',
        },
        `least ${short(minimum.value)} ${unit}`,
      ),
    ];
  }

  setTime(time, value) {
    this.time = time;
    this.value = value;
    if (!this.width) return;
    const x = this.x(time);
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
    const known = this.usable && !Number.isNaN(value);
    this.dot.toggleAttribute('hidden', !known);
    if (!known) return;
    this.dot.setAttribute('cx', x);
    this.dot.setAttribute('cy', this.y(value));
  }

  drag(event) {
    const to = ({ clientX }) => {
      const share =
        (clientX - this.root.getBoundingClientRect().left - EDGE.left) /
        (this.width - EDGE.left - EDGE.right);
      const { start, end } = this.data.path;
      this.seek(start + Math.min(Math.max(share, 0), 1) * (end - start));
    };
    this.root.setPointerCapture(event.pointerId);
    this.root.addEventListener('pointermove', to);
    const done = () => this.root.removeEventListener('pointermove', to);
    this.root.addEventListener('pointerup', done, { once: true });
    this.root.addEventListener('pointercancel', done, { once: true });
    to(event);
  }
}

function hatching() {
  const size = 7;
  return drawn(
    'defs',
    {},
    drawn(
      'pattern',
      {
        id: 'hatching',
        width: size,
        height: size,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      drawn('rect', { width: size, height: size, class: 'ground' }),
      drawn('line', { x1: 0, x2: 0, y1: 0, y2: size, class: 'stripe' }),
    ),
  );
}

/** Round numbers between two ends, about so many. */
function steps(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
  const found = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let i = first; i * step <= high + 1e-9 * step && found.length < 100; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

/** Powers of ten, with 2 and 5 between them if there are few. */
function decades(low, high) {
  const found = [];
  const many = Math.log10(high / low);
  const every = Math.max(1, Math.ceil(many / 5));
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high; k += every) {
    for (const n of many > 2.2 ? [1] : [1, 2, 5]) if (n * 10 ** k <= high) found.push(n * 10 ** k);
  }
  return found;
}
