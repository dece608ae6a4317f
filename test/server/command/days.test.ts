// `counterfoil days` and `counterfoil reconcile`: usage, output and exit code, with and without a running gateway.

import { join } from 'node:path';

import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { bindDays } from '../../../server/command/days.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openUpstream, startHastyClock } from '../../support/reconciling.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../support/temp-store.ts';

const DAY = '2025-10-09';
const SOLD_AT = Date.UTC(2025, 9, 9, 12) / 1000;
const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

/** Runs the command as main does. Resolves to its output and exit code. */
async function run(...args: string[]): Promise<{ printed: string; code: number | string | undefined }> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean(lines.push(String(text))));
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(`${text}\n`));
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const program = new Command('counterfoil').exitOverride().configureOutput({ writeErr: () => {} });
    bindDays(program, startHastyClock()); // on this clock, pauses between two queries last a millisecond
    await program.parseAsync(args, { from: 'user' });
    return { printed: lines.join(''), code: process.exitCode ?? undefined };
  } finally {
    process.exitCode = before;
    write.mockRestore();
    log.mockRestore();
  }
}

async function prepare(store: Store, url: string): Promise<Key> {
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  await store.outbox.performAct(LANE, { kind: 'set upstream', upstream: { url, token: 'test_up' } }, 'test');
  return key;
}

describe('usage', () => {
  const nowhere = join(import.meta.dirname, 'no-such-folder');
  test.each<[string, string[], RegExp]>([
    ['no days', [], /--day, --month or --year/],
    ['two periods', ['--day', DAY, '--month', '2025-10'], /one of --day, --month and --year/],
    ['an invalid day', ['--day', '2025-02-30'], /--day must be a day/],
    ['an invalid month', ['--month', '2025-13'], /--month must be a month/],
    ['a year as a month', ['--month', '2025'], /--month must be a month/],
    ['an invalid year', ['--year', '25'], /--year must be a year/],
  ])('%s', async (_name, args, message) => {
    const running = run('reconcile', '--data', nowhere, ...args);
    await expect(running).rejects.toBeInstanceOf(UsageError);
    await expect(running).rejects.toThrow(message);
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown administration', ['--day', DAY, '--administration', 'Kiosk'], /administration "Kiosk" does not exist/],
    ['a day that has not begun', ['--day', '2999-01-01'], /has not begun/],
    ['a mode without records', ['--day', DAY, '--mode', 'production'], /No records exist yet/],
  ])('%s', async (_name, args, message) => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'gateway' });
    await prepare(store, 'http://127.0.0.1:1');
    await store.close();
    const running = run('reconcile', '--data', dataDir, ...args);
    await expect(running).rejects.toBeInstanceOf(OperatorError);
    await expect(running).rejects.toThrow(message);
  });
});

test('beside a gateway: records not yet visible upstream are waited for, and resent with --resend', async () => {
  const upstream = await openUpstream('id=b attempt=1: accept untaken; accept');
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { store, test: key } = gateway;
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  await store.outbox.performAct(
    LANE,
    { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_up' } },
    'test',
  );
  for (const externalId of ['a', 'b', 'c']) await store.records.append(arrivalOf(key, { externalId, soldAt: SOLD_AT }));
  await expect.poll(() => upstream.summary().attempts).toBe(3);
  const early = await run('reconcile', '--day', DAY, '--json', '--data', gateway.dataDir);
  expect(early.code).toBeUndefined();
  expect(JSON.parse(early.printed)).toMatchObject([
    { verdict: 'waiting', provisional: true, reasons: [{ code: 'not_seen_yet', count: 1 }], not_seen_yet: ['b'] },
  ]);
  expect(upstream.attempts.filter(({ method }) => method === 'POST')).toHaveLength(3);
  const { printed, code } = await run('reconcile', '--day', DAY, '--resend', '--json', '--data', gateway.dataDir);
  expect([code, JSON.parse(printed)]).toEqual([
    undefined,
    [
      {
        day: DAY,
        verdict: 'complete',
        provisional: true,
        here: 3,
        upstream: 3,
        declared: null,
        amounts: [],
        earlier: { here: 0, taken: 0, basis: null },
        missing_upstream: [],
        missing_here: [],
        basis: 'ids',
        administration: 'Bakery',
        mode: 'test',
        reasons: [],
        notes: [],
        not_seen_yet: [],
        not_declared: [],
        twice_upstream: [],
        other_upstream: [],
        signed_by: null,
        reopened: false,
        skipped_numbers: [],
      },
    ],
  ]);
  const table = await run('days', '--day', DAY, '--data', gateway.dataDir);
  expect(table.printed).toMatch(/2025-10-09 +complete so far +3 +3 +- +ids, .*Bakery +test/);
});

test('without a gateway the command queries the upstream, and ends with 3 if a day differs', async () => {
  const upstream = await openUpstream();
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await prepare(store, upstream.url);
  await store.records.append(arrivalOf(key, { externalId: 'a', soldAt: SOLD_AT }));
  const total = { date: DAY, type: null, tillId: null, records: 2, ids: ['a', 'b'] };
  await store.declared.declare(key.journalId, [total], { actor: 'Ann', source: 'typed' });
  await store.close();
  const { printed, code } = await run('reconcile', '--month', '2025-10', '--json', '--data', dataDir);
  expect(code).toBe(3);
  const days = JSON.parse(printed) as { day: string; verdict: string; missing_here: string[] }[];
  expect(days).toHaveLength(31);
  expect(days.filter(({ verdict }) => verdict === 'differs')).toMatchObject([
    {
      day: DAY,
      here: 1,
      upstream: 0,
      declared: 2,
      missing_here: ['b'],
      reasons: [{ code: 'declared_more', count: 1 }, {}],
    },
  ]);
  expect(upstream.summary().queriesAtOnce).toBe(1);
  expect((await run('days', '--month', '2025-10', '--data', dataDir)).code).toBe(3);
});

test('control characters in an upstream’s ids never reach the terminal', async () => {
  const id = '\u001B[2J\u001B]0;x\u0007\r\n2025-10-09 complete\u009B\u202E';
  const upstream = await openUpstream();
  const body = JSON.stringify({ type: 'sale', external_id: id, timestamp: `${DAY}T12:00:00Z`, object: {} });
  expect((await postBody(upstream.url, 'test_up', body)).status).toBe(201);
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await prepare(store, upstream.url);
  await store.close();
  const { printed, code } = await run('reconcile', '--day', DAY, '--data', dataDir);
  expect([code, printed]).toEqual([3, expect.stringContaining('missing here: ')]);
  expect(printed).not.toMatch(/[^\P{C}\n]|\n2025-10-09 complete/u);
  const json = await run('days', '--day', DAY, '--json', '--data', dataDir);
  expect(json.printed).not.toMatch(/[^\P{C}\n]/u);
  expect(JSON.parse(json.printed)).toMatchObject([{ missing_here: [id] }]);
});

test("the command does not wait for a silent upstream: days that could not be checked are 'cannot tell'", async () => {
  const upstream = await openUpstream('query: 500; accept');
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await prepare(store, upstream.url);
  await store.close();
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const { printed, code } = await run('reconcile', '--day', DAY, '--json', '--data', dataDir);
  expect(code).toBe(1);
  expect(JSON.parse(printed)).toMatchObject([
    {
      verdict: 'cannot tell',
      upstream: null,
      basis: null,
      reasons: [{ code: 'upstream_silent', cause: expect.stringContaining('fault') as string }],
    },
  ]);
  expect(said.mock.lastCall?.join()).toMatch(
    /not all days could be checked\. The upstream reports a fault.*\. A running gateway tries again automatically\.$/,
  );
});

test('an unreadable answer ends with 1, and a complete day is not confirmed', async () => {
  const upstream = await openUpstream();
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { store, test: key } = gateway;
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  await store.outbox.performAct(
    LANE,
    { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_up' } },
    'test',
  );
  await store.records.append(arrivalOf(key, { externalId: 'a', soldAt: SOLD_AT }));
  await expect.poll(() => upstream.summary().records).toBe(1);
  const reconcile = () => run('reconcile', '--day', DAY, '--data', gateway.dataDir);
  expect(await reconcile()).toMatchObject({ code: undefined, printed: expect.stringContaining('complete') as string });
  await upstream.setScript('query: 400; accept');
  const { printed, code } = await reconcile();
  expect([code, printed]).toEqual([
    1,
    expect.stringMatching(/cannot tell .*The upstream does not tell us which sales it has \(400\)/),
  ]);
  expect(printed).not.toContain('complete');
  expect((await run('days', '--day', DAY, '--data', gateway.dataDir)).code).toBe(1);
});

test('a day whose only difference is foreign sales says how to set that others send too', async () => {
  const upstream = await openUpstream();
  const body = JSON.stringify({ type: 'web', external_id: 'W-1', timestamp: `${DAY}T12:00:00Z`, object: {} });
  expect((await postBody(upstream.url, 'test_up', body)).status).toBe(201);
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await prepare(store, upstream.url);
  await store.close();
  const { printed, code } = await run('reconcile', '--day', DAY, '--data', dataDir);
  expect(code).toBe(3);
  expect(printed).toContain(`administrations set --administration "Bakery" --others-send yes --data "${dataDir}"`);
});

test.each([
  ['current', ''],
  ['earlier', ' --interface earlier'],
] as const)(
  'a reason of the %s interface names its command with the data directory and the lane',
  async (by, option) => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await prepare(store, 'http://127.0.0.1:1');
    const lane = { ...LANE, interface: by };
    const to = { url: 'http://127.0.0.1:1', token: 'test_up' };
    await store.outbox.performAct(lane, { kind: 'set upstream', upstream: to }, 'test');
    const sale = arrivalOf(key, { externalId: 'S-1', type: 'transaction', soldAt: SOLD_AT });
    await store.records.append(by === 'earlier' ? { ...sale, earlier: { version: 'v1', method: 'POST' } } : sale);
    await store.outbox.performAct(lane, { kind: 'pause' }, 'test');
    await store.close();
    const command = `counterfoil upstream resume --data "${dataDir}" --administration "Bakery" --mode test${option}.`;
    expect((await run('days', '--day', DAY, '--data', dataDir)).printed).toContain(command);
    const { printed } = await run('days', '--day', DAY, '--json', '--data', dataDir);
    expect(JSON.parse(printed)).toMatchObject([
      { reasons: expect.arrayContaining([expect.objectContaining({ cause: expect.stringContaining(command) })]) },
    ]);
  },
);

test('sales of the earlier interface are in every number, and they rest on answers', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await prepare(store, 'http://127.0.0.1:1');
  const earlier = { ...LANE, interface: 'earlier' } as const;
  const to = { url: 'http://127.0.0.1:1', token: 'test_up' };
  await store.outbox.performAct(earlier, { kind: 'set upstream', upstream: to }, 'test');
  for (let n = 0; n < 10; n++)
    await store.records.append({
      ...arrivalOf(key, { externalId: `E-${n}`, type: 'transaction', soldAt: SOLD_AT }),
      earlier: { version: 'v1', method: 'POST' },
    });
  await store.close();
  const { printed } = await run('days', '--day', DAY, '--json', '--data', dataDir);
  expect(JSON.parse(printed)).toMatchObject([
    {
      verdict: 'waiting',
      here: 10,
      earlier: { here: 10, taken: 0, basis: 'answers' },
      reasons: [{ code: 'earlier_on_the_way', count: 10 }, { code: 'to_be_checked' }],
    },
  ]);
});

test('numbers skipped between two days are reported automatically, once', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await prepare(store, 'http://127.0.0.1:1');
  const sell = async (from: number, to: number, soldAt: number): Promise<void> => {
    for (let n = from; n <= to; n++)
      await store.records.append(
        arrivalOf(key, { externalId: `T2-${String(n).padStart(6, '0')}`, soldAt: soldAt + n }),
      );
  };
  await sell(390, 411, SOLD_AT);
  await sell(414, 435, SOLD_AT + 86_400);
  await store.close();
  const { printed } = await run('days', '--month', '2025-10', '--data', dataDir);
  const hints = printed.split('\n').filter((line) => line.includes('skipped numbers'));
  expect(hints).toEqual([
    expect.stringMatching(
      /^2025-10-09 to 2025-10-10 {2}skipped numbers: T2-000412 to T2-000413 between these two days/,
    ),
  ]);
  const json = await run('days', '--day', '2025-10-10', '--json', '--data', dataDir);
  expect(JSON.parse(json.printed)).toMatchObject([
    { skipped_numbers: [{ from: 'T2-000412', to: 'T2-000413', between: ['2025-10-09', '2025-10-10'] }] },
  ]);
});

test('of many skipped numbers a month shows some and says so, and a single day shows all', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await prepare(store, 'http://127.0.0.1:1');
  const numbers = Array.from({ length: 150 }, (_, n) => n + 1).filter((n) => n % 6 !== 0);
  for (const n of numbers)
    await store.records.append(arrivalOf(key, { externalId: `T2-${String(n).padStart(6, '0')}`, soldAt: SOLD_AT + n }));
  await store.close();
  const read = async (...period: string[]): Promise<{ hints: number; printed: string }> => {
    const { printed } = await run('days', ...period, '--data', dataDir);
    return { hints: printed.split('\n').filter((line) => line.includes('  skipped numbers: ')).length, printed };
  };
  const month = await read('--month', '2025-10');
  expect(month.hints).toBe(20);
  expect(month.printed).toContain('… and 4 more skipped numbers; --json or --day shows more.\n');
  const day = await read('--day', DAY);
  expect(day.hints).toBe(24);
  expect(day.printed).not.toContain('more skipped numbers');
});

test("when the upstream is silent, reconcile says 'cannot tell', and days keeps 'complete' and says since when", async () => {
  const upstream = await openUpstream('query: accept, 500; accept');
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await prepare(store, upstream.url);
  await store.close();
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const runOn = async (...args: string[]) => {
    const { printed, code } = await run(...args, '--day', DAY, '--json', '--data', dataDir);
    return { code, days: JSON.parse(printed) as unknown };
  };
  expect(await runOn('reconcile')).toMatchObject({ code: undefined, days: [{ verdict: 'complete' }] });
  expect(await runOn('reconcile')).toMatchObject({
    code: 1,
    days: [{ verdict: 'cannot tell', basis: null, reasons: [{ code: 'upstream_silent' }] }],
  });
  expect(await runOn('days')).toMatchObject({ code: undefined, days: [{ verdict: 'complete', basis: 'counts' }] });
  expect((await run('days', '--day', DAY, '--data', dataDir)).printed).toMatch(
    /^Bakery \(test\): 2025-10-09 cannot be checked, since \S+ \S+Z\. The upstream reports a fault on its side \(500\)\.\n\n/,
  );
});
