// `counterfoil apply`: a second run changes nothing, a failed run continues, and no output contains a secret.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { bindApply } from '../../../server/command/apply.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import type { Store } from '../../../server/store/store.ts';
import { runCommand } from '../../support/command-run.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { makeKey, temporaryFolder } from '../../support/temp-store.ts';

const TOKEN = 'prod_canary-0123456789';

afterEach(() => void vi.unstubAllEnvs());

/** A folder with the file, and the data directory in it. */
function makeFolder(content: unknown) {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const path = join(folder, 'store.json');
  const write = (next: unknown): void => writeFileSync(path, typeof next === 'string' ? next : JSON.stringify(next));
  write(content);
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const run = (...args: string[]): Promise<string> =>
    runCommand(bindApply, ['apply', path, '--data', dataDir, ...args]);
  return { folder, dataDir, path, write, run };
}

async function look<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, role: 'command' });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const BAKERY = {
  name: 'Bakery',
  timeZone: 'Europe/Amsterdam',
  dayStartsAt: '04:00',
  customer: { name: 'bakery', id: '42' },
  amounts: [{ type: 'sale', total: '/object/total', currency: 'eur' }],
  tills: [
    { label: 'Till 1', mode: 'production', keyFile: 'till-1.key' },
    { label: 'Till 2', mode: 'test' },
  ],
  upstreams: [{ mode: 'production', url: 'https://api.example.com/', token: { file: 'token.txt' } }],
};
const STORE = { administrations: [BAKERY], people: [{ name: 'Mia', role: 'manager' }] };
/** The acts that make this store. */
const ACTS_OF_STORE = [
  'create administration',
  'change administration',
  'create key',
  'create key',
  'set amounts',
  'set upstream',
  'add user',
];

describe('a file', () => {
  test('makes a whole store, and a second run changes nothing', async () => {
    const { folder, dataDir, run } = makeFolder(STORE);
    writeFileSync(join(folder, 'token.txt'), `${TOKEN}\n`);
    const first = await run();
    expect(first).toContain('Done: 7 changes.');
    expect(first).not.toContain(TOKEN);
    const shown = /^test_\w{43}$/m.exec(first)?.[0];
    const kept = readFileSync(join(folder, 'till-1.key'), 'utf8').trim();
    expect(first).not.toContain(kept);
    expect(statSync(join(folder, 'till-1.key')).mode & 0o777).toBe(0o600);
    const acts = await look(dataDir, async (store) => {
      expect(store.setup.findKey(String(shown))).toMatchObject({ label: 'Till 2', mode: 'test' });
      expect(store.setup.findKey(kept)).toMatchObject({ label: 'Till 1', mode: 'production', isAdopted: false });
      expect(await store.setup.listAdministrations()).toMatchObject([
        { name: 'Bakery', timeZone: 'Europe/Amsterdam', dayStartsAt: 240, customer: { name: 'bakery', id: '42' } },
      ]);
      expect(await store.amounts.listRules()).toMatchObject([
        { type: 'sale', total: '/object/total', currency: 'EUR' },
      ]);
      expect(store.outbox.lanes().find(({ upstream }) => upstream !== null)).toMatchObject({
        mode: 'production',
        upstream: { url: 'https://api.example.com', token: TOKEN },
      });
      expect(await store.people.list()).toMatchObject([{ name: 'Mia', role: 'manager', hasPassword: false }]);
      return store.setup.listActs({ limit: 100 });
    });
    expect(acts.map(({ actor, act }) => `${actor}: ${act.kind}`).toReversed()).toEqual(
      ACTS_OF_STORE.map((kind) => `command line: ${kind}`),
    );
    expect(await run()).toBe('Nothing to change.');
    expect(await look(dataDir, ({ setup }) => setup.listActs({ limit: 100 }))).toEqual(acts);
  });

  test('changes only the members that it names, and says what it leaves', async () => {
    const { dataDir, run } = makeFolder({ administrations: [{ name: 'Bakery', timeZone: 'Europe/Berlin' }] });
    await look(dataDir, async (store) => {
      await makeKey(store);
      await makeKey(store, 'Till 1', { administration: 'Butcher' });
      await store.setup.changeAdministration('Bakery', { dayStartsAt: 240, othersSend: true }, 'test');
    });
    expect(JSON.parse(await run('--json'))).toEqual([
      {
        action: 'change administration',
        text: 'change administration "Bakery": timeZone: UTC → Europe/Berlin',
        done: true,
      },
      { action: 'leave', text: 'administration "Butcher"', done: false },
      { action: 'leave', text: 'key 1 of Till 1 (Bakery, production)', done: false },
      { action: 'leave', text: 'key 2 of Till 1 (Butcher, production)', done: false },
    ]);
    const [bakery] = await look(dataDir, ({ setup }) => setup.listAdministrations());
    expect(bakery).toMatchObject({ timeZone: 'Europe/Berlin', dayStartsAt: 240, othersSend: true });
  });

  test('says the old and the new value of each change', async () => {
    const { folder, run, write } = makeFolder(STORE);
    writeFileSync(join(folder, 'token.txt'), TOKEN);
    await run();
    const changed = {
      ...BAKERY,
      dayStartsAt: '05:00',
      customer: null,
      resources: ['transaction', 'refund:refundid'],
      othersSend: true,
      amounts: [{ type: 'sale', total: '/object/sum', currency: 'usd', payment: '/object/by', sign: 'negative' }],
      upstreams: [{ ...BAKERY.upstreams[0], url: 'https://new.example.com' }],
    };
    write({ administrations: [changed], people: [{ name: 'Mia', role: 'manager' }] });
    const output = await run('--dry-run');
    expect(output.split('\n')).toEqual([
      'Changes:',
      '  change administration "Bakery": dayStartsAt: 04:00 → 05:00; customer: bakery 42 → none; resources: transaction:transactionid, cancellations:transactionid → transaction:transactionid, refund:refundid; othersSend: false → true',
      '  set amounts of "sale" (Bakery): total /object/total, currency EUR → total /object/sum, currency USD, payment /object/by, sign negative',
      '  set upstream (Bakery, production, current): https://api.example.com → https://new.example.com',
    ]);
  });

  test('takes effect in a running gateway', async () => {
    const gateway = await openTestGateway();
    try {
      const { path, folder } = makeFolder({
        administrations: [
          { name: 'Bakery', timeZone: 'UTC', tills: [{ label: 'Till 9', mode: 'test', keyFile: 'till-9.key' }] },
        ],
        people: [{ name: 'Mia', role: 'manager' }],
      });
      const output = await runCommand(bindApply, ['apply', path, '--data', gateway.dataDir]);
      expect(output).toContain(
        `Mia chooses a password at this link, within 24 hours: ${gateway.consoleUrl}/#password=`,
      );
      const key = readFileSync(join(folder, 'till-9.key'), 'utf8').trim();
      const ask = async (): Promise<number> => (await postBody(gateway.apiUrl, key, '{}')).status;
      await expect.poll(ask).not.toBe(401);
    } finally {
      await gateway.close();
    }
  });

  test('with a changed upstream key or role changes exactly these', async () => {
    const { folder, run, write } = makeFolder(STORE);
    writeFileSync(join(folder, 'token.txt'), TOKEN);
    await run();
    writeFileSync(join(folder, 'token.txt'), `${TOKEN}-2`);
    write({ ...STORE, people: [...STORE.people, { name: 'Tom', role: 'clerk' }] });
    const output = await run();
    expect(output.split('\n')).toEqual([
      'Changes:',
      '  set upstream (Bakery, production, current): https://api.example.com, with another key',
      '  add user Tom: clerk',
      expect.stringMatching(
        /^Tom has no password yet\. Make a link while the gateway runs: .*users link .*--name "?Tom"?$/,
      ),
      'Done: 2 changes.',
    ]);
  });
});

test('an upstream that is this gateway is refused with its pointer', async () => {
  const upstreams = [{ mode: 'production', url: 'http://127.0.0.1:7410', token: { env: 'OWN_TOKEN' } }];
  vi.stubEnv('OWN_TOKEN', TOKEN);
  const { run } = makeFolder({ administrations: [{ name: 'Bakery', timeZone: 'UTC', upstreams }] });
  await expect(run('--dry-run')).rejects.toThrow(
    /\/upstreams\/0\/url: http:\/\/127\.0\.0\.1:7410 is this gateway itself/,
  );
});

describe('--dry-run', () => {
  test('prints the changes and makes none, not even the data directory', async () => {
    const { folder, dataDir, run } = makeFolder(STORE);
    writeFileSync(join(folder, 'token.txt'), TOKEN);
    const entries = JSON.parse(await run('--dry-run', '--json')) as { action: string; done: boolean }[];
    expect(entries.map(({ action }) => action)).toEqual(ACTS_OF_STORE);
    expect(entries.some(({ done }) => done)).toBe(false);
    expect(JSON.stringify(entries)).not.toContain(TOKEN);
    expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
    expect(statSync(join(folder, 'till-1.key'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('a key file', () => {
  test('that exists has its key adopted, so that a run after a crash continues', async () => {
    const { folder, dataDir, run } = makeFolder({
      administrations: [{ ...BAKERY, upstreams: [], tills: BAKERY.tills.slice(0, 1) }],
    });
    const key = `prod_${'k'.repeat(43)}`;
    writeFileSync(join(folder, 'till-1.key'), `${key}\n`);
    await run();
    expect(await look(dataDir, async ({ setup }) => setup.findKey(key))).toMatchObject({ label: 'Till 1' });
    expect(await run()).toBe('Nothing to change.');
  });

  test('with the key of another till is refused before anything changes', async () => {
    const { folder, dataDir, run } = makeFolder({
      administrations: [{ name: 'Bakery', timeZone: 'UTC', tills: BAKERY.tills }],
    });
    const secret = `prod_${'k'.repeat(43)}`;
    await look(dataDir, (store) => makeKey(store, 'Till 7', { secret }));
    writeFileSync(join(folder, 'till-1.key'), secret);
    await expect(run()).rejects.toThrow(/\/administrations\/0\/tills\/0\/keyFile: the key in this file belongs to/);
    expect(await look(dataDir, ({ setup }) => setup.listKeys())).toHaveLength(1);
  });
});

test('an invalid file is wrong usage, and makes no data directory', async () => {
  const { dataDir, run } = makeFolder({ people: [{ name: 'Mia', role: 'boss' }] });
  const failing = run();
  await expect(failing).rejects.toBeInstanceOf(UsageError);
  await expect(failing).rejects.toThrow(/is not valid. Nothing was changed.\n {2}\/people\/0\/role: must/);
  expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
});

test('with --json, the faults of a file are JSON on the standard output', async () => {
  const { path, dataDir } = makeFolder({ people: [{ name: 'Mia', role: 'boss' }] });
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const program = new Command('counterfoil').exitOverride();
  bindApply(program);
  const failing = program.parseAsync(['apply', path, '--data', dataDir, '--json'], { from: 'user' });
  await expect(failing).rejects.toBeInstanceOf(UsageError);
  write.mockRestore();
  expect(JSON.parse(printed.join(''))).toMatchObject({
    faults: [{ pointer: '/people/0/role', detail: expect.stringContaining('must') }],
  });
});

describe('does not fit the store, and nothing changes:', () => {
  test('upstream faults, one key for both modes, a taken customer, and the last manager', async () => {
    const token = { env: 'TOKEN_FOR_BOTH' };
    vi.stubEnv('TOKEN_FOR_BOTH', 'canary-0123456789');
    const { dataDir, run } = makeFolder({
      administrations: [
        {
          name: 'Bakery',
          timeZone: 'UTC',
          customer: { name: 'butcher', id: '1' },
          upstreams: [
            { mode: 'production', url: 'https://a.example', token },
            { mode: 'test', url: 'https://a.example', token },
            { mode: 'production', interface: 'earlier', url: 'http://a.example', token },
          ],
        },
      ],
      people: [{ name: 'mia', role: 'clerk' }],
    });
    await look(dataDir, async (store) => {
      await makeKey(store, 'Till 1', { administration: 'Butcher' });
      await store.setup.changeAdministration('Butcher', { customer: { name: 'butcher', id: '1' } }, 'test');
      const password = { salt: new Uint8Array(16).fill(1), cost: 2, digest: new Uint8Array(32) };
      await store.people.add({ name: 'Mia', role: 'manager', createdAt: 1, password }, 'test');
    });
    const failing = run();
    await expect(failing).rejects.toBeInstanceOf(OperatorError);
    for (const message of [
      /\/administrations\/0\/customer: "Butcher" already has this customer/,
      /\/administrations\/0\/upstreams\/1\/token: the key has the key of Bakery \(production/,
      /\/administrations\/0\/upstreams\/2\/url: Plain http sends the key unencrypted.*"plainHttp": true/,
      /\/people\/0\/role: no other manager has a password/,
    ])
      await expect(failing).rejects.toThrow(message);
    expect(await look(dataDir, ({ setup }) => setup.listAdministrations())).toHaveLength(1);
  });
});

test('a failure in the middle names what was done, and the next run continues', async () => {
  const declare = (keyFile: string) => ({
    administrations: [{ name: 'Bakery', timeZone: 'UTC', tills: [{ label: 'Till 1', mode: 'test', keyFile }] }],
    people: [{ name: 'Mia', role: 'clerk' }],
  });
  const { run, write } = makeFolder(declare('k'.repeat(300))); // longer than a file system allows
  const failing = run();
  await expect(failing).rejects.toBeInstanceOf(OperatorError);
  await expect(failing).rejects.toThrow(
    /ENAMETOOLONG.*\nDone:\n {2}create administration "Bakery".*\nNot done:\n {2}create key of Till 1.*\n {2}add user Mia: clerk\nRun/,
  );
  write(declare('till.key'));
  expect(await run()).toContain('Done: 2 changes.');
  expect(await run()).toBe('Nothing to change.');
});
