// Puts the page together: reads the data, builds the view and everything around it, keeps the time.

import { clearanceAt, read } from './data.js';
import { Overlay } from './overlay.js';
import { panel } from './panel.js';
import { Plot } from './plot.js';
import { contacts, facts } from './tables.js';
import { Transport } from './transport.js';
import { View } from './view.js';
import { viewBar } from './viewbar.js';
import { element } from './words.js';

const FRAMES = 240;

class Page {
  constructor(data, main) {
    this.data = data;
    this.time = data.path.start;
    this.frames = [];
    this.waiting = false;
    this.transport = new Transport(data, this);
    this.plot = new Plot(data, (time) => this.seek(time));
    this.table = contacts(data, (contact) => this.seek(contact.time[0]));
    const canvas = element('canvas', { 'aria-label': '3D view of the parts' });
    this.stage = element('div', { class: 'view' }, canvas);
    const timeline = element(
      'section',
      { class: 'timeline', 'aria-label': 'Time' },
      ...this.transport.roots,
      this.plot.root,
    );
    this.transport.bar.append(this.plot.legend, this.plot.scaleSwitch);
    const top = element('section', { class: 'stage' }, this.stage);
    main.replaceChildren(top, timeline, this.table.root, facts(data));
    this.view = this.openView(canvas);
    if (this.view) {
      this.stage.append(this.view.overlay.root, viewBar(this));
      top.append(panel(data, this.view, () => this.changed()));
      this.printed = element('img', { class: 'printed', alt: 'The parts at the shown time' });
      this.stage.append(this.printed);
    }
    this.listen();
    this.seek(this.opening());
  }

  /** Without WebGL the page still tells everything but how it looks. */
  openView(canvas) {
    try {
      const { data } = this;
      const view = new View(data, canvas);
      view.overlay = new Overlay(data, view);
      view.camera.changed = () => this.changed();
      view.camera.setUp(data.up);
      return view;
    } catch (error) {
      console.warn(error);
      const words = 'This browser cannot show 3D graphics (WebGL 2).';
      this.stage.replaceChildren(element('p', { class: 'no-view' }, words));
      return null;
    }
  }

  /** Reports open where it matters: at the first contact, or where it is tightest. */
  opening() {
    const { contacts: all, minimum, path } = this.data;
    return all.find((contact) => !contact.allowed)?.time[0] ?? minimum?.time ?? path.start;
  }

  listen() {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => this.paint());
    this.paint();
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.stage);
    watch.observe(this.plot.root.parentElement);
    this.resize();
    if (this.view) {
      this.aim();
      this.edgesLater();
      window.addEventListener('beforeprint', () => {
        this.frame();
        this.printed.src = this.view.renderer.domElement.toDataURL('image/png');
      });
    }
  }

  /** Has the first view look from the side on which the moving part ends up. */
  aim() {
    const { path } = this.data;
    const { view } = this;
    const away = [path.start, path.end].map((t) => view.placeOfReference(t));
    const middle = [0, 1, 2].map((k) => (away[0][k] + away[1][k]) / 2);
    view.camera.turnTowards(middle.map((x, k) => x - view.restingCenter[k]));
    view.camera.look('iso');
  }

  edgesLater() {
    const next = () => {
      if (!this.view.prepareEdges()) return;
      this.view.paint(this.colors);
      this.changed();
      setTimeout(next, 0);
    };
    setTimeout(next, 0);
  }

  paint() {
    const style = getComputedStyle(document.documentElement);
    const names = ['canvas', 'edge', 'trail', 'accent', 'contact', 'allowed'];
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colors = Object.fromEntries(names.map((name) => [name, color(name)]));
    this.view?.paint(this.colors);
    this.changed();
  }

  resize() {
    const width = this.stage.clientWidth;
    const height = this.stage.clientHeight;
    if (this.view && width && height) this.view.resize(width, height);
    const room = this.plot.root.parentElement.clientWidth;
    if (room && room !== this.plot.width) this.plot.draw(room);
    this.changed();
  }

  seek(time) {
    const { start, end } = this.data.path;
    if (!Number.isFinite(time)) return;
    this.time = Math.min(Math.max(time, start), end);
    const value = clearanceAt(this.data.curve, this.time);
    this.plot.setTime(this.time, value);
    this.transport.setTime(this.time, value);
    this.data.contacts.forEach(({ time: [from, to] }, i) => {
      const row = this.table.rows[i];
      const now = from <= this.time && this.time <= to;
      if (row.classList.contains('now') !== now) row.classList.toggle('now', now);
    });
    this.changed();
  }

  /** Has the view drawn again, once, before the next picture. */
  changed() {
    if (this.waiting || !this.view) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.frame();
    });
  }

  frame() {
    const begin = performance.now();
    const { view } = this;
    view.setTime(this.time);
    view.camera.prepare();
    view.overlay.update(this.time);
    view.render();
    this.frames.push(performance.now() - begin);
    if (this.frames.length > FRAMES) this.frames.shift();
  }

  /** What tests look at. */
  state() {
    const { view, time, data } = this;
    return {
      time,
      verdict: data.verdict.kind,
      playing: this.transport.playing,
      pose: data.path.poseAt(time),
      movingMatrix: view ? view.movingMatrix() : null,
      visibleContacts: data.contacts.flatMap((_, i) =>
        view?.touched[i].some((mesh) => mesh.visible) ? [i] : [],
      ),
      contactMarked: view ? !view.overlay.contactMarks.hasAttribute('hidden') : false,
      edgesReady: view ? view.parts.every((part) => part.edges) : false,
      frames: this.frames.length,
      frameMs: median(this.frames),
    };
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

const data = read(document.getElementById('data').textContent);
const page = new Page(data, document.getElementById('main'));
window.impinge = {
  ready: true,
  state: () => page.state(),
  seek: (time) => page.seek(time),
  play: () => page.transport.play(),
  pause: () => page.transport.pause(),
  resetFrames: () => {
    page.frames = [];
  },
};
