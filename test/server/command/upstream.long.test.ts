// Messages of `counterfoil upstream` about acts that are impossible or affect no records. An error is one sentence that names
// the fault and never contains a key.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Command, CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { bindKeys } from '../../../server/command/keys.ts';
import { bindUpstream } from '../../../server/command/upstream.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import type { Store } from '../../../server/store/store.ts';
import { runCommand } from '../../support/command-run.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import {
  arrivalOf,
  listLaneActs,
  makeKey,
  openTemporaryStore,
  settleRecords,
  temporaryFolder,
} from '../../support/temp-store.ts';

const BAKERY = ['--administration', 'Bakery', '--mode'];
const TEST = [...BAKERY, 'test'];
const KEY = 'test_canary-0123456789';

/** Runs a command as main does. Resolves to its output, or rejects with the error that main would explain. */
async function run(...args: string[]): Promise<string> {
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const program = new Command('counterfoil').exitOverride().configureOutput({ writeErr: () => {} });
  bindUpstream(program);
  bindKeys(program);
  await program.parseAsync(args, { from: 'user' });
  return said.mock.lastCall?.join() ?? '';
}

/**
 * Makes a store for the commands. In test mode of Bakery, record 1 is held, 2 delivered, 3 waiting and 4 IGNORED. Record 5
 * waits in production mode.
 */
async function openBakery() {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  const production = await makeKey(store, 'Till 1', { mode: 'production' });
  for (const [by, externalId] of [
    [key, 'held'],
    [key, 'delivered'],
    [key, 'waiting'],
    [key, 'held'],
    [production, 'other'],
  ] as const)
    await store.records.append(arrivalOf(by, { externalId }));
  const lane = store.outbox.lanes().find(({ mode, interface: by }) => mode === 'test' && by === 'current');
  expect(await settleRecords(store, lane?.id ?? 0, [1], { state: 'held' })).toEqual([]);
  expect(await settleRecords(store, lane?.id ?? 0, [2], { state: 'delivered' })).toEqual([]);
  return { dataDir, store, run: (...args: string[]) => run(...args, '--data', dataDir) };
}

test('an impossible act on a record is refused with the reason', async () => {
  const bakery = await openBakery();
  const again = (record: string) => ['upstream', 'send-again', ...TEST, '--record', record];
  const aside = (record: string) => ['upstream', 'set-aside', ...TEST, '--reason', 'twice', '--record', record];
  const cases: [args: string[], said: string][] = [
    [again('999'), `Record 999 does not exist; counterfoil records --data "${bakery.dataDir}" shows them.`],
    [again('2'), 'Record 2 is delivered, not held or set aside.'],
    [[...again('3'), '--delivered'], 'Record 3 is waiting, not held or set aside or delivered.'],
    [again('4'), 'Record 4 is IGNORED, and such records are not forwarded.'],
    [again('5'), 'Record 5 belongs to Bakery (production, current), not to Bakery (test, current).'],
    [
      [...again('1'), '--interface', 'earlier'],
      'Record 1 belongs to Bakery (test, current), not to Bakery (test, earlier).',
    ],
    [aside('6'), `Record 6 does not exist; counterfoil records --data "${bakery.dataDir}" shows them.`],
    [aside('2'), 'Record 2 is delivered, not held.'],
    [aside('3'), 'Record 3 is waiting, not held.'],
  ];
  for (const [args, said] of cases) await expect(bakery.run(...args)).rejects.toThrow(new OperatorError(said));
  expect(await listLaneActs(bakery.store)).toEqual([]);
});

test('show calls a lane without an upstream as status does, and names the command that sets one', async () => {
  const { dataDir } = await openBakery();
  const shown = await runCommand(bindUpstream, ['upstream', 'show', '--data', dataDir]);
  expect(shown).toMatch(/^Bakery +production +current +no upstream /m);
  expect(shown).not.toContain('paused');
  expect(shown).toContain(`--token-file FILE --data "${dataDir}" --administration "Bakery" --mode production.`);
});

test('an act says how many records it changed, also if none', async () => {
  const bakery = await openBakery();
  const again = (...args: string[]) => bakery.run('upstream', 'send-again', ...TEST, ...args);
  const aside = (...args: string[]) => bakery.run('upstream', 'set-aside', ...TEST, '--reason', 'twice', ...args);
  expect(await aside('--day', '2016-01-01')).toBe('None of these records is held; nothing is set aside.');
  expect(await aside('--record', '1')).toBe('1 record is set aside. It is kept.');
  expect(await aside('--all')).toBe('None of these records is held; nothing is set aside.');
  expect(await again('--all')).toBe('1 record waits to be sent again.');
  expect(await again('--all')).toBe('None of these records is held or set aside; nothing is sent again.');
  expect(await again('--record', '2', '--delivered')).toBe('1 record waits to be sent again.');
});

test('a key belongs to one mode: no lane of the other mode accepts it, at any address and on any interface', async () => {
  const bakery = await openBakery();
  const set = (mode: string, key: string, ...more: string[]) => {
    const to = ['--url', `https://${mode}.example`, '--token', key];
    return bakery.run('upstream', 'set', ...BAKERY, mode, ...to, ...more);
  };
  await set('production', 'canary-1');
  await set('test', 'canary-2');
  const earlier = ['--interface', 'earlier', '--url'];
  const cases: [mode: string, key: string, more: string[], holder: string][] = [
    ['test', 'canary-1', [], 'Bakery (production, current)'],
    ['test', 'canary-1', [...earlier, 'https://dev-plem.bakery.12.example.com'], 'Bakery (production, current)'],
    ['production', 'canary-2', [], 'Bakery (test, current)'],
    ['production', 'canary-2', [...earlier, 'https://bakery.12.example.com'], 'Bakery (test, current)'],
  ];
  for (const [mode, key, more, holder] of cases) {
    await expect(set(mode, key, ...more)).rejects.toThrow(
      new OperatorError(`--token has the key of ${holder}. Use different keys for production and test.`),
    );
  }
  expect(await listLaneActs(bakery.store)).toHaveLength(2);
  // Within a mode, the same key may be set again, for another lane or for the same lane.
  await set('production', 'canary-1', ...earlier, 'https://bakery.12.example.com');
  await set('production', 'canary-1');
});

test('an address that no service can have is set with a warning', async () => {
  const { dataDir, store } = await openBakery();
  const warned = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const urls = [
    'https://169.254.169.254',
    'https://2852039166',
    'https://[::ffff:169.254.169.254]',
    'https://[fe80::1]',
  ];
  for (const url of urls) {
    warned.mockClear();
    const said = await run('upstream', 'set', ...TEST, '--url', url, '--token', KEY, '--data', dataDir);
    expect(said).toBe(`Records of Bakery (test, current) go to ${new URL(url).origin}.`);
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^counterfoil: \S+ is a link-local or metadata address: /)],
    ]);
  }
  expect(await listLaneActs(store)).toHaveLength(urls.length);
});

describe('the address of this very gateway is refused', () => {
  const set = (dataDir: string, url: string) =>
    run('upstream', 'set', ...TEST, '--url', url, '--plain-http', '--token', 'test_x', '--data', dataDir);

  test('the configured listener, with any flags and free ports', async () => {
    const gateway = await openTestGateway({ port: 0, consolePort: 0 });
    onTestFinished(() => gateway.close());
    const { port } = new URL(gateway.apiUrl);
    const own = [gateway.apiUrl, gateway.consoleUrl, `https://localhost:${port}/base`];
    for (const url of own)
      await expect(set(gateway.dataDir, url)).rejects.toThrow(/is this gateway itself, which listens at port/);
    await set(gateway.dataDir, 'http://127.0.0.1:7410'); // the default port of the gateway; this gateway has another port
  });

  test('the configured listener, before its first start', async () => {
    const { dataDir, store } = await openBakery();
    await expect(set(dataDir, 'http://127.0.0.1:7410')).rejects.toThrow(
      /is this gateway itself, which listens at port 7410/,
    );
    await expect(set(dataDir, 'http://127.0.0.1:7411')).rejects.toThrow(
      /is this gateway itself, which listens at port 7411/,
    );
    writeFileSync(join(dataDir, 'settings.json'), '{"port":7430}');
    await expect(set(dataDir, 'http://127.0.0.1:7430')).rejects.toThrow(/start this one at another port first/);
    await set(dataDir, 'http://127.0.0.1:7410');
    // without further flags, `serve` would refuse this setting
    writeFileSync(join(dataDir, 'settings.json'), '{"host":"0.0.0.0"}');
    await set(dataDir, 'http://127.0.0.1:7430');
    expect(await listLaneActs(store)).toHaveLength(2);
  });
});

describe('an error about a given key names the option, and never the key', () => {
  const set = (...args: string[]) => ['upstream', 'set', '--url', 'https://upstream.example', ...args];
  const adopt = (...args: string[]) => ['keys', 'create', '--label', 'Till 2', ...args];

  test.each<[name: string, args: string[], content: string, said: string]>([
    [
      'both options',
      set(...TEST, '--token', KEY, '--token-file', 'FILE'),
      KEY,
      '--token and --token-file are both given',
    ],
    ['no option', set(...TEST), '', '--token-file FILE'],
    ['the key for the file', set(...TEST, '--token-file', KEY), '', '--token-file must name a file with the key'],
    ['a folder', set(...TEST, '--token-file', '.'), '', '--token-file must name a file with the key'],
    ['an empty file', set(...TEST, '--token-file', 'FILE'), ' \n', '--token-file has no key in it'],
    [
      'two keys',
      set(...TEST, '--token-file', 'FILE'),
      `${KEY}\n${KEY}`,
      '--token-file must be a key of 1 to 4096 visible',
    ],
    [
      'an endless file',
      set(...TEST, '--token-file', 'FILE'),
      'x'.repeat(1e6),
      '--token-file must be a key of 1 to 4096 visible',
    ],
    ['the other mode', set(...BAKERY, 'production', '--token-file', 'FILE'), KEY, '--token-file has a test key'],
    [
      'both options',
      adopt(...TEST, '--adopt', KEY, '--adopt-file', 'FILE'),
      KEY,
      '--adopt and --adopt-file are both given',
    ],
    [
      'no prefix',
      adopt(...TEST, '--adopt-file', 'FILE'),
      'canary-0123456789',
      '--adopt-file has a key without a prefix',
    ],
    ['too short', adopt(...TEST, '--adopt-file', 'FILE'), 'test_canary', '--adopt-file must be a key of 13'],
    ['the other mode', adopt(...BAKERY, 'production', '--adopt-file', 'FILE'), KEY, '--adopt-file has a test key'],
  ])('%s', async (_name, args, content, said) => {
    const folder = temporaryFolder();
    const file = join(folder, 'key.txt');
    writeFileSync(file, content);
    const given = args.map((arg) => (arg === 'FILE' ? file : arg));
    const error: unknown = await run(...given, '--data', join(folder, 'none')).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toContain(said);
    expect((error as UsageError).message).not.toContain('canary');
  });
});

describe('a wrong call is refused', () => {
  let store: Store;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
    store = await openStore({ dataDir, role: 'gateway' });
    await makeKey(store, 'Till 1', { mode: 'test' });
  });
  afterAll(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true });
  });
  const to = ['--url', 'https://upstream.example', '--token', KEY];
  const other = ['--administration', 'Cafe', '--mode', 'test'];
  test.each<[args: string[], refusal: typeof UsageError | typeof OperatorError | typeof CommanderError, said: RegExp]>([
    [['set', ...TEST], CommanderError, /--url/],
    [['set', ...TEST, '--url', 'https://upstream.example'], UsageError, /--token/],
    [['set', ...TEST, '--url', 'http://upstream.example', '--token', KEY], UsageError, /--plain-http/],
    [['set', ...TEST, '--url', 'https://me:it@upstream.example', '--token', KEY], UsageError, /name or password/],
    [['set', ...BAKERY, 'both', ...to], CommanderError, /production, test/],
    [['set', ...other, ...to], OperatorError, /administration Cafe does not exist/],
    [['send-again', ...TEST], UsageError, /--record, --day or --all/],
    [['send-again', ...TEST, '--all', '--record', '1'], UsageError, /--record, --day or --all/],
    [['send-again', ...TEST, '--record', 'x'], UsageError, /number of a record/],
    [['send-again', ...TEST, '--day', '2026-02-30'], UsageError, /YYYY-MM-DD/],
    [['set-aside', ...TEST, '--all'], CommanderError, /--reason/],
    [['set-aside', ...TEST, '--all', '--reason', ' '], UsageError, /--reason/],
    [['acts', '--limit', '0'], UsageError, /--limit/],
    [['frobnicate'], CommanderError, /./],
  ])('upstream %j', async (args, refusal, said) => {
    const error = await run('upstream', ...args, '--data', dataDir).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(refusal);
    expect((error as Error).message).toMatch(said);
    expect((error as Error).message).not.toMatch(/canary/);
    expect(await listLaneActs(store)).toEqual([]);
  });
});
