// Numbers and elements as people read them.

/** A number in a few digits, without needless zeros. */
export function short(value, digits = 4) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${trimmed(mantissa)}e${Number(exponent)}`.replace('-', '−').replace('e-', 'e−');
  }
  return trimmed(value.toPrecision(digits)).replace('-', '−');
}

function trimmed(text) {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Both ends of a span with as many decimals as it takes to tell them apart. */
export function range([from, to]) {
  const width = to - from;
  if (!Number.isFinite(width)) return '–';
  const decimals = width > 0 ? Math.ceil(-Math.log10(width)) + 1 : 4;
  const fixed = (x) => x.toFixed(Math.min(Math.max(decimals, 4), 12)).replace('-', '−');
  return width > 0 ? `${fixed(from)} … ${fixed(to)}` : fixed(from);
}

/** A whole number, its digits in threes as the program prints them. */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** A point or direction. */
export function triple(values) {
  return values ? `(${values.map((x) => short(x)).join(', ')})` : '–';
}

/** An element; functions become listeners, children are text or elements and never markup. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for a drawing. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}
