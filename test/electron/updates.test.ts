// When a newer version is got and put in place, and what is done first; and one step back. The library that gets it is a stand-in.

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

/** One that runs version 1.0.0 where 1.1.0 is published; `done` says what happened, in order. */
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
  test('is put in place when it is quiet, after the data were backed up and what runs was kept', async () => {
    const { updates, done, memory, folder } = open();
    await updates.look();
    expect(done).toEqual(['check', 'download', 'back up', 'keep 1.0.0', 'stop', 'install true true']);
    expect(memory.get()).toEqual({ pending: { version: '1.0.0', schema: 7, path: '/kept' }, tried: '1.1.0' });
    expect(readdirSync(join(folder, 'backups'))).toEqual(['before-update.db']);
  });

  test('is staged by the system before the gateway stops, and what ran is known from then on', async () => {
    const { updates, done, memory } = open({ isStaged: true });
    await updates.look();
    expect(done.slice(-4)).toEqual(['keep 1.0.0', 'stage', 'stop', 'install true true']);
    const another = open({ isStaged: true });
    let looks = 0;
    Object.defineProperty(another.state, 'isQuiet', { get: () => ++looks === 1 });
    await another.updates.look();
    expect(another.done.at(-1)).toBe('stage');
    expect(another.memory.get()).toEqual(memory.get()); // the next start starts the newer version
  });

  test('is not put in place by an app that somebody has quit meanwhile', async () => {
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

  test('is not even downloaded while tills send, and is as soon as they do not', async () => {
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

  test('waits when a till sends while the data are backed up', async () => {
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
      expect(done.length).toBe(before); // not every few minutes
      state.fails = '';
      state.now += 6 * HOUR;
      await updates.look();
      expect(done.at(-1)).toBe('install true true');
    },
  );

  test('that does not begin has the app started again as it is', async () => {
    const { updates, done, timers } = open();
    await updates.look();
    timers[0]!();
    expect(done.at(-1)).toBe('start again');
  });

  test('that did not begin is not tried again by itself, and may be by somebody', async () => {
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

  test('waits for somebody where the app is not its user’s, and is put in place when they say so', async () => {
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

  test('is never put in place by switching off', () => {
    const { updater } = open();
    expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false });
  });

  test('is put in place once, however often it is asked for', async () => {
    const { updates, done } = open();
    await updates.look().catch(() => {});
    const before = done.length;
    const both = [updates.update(), updates.update()];
    await expect(Promise.all(both)).rejects.toThrow('being put in place');
    await both[0];
    expect(done.slice(before).filter((what) => what === 'stop')).toHaveLength(1);
  });
});

describe('the version before', () => {
  /** After an update from 1.0.0, whose programs know schema 7. */
  function openAfterUpdate(oldestProgram: number) {
    const opened = open({ version: '1.1.0', oldestProgram });
    opened.memory.set({ previous: { version: '1.0.0', schema: 7, path: '/kept' } });
    return opened;
  }

  test('is gone back to in one step, and the newer one is not put in place again', async () => {
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

  test('is not gone back to when it does not know the data as they are', async () => {
    const { updates, done } = openAfterUpdate(8);
    expect(await updates.goBack()).toBe(false);
    expect(done).toEqual(['back up']);
    expect(updates.choices().previous).toBe('1.0.0');
  });

  test('that cannot be put in place leaves the one that runs, which is started again', async () => {
    const { updates, done, state, memory } = openAfterUpdate(7);
    state.fails = 'go back to /kept';
    await updates.goBack();
    expect(done.slice(-2)).toEqual(['fault: go back to the version before', 'start again']);
    expect(memory.get().refused).toBeUndefined();
  });

  test('is the one that ran when the update began, once the newer one runs, and no other is kept', async () => {
    const { folder, updates } = open();
    await updates.look();
    const newer = open({ folder, version: '1.1.0' });
    expect(newer.updates.choices().previous).toBe('1.0.0');
    await waitUntil(() => newer.done.includes('forget all but 1.0.0'));
  });

  test('stays the one it was where an update did not begin', async () => {
    const { folder } = openAfterUpdate(7);
    const updating = open({ folder, version: '1.1.0', newest: '1.2.0' });
    await updating.updates.look();
    const again = open({ folder, version: '1.1.0', newest: '1.2.0' });
    expect(again.updates.choices().previous).toBe('1.0.0');
    expect(again.done).not.toContain('forget all but 1.1.0');
  });
});

test('what is remembered outlives the app, and a file that is broken remembers nothing', () => {
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
    ['rejects when there is none', 'update-not-available', 'Squirrel found no update.'],
    ['rejects with the error of the system', 'error', 'The signature does not fit.'],
  ])('%s', async (_, event, fault) => {
    const squirrel = Object.assign(new EventEmitter(), {
      checkForUpdates: () => setImmediate(() => squirrel.emit(event, new Error(fault))),
    });
    const staged = stageWithSquirrel(squirrel as unknown as Parameters<typeof stageWithSquirrel>[0]);
    if (fault === undefined) await staged;
    else await expect(staged).rejects.toThrow(fault);
  });

  test('rejects when nothing happens in time', async () => {
    const squirrel = Object.assign(new EventEmitter(), { checkForUpdates() {} });
    const staged = stageWithSquirrel(squirrel as unknown as Parameters<typeof stageWithSquirrel>[0], 1);
    await expect(staged).rejects.toThrow('did not finish in time');
  });
});
