// The desktop app as its users see it: window, tray and exit, with a real gateway.

import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { UpdateParts } from '../../electron/updates.ts';
import { wordsOf } from '../../electron/words.ts';
import { openStore } from '../../server/store/open-store.ts';
import { postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openApp, SECRET } from './open-app.ts';

describe('the window', () => {
  test('is shown once the gateway runs, with a link that signs it in', async () => {
    const { window } = await openApp();
    await waitUntil(() => window().loaded.length === 1);
    expect((await fetch(window().loaded[0]!)).status).toBe(200);
  });

  test('stays hidden when the system started the app', async () => {
    const { window, windows, tray } = await openApp({ startsInTray: true });
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect(windows).toHaveLength(1); // without a window Windows would not tell the app that the user's session ends
    expect([window().isShown, window().loaded]).toEqual([false, []]);
    tray.click('Open Counterfoil');
    await waitUntil(() => window().isShown);
    expect(window().loaded).toHaveLength(1);
  });

  test('opened while the gateway starts, is shown when it runs', async () => {
    const { window, startAgain } = await openApp({ startsInTray: true });
    startAgain();
    await expect.poll(() => window().isShown).toBe(true);
  });

  test('is hidden when it is closed, and the gateway keeps running; a second start shows it again', async () => {
    const { window, startAgain, gateway, notices } = await openApp();
    await waitUntil(() => window().loaded.length === 1);
    expect(window().close()).toBe('prevented');
    expect(window().isShown).toBe(false);
    const told = wordsOf('en').keepsRunning;
    expect(notices).toEqual([told]);
    expect(gateway.state().kind).toBe('running');
    startAgain('--in-tray');
    expect(window().isShown).toBe(false); // started by the operating system, not by a user
    startAgain();
    await waitUntil(() => window().isShown);
    window().close();
    expect(notices).toEqual([told]); // shown only once
  });

  test('reloads a crashed page automatically', async () => {
    const { window, logged } = await openApp();
    await waitUntil(() => window().loaded.length === 1);
    window().crash();
    await waitUntil(() => window().loaded.length === 2);
    expect((await fetch(window().loaded[1]!)).status).toBe(200);
    expect(logged().join('\n')).toContain('error could not show the page: it ended: crashed');
  });

  test('signs in again after a sign-out', async () => {
    const { window, startAgain, signOut } = await openApp();
    await waitUntil(() => window().loaded.length === 1);
    startAgain();
    await delay(50);
    expect(window().loaded).toHaveLength(1); // no second load: a valid session is kept
    signOut();
    startAgain();
    await waitUntil(() => window().loaded.length === 2);
    expect((await fetch(window().loaded[1]!)).status).toBe(200);
  });

  test('signs in again after a restart of the gateway', async () => {
    const { window, forks, notices, tray } = await openApp();
    await waitUntil(() => window().loaded.length === 1);
    for (const { args, kill } of forks.running) if (args[0] === 'serve') kill('SIGKILL');
    await waitUntil(() => window().loaded.length === 2);
    expect((await fetch(window().loaded[1]!)).status).toBe(200);
    expect(notices).toEqual(['The gateway stopped unexpectedly and is restarting. Every confirmed sale is safe.']);
    await waitUntil(() => tray.said() === 'Safe to switch off');
    // The new gateway has no sessions. The app signs in again immediately, so the tray never shows a failed poll.
    expect(tray.sentences.slice(tray.sentences.lastIndexOf('Running'))).toEqual(['Running', 'Safe to switch off']);
  });
});

test('the tray shows the state, and redraws its menu only after a change', async () => {
  const { tray, url, look } = await openApp();
  await waitUntil(() => tray.said() === 'Safe to switch off');
  expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
  await look();
  await waitUntil(() => tray.said() === 'No upstream is set; 1 sale is stored here');
  const menus = tray.menus();
  await look();
  await delay(200);
  expect(tray.menus()).toBe(menus);
});

test('a gateway that hangs is reported and restarted', async () => {
  const { tray, forks, notices, look } = await openApp();
  await waitUntil(() => tray.said() === 'Safe to switch off');
  const [hung] = [...forks.running].filter(({ args }) => args[0] === 'serve');
  hung!.kill('SIGSTOP');
  await look();
  await waitUntil(() => notices.length > 0);
  await waitUntil(() => !forks.running.has(hung!)); // after twelve polls without an answer
  await waitUntil(() => tray.said() === 'Safe to switch off');
  expect(notices).toEqual(['The gateway does not answer; tills may have to wait']);
});

test('the tray icon shows the state of the shop', async () => {
  const { tray, url, look, forks } = await openApp();
  await waitUntil(() => tray.said() === 'Safe to switch off');
  expect(tray.states).toEqual(['stopped', 'safe']);
  expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
  await look();
  await waitUntil(() => tray.states.at(-1) === 'attention'); // no upstream is set, which needs attention
  for (const { args, kill } of forks.running) if (args[0] === 'serve') kill('SIGKILL');
  await waitUntil(() => tray.states.includes('stopped', 1));
});

test('diagnostics have versions, settings, status, check and both logs, but no keys and no bodies', async () => {
  const upstream = await openStandIn({ script: '422' });
  onTestFinished(() => upstream.close());
  const token = 'test_canary-of-the-diagnostics';
  const setUpstream = { kind: 'set upstream', upstream: { url: upstream.url, token } } as const;
  const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
  const { tray, url, saved, opened, logFile } = await openApp({
    prepare: (store) => store.outbox.performAct(lane, setUpstream, 'test'),
  });
  await waitUntil(() => tray.said() === 'Safe to switch off');
  const body = saleOf('a').replace('{}', '{"canary":"of-the-body"}');
  expect((await postBody(await url(), SECRET, body)).status).toBe(201);
  expect((await postBody(await url(), 'test_canary-of-nobody', body)).status).toBe(401);
  appendFileSync(logFile, 'prod_canary-that-slipped-into-a-log\n');
  tray.click('Save diagnostics …');
  await waitUntil(() => saved.length === 1);
  const { name, text } = saved[0]!;
  expect(name).toMatch(/^counterfoil-diagnostics-\d{4}-\d\d-\d\d\.txt$/);
  expect([...text.matchAll(/^== (.*) ==$/gm)].map(([, heading]) => heading)).toEqual([
    'Versions',
    'Gateway',
    'Settings',
    'Status',
    'Check',
    'Log of the app',
    'Log of the gateway',
  ]);
  for (const part of [
    'Counterfoil: 0.0.0',
    `Node: ${process.versions.node}`,
    '"name":"port"',
    '"administration":"Bakery"',
  ])
    expect(text).toContain(part);
  expect(text).toMatch(/== Check ==\n\{"ok":true/);
  expect(text).toMatch(/== Log of the app ==\n.*info keyring: /);
  expect(text).toMatch(/== Log of the gateway ==\n\{.*"msg":"started"/s);
  expect(text).not.toMatch(/canary|Not available/);
  tray.click('Open logs');
  await waitUntil(() => opened.length === 1);
  expect(opened).toEqual([dirname(logFile)]);
});

test('a sale that the upstream rejected does not count as on its way', async () => {
  const upstream = await openStandIn({ script: '422' });
  onTestFinished(() => upstream.close());
  const setUpstream = { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_there' } } as const;
  const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
  const { tray, url } = await openApp({ prepare: (store) => store.outbox.performAct(lane, setUpstream, 'test') });
  await waitUntil(() => tray.said() === 'Safe to switch off');
  expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
  await waitUntil(() => tray.said()?.startsWith('The upstream rejected 1 sale'));
});

test('a notification is shown once', async () => {
  const disk = { freeBytes: 9e8, totalBytes: 1e11, daysLeft: null, isLow: true };
  const { tray, notices, look, clickNotice, window } = await openApp({ disk });
  await waitUntil(() => tray.said() === 'Safe to switch off');
  await look();
  await waitUntil(() => notices.length > 0);
  await look();
  await delay(300);
  const told = 'The disk is nearly full. Tills can still sell. Free some space today.';
  expect(notices).toEqual([told]);
  window().close();
  clickNotice(told);
  await waitUntil(() => window().isShown);
  const [link = ''] = window().loaded;
  await waitUntil(() => window().loaded.length === 2);
  expect(window().loaded[1]).toBe(`${new URL(link).origin}/`);
});

describe('quitting', () => {
  test('asks nothing if no till and no sale needs the app', async () => {
    const { tray, questions, exits, gateway } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    tray.click('Quit');
    await waitUntil(() => exits() === 1);
    expect(questions).toEqual([]);
    expect(gateway.state()).toEqual({ kind: 'stopped' });
  });

  test('asks if sales are only here, and continues after "no"', async () => {
    const { tray, questions, exits, url, answer } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
    answer(1);
    tray.click('Quit');
    await waitUntil(() => questions.length === 1);
    expect(questions[0]).toMatchObject({ detail: expect.stringContaining('1 sale is still waiting here') });
    await delay(100);
    expect(exits()).toBe(0);
    answer(0);
    tray.click('Quit');
    await waitUntil(() => exits() === 1);
  });

  test('asks even if the gateway has ended, because the sales are still only here', async () => {
    const { tray, questions, exits, url, answer, forks, gateway } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
    await waitUntil(() => tray.said() === 'No upstream is set; 1 sale is stored here');
    for (const { args, kill } of forks.running) if (args[0] === 'serve') kill('SIGKILL');
    await waitUntil(() => gateway.state().kind !== 'running');
    answer(1);
    tray.click('Quit');
    await waitUntil(() => questions.length === 1);
    expect(exits()).toBe(0);
  });

  test('asks while tills are open, even if every sale is upstream', async () => {
    const upstream = await openStandIn();
    onTestFinished(() => upstream.close());
    const setUpstream = { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_there' } } as const;
    const { tray, questions, url, answer, awake } = await openApp({
      prepare: (store) =>
        store.outbox.performAct({ administration: 'Bakery', mode: 'test', interface: 'current' }, setUpstream, 'test'),
    });
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
    await waitUntil(() => awake() && tray.said() === 'Safe to switch off');
    answer(1);
    tray.click('Quit');
    await waitUntil(() => questions.length === 1);
    expect(questions[0]?.detail).toBe(
      'Tills cannot send until Counterfoil runs again. Sales already received are safe on this disk.',
    );
  });

  test('asks if the gateway does not answer, which the tray shows', async () => {
    const { tray, questions, exits, forks, answer } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    for (const { args, kill } of forks.running) if (args[0] === 'serve') kill('SIGSTOP');
    await waitUntil(() => tray.said() === 'The gateway does not answer; tills may have to wait');
    answer(1);
    tray.click('Quit');
    await waitUntil(() => questions.length === 1);
    expect(exits()).toBe(0);
    for (const { args, kill } of forks.running) if (args[0] === 'serve') kill('SIGCONT');
    await waitUntil(() => tray.said() === 'Safe to switch off');
  });

  test('by a signal shuts down in order without a question, even with open tills and unsent sales', async () => {
    const { tray, questions, exits, url, end, forks, awake } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
    await waitUntil(awake);
    await end();
    expect([exits(), questions, forks.exits]).toEqual([1, [], [0]]);
  });

  test('ends the app even if the gateway cannot start, and the window shows the reason', async () => {
    const dataDir = temporaryFolder();
    const first = await openApp({ dataDir });
    await waitUntil(() => first.gateway.state().kind === 'running');
    const second = await openApp({ dataDir });
    await waitUntil(() => second.window().isShown);
    expect(second.window().loaded[0]).toContain('Another program is using the stored sales');
    second.window().close();
    second.tray.click('Open Counterfoil');
    await waitUntil(() => second.window().isShown);
    second.window().press('quit');
    await waitUntil(() => second.exits() === 1);
    expect(second.gateway.state()).toEqual({ kind: 'stopped' });
  });

  test('restarts the app with its window if a user started it during the exit', async () => {
    const { tray, end, startAgain, shownRelaunches, exits } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    const ended = end();
    startAgain('--in-tray'); // as if the operating system started the app
    startAgain();
    await ended;
    expect([shownRelaunches(), exits()]).toEqual([1, 1]);
  });

  test('asks nothing when the system ends its session', async () => {
    const { tray, questions, exits, power, url } = await openApp();
    await waitUntil(() => tray.said() === 'Safe to switch off');
    expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
    power('shutdown');
    await waitUntil(() => exits() === 1);
    expect(questions).toEqual([]);
  });
});

test('the machine stays awake only while tills are open', async () => {
  const { tray, url, look, awake, sleep } = await openApp();
  await waitUntil(() => tray.said() === 'Safe to switch off');
  expect(awake()).toBe(false);
  expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
  await look();
  await waitUntil(awake);
  sleep(61 * 60_000);
  await waitUntil(() => !awake());
});

test('a newer version is installed on request, after a backup, a stored copy of the old version and an orderly stop', async () => {
  const installed = Promise.withResolvers<void>();
  const { tray, url, answer, questions, dataDir, forks, exits, gateway } = await openApp({
    updater: {
      autoDownload: true,
      autoInstallOnAppQuit: true,
      logger: null,
      on() {},
      checkForUpdates: () => Promise.resolve({ isUpdateAvailable: true, updateInfo: { version: '9.9.9' } }),
      downloadUpdate: () => Promise.resolve([]),
      quitAndInstall: () => installed.resolve(),
    } as unknown as UpdateParts['updater'],
  });
  await waitUntil(() => tray.labels().includes('Update to 9.9.9 now …') && gateway.state().kind === 'running');
  expect((await postBody(await url(), SECRET, saleOf('a'))).status).toBe(201);
  answer(1);
  tray.click('Update to 9.9.9 now …');
  await waitUntil(() => questions.length === 1);
  expect(questions[0]).toMatchObject({ message: 'Update to version 9.9.9?' });
  expect(gateway.state().kind).toBe('running');
  answer(0);
  tray.click('Update to 9.9.9 now …');
  await installed.promise;
  expect([gateway.state().kind, exits()]).toEqual(['stopped', 0]);
  expect([...forks.running].filter(({ args }) => args[0] === 'serve')).toEqual([]);
  const copy = new Database(join(dataDir, 'backups/before-update.db'), { readonly: true });
  expect(copy.prepare('SELECT external_id FROM records').pluck().all()).toEqual(['a']);
  copy.close();
});

test('a long sleep of the machine is recorded, a short one is not', async () => {
  const { tray, sleep, dataDir } = await openApp();
  await waitUntil(() => tray.said() === 'Safe to switch off');
  sleep(30_000);
  sleep(5 * 60 * 60_000);
  const store = await openStore({ dataDir, role: 'command' });
  onTestFinished(() => store.close());
  const list = () => store.health.listSleeps({ from: 0, to: 2 ** 40 });
  await waitUntil(async () => (await list()).length > 0);
  const [slept, ...more] = await list();
  expect(more).toEqual([]);
  expect(slept!.to - slept!.from).toBeGreaterThanOrEqual(5 * 60 * 60_000);
});

function saleOf(id: string): string {
  const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
  return JSON.stringify({ type: 'sale', external_id: id, timestamp, object: {} });
}
