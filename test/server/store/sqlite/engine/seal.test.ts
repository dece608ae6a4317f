// Upstream keys are encrypted with a key that is kept elsewhere. The database does not reveal them. Without the right key, the
// store knows that upstream keys exist but cannot read them.

import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { assertKeyOfMode } from '../../../../../server/forward/address.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import { openSeal } from '../../../../../server/store/sqlite/engine/seal.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const [KEY, OTHER] = [randomBytes(32), randomBytes(32)];
const TOKEN = 'prod_canary-of-the-seal';

describe('a seal', () => {
  test('opens its own texts, and each sealed text is different', () => {
    const seal = openSeal(KEY);
    const [first, second] = [seal.seal(TOKEN), seal.seal(TOKEN)];
    expect([seal.unseal(first), seal.unseal(second)]).toEqual([TOKEN, TOKEN]);
    expect(first).not.toBe(second);
    expect(first).not.toContain(TOKEN);
  });

  test('leaves sealed texts unchanged, and returns plain texts as they are', () => {
    const seal = openSeal(KEY);
    const closed = seal.seal(TOKEN);
    expect([seal.seal(closed), seal.unseal(TOKEN)]).toEqual([closed, TOKEN]);
  });

  test('with another key or none opens nothing; a changed text cannot be opened', () => {
    const closed = openSeal(KEY).seal(TOKEN);
    const changed = closed.slice(0, -6) + (closed.at(-6) === 'A' ? 'B' : 'A') + closed.slice(-5);
    expect(openSeal(OTHER).unseal(closed)).toBeUndefined();
    expect(openSeal(undefined).unseal(closed)).toBeUndefined();
    expect(openSeal(KEY).unseal(changed)).toBeUndefined();
    expect(openSeal(KEY).unseal(closed.slice(0, 20))).toBeUndefined();
  });

  test('without a key stores everything in plain text', () => {
    expect(openSeal(undefined).seal(TOKEN)).toBe(TOKEN);
  });
});

describe('an upstream key', () => {
  const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  const setUpstream = { kind: 'set upstream', upstream: { url: 'https://upstream.example', token: TOKEN } } as const;
  const bytesOf = (dataDir: string): string =>
    globSync('**/*', { cwd: dataDir, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'disk.reserve') // this file contains only random bytes
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');

  test('that was stored before the keyring existed is sealed at the next start, and no trace of it is left', async () => {
    const dataDir = temporaryFolder();
    const before = await openStore({ dataDir, role: 'gateway' });
    await makeKey(before);
    await before.outbox.performAct(LANE, setUpstream, 'test');
    await before.close();
    expect(bytesOf(dataDir)).toContain(TOKEN);

    const store = await openTemporaryStore({ dataDir, sealKey: KEY });
    await waitUntil(() => !bytesOf(dataDir).includes(TOKEN));
    expect(store.outbox.lanes().find((lane) => lane.interface === 'current')).toMatchObject({
      upstream: setUpstream.upstream,
      isKeyUnreadable: false,
    });
  });

  test('that another process sets meanwhile is found, and then sealed', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir, sealKey: KEY });
    await makeKey(store);
    const command = await openStore({ dataDir, role: 'command' });
    await command.outbox.performAct(LANE, setUpstream, 'command line');
    await command.close();
    await waitUntil(() => store.outbox.lanes().some(({ upstream }) => upstream?.token === TOKEN));
    await expect.poll(() => bytesOf(dataDir)).not.toContain(TOKEN);
  });

  test('leaves no trace if a backup is running while it is sealed', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir, sealKey: KEY });
    await makeKey(store);
    const reader = new Database(join(dataDir, 'counterfoil.db'), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM records').get(); // an open read prevents SQLite from resetting the WAL
    const command = await openStore({ dataDir, role: 'command' });
    await command.outbox.performAct(LANE, setUpstream, 'command line');
    await command.close();
    await waitUntil(() => store.outbox.lanes().some(({ upstream }) => upstream?.token === TOKEN));
    reader.close();
    await expect.poll(() => bytesOf(dataDir)).not.toContain(TOKEN);
  });

  test('that is sealed is still recognised as one of the other mode', async () => {
    const dataDir = temporaryFolder();
    const before = await openStore({ dataDir, role: 'gateway', sealKey: KEY });
    await makeKey(before);
    await before.outbox.performAct(LANE, setUpstream, 'test');
    await before.close();
    const command = await openStore({ dataDir, role: 'command' });
    const given = { token: TOKEN, tokenOption: '--token', mode: 'test' } as const;
    expect(() => assertKeyOfMode(given, command.outbox.lanes())).toThrow('has the key of Bakery (production, current)');
    await command.close();
  });

  test('cannot be read without its sealing key, and can be set again', async () => {
    const dataDir = temporaryFolder();
    const before = await openStore({ dataDir, role: 'gateway', sealKey: KEY });
    await makeKey(before);
    await before.outbox.performAct(LANE, setUpstream, 'test');
    await before.close();
    for (const sealKey of [undefined, OTHER]) {
      const store = await openStore({ dataDir, role: 'gateway', sealKey });
      expect(store.outbox.lanes().map(({ upstream, isKeyUnreadable }) => [upstream, isKeyUnreadable])).toContainEqual([
        null,
        true,
      ]);
      await store.close();
    }
    const store = await openTemporaryStore({ dataDir, sealKey: OTHER });
    await store.outbox.performAct(LANE, setUpstream, 'test');
    expect(store.outbox.lanes().some(({ upstream }) => upstream?.token === TOKEN)).toBe(true);
  });
});
