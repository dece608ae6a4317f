// Updates of the app: when it downloads and installs them, what it does before, and how it returns to the previous version. A
// stand-in replaces electron-updater.

import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test, vi } from 'vitest';

import { openMemory } from '../../electron/memory.ts';
import { stageWithSquirrel } from '../../electron/squirrel.ts';
import { openUpdates, type UpdateParts } from '../../electron/updates.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';

const HOUR = 3_600_000;

/** Runs version 1.0.0 while 1.1.0 is published. `done` lists the steps of the update in order. */
function open({
  version = '1.0.0',
  newest = '1.1.0',
  folder = temporaryFolder(),
  oldestProgram = 7,
  isStaged = false,
} = {}) {
  const done: string[] = [];
  const say = (what: string): Promise<void> => Promise.resolve(void done.push(what));
  const state = { now: 0, isQuiet: true, isReplaceable: true, isEnding: false, newest, fails: '' };
  const step = async (what: string): Promise<void> => {
    await say(what);
    if (state.fails === what) throw new Error(`${what} failed`);
  };
  const timers: (() => void)[] = [];
  const updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    logger: console,
    on: vi.fn<() => void>(),
    checkForUpdates: async () => {
      await step('check');
      return { isUpdateAvailable: state.newest !== version, updateInfo: { version: state.newest } };
    },
    downloadUpdate: () => step('download'),
    quitAndInstall: (...how: boolean[]) => void say(`install ${how.join(' ')}`),
  };
  const memory = openMemory(join(folder, 'memory.json'));
  const updates = openUpdates({
    updater: updater as unknown as UpdateParts['updater'],
    stage: isStaged ? () => step('stage') : undefined,
    log: { info() {}, warn() {}, error() {} },
    version,
    isReplaceable: () => Promise.resolve(state.isReplaceable),
    givenDataDir: undefined,
    previous: {
      keep: async (kept) => (await step(`keep ${kept}`), '/kept'),
      forgetOthers: (kept) => say(`forget all but ${kept}`),
      assertKept: () => Promise.resolve(),
      goBack: (path) => step(`go back to ${path}`),
    },
    memory,
    isQuiet: () => Promise.resolve(state.isQuiet),
    async backUp(file) {
      await step('back up');
      writeFileSync(file, 'data', { flag: 'wx' });
      return { programSchema: 7, oldestProgram };
    },
    backupFolder: () => join(folder, 'backups'),
    isEnding: () => state.isEnding,
    stopForExit: () => say('stop'),
    startAgain: () => void say('start again'),
    end: () => void say('end'),
    onNotBegun: () => void say('tell that it did not begin'),
    now: () => state.now,
    after: (_ms, act) => (timers.push(act), () => {}),
    onFault: (doing) => void say(`fault: ${doing}`),
  });
  return { updates, updater, state, done, memory, folder, timers };
}

describe('a newer version', () => {
  test('is installed when tills are quiet, after a backup of the data and a copy of the running version', async () => {
    const { updates, done, memory, folder } = open();
    await updates.look();
    expect(done).toEqual(['check', 'download', 'back up', 'keep 1.0.0', 'stop', 'install true true']);
    expect(memory.get()).toEqual({ pending: { version: '1.0.0', schema: 7, path: '/kept' }, tried: '1.1.0' });
    expect(readdirSync(join(folder, 'backups'))).toEqual(['before-update.db']);
  });

  test('is staged by the system before the gateway stops, and the running version is noted then', async () => {
    const { updates, done, memory } = open({ isStaged: true });
    await updates.look();
    expect(done.slice(-4)).toEqual(['keep 1.0.0', 'stage', 'stop', 'install true true']);
    const another = open({ isStaged: true });
    let looks = 0;
    Object.defineProperty(another.state, 'isQuiet', { get: () => ++looks === 1 });
    await another.updates.look();
    expect(another.done.at(-1)).toBe('stage');
    expect(another.memory.get()).toEqual(memory.get()); // the update is remembered, because Squirrel installs it at the next start
  });

  test('is not installed by an app that is quitting', async () => {
    const { updates, done, memory, state } = open();
    state.isEnding = true;
    await updates.update();
    expect([done.at(-1), memory.get().pending]).toEqual(['keep 1.0.0', undefined]);
  });

  test('that cannot be staged leaves the gateway running', async () => {
    const { updates, done, state } = open({ isStaged: true });
    state.fails = 'stage';
    await updates.look();
    expect(done.slice(-2)).toEqual(['stage', 'fault: put a newer version in place']);
  });

  test('is downloaded only when tills are quiet', async () => {
    const { updates, done, state } = open();
    state.isQuiet = false;
    for (let i = 0; i < 10; i++) {
      await updates.look();
      state.now += 6 * 60_000;
    }
    expect(done).toEqual(['check']);
    state.isQuiet = true;
    await updates.look();
    expect(done.at(-1)).toBe('install true true');
  });

  test('waits if a till sends during the backup', async () => {
    const { updates, done, state } = open();
    let looks = 0;
    Object.defineProperty(state, 'isQuiet', { get: () => ++looks === 1 });
    await updates.look();
    expect(done).toEqual(['check', 'download', 'back up', 'keep 1.0.0']);
  });

  test.each(['check', 'download', 'back up', 'keep 1.0.0'])(
    'that fails at “%s” leaves everything running',
    async (fails) => {
      const { updates, done, state } = open();
      state.fails = fails;
      await updates.look();
      expect(done).toContain(
        `fault: ${fails === 'check' ? 'look for a newer version' : 'put a newer version in place'}`,
      );
      expect(done).not.toContain('stop');
      state.now += HOUR;
      const before = done.length;
      await updates.look();
      expect(done.length).toBe(before); // the app polls again, but after a failure it waits longer before the next attempt
      state.fails = '';
      state.now += 6 * HOUR;
      await updates.look();
      expect(done.at(-1)).toBe('install true true');
    },
  );

  test('that does not start makes the app restart unchanged', async () => {
    const { updates, done, timers } = open();
    await updates.look();
    timers[0]!();
    expect(done.at(-1)).toBe('start again');
  });

  test('that did not start is not retried automatically, only on request', async () => {
    const { updates, folder } = open();
    await updates.look();
    const again = open({ folder });
    for (; again.state.now < 24 * HOUR; again.state.now += 10 * 60_000) await again.updates.look();
    expect(again.done).not.toContain('stop');
    expect(again.done[0]).toBe('tell that it did not begin');
    expect(again.updates.choices()).toEqual({ update: '1.1.0', isByItself: false, previous: undefined });
    await again.updates.update();
    expect(again.done.at(-1)).toBe('install true true');
  });

  test('waits for the user’s request if replacing the app needs a password', async () => {
    const { updates, done, state } = open();
    state.isReplaceable = false;
    state.isQuiet = false;
    await updates.look();
    expect(updates.choices()).toEqual({ update: '1.1.0', isByItself: false, previous: undefined });
    expect(done).toEqual(['check']);
    await updates.update();
    expect(done.at(-1)).toBe('install true true');
  });

  test('is looked for a few times a day', async () => {
    const { updates, done, state } = open({ newest: '1.0.0' });
    for (; state.now < 24 * HOUR; state.now += 60_000) await updates.look();
    expect(done).toEqual(['check', 'check', 'check', 'check']);
  });

  test('is never installed when the app quits', () => {
    const { updater } = open();
    expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false });
  });

  test('is installed once, even if it is requested repeatedly', async () => {
    const { updates, done } = open();
    await updates.look().catch(() => {});
    const before = done.length;
    const both = [updates.update(), updates.update()];
    await expect(Promise.all(both)).rejects.toThrow('being put in place');
    await both[0];
    expect(done.slice(before).filter((what) => what === 'stop')).toHaveLength(1);
  });
});

describe('the previous version', () => {
  /** Runs 1.1.0 after an update from version 1.0.0, which knows schema 7. */
  function openAfterUpdate(oldestProgram: number) {
    const opened = open({ version: '1.1.0', oldestProgram });
    opened.memory.set({ previous: { version: '1.0.0', schema: 7, path: '/kept' } });
    return opened;
  }

  test('is restored in one step, and the newer version is not installed again', async () => {
    const { updates, done, memory, folder } = openAfterUpdate(7);
    expect(updates.choices().previous).toBe('1.0.0');
    expect(await updates.goBack()).toBe(true);
    expect(done).toEqual(['back up', 'stop', 'go back to /kept', 'end']);
    expect(readdirSync(join(folder, 'backups'))).toEqual(['before-going-back.db']);
    expect(memory.get()).toEqual({ refused: '1.1.0' });
    const older = open({ folder, newest: '1.1.0' });
    await older.updates.look();
    expect([older.done, older.updates.choices().update]).toEqual([['check'], undefined]);
    older.state.newest = '1.2.0';
    older.state.now += 7 * HOUR;
    await older.updates.look();
    expect(older.done.at(-1)).toBe('install true true');
  });

  test('is not restored if it cannot read the present data', async () => {
    const { updates, done } = openAfterUpdate(8);
    expect(await updates.goBack()).toBe(false);
    expect(done).toEqual(['back up']);
    expect(updates.choices().previous).toBe('1.0.0');
  });

  test('that cannot be restored makes the app restart with the running version', async () => {
    const { updates, done, state, memory } = openAfterUpdate(7);
    state.fails = 'go back to /kept';
    await updates.goBack();
    expect(done.slice(-2)).toEqual(['fault: go back to the version before', 'start again']);
    expect(memory.get().refused).toBeUndefined();
  });

  test('is the version that ran before the update, once the newer one runs; no other is kept', async () => {
    const { folder, updates } = open();
    await updates.look();
    const newer = open({ folder, version: '1.1.0' });
    expect(newer.updates.choices().previous).toBe('1.0.0');
    await waitUntil(() => newer.done.includes('forget all but 1.0.0'));
  });

  test('stays the same if an update did not start', async () => {
    const { folder } = openAfterUpdate(7);
    const updating = open({ folder, version: '1.1.0', newest: '1.2.0' });
    await updating.updates.look();
    const again = open({ folder, version: '1.1.0', newest: '1.2.0' });
    expect(again.updates.choices().previous).toBe('1.0.0');
    expect(again.done).not.toContain('forget all but 1.1.0');
  });
});

test('the app’s memory survives a restart, and an unreadable file counts as empty', () => {
  const file = join(temporaryFolder(), 'app', 'memory.json');
  openMemory(file).set({ refused: '1.1.0', isFirewallAsked: true });
  expect(openMemory(file).get()).toEqual({ refused: '1.1.0', isFirewallAsked: true });
  openMemory(file).set({ refused: undefined });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ isFirewallAsked: true });
  writeFileSync(file, '{"refused":');
  expect(openMemory(file).get()).toEqual({});
});

describe('staging with Squirrel', () => {
  test.each([
    ['resolves when the update is ready', 'update-downloaded', undefined],
    ['rejects without an update', 'update-not-available', 'Squirrel found no update.'],
    ['rejects with the error of the system', 'error', 'The signature does not fit.'],
  ])('%s', async (_, event, fault) => {
    const squirrel = Object.assign(new EventEmitter(), {
      checkForUpdates: () => setImmediate(() => squirrel.emit(event, new Error(fault))),
    });
    const staged = stageWithSquirrel(squirrel as unknown as Parameters<typeof stageWithSquirrel>[0]);
    if (fault === undefined) await staged;
    else await expect(staged).rejects.toThrow(fault);
  });

  test('rejects at the time-out', async () => {
    const squirrel = Object.assign(new EventEmitter(), { checkForUpdates() {} });
    const staged = stageWithSquirrel(squirrel as unknown as Parameters<typeof stageWithSquirrel>[0], 1);
    await expect(staged).rejects.toThrow('did not finish in time');
  });
});
