// Draws all icons of the desktop app and writes them where the packager and the app read them. The files are committed.
//
//   npm exec -- node build/make-icons.mjs
//
// The app icon comes from the SVG files in build/icons/, the tray icons from build/tray-shapes.mjs. The script needs
// Chromium (`apt install chromium-headless-shell`). The same Chromium writes the same bytes every time.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright';

import { CHROMIUM_FLAGS, findHeadlessChromium, HOW_TO_GET_CHROMIUM } from '../test/support/chromium.ts';
import { ICNS_ENTRIES, writeIcns, writeIco, writePng } from './icon-files.mjs';
import { drawTrayIcon, drawTrayTemplate, TRAY_STATES } from './tray-shapes.mjs';

/** @typedef {import('./icon-files.mjs').Picture} Picture */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const icons = join(root, 'build/icons');
const shipped = join(root, 'electron/public');
/**
 * The icons of these sizes have their own SVG files. Scaled down to these sizes, icon.svg would have blurred edges, or lines
 * that touch each other.
 */
const OWN_MASTERS = [16, 20, 24, 40];
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const WINDOWS_SIZES = [16, 20, 24, 32, 40, 48, 64, 256];
const WINDOWS_TRAY_SIZES = [16, 20, 24, 32, 40, 48];
const LINUX_TRAY_SIZES = { '': 22, '@1.5x': 33, '@2x': 44 };
const MAC_TRAY_SIZES = { '': 18, '@2x': 36 };

const executablePath = findHeadlessChromium();
if (executablePath === undefined) throw new Error(`No Chromium found: ${HOW_TO_GET_CHROMIUM}`);
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
try {
  const page = await browser.newPage();
  await makeAppIcons(page);
  for (const state of TRAY_STATES) await makeTrayIcons(page, state);
} finally {
  await browser.close();
}

/** @param {import('playwright').Page} page */
async function makeAppIcons(page) {
  /** @type {Map<number, Picture>} */
  const app = new Map();
  for (const size of new Set([...LINUX_SIZES, ...WINDOWS_SIZES]))
    app.set(size, await rasterise(page, readMaster(OWN_MASTERS.includes(size) ? `icon-${size}` : 'icon'), size));
  /** @type {Map<number, Picture>} */
  const mac = new Map();
  for (const size of new Set(ICNS_ENTRIES.map((entry) => entry.size)))
    mac.set(size, await rasterise(page, readMaster(size === 16 ? 'icon-mac-16' : 'icon-mac'), size));

  for (const size of LINUX_SIZES) writeFileSync(join(icons, `${size}x${size}.png`), writePng(get(app, size)));
  writeFileSync(join(icons, 'icon.ico'), writeIco(WINDOWS_SIZES.map((size) => get(app, size))));
  writeFileSync(
    join(icons, 'icon.icns'),
    writeIcns((size) => get(mac, size)),
  );
  writeFileSync(join(shipped, 'icon.png'), writePng(get(app, 512)));
}

/** @type {(page: import('playwright').Page, state: import('./tray-shapes.mjs').TrayState) => Promise<void>} */
async function makeTrayIcons(page, state) {
  const folder = join(shipped, 'tray');
  mkdirSync(folder, { recursive: true });
  for (const [scale, size] of Object.entries(LINUX_TRAY_SIZES)) {
    const picture = await rasterise(page, drawTrayIcon(state, size), size);
    writeFileSync(join(folder, `${state}${scale}.png`), writePng(picture));
  }
  for (const [scale, size] of Object.entries(MAC_TRAY_SIZES)) {
    const picture = await rasterise(page, drawTrayTemplate(state, size), size);
    writeFileSync(join(folder, `${state}Template${scale}.png`), writePng(picture));
  }
  const pictures = [];
  for (const size of WINDOWS_TRAY_SIZES) pictures.push(await rasterise(page, drawTrayIcon(state, size), size));
  writeFileSync(join(folder, `${state}.ico`), writeIco(pictures));
}

/** @param {string} name */
function readMaster(name) {
  return readFileSync(join(icons, `${name}.svg`), 'utf8');
}

/** @type {(pictures: ReadonlyMap<number, Picture>, size: number) => Picture} */
function get(pictures, size) {
  const picture = pictures.get(size);
  if (picture === undefined) throw new Error(`No picture of ${size} px was drawn`);
  return picture;
}

/** @type {(page: import('playwright').Page, svg: string, size: number) => Promise<Picture>} */
async function rasterise(page, svg, size) {
  const sized = svg.replace('<svg ', `<svg width="${size}" height="${size}" `);
  const base64 = await page.evaluate(readPixels, { svg: sized, size });
  return { size, rgba: Buffer.from(base64, 'base64') };
}

/** Runs in the page. Returns RGBA as base64. @type {(drawing: { svg: string, size: number }) => Promise<string>} */
async function readPixels({ svg, size }) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(size, size).getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('Chromium has no canvas');
  canvas.drawImage(image, 0, 0);
  let bytes = '';
  for (const byte of canvas.getImageData(0, 0, size, size).data) bytes += String.fromCodePoint(byte);
  return btoa(bytes);
}
