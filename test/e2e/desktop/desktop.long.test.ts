// The desktop app on the real Electron: tests for which a stand-in is not enough.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

import type { WebPreferences } from 'electron';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { DesktopApi } from '../../../electron/desktop-api.ts';
import en from '../../../renderer/locales/en.json' with { type: 'json' };
import { bodyOf, postBody } from '../../support/http-call.ts';
import { type Desktop, HAS_SANDBOX, hasElectron, openDesktop, SECRET } from './open-desktop.ts';

/** The calls of the app that the page may use. */
type OwnWindow = typeof globalThis & { readonly desktop: DesktopApi };

describe.skipIf(!hasElectron)('on the real Electron', () => {
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await openDesktop();
  });
  afterAll(() => desktop.close());

  const isShown = (): Promise<boolean> =>
    desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);

  test('the gateway runs on the Node that is part of Electron', async () => {
    const { node } = await desktop.app.evaluate(() => process.versions);
    const metrics = await (await fetch(`${desktop.consoleUrl}/metrics`)).text();
    expect(/^nodejs_version_info\{version="v([\d.]+)/m.exec(metrics)?.[1]).toBe(node);
  });

  test('one window shows the console', async () => {
    expect(new URL(desktop.page.url()).origin).toBe(desktop.consoleUrl);
    expect(await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    expect(await isShown()).toBe(true);
  });

  test('the window has the configured preferences', async () => {
    const used = await desktop.app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      // Electron does not publish this method in its types.
      return (contents as unknown as { getLastWebPreferences(): WebPreferences }).getLastWebPreferences();
    });
    expect(used).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
    });
  });

  test.skipIf(!HAS_SANDBOX)('the page runs in a sandbox of the system', async () => {
    const tab = await desktop.app.evaluate(({ app }) => app.getAppMetrics().find(({ type }) => type === 'Tab'));
    const isIn =
      process.platform === 'linux'
        ? /^Seccomp:\s*2$/m.test(readFileSync(`/proc/${tab?.pid}/status`, 'utf8'))
        : tab?.sandboxed === true;
    expect(isIn).toBe(true);
  });

  test('the page has five calls of the app, and nothing of Node', async () => {
    const page = await desktop.page.evaluate(() => ({
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in globalThis),
      calls: Object.keys((globalThis as OwnWindow).desktop).toSorted(),
    }));
    expect(page).toEqual({
      node: [],
      calls: ['getView', 'quit', 'restartGateway', 'setStartAtLogin', 'showFiles'],
    });
    const view = await desktop.page.evaluate(() => (globalThis as OwnWindow).desktop.getView());
    expect(view).toMatchObject({ dataDir: desktop.dataDir, startsAtLogin: false, canStartAtLogin: false });
  });

  test('an unknown call and a wrong argument are refused', async () => {
    const refused = await desktop.page.evaluate(async () => {
      const { setStartAtLogin } = (globalThis as OwnWindow).desktop;
      return setStartAtLogin('yes' as unknown as boolean).then(
        () => 'taken',
        (error: unknown) => (error as Error).message,
      );
    });
    expect(refused).toContain('takes true or false');
  });

  test('the page cannot leave its origin', async () => {
    const { app, page, consoleUrl } = desktop;
    await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      const prevented = new Promise((resolve) =>
        contents?.once('will-navigate', (event) => resolve(event.defaultPrevented)),
      );
      Object.assign(globalThis, { prevented });
    });
    await page.evaluate(() => location.assign('https://example.com/'));
    const isPrevented = await app.evaluate(() => (globalThis as { prevented?: Promise<boolean> }).prevented);
    expect(isPrevented).toBe(true);
    expect(new URL(page.url()).origin).toBe(consoleUrl);
  });

  test('the page cannot open a window', async () => {
    expect(await desktop.page.evaluate(() => window.open('https://example.com/') === null)).toBe(true);
    expect(await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('the page gets no permission', async () => {
    const answers = await desktop.page.evaluate(async () => ({
      notices: await Notification.requestPermission(),
      place: await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('told'),
          ({ code }) => resolve(code),
        ),
      ),
    }));
    expect(answers).toEqual({ notices: 'denied', place: 1 }); // PERMISSION_DENIED
  });

  test('the content policy is in force', async () => {
    const refused = await desktop.page.evaluate(() => {
      const violated = new Promise((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
          once: true,
        }),
      );
      const script = document.createElement('script');
      script.textContent = 'globalThis.hasRun = true';
      document.head.append(script);
      return violated;
    });
    expect(refused).toBe('script-src-elem');
    expect(await desktop.page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  });

  test('a new sale appears on Today, and a click copies its number', async () => {
    const { app, page, apiUrl } = desktop;
    const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    const sale = bodyOf({ external_id: 'S-1', timestamp, object: '{"total":1.5}' });
    expect((await postBody(apiUrl, SECRET, sale)).status).toBe(201);
    const rail = page.getByRole('navigation');
    await rail.getByRole('link', { name: en.app.today }).click();
    await page.getByRole('heading', { name: en.today.noUpstream_one.replace('{{n}}', '1') }).waitFor();
    await rail.getByRole('link', { name: en.app.records }).click();
    await page.getByRole('link', { name: 'S-1' }).click();
    await page.getByRole('button', { name: `${en.app.copy}: ${en.record.id}` }).click();
    await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe('S-1');
  });

  test('a killed gateway restarts, and the window shows it again', async () => {
    const { page, findGateway } = desktop;
    const before = await findGateway();
    const isLoaded = page.waitForEvent('load');
    process.kill(before!, 'SIGKILL');
    await isLoaded;
    await page.getByRole('navigation').waitFor();
    const after = await findGateway();
    expect(after).toBeDefined();
    expect(after).not.toBe(before);
    expect(
      await page.evaluate(async () => {
        const key = localStorage.getItem('counterfoil.session');
        return (await fetch(`/s/${key}/api/journals`)).status;
      }),
    ).toBe(200);
  });

  test('a crashed page is reloaded and still signed in', async () => {
    const { app, consoleUrl } = desktop;
    const inPage = (script: string): Promise<unknown> =>
      app.evaluate(
        ({ BrowserWindow }, code) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(code),
        script,
      );
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer());
    const url = (): Promise<string | undefined> =>
      app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        return contents === undefined || contents.isCrashed() || contents.isLoading() ? '' : contents.getURL();
      });
    await expect.poll(url).toBe(`${consoleUrl}/`);
    expect(
      await inPage(
        `fetch('/s/' + localStorage.getItem('counterfoil.session') + '/api/session').then(({ status }) => status)`,
      ),
    ).toBe(200);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.reload());
  });

  test('closing the window hides it, and a second start shows it and exits', async () => {
    const { app, args, env, findGateway } = desktop;
    const gateway = await findGateway();
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await expect.poll(isShown).toBe(false);
    expect(await findGateway()).toBe(gateway);
    const second = spawn(await app.evaluate(() => process.execPath), args, { env, stdio: 'ignore' });
    expect(await once(second, 'exit')).toEqual([0, null]);
    await expect.poll(isShown).toBe(true);
    expect(await findGateway()).toBe(gateway);
  });

  test('quitting ends the app with all its processes', async () => {
    const { app } = desktop;
    const pids = await app.evaluate((electron) => {
      electron.dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false }); // answers the question with "quit"
      return electron.app.getAppMetrics().map(({ pid }) => pid);
    });
    expect(pids.length).toBeGreaterThan(2);
    const closed = app.waitForEvent('close');
    await app.evaluate((electron) => electron.app.quit()).catch(() => {}); // the app may exit before it answers
    await closed;
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

describe.skipIf(!hasElectron || process.platform === 'win32')('on the real Electron, stopped by', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, it shuts down in order without a question',
    async (signal) => {
      const desktop = await openDesktop();
      onTestFinished(() => desktop.close());
      const { app, apiUrl } = desktop;
      expect((await postBody(apiUrl, SECRET, bodyOf({ external_id: 'S-1' }))).status).toBe(201);
      const ended = once(app.process(), 'exit');
      app.process().kill(signal);
      expect(await ended).toEqual([0, null]);
    },
  );
});

test.skipIf(!hasElectron)('if the tills’ port is in use, the window says so, and its button tries again', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const desktop = await openDesktop({ port });
  onTestFinished(() => desktop.close());
  const { page } = desktop;
  await page.getByRole('heading', { name: 'Another program uses the port' }).waitFor();
  other.close();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('navigation').waitFor();
  expect(new URL(page.url()).origin).toBe(desktop.consoleUrl);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
