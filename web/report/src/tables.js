// Below the view: contacts, what is allowed, and the facts of the scene.

import { count, element, range, short, triple } from './words.js';

/** Rows of a table beyond this number wait for a click. */
const MOST = 100;

export function contacts(data, go) {
  const heads = [
    '#',
    'Time of contact',
    'Begins within',
    'Parts',
    'Features',
    'Point',
    'Normal',
    'Face pairs',
  ];
  const rows = data.contacts.map((contact, i) => {
    const [a, b] = contact.parts.map(data.nameOf);
    const [f, g] = contact.features;
    const cells = [
      element('button', { type: 'button', 'aria-label': `Go to contact ${i + 1}` }, String(i + 1)),
      `${short(contact.time[0], 5)} … ${short(contact.time[1], 5)}`,
      range(contact.onset),
      both(a, b),
      both(f, g),
      triple(contact.point),
      triple(contact.normal),
      element(
        'span',
        {},
        count(contact.facePairs),
        contact.allowed ? element('span', { class: 'tag' }, 'allowed') : null,
      ),
    ];
    const kind = contact.allowed ? 'allowed' : 'found';
    return element(
      'tr',
      { class: kind, click: () => go(contact) },
      ...cells.map((cell, k) => element('td', { class: k === 7 ? 'number' : null }, cell)),
    );
  });
  const found = data.contacts.filter((contact) => !contact.allowed).length;
  const title = element(
    'h2',
    {},
    'Contacts ',
    element('small', {}, intervals(found, data.contacts.length)),
  );
  if (!rows.length) {
    return { rows, root: element('section', { class: 'contacts' }, title) };
  }
  const body = element('tbody', {}, ...rows.slice(0, MOST));
  const table = element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...heads.map((head, k) =>
          element('th', { scope: 'col', class: k === 7 ? 'number' : null }, head),
        ),
      ),
    ),
    body,
  );
  const showAll = () => {
    body.append(...rows.slice(MOST));
    more.remove();
  };
  const more =
    rows.length > MOST
      ? element(
          'button',
          { type: 'button', class: 'more', click: showAll },
          `Show all ${rows.length}`,
        )
      : null;
  return { rows, root: element('section', { class: 'contacts' }, title, scroller(table), more) };
}

function intervals(found, all) {
  if (all === 0) return 'none found';
  const allowed = all > found ? `, ${all - found} allowed` : '';
  const words = ['no findings', '1 interval'][found] ?? `${found} intervals`;
  return `${words}${allowed}`;
}

function both(a, b) {
  return element('span', {}, a, element('span', { class: 'times' }, ' × '), b);
}

function scroller(table) {
  return element(
    'div',
    { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    table,
  );
}

export function facts(data) {
  const { bodies, path, unit, timeUnit } = data;
  const total = bodies.reduce((sum, body) => sum + body.faces, 0);
  const moving = bodies.filter((body) => body.moving);
  const time = (t) => `${short(t)}${timeUnit ? ` ${timeUnit}` : ''}`;
  const scene = [
    [
      'Parts',
      `${bodies.length}, of which ${moving.length} ${moving.length === 1 ? 'moves' : 'move'}`,
    ],
    ['Moving', moving.map((body) => body.name).join(', ') || '–'],
    ['Faces', count(total)],
    ['Unit', unit],
    ['Path', `${path.count + 1} keyframes, t = ${time(path.start)} … ${time(path.end)}`],
    [
      'Required clearance',
      data.required > 0 ? `${short(data.required)} ${unit}` : 'none asked for',
    ],
  ];
  const allowed = data.allowances.map(({ between, extent, reason }) => [
    between.join(' × '),
    [extent, reason].filter(Boolean).join(' – '),
  ]);
  return element(
    'section',
    { class: 'facts' },
    list('Scene', scene),
    list('Allowed contacts', allowed.length ? allowed : [['None', 'every contact is a finding']]),
    ...data.facts.map(({ title, rows }) => list(title, rows)),
  );
}

function list(title, rows) {
  return element(
    'div',
    { class: 'fact' },
    element('h2', {}, title),
    element(
      'dl',
      {},
      ...rows.map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, value)),
      ),
    ),
  );
}
