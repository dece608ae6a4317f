// Scenarios for a real Electron that Playwright cannot drive, such as an old version. A harness loads the built app into
// Electron and calls this module with a `Rig` once Electron is ready. A person then reads the printed lines and looks at the
// pictures. The variable SCENARIO names one scenario.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync, writeFileSync } = require('node:fs');
const { createServer: createHttpServer } = require('node:http');
const { createServer } = require('node:net');
const { join } = require('node:path');

/** @typedef {import('./rig.d.cts').Rig} Rig */
/** @typedef {import('./rig.d.cts').Scenario} Scenario */
/** @typedef {{ readonly api: string, readonly key: string }} Till */

const TIMEOUT_MS = 60_000;

/** @type {Readonly<Record<string, Scenario>>} */
const SCENARIOS = {
  /** The tills' port is taken at the first start. Needs the default ports to be free. */
  async 'port-taken'(rig) {
    const { electron, log, sleep } = rig;
    const other = createServer().listen(7410, '127.0.0.1');
    const window = await waitForWindow(rig);
    log('page says', await textOf(window));
    await keepPicture(rig, window, 'port-taken.png');
    electron.nativeTheme.themeSource = 'dark';
    window.setContentSize(400, 800);
    await sleep(300);
    await keepPicture(rig, window, 'port-taken-narrow-dark.png');
    log('a call of the page is', await run(window, `desktop.quit().then(() => 'answered', () => 'refused')`));
    other.close();
    const pressed = `[...document.forms].find(({ action }) => action.startsWith('counterfoil:try-again'))`;
    await run(window, `${pressed}.querySelector('button').click()`);
    await until(rig, () => window.webContents.getURL().endsWith(':7411/'));
    log('after Try again', window.webContents.getURL());
    electron.app.exit(0);
  },

  /** The page crashes while the window is visible, and while it is hidden. */
  async 'page-crash'(rig) {
    const { electron, log, sleep } = rig;
    const window = await waitForWindow(rig);
    for (const isHidden of [false, true]) {
      if (isHidden) window.close();
      window.webContents.forcefullyCrashRenderer();
      await until(rig, () => window.webContents.isCrashed());
      await until(rig, () => !window.webContents.isCrashed() && !window.webContents.isLoading());
      await sleep(1000);
      log('after a crash: visible', window.isVisible(), 'page', window.webContents.getURL());
    }
    electron.app.exit(0);
  },

  /** The page hangs. */
  async 'page-hang'(rig) {
    const { electron, log } = rig;
    const window = await waitForWindow(rig);
    void run(window, 'for (;;);').catch(() => {});
    await until(rig, () => window.webContents.isCrashed(), 60_000);
    log('the page that hung was ended');
    await until(rig, () => !window.webContents.isCrashed() && !window.webContents.isLoading());
    log('page', window.webContents.getURL());
    electron.app.exit(0);
  },

  /** The app is started a second time, by a person and at login. */
  async 'second-instance'(rig) {
    const { electron, log } = rig;
    const window = await waitForWindow(rig);
    for (const args of [['--in-tray'], []]) {
      window.close();
      const second = spawn(process.execPath, [...process.argv.slice(1), ...args], { stdio: 'ignore' });
      const [code] = await once(second, 'exit');
      await rig.sleep(1000);
      log('a second start', args, 'ended', code, 'visible', window.isVisible());
    }
    log('windows', electron.BrowserWindow.getAllWindows().length);
    electron.app.exit(0);
  },

  /** When the window is closed for the first time, a notice says that the gateway keeps running. */
  async 'close-and-notice'(rig) {
    const { electron, log, sleep } = rig;
    const window = await waitForWindow(rig);
    for (let i = 0; i < 2; i++) {
      window.close();
      await sleep(500);
      log('visible', window.isVisible(), 'notices', logged(electron, 'notice:'));
      electron.app.emit('second-instance', {}, []);
      await sleep(500);
    }
    electron.app.exit(0);
  },

  /**
   * A click on the notice that the gateway keeps running shows the window. The click must come from outside, for example from
   * `dunstctl action`.
   */
  async 'click-notice'(rig) {
    const window = await waitForWindow(rig);
    window.close();
    rig.log('visible', window.isVisible());
    await until(rig, () => window.isVisible());
    rig.log('visible after the click', window.isVisible());
    rig.electron.app.exit(0);
  },

  /** SIGTERM arrives while tills are connected and some sales are not yet upstream. */
  async 'sigterm-tills-open'(rig) {
    const { log } = rig;
    const window = await waitForWindow(rig);
    const till = await openTill(window);
    log('sold', await sell(till, 'S-1'));
    log('signal sent');
    process.kill(process.pid, 'SIGTERM');
    await rig.sleep(TIMEOUT_MS);
    log('still here after SIGTERM');
  },

  /** The app quits while the outbox drains to a slow upstream. The harness answers the question whether to quit. */
  async 'quit-draining'(rig) {
    const { electron, log } = rig;
    const upstream = createHttpServer((_req, res) => void setTimeout(() => res.writeHead(201).end(), 400));
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    const address = upstream.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const window = await waitForWindow(rig);
    const till = await openTill(window);
    const lane = JSON.stringify({ url: `http://127.0.0.1:${port}`, token: 'test_upstream', plainHttp: true });
    log('upstream set', await setUpstream(window, lane));
    const sold = await Promise.all(Array.from({ length: 40 }, (_, i) => sell(till, `S-${i}`)));
    log('sold', sold.filter((status) => status === 201).length);
    await rig.sleep(500);
    electron.app.quit();
    await rig.sleep(TIMEOUT_MS);
    log('still here after quit');
  },

  /** Electron can read the files of the tray icon for each state. */
  async 'tray-states'({ electron: { app, nativeImage }, log, out }) {
    const folder = join(app.getAppPath(), 'dist/electron/tray');
    for (const state of ['safe', 'line-down', 'attention', 'stopped']) {
      const image = nativeImage.createFromPath(join(folder, `${state}.png`));
      log(state, image.getSize(), 'scales', image.getScaleFactors());
      for (const scaleFactor of image.getScaleFactors())
        writeFileSync(join(out, `tray-${state}@${scaleFactor}x.png`), image.toPNG({ scaleFactor }));
    }
    app.exit(0);
  },
};

/** Resolves to the app's only window once it is visible. @type {(rig: Rig) => Promise<Electron.BrowserWindow>} */
async function waitForWindow(rig) {
  const { BrowserWindow } = rig.electron;
  await until(rig, () => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);
  const [window, ...more] = BrowserWindow.getAllWindows();
  if (window === undefined) throw new Error('the window is gone');
  await until(rig, () => !window.webContents.isLoading());
  await rig.sleep(1500);
  rig.log('windows', 1 + more.length, 'visible', window.isVisible());
  return window;
}

/** @type {(rig: Rig, isSo: () => boolean, timeoutMs?: number) => Promise<void>} */
async function until({ sleep }, isSo, timeoutMs = TIMEOUT_MS) {
  for (let ms = 0; !isSo(); ms += 50) {
    if (ms > timeoutMs) throw new Error(`not so within ${timeoutMs} ms: ${String(isSo)}`);
    await sleep(50);
  }
}

/** @type {(window: Electron.BrowserWindow, script: string) => Promise<unknown>} */
function run(window, script) {
  return window.webContents.executeJavaScript(script, true);
}

/** @type {(window: Electron.BrowserWindow) => Promise<string>} */
async function textOf(window) {
  return String(await run(window, 'document.body.innerText')).replaceAll(/\s*\n\s*/g, ' · ');
}

/** @type {(rig: Rig, window: Electron.BrowserWindow, name: string) => Promise<void>} */
async function keepPicture({ out }, window, name) {
  writeFileSync(join(out, name), (await window.webContents.capturePage()).toPNG());
}

/** The lines of the app's log file that contain the text. @type {(electron: Rig['electron'], text: string) => string[]} */
function logged({ app }, text) {
  const lines = readFileSync(join(app.getPath('userData'), 'logs/app.log'), 'utf8').split('\n');
  return lines.filter((line) => line.includes(text));
}

/** Makes a till with a key that the console page creates. @type {(window: Electron.BrowserWindow) => Promise<Till>} */
async function openTill(window) {
  const made = await run(
    window,
    `(async () => {
      const { apiUrl } = await (await fetch('/api/session')).json();
      const body = JSON.stringify({ administration: 'Bakery', mode: 'test', till: 'Till 1' });
      const made = await fetch('/api/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return { api: apiUrl, key: (await made.json()).secret };
    })()`,
  );
  return /** @type {Till} */ (made);
}

/** @type {(window: Electron.BrowserWindow, body: string) => Promise<unknown>} */
function setUpstream(window, body) {
  return run(
    window,
    `(async () => {
      const [{ id }] = await (await fetch('/api/journals')).json();
      const { lanes } = await (await fetch('/api/overview?journal=' + id)).json();
      const lane = lanes.find(({ interface: by }) => by === 'current');
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch('/api/lanes/' + lane.id + '/upstream', { method: 'PUT', headers, body: ${JSON.stringify(body)} });
      return answer.status + ' ' + (await answer.text());
    })()`,
  );
}

/** @type {(till: Till, id: string) => Promise<number>} */
async function sell({ api, key }, id) {
  const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
  const answer = await fetch(`${api}/v1/raw_transactions`, {
    method: 'POST',
    headers: { token: key, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'sale', external_id: id, timestamp, object: { total: 12.5 } }),
  });
  return answer.status;
}

/** @type {Scenario} */
module.exports = async (rig) => {
  const name = process.env['SCENARIO'] ?? '';
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`SCENARIO is one of ${Object.keys(SCENARIOS).join(', ')}`);
  await scenario(rig);
};
