// The buttons in the view: from where to look, and at what.

import { element } from './words.js';

const NAMES = ['Iso', 'Front', 'Back', 'Left', 'Right', 'Top'];

export function viewBar(page) {
  const { camera, overlay } = page.view;
  const views = NAMES.map((name) =>
    element(
      'button',
      { type: 'button', title: `View: ${name}`, click: () => camera.look(name.toLowerCase()) },
      name,
    ),
  );
  const ups = ['y', 'z'].map((axis) => {
    const up = element(
      'button',
      {
        type: 'button',
        'aria-label': `${axis.toUpperCase()} points up`,
        click: () => {
          camera.setUp(axis);
          mark();
          page.aim();
        },
      },
      `${axis.toUpperCase()} up`,
    );
    return { axis, up };
  });
  function mark() {
    for (const { axis, up } of ups) up.setAttribute('aria-pressed', String(axis === camera.up));
  }
  mark();
  const zoom = () => {
    const point = overlay.focus(page.time);
    if (point) camera.zoomTo(page.view.shown(point), 0.16);
  };
  return element(
    'div',
    { class: 'view-bar', role: 'toolbar', 'aria-label': 'View' },
    element('span', { class: 'segments' }, ...views),
    element(
      'span',
      { class: 'segments' },
      element(
        'button',
        { type: 'button', title: 'All parts over all time (F)', click: () => camera.fit() },
        'Fit',
      ),
      element(
        'button',
        { type: 'button', title: 'Contact or nearest points', click: zoom },
        'Zoom to mark',
      ),
    ),
    element('span', { class: 'segments' }, ...ups.map(({ up }) => up)),
  );
}
