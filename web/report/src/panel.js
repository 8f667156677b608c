// Beside the view: which parts are shown and how, and what else is drawn.

import { count, element } from './words.js';

/** How a part may look: by name, as a sign, in a word. */
const LOOKS = [
  ['solid', '●', 'solid'],
  ['clear', '◐', 'transparent'],
  ['hidden', '○', 'hidden'],
];

export function panel(data, view, changed) {
  const rows = view.parts.map((part) => row(part, view, changed));
  const all = (choose) => () => {
    view.parts.forEach((part, i) => rows[i].set(choose(part)));
    changed();
  };
  const presets = element(
    'div',
    { class: 'presets' },
    button(
      'All',
      'Show all parts',
      all(() => 'solid'),
    ),
    button('See-through', 'Resting parts transparent', all(resting('clear'))),
    button('Moving only', 'Hide resting parts', all(resting('hidden'))),
  );
  const order = rows.map((_, i) => i).sort((a, b) => data.bodies[b].moving - data.bodies[a].moving);
  return element(
    'aside',
    { class: 'panel', 'aria-label': 'Parts and display' },
    element('h2', {}, 'Parts'),
    presets,
    element('ul', { class: 'parts' }, ...order.map((i) => rows[i].root)),
    element('h2', {}, 'Display'),
    element('div', { class: 'options' }, ...options(view, changed)),
    section(view, changed),
  );
}

function resting(look) {
  return (part) => (part.body.moving ? 'solid' : look);
}

function button(text, label, click) {
  return element('button', { type: 'button', title: label, click }, text);
}

function row(part, view, changed) {
  const { name, faces, moving } = part.body;
  const looks = LOOKS.map(([look, sign, word]) =>
    element(
      'button',
      {
        type: 'button',
        'aria-label': `${name}: ${word}`,
        title: word,
        click: () => {
          set(look);
          changed();
        },
      },
      sign,
    ),
  );
  function set(look) {
    view.setLook(part, look);
    LOOKS.forEach(([each], k) => looks[k].setAttribute('aria-pressed', String(each === look)));
  }
  set(part.look);
  const swatch = element('span', { class: 'swatch' });
  swatch.style.background = part.color;
  const root = element(
    'li',
    {},
    swatch,
    element('span', { class: 'name', title: `${name}, ${count(faces)} faces` }, name),
    moving ? element('span', { class: 'moves' }, 'moves') : null,
    element(
      'span',
      { class: 'segments', role: 'group', 'aria-label': `Look of ${name}` },
      ...looks,
    ),
  );
  return { root, set };
}

function options(view, changed) {
  const option = (text, checked, set) => {
    const box = element('input', {
      type: 'checkbox',
      change: () => {
        set(box.checked);
        changed();
      },
    });
    box.checked = checked;
    return element('label', { class: 'option' }, box, text);
  };
  return [
    option('Edges', true, (on) => view.showEdges(on)),
    option('Trail', true, (on) => {
      view.trail.visible = on;
    }),
    option('Ghosts', view.ghosts.visible, (on) => {
      view.ghosts.visible = on;
    }),
    option('Markers', true, (on) => {
      view.overlay.shown = on;
    }),
  ];
}

function section(view, changed) {
  const axis = element(
    'select',
    { 'aria-label': 'Section plane', change },
    ...['Off', 'X', 'Y', 'Z'].map((name, k) => element('option', { value: k - 1 }, name)),
  );
  const place = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 0.002,
    value: 0.5,
    'aria-label': 'Place of the section plane',
    input: change,
  });
  const flip = element('input', {
    type: 'checkbox',
    'aria-label': 'Other side of the section plane',
    change,
  });
  place.disabled = true;
  flip.disabled = true;
  function change() {
    const chosen = Number(axis.value);
    place.disabled = chosen < 0;
    flip.disabled = chosen < 0;
    view.cut(chosen < 0 ? null : chosen, Number(place.value), flip.checked);
    changed();
  }
  return element(
    'div',
    { class: 'section' },
    element('label', {}, 'Section ', axis),
    place,
    element('label', { class: 'option' }, flip, 'flip'),
  );
}
