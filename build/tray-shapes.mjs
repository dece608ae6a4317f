// Draws the tray icons as SVG, one drawing per state and size. Every straight edge falls on a whole pixel of that size, so
// that the icon is sharp at 16 px. The states differ in shape, because macOS shows no colours and some people see none:
//
//   safe       the ticket with its counterfoil
//   line-down  the whole ticket above a broken line: the sales are kept
//   attention  the ticket behind a triangle with an exclamation mark
//   stopped    the ticket behind an octagon with a cross
//
// Two shades of teal, one light and one dark, keep the ticket visible on light, dark and grey taskbars.

/** @typedef {'safe' | 'line-down' | 'attention' | 'stopped'} TrayState */
/** @typedef {(length: number) => number} ToPixels Converts a length on the 16 px grid into whole pixels, at least one. */
/**
 * A sign in front of the ticket.
 * @typedef {object} Sign
 * @property {string} colour
 * @property {(grow: number) => string} shape the silhouette, made larger on all sides by `grow` pixels
 * @property {string} mark a path inside the silhouette: white, or cut out where there are no colours
 */

export const TRAY_STATES = /** @type {const} */ (['safe', 'line-down', 'attention', 'stopped']);

const LIGHT_TEAL = '#2dd4bf';
const DARK_TEAL = '#0f766e';
const AMBER = '#cc6a00';
const RED = '#dc2626';

/**
 * Returns the SVG of a tray icon in colour.
 * @param {TrayState} state
 * @param {number} size in pixels
 */
export function drawTrayIcon(state, size) {
  return svg(size, drawState(state, size, false));
}

/**
 * Returns the SVG of a template icon for macOS: black on transparent, with 1/18 of the size left free on each side.
 * @param {TrayState} state
 * @param {number} size in pixels, a multiple of 18
 */
export function drawTrayTemplate(state, size) {
  const margin = size / 18;
  return svg(size, `<g transform="translate(${margin} ${margin})">${drawState(state, size - 2 * margin, true)}</g>`);
}

/** @type {(size: number, content: string) => string} */
function svg(size, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${content}</svg>`;
}

/** @type {(state: TrayState, size: number, isTemplate: boolean) => string} */
function drawState(state, size, isTemplate) {
  /** @type {ToPixels} */
  const px = (length) => Math.max(1, Math.round((length * size) / 16));
  const top = px(2);
  if (state === 'safe') return drawTicket(size, px, { top, bottom: size - top, isTemplate });
  if (state === 'line-down') {
    const line = brokenLine(size, px);
    return (
      drawTicket(size, px, { top: 0, bottom: size - line.height - px(1), isTemplate }) +
      `<path fill="${isTemplate ? '#000' : DARK_TEAL}" d="${line.ends}"/>` +
      `<path fill="${isTemplate ? '#000' : AMBER}" d="${line.cross}"/>`
    );
  }
  const sign = state === 'attention' ? triangle(size, px) : octagon(size, px);
  const ticket = drawTicket(size, px, { top, bottom: size - top, isTemplate });
  return (
    `<mask id="gap" ${whole(size)} fill="#000" stroke="#000">${white(size)}${sign.shape(Math.floor(size / 16))}</mask>` +
    `<g mask="url(#gap)">${ticket}</g>` +
    (isTemplate
      ? `<mask id="mark" ${whole(size)}>${white(size)}<path d="${sign.mark}"/></mask><g mask="url(#mark)">${sign.shape(0)}</g>`
      : `<g fill="${sign.colour}" stroke="${sign.colour}">${sign.shape(0)}</g><path fill="#fff" d="${sign.mark}"/>`)
  );
}

/**
 * Draws the ticket over the full width. A short ticket has room for one hole of the perforation, a tall one for two.
 * @param {number} size
 * @param {ToPixels} px
 * @param {{ top: number, bottom: number, isTemplate: boolean }} place
 */
function drawTicket(size, px, { top, bottom, isTemplate }) {
  const fold = px(5);
  const width = px(1);
  const middle = (top + bottom) / 2;
  const notch = width / 2 + Math.floor(size / 16);
  /** @type {(from: number, to: number) => string} */
  const hole = (from, to) => `M${fold} ${from}h${width}V${to}h${-width}z`;
  // Half the gap between the two holes, or half the length of the only hole. `withParity` makes sure that both ends are on
  // whole pixels.
  const half = withParity(2, px, bottom - top) / 2;
  const holes =
    bottom - top < px(11)
      ? hole(middle - half, middle + half)
      : hole(middle - half - px(2), middle - half) + hole(middle + half, middle + half + px(2));
  return (
    `<mask id="ticket" ${whole(size)}>` +
    `<rect y="${top}" width="${size}" height="${bottom - top}" rx="${px(2.5)}" fill="#fff"/>` +
    [top, bottom].map((y) => `<circle cx="${fold + width / 2}" cy="${y}" r="${notch}"/>`).join('') +
    `<path d="${holes}"/></mask><g mask="url(#ticket)">` +
    `<path fill="${isTemplate ? '#000' : DARK_TEAL}" d="M0 0h${size}v${size}H0z"/>` +
    `<path fill="${isTemplate ? '#000' : LIGHT_TEAL}" d="M0 0h${fold}v${size}H0z"/></g>`
  );
}

/** @type {(size: number, px: ToPixels) => { height: number, ends: string, cross: string }} */
function brokenLine(size, px) {
  const height = withParity(6, px, size);
  const left = (size - height) / 2;
  const thick = withParity(1.5, px, height);
  const y = size - (height + thick) / 2;
  const length = left - px(1);
  const ends = `M0 ${y}h${length}v${thick}H0zM${size} ${y}h${-length}v${thick}h${length}z`;
  return { height, ends, cross: cross(left, size - height, height, size) };
}

/** @type {(size: number, px: ToPixels) => Sign} */
function triangle(size, px) {
  const half = px(6);
  const [left, top, middle] = [size - 2 * half, size - px(11), size - half];
  const round = px(1.5);
  const stem = 2 * Math.max(1, Math.round(size / 18)); // an even number, because the width of the triangle's base is even
  const foot = size - px(1);
  const path = `M${middle} ${top + round}L${size - round} ${size - round}H${left + round}z`;
  return {
    colour: AMBER,
    shape: (grow) => `<path stroke-width="${2 * (round + grow)}" stroke-linejoin="round" d="${path}"/>`,
    mark:
      `M${middle - stem / 2} ${top + px(4)}h${stem}V${foot - stem - px(1)}h${-stem}z` +
      `M${middle - stem / 2} ${foot - stem}h${stem}v${stem}h${-stem}z`,
  };
}

/** @type {(size: number, px: ToPixels) => Sign} */
function octagon(size, px) {
  const width = px(11);
  const start = size - width;
  const corner = px(3.25);
  const side = width - 2 * corner;
  const path =
    `M${start + corner} ${start}h${side}l${corner} ${corner}v${side}l${-corner} ${corner}` +
    `h${-side}l${-corner} ${-corner}v${-side}z`;
  const inner = withParity(6.5, px, width);
  const from = start + (width - inner) / 2;
  return {
    colour: RED,
    shape: (grow) => `<path stroke-width="${2 * grow}" stroke-linejoin="round" d="${path}"/>`,
    mark: cross(from, from, inner, size),
  };
}

/** A diagonal cross in a square of `width`. @type {(x: number, y: number, width: number, size: number) => string} */
function cross(x, y, width, size) {
  const tip = (1.25 * size) / 16;
  const arm = width / 2 - tip;
  return (
    `M${x + tip} ${y}l${arm} ${arm}l${arm} ${-arm}l${tip} ${tip}l${-arm} ${arm}l${arm} ${arm}` +
    `l${-tip} ${tip}l${-arm} ${-arm}l${-arm} ${arm}l${-tip} ${-tip}l${arm} ${-arm}l${-arm} ${-arm}z`
  );
}

/**
 * Returns the length in pixels. The result is odd if `other` is odd, and even if `other` is even, so that both lengths can have
 * the same centre.
 * @type {(length: number, px: ToPixels, other: number) => number}
 */
function withParity(length, px, other) {
  const pixels = px(length);
  return (pixels - other) % 2 === 0 ? pixels : pixels + 1;
}

/** @param {number} size */
const whole = (size) => `maskUnits="userSpaceOnUse" x="0" y="0" width="${size}" height="${size}"`;
/** @param {number} size */
const white = (size) => `<path fill="#fff" stroke="none" d="M0 0h${size}v${size}H0z"/>`;
