// `counterfoil keys`: adopts existing keys of tills, and reports unusual forms of their calls.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { bindKeys } from '../../../server/command/keys.ts';
import { UsageError } from '../../../server/errors.ts';
import { writeNetworkFile } from '../../../server/network/network-file.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import { runCommand } from '../../support/command-run.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { networkView } from '../../support/network-view.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const TOKEN = 'oldAccessToken.0123456789';

async function openGateway(): Promise<TestGateway> {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

const run = async (...args: string[]): Promise<string> => runCommand(bindKeys, ['keys', ...args]);

function adopt({ dataDir }: { dataDir: string }, token: string, mode: string, ...more: string[]): Promise<string> {
  const file = join(temporaryFolder(), 'token.txt');
  writeFileSync(file, `${token}\n`);
  const till = ['--administration', 'Bakery', '--label', 'Old till', '--data', dataDir, '--json'];
  return run('create', ...till, '--mode', mode, '--adopt-file', file, ...more);
}

describe('a token without a prefix', () => {
  const earlierCall = (gateway: TestGateway, token: string) =>
    call(`${gateway.apiUrl}/v1/transaction?transactionid=a`, { headers: { authorization: `Bearer ${token}` } });

  test('is 401 on both interfaces before it is adopted', async () => {
    const gateway = await openGateway();
    expect((await earlierCall(gateway, TOKEN)).json()).toMatchObject({ status: 401, code: 'key_unknown' });
    expect((await postBody(gateway.apiUrl, TOKEN, bodyOf())).json()).toMatchObject({
      status: 401,
      code: 'key_unknown',
    });
  });

  test.each([
    ['is adopted as production for the earlier interface only', []],
    ['is adopted for the earlier interface on request', ['--interface', 'earlier']],
  ])('%s', async (_name, more) => {
    const gateway = await openGateway();
    const made = JSON.parse(await adopt(gateway, TOKEN, 'production', ...more)) as object;
    expect(made).toMatchObject({ mode: 'production', interface: 'earlier', key: TOKEN });
    expect((await earlierCall(gateway, TOKEN)).json()).toMatchObject({ status: 'NEW' });
    const [record] = await gateway.store.records.list({ limit: 1 });
    expect(record).toMatchObject({ mode: 'production', interface: 'earlier' });
    expect((await postBody(gateway.apiUrl, TOKEN, bodyOf())).json()).toMatchObject({ code: 'key_wrong_kind' });
  });

  test('may be as long as access tokens are', async () => {
    const gateway = await openGateway();
    const long = `${'eyJhbGciOiJSUzI1NiJ9.'.repeat(100)}${'s'.repeat(1996)}`;
    await adopt(gateway, long, 'production');
    expect((await earlierCall(gateway, long)).json()).toMatchObject({ status: 'NEW' });
    await expect(adopt(gateway, `${long}x`, 'production')).rejects.toThrow(/13 to 4096 characters/);
  });

  test.each([
    ['is never a test key', 'test', [], /begins with test_/],
    ['is not adopted for the current interface', 'production', ['--interface', 'current'], /--interface earlier/],
    ['is not adopted for both', 'production', ['--interface', 'both'], /--interface earlier/],
  ] as const)('%s', async (_name, mode, more, message) => {
    const gateway = await openGateway();
    const refused = adopt(gateway, TOKEN, mode, ...more);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(TOKEN);
  });

  test('must be too long to be guessed', async () => {
    await expect(adopt(await openGateway(), 'short', 'production')).rejects.toThrow(/13 to 4096 characters/);
  });
});

test('a key with a prefix is adopted for both interfaces by default, or for one on request', async () => {
  const gateway = await openGateway();
  const made = async (...args: Parameters<typeof adopt>) => JSON.parse(await adopt(...args)) as { interface: string };
  expect(await made(gateway, 'prod_0123456789', 'production')).toMatchObject({ interface: 'both' });
  expect(await made(gateway, 'test_0123456789', 'test', '--interface', 'current')).toMatchObject({
    interface: 'current',
  });
  await expect(adopt(gateway, 'test_01234567890', 'production')).rejects.toThrow(/a test key/);
});

test('the list names the unusual forms of each key, how often and when, with an example', async () => {
  const gateway = await openGateway();
  const { id, secret } = gateway.production;
  for (let n = 0; n < 2; n++) await postBody(gateway.apiUrl, secret, bodyOf({ timestamp: '2026-11-20T10:00:00.123Z' }));
  await gateway.store.records.listUnusualForms(); // writes the pending counts, so that the command reads them
  const keys = JSON.parse(await run('list', '--json', '--data', gateway.dataDir)) as { id: number }[];
  expect(keys).toMatchObject([
    {
      id,
      unusual_forms: [
        {
          form: 'timestamp_fraction',
          calls: 2,
          first_at: expect.stringMatching(/Z$/),
          last_at: expect.stringMatching(/Z$/),
          example: '0000-00-00x00:00:00.000x',
        },
      ],
    },
    { id: gateway.test.id, unusual_forms: [] },
  ]);
  const text = await run('list', '--data', gateway.dataDir);
  expect(text).toContain(
    'Counter (key 1) sends unusual forms. They are accepted here, but an upstream may reject them:',
  );
  expect(text).toMatch(/timestamp with a fraction, 2 times, last .*Z, such as 0000-00-00x00:00:00\.000x/);
});

describe('keys create --if-missing', () => {
  const till = ['--administration', 'Bakery', '--mode', 'test', '--label', 'Till 1'];
  const create = (gateway: TestGateway, ...more: string[]): Promise<string> =>
    run('create', ...till, '--data', gateway.dataDir, ...more);
  const listTills = async ({ store }: TestGateway) =>
    (await store.setup.listKeys()).filter(({ label }) => label === 'Till 1').length;

  test('makes a key for a till without one', async () => {
    const gateway = await openGateway();
    expect(JSON.parse(await create(gateway, '--if-missing', '--json'))).toMatchObject({
      existed: false,
      key: expect.stringMatching(/^test_/),
    });
  });

  test('describes the existing key of the till, and makes none', async () => {
    const gateway = await openGateway();
    const { id } = JSON.parse(await create(gateway, '--json')) as { id: number };
    const text = await create(gateway, '--if-missing');
    expect(text).toBe(
      `Key ${id} for Till 1 (Bakery, test) already exists, so no key was made. Its secret was shown only when it was made.`,
    );
    const json = JSON.parse(await create(gateway, '--if-missing', '--json')) as object;
    expect(json).toMatchObject({ id, label: 'Till 1', interface: 'both', existed: true, key: null });
    expect(await listTills(gateway)).toBe(1);
    expect(process.exitCode).toBeUndefined();
  });

  test.each<[why: string, first: string[], second: string[]]>([
    ['speaks only the other interface', ['--interface', 'earlier'], ['--interface', 'current']],
    ['does not speak both', ['--interface', 'earlier'], []],
  ])('makes another key if the existing one %s', async (_why, first, second) => {
    const gateway = await openGateway();
    await create(gateway, ...first);
    await create(gateway, '--if-missing', ...second);
    expect(await listTills(gateway)).toBe(2);
  });

  test('makes another key if the existing one is revoked', async () => {
    const gateway = await openGateway();
    const { id } = JSON.parse(await create(gateway, '--json')) as { id: number };
    await run('revoke', String(id), '--data', gateway.dataDir);
    await create(gateway, '--if-missing');
    expect(await listTills(gateway)).toBe(2);
  });

  test('adopts a token once, and refuses the token of another till', async () => {
    const gateway = await openGateway();
    const made = JSON.parse(await adopt(gateway, TOKEN, 'production', '--if-missing')) as { id: number };
    expect(JSON.parse(await adopt(gateway, TOKEN, 'production', '--if-missing'))).toMatchObject({
      id: made.id,
      existed: true,
    });
    await expect(adopt(gateway, TOKEN, 'production', '--if-missing', '--label', 'Other till')).rejects.toThrow(
      /already exists here/,
    );
  });
});

describe('keys create without all options', () => {
  const makeStores = async (...names: readonly string[]): Promise<string> => {
    const dataDir = temporaryFolder();
    const { setup } = await openTemporaryStore({ dataDir });
    for (const administration of names)
      await setup.createKey(
        {
          administration,
          mode: 'test',
          label: 'Old till',
          interface: 'both',
          secret: generateSecret('test'),
          isAdopted: false,
        },
        'Ann',
      );
    return dataDir;
  };

  test('uses the only store', async () => {
    const dataDir = await makeStores('Bakery');
    expect(await run('create', '--mode', 'test', '--label', 'Till 1', '--data', dataDir)).toContain(
      'Key 2 for Till 1 (Bakery, test).',
    );
  });

  test.each<[stores: string[], args: string[], message: string]>([
    [
      [],
      [],
      'Missing: --administration, --mode, --label. For example: counterfoil keys create --data "DATA" --administration "My store" --mode test --label "Till 1"',
    ],
    [
      ['Bakery'],
      ['--mode', 'production'],
      'Missing: --label. For example: counterfoil keys create --data "DATA" --administration "Bakery" --mode production --label "Till 1"',
    ],
    [
      ['Bakery', 'Butcher'],
      ['--label', 'Counter'],
      'Missing: --administration, --mode. Existing administrations: "Bakery", "Butcher". For example: counterfoil keys create --data "DATA" --administration "Bakery" --mode test --label "Counter"',
    ],
  ])('with the stores %j, and only %j, names all that is missing, and makes nothing', async (stores, args, message) => {
    const dataDir = stores.length === 0 ? join(temporaryFolder(), 'new') : await makeStores(...stores);
    const refused = run('create', ...args, '--data', dataDir);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message.replace('DATA', dataDir));
    if (stores.length === 0) expect(existsSync(dataDir)).toBe(false);
    else expect(JSON.parse(await run('list', '--json', '--data', dataDir))).toHaveLength(stores.length);
  });
});

test('keys create warns about a new store beside others, with the command that takes it back', async () => {
  const dataDir = temporaryFolder();
  const warnings: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((text: unknown) => void warnings.push(String(text)));
  onTestFinished(() => spy.mockRestore());
  await openTemporaryStore({ dataDir });
  for (const name of ['Bakery', 'Bakery', 'Bakrey'])
    await run('create', '--administration', name, '--mode', 'test', '--label', 'Till 1', '--data', dataDir);
  expect(warnings).toEqual([
    `This is a new store. If that was not intended: counterfoil keys revoke 3 --data "${dataDir}", then use one of: "Bakery".`,
  ]);
});

test('a second revocation says when the key was revoked', async () => {
  const gateway = await openGateway();
  const revoke = (...more: string[]): Promise<string> =>
    run('revoke', String(gateway.test.id), '--data', gateway.dataDir, ...more);
  expect(await revoke()).toMatch(/^The key of .* is revoked\. What it sent is kept\.$/);
  expect(await revoke()).toMatch(/^The key of .* was already revoked at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\.$/);
  expect(JSON.parse(await revoke('--json'))).toMatchObject({
    already_revoked: true,
    revoked_at: expect.stringMatching(/Z$/),
  });
});

describe('beside a running gateway, keys create says how to connect the till', () => {
  const till = ['create', '--administration', 'Bakery', '--label', 'Till 1', '--mode', 'test'];

  async function makeOpenGateway(): Promise<string> {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    writeNetworkFile(dataDir, networkView());
    return dataDir;
  }

  test('in lines after the key', async () => {
    const printed = await run(...till, '--data', await makeOpenGateway());
    const [, secret] = /(test_\S+)/.exec(printed) ?? [];
    expect(printed).toContain("curl -sSo counterfoil-ca.pem 'http://192.168.1.20:7410/ca.pem'");
    expect(printed).toContain(`'https://192.168.1.20:7410/v1/raw_transactions' \\\n  -H 'token: ${secret}'`);
  });

  test('with --json as addresses and authority, also for a key that exists', async () => {
    const dataDir = await makeOpenGateway();
    const { fingerprint } = networkView().authority!;
    const joining = {
      addresses: ['https://192.168.1.20:7410'],
      authority: { fingerprint, file: '/var/lib/counterfoil/ca.pem', end: '2036-11-01T00:00:00.000Z' },
    };
    for (const existed of [false, true])
      expect(JSON.parse(await run(...till, '--data', dataDir, '--json', '--if-missing'))).toMatchObject({
        existed,
        ...joining,
      });
  });
});
