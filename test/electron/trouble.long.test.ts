// The desktop app during faults of the machine, the gateway or the line. It shows the reason and recovers automatically. The
// gateway is real.

import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { expectInEffect, openUpstream } from '../e2e/lane.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { mountSmallDisk, remount } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openApp, SECRET } from './open-app.ts';

const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

type App = Awaited<ReturnType<typeof openApp>>;

/** The reasons of all failed starts of the gateway, from the app's log. */
function failedStarts({ logged }: App): string[] {
  return logged().flatMap((line) => /gateway: ended before it was ready (.*)/.exec(line)?.[1] ?? []);
}

/** Waits until the window shows that the gateway could not start. */
async function expectCannotStart(app: App, title: string, why: string): Promise<void> {
  await waitUntil(() => app.window().isShown);
  expect(app.window().loaded[0]).toContain(title);
  expect(failedStarts(app)[0]).toContain(why);
  expect(app.tray.sentences).toContain('The gateway is not running. Tills cannot send; Counterfoil is restarting it');
  expect(app.tray.states.at(-1)).toBe('stopped');
  expect([app.notices, app.questions]).toEqual([[], []]);
}

/** Waits until the gateway runs and the window shows the console. */
async function expectRuns({ gateway, window }: App): Promise<void> {
  await waitUntil(() => gateway.state().kind === 'running');
  const isIn = async (): Promise<boolean> => {
    const page = window().loaded.at(-1);
    if (page?.startsWith('http:') !== true) return false;
    return fetch(page).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await waitUntil(isIn);
}

describe('the app shows why the gateway cannot start, and starts it when the cause has ended:', () => {
  test('another program uses the tills’ port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const app = await openApp({ flags: ['--port', String(port), '--console-port', '0'] });
    await expectCannotStart(app, 'Another program uses the port', `Port ${port} is used by another program`);
    other.close();
    await expectRuns(app);
    expect(await app.url()).toContain(`:${port}`);
  });

  test('another gateway uses its data', async () => {
    const dataDir = temporaryFolder();
    const first = await openApp({ dataDir });
    await waitUntil(() => first.gateway.state().kind === 'running');
    const second = await openApp({ dataDir });
    await expectCannotStart(second, 'Another program is using the stored sales', 'Another gateway is running on');
    await first.gateway.stop();
    await expectRuns(second);
  });

  test('a file is in the place of its folder', async () => {
    const file = join(temporaryFolder(), 'data');
    writeFileSync(file, '');
    const app = await openApp({ dataDir: join(file, 'shop'), prepare: false });
    await expectCannotStart(app, 'Counterfoil cannot write to its data folder', file);
    rmSync(file);
    await expectRuns(app);
  });

  test('its disk is not writable', async (context) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return context.skip('not run: mounting a disk needs root on Linux');
    const dataDir = join(disk, 'data');
    mkdirSync(dataDir);
    remount(disk, 'ro');
    const app = await openApp({ dataDir, prepare: false });
    await expectCannotStart(app, 'Counterfoil cannot write to its data folder', dataDir);
    remount(disk, 'rw');
    await expectRuns(app);
  });
});

describe('the failure page', () => {
  test('retries at once on a click, and reports if that failed', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'settings.json'), '{ "colour": "red" }');
    const app = await openApp({ dataDir });
    await expectCannotStart(app, 'A setting is wrong', 'colour');
    expect(app.window().loaded).toHaveLength(1);
    await waitUntil(() => failedStarts(app).length > 2);
    expect(app.window().loaded).toHaveLength(1); // no second load, because that would take the focus from the user
    app.window().press('try-again');
    await waitUntil(() => app.window().loaded.length === 2);
    expect(app.window().loaded[1]).toMatch(/The last attempt to start, at .* failed/);
    app.window().press('open-data');
    await waitUntil(() => app.opened.length === 1);
    expect(app.opened).toEqual([dataDir]);
    rmSync(join(dataDir, 'settings.json'));
    app.window().press('try-again');
    await expectRuns(app);
  });

  test('reports a failure of one of its buttons', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'settings.json'), '{ "colour": "red" }');
    const app = await openApp({ dataDir });
    await expectCannotStart(app, 'A setting is wrong', 'colour');
    app.setOpenFault('There is no such folder.');
    app.window().press('open-data');
    await waitUntil(() => app.questions.length === 1);
    expect(app.questions[0]).toMatchObject({ type: 'warning', detail: 'There is no such folder.' });
  });

  test('is shown even if the system started the app, and stays closed after closing', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'settings.json'), '{ "colour": "red" }');
    const app = await openApp({ dataDir, startsInTray: true });
    await expectCannotStart(app, 'A setting is wrong', 'colour');
    app.window().close();
    const count = failedStarts(app).length;
    await waitUntil(() => failedStarts(app).length > count);
    expect(app.window().isShown).toBe(false);
  });

  test('saves diagnostics with the reason, even if no command works', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'counterfoil.db'), 'no database at all');
    const app = await openApp({ dataDir, prepare: false });
    await expectCannotStart(app, 'The stored sales are damaged', 'is not a database');
    app.window().press('save-diagnostics');
    await waitUntil(() => app.saved.length === 1);
    expect(app.saved[0]?.text).toMatch(/== Check ==\nNot available: .*is not a database/);
    expect(app.saved[0]?.text).toMatch(/== Settings ==\n\{"settings":/);
  });
});

describe('a gateway that exits unexpectedly', () => {
  test('and cannot start again is reported once, and runs when the cause has ended', async () => {
    const dataDir = temporaryFolder();
    const app = await openApp({ dataDir });
    await expectRuns(app);
    const settings = join(dataDir, 'settings.json');
    writeFileSync(settings, '{ "colour": "red" }');
    killGateway(app);
    await waitUntil(() => failedStarts(app).length >= 3);
    expect(app.notices).toEqual(['The gateway stopped unexpectedly and is restarting. Every confirmed sale is safe.']);
    expect(failedStarts(app)[2]).toContain('colour');
    rmSync(settings);
    await expectRuns(app);
  });

  test('after recovering from a failed start shows the time of the new failure', async () => {
    const dataDir = temporaryFolder();
    const settings = join(dataDir, 'settings.json');
    writeFileSync(settings, '{ "colour": "red" }');
    const app = await openApp({ dataDir });
    await expectCannotStart(app, 'A setting is wrong', 'colour');
    rmSync(settings);
    await expectRuns(app);
    app.sleep(25 * 60 * 60_000);
    writeFileSync(settings, '{ "colour": "red" }');
    const before = app.window().loaded[0]!;
    killGateway(app);
    await waitUntil(() => app.window().loaded.at(-1)?.includes('A setting is wrong'));
    const sinceOf = (page: string): string | undefined => /since ([^<]*)/.exec(page)?.[1];
    expect(sinceOf(app.window().loaded.at(-1)!)).not.toBe(sinceOf(before));
  });

  test('repeatedly restarts each time, with the same records', async () => {
    const app = await openApp();
    for (const round of [1, 2, 3]) {
      await waitUntil(() => app.gateway.state().kind === 'running' && app.window().loaded.length === round);
      const { status } = await postBody(await app.url(), SECRET, bodyOf({ external_id: 'a' }));
      expect(status).toBe(round === 1 ? 201 : 200); // NEW in the first round, IGNORED after it
      killGateway(app);
    }
    await waitUntil(() => app.window().loaded.length === 4);
  });

  test('while the app quits is not restarted, and the app ends', async () => {
    const app = await openApp();
    await expectRuns(app);
    app.power('shutdown');
    killGateway(app);
    await waitUntil(() => app.exits() === 1);
    expect(app.gateway.state()).toEqual({ kind: 'stopped' });
    expect(gateways(app)).toEqual([]);
    expect(app.notices).toEqual([]);
  });
});

test('quitting with unsent sales asks, ends in order, and the next start sends each sale once in effect', async () => {
  const upstream = await openUpstream('accept x3, slow 1h');
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_upstream' } } as const;
  const dataDir = temporaryFolder();
  const app = await openApp({ dataDir, prepare: (store) => store.outbox.performAct(LANE, act, 'test') });
  await expectRuns(app);
  const bodies = new Map(Array.from({ length: 20 }, (_, i) => [`S-${i}`, bodyOf({ external_id: `S-${i}` })]));
  const url = await app.url();
  for (const body of bodies.values()) expect((await postBody(url, SECRET, body)).status).toBe(201);
  await upstream.waitUntil(({ attempts }) => attempts > 3);

  app.tray.click('Quit');
  await waitUntil(() => app.exits() === 1);
  expect(app.questions).toMatchObject([
    { type: 'question', detail: expect.stringMatching(/\d+ sales are still waiting here/) },
  ]);
  expect(app.forks.exits.every((code) => code === 0)).toBe(true);

  await upstream.setScript('accept');
  const again = await openApp({ dataDir });
  await waitUntil(() => again.tray.said() === 'Safe to switch off');
  expectInEffect(upstream, bodies);
});

function killGateway(app: App): void {
  for (const { kill } of gateways(app)) kill('SIGKILL');
}

/** The running gateways. Leaves out the processes that the app forks to create links. */
function gateways({ forks }: App) {
  return [...forks.running].filter(({ args }) => args[0] === 'serve');
}
