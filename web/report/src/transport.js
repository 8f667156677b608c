// Play, pause, speed, the slider, and the keys for them.

import { drawn, element, short } from './words.js';

/** At normal speed the whole path takes so many seconds. */
const SECONDS = 10;
const SPEEDS = [
  ['¼×', 0.25],
  ['½×', 0.5],
  ['1×', 1],
  ['2×', 2],
  ['4×', 4],
];

function icon(path) {
  const attributes = { viewBox: '0 0 16 16', width: 12, height: 12, 'aria-hidden': 'true' };
  return drawn('svg', { class: 'icon', ...attributes }, drawn('path', { d: path }));
}

export class Transport {
  constructor(data, page) {
    this.data = data;
    this.page = page;
    this.playing = false;
    this.speed = 1;
    const { start, end } = data.path;
    this.slider = element('input', {
      type: 'range',
      class: 'slider',
      min: start,
      max: end,
      step: 'any',
      'aria-label': 'Time on the path',
      input: () => {
        this.pause();
        page.seek(Number(this.slider.value));
      },
    });
    this.button = element('button', { type: 'button', class: 'play', click: () => this.toggle() });
    const speed = element(
      'select',
      {
        'aria-label': 'Speed',
        title: `1× takes ${SECONDS} s`,
        change: () => {
          this.speed = Number(speed.value);
        },
      },
      ...SPEEDS.map(([name, value]) => element('option', { value, selected: value === 1 }, name)),
    );
    const jump = (text, label, click) =>
      element('button', { type: 'button', 'aria-label': label, title: label, click }, text);
    const hasContacts = data.contacts.length > 0;
    this.clock = element('output', { class: 'clock' });
    this.gap = element('output', { class: 'gap' });
    this.bar = element(
      'div',
      { class: 'bar' },
      jump(icon('M3 2v12M13 2L5 8l8 6z'), 'To the start (Home)', () => page.seek(start)),
      this.button,
      speed,
      hasContacts ? jump('‹ contact', 'Contact before (P)', () => this.jump(-1)) : null,
      hasContacts ? jump('contact ›', 'Next contact (N)', () => this.jump(1)) : null,
      data.minimum
        ? jump('tightest', 'Where it is tightest (M)', () => page.seek(data.minimum.time))
        : null,
      this.clock,
      this.gap,
    );
    this.roots = [this.bar, this.slider];
    document.addEventListener('keydown', (event) => this.key(event));
    this.sign();
  }

  sign() {
    const sign = this.playing ? icon('M4 2h3v12H4zM9 2h3v12H9z') : icon('M4 2l9 6l-9 6z');
    this.button.replaceChildren(sign, this.playing ? 'Pause' : 'Play');
    this.button.setAttribute('aria-label', `${this.playing ? 'Pause' : 'Play'} (space)`);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    const { start, end } = this.data.path;
    if (this.page.time >= end) this.page.seek(start);
    if (this.playing) return;
    this.playing = true;
    this.sign();
    let last = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      // After a pause of the browser the view goes on where it was, instead of jumping ahead.
      const passed = Math.min(Math.max(now - last, 0), 200) / 1000;
      last = now;
      this.page.seek(this.page.time + (passed * this.speed * (end - start)) / SECONDS);
      if (this.page.time >= end) this.pause();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  pause() {
    this.playing = false;
    this.sign();
  }

  /** To the beginning of the contact before or after. */
  jump(direction) {
    const starts = this.data.contacts.map((contact) => contact.time[0]).sort((a, b) => a - b);
    const { time } = this.page;
    const next = direction > 0 ? starts.find((t) => t > time) : starts.findLast((t) => t < time);
    this.pause();
    if (next !== undefined) this.page.seek(next);
  }

  setTime(time, value) {
    const { timeUnit, unit, contacts, curve } = this.data;
    const clock = `t = ${time.toFixed(4).replace('-', '−')}${timeUnit ? ` ${timeUnit}` : ''}`;
    // Between the instants at which the clearance is known, it is but drawn.
    const exactly = curve.some((point) => point.time === time) ? '' : '≈ ';
    const touching = contacts.some(
      ({ allowed, time: [from, to] }) => !allowed && from <= time && time <= to,
    );
    const known = Number.isNaN(value) ? '' : `clearance ${exactly}${short(value)} ${unit}`;
    this.clock.textContent = clock;
    this.gap.textContent = touching ? 'in contact' : known;
    this.gap.classList.toggle('touching', touching);
    this.slider.value = time;
    this.slider.setAttribute('aria-valuetext', `${clock}, ${this.gap.textContent}`);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target;
    const typing =
      on instanceof HTMLSelectElement || (on instanceof HTMLInputElement && on !== this.slider);
    // A focused button is pressed by the space bar, as everywhere.
    if (typing || (event.key === ' ' && on instanceof HTMLButtonElement)) return;
    const { start, end } = this.data.path;
    const small = ((end - start) / 200) * (event.shiftKey ? 0.1 : 1);
    const to = (time) => {
      this.pause();
      this.page.seek(time);
    };
    const keys = {
      ' ': () => this.toggle(),
      ArrowLeft: () => to(this.page.time - small),
      ArrowRight: () => to(this.page.time + small),
      Home: () => to(start),
      End: () => to(end),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      m: () => this.data.minimum && to(this.data.minimum.time),
      f: () => this.page.view?.camera.fit(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
