// The earlier interface as its users run it: set up on the command line beside a running gateway, called by a till that
// knows nothing but its address and its token, looked at on the command line again.

import { Client } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { openTestSite } from './test-site.ts';

const TIMEOUT = { timeout: 60_000 };
/** How soon a change made elsewhere is known (design, section 5, "Keys"). */
const WITHIN_A_SECOND = { timeout: 1000, interval: 10 };

/** A till on one kept-alive connection. */
function openTill(url: string, key: string) {
  const client = new Client(url, { allowH2: false });
  onTestFinished(() => client.destroy());
  return async function get(path: string, headers: Record<string, string> = {}) {
    const answer = await client.request({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
  };
}

test('a change on the command line is known to a running gateway within a second', TIMEOUT, async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1', 'production');
  const gateway = await site.startGateway();
  const get = openTill(gateway.url, key);
  const alias = '/c/bakery/42/v2/refund?refundid=1';
  expect(await get('/v1/transaction?transactionid=1')).toMatchObject({ status: 200, body: { status: 'NEW' } });
  expect(await get(alias)).toMatchObject({ status: 403, body: { code: 'address_mismatch' } });

  const set = (...args: string[]) => site.runJson('administrations', 'set', '--administration', 'Bakery', ...args);
  expect(await set('--customer-name', 'Bakery', '--customer-id', '42')).toEqual({
    name: 'Bakery',
    customer: { name: 'bakery', id: '42' },
    versions: ['v1'],
    resources: [
      { name: 'transaction', id_parameter: 'transactionid' },
      { name: 'cancellations', id_parameter: 'transactionid' },
    ],
  });
  await expect.poll(async () => (await get(alias)).body['code'], WITHIN_A_SECOND).toBe('end_point_invalid');
  await set('--versions', 'v2', '--resources', 'transaction,refund:refundid');
  await expect.poll(async () => (await get(alias)).status, WITHIN_A_SECOND).toBe(200);
  expect(await get('/v1/transaction?transactionid=1')).toMatchObject({ status: 400 });
  expect(await get('/v2/transaction?transactionid=1')).toMatchObject({ status: 200, body: { status: 'IGNORED' } });
});

test('status, records and administrations say what came by which interface', TIMEOUT, async () => {
  const site = await openTestSite();
  const [till, underTest] = [await site.createKey('Till 1', 'production'), await site.createKey('Till 1', 'test')];
  const gateway = await site.startGateway();
  const get = openTill(gateway.url, till.key);
  for (const query of ['transactionid=a', 'transactionid=a', 'transactionid=a&amount=1'])
    await get(`/v1/transaction?${query}`);
  await openTill(gateway.url, underTest.key)('/v1/cancellations?transactionid=a&timestamp=2026-11-20T13:04:51.5Z');
  await fetch(`${gateway.url}/v1/raw_transactions`, {
    method: 'POST',
    headers: { token: till.key, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'sale', external_id: 'a', timestamp: '2026-11-20T13:04:51Z', object: {} }),
  });

  const none = { NEW: 0, IGNORED: 0, ERROR: 0 };
  const commands = [['status'], ['records', '--interface', 'earlier'], ['records', '--interface', 'current']];
  expect(await Promise.all(commands.map((command) => site.runJson(...command)))).toMatchObject([
    {
      journals: [
        {
          administration: 'Bakery',
          mode: 'production',
          records: { NEW: 1, IGNORED: 0, ERROR: 0 },
          earlier_records: { NEW: 1, IGNORED: 1, ERROR: 1 },
        },
        { administration: 'Bakery', mode: 'test', records: none, earlier_records: { ...none, NEW: 1 } },
      ],
    },
    [
      { record_id: 4, mode: 'test', type: 'cancellations', timestamp: '2026-11-20T13:04:51Z' },
      { record_id: 3, status: 'ERROR', original_id: 1 },
      { record_id: 2, status: 'IGNORED', original_id: 1 },
      { record_id: 1, status: 'NEW', interface: 'earlier', version: 'v1', method: 'GET', type: 'transaction' },
    ],
    [{ record_id: 5, interface: 'current', version: null, method: null, type: 'sale' }],
  ]);

  await gateway.stop(); // and without a gateway, in words
  const inWords = [['status'], ['records', '--interface', 'earlier'], ['administrations', 'list']];
  const [status, records, administrations] = await Promise.all(
    inWords.map(async (command) => {
      const { stdout } = await site.run(...command);
      const lines = stdout.trimEnd().split('\n');
      return lines.map((line) => line.replace(/ {2,}/g, ' | '));
    }),
  );
  expect(status).toEqual([
    'administration | mode | interface | NEW | IGNORED | ERROR',
    'Bakery | production | current | 1 | 0 | 0',
    'Bakery | production | earlier | 1 | 1 | 1',
    'Bakery | test | current | 0 | 0 | 0',
    'Bakery | test | earlier | 1 | 0 | 0',
  ]);
  expect(records?.map((row) => row.split(' | ').slice(0, 5).join(' | '))).toEqual([
    'record | interface | status | external_id | type',
    '4 | earlier | NEW | a | cancellations',
    '3 | earlier | ERROR | a | transaction',
    '2 | earlier | IGNORED | a | transaction',
    '1 | earlier | NEW | a | transaction',
  ]);
  expect(administrations).toEqual([
    'administration | customer name | customer id | versions | resources',
    'Bakery | - | - | v1 | transaction:transactionid,cancellations:transactionid',
  ]);
});

test(
  'administrations ends with 0 when it is done, 1 when it cannot be, 2 when it is used wrongly',
  TIMEOUT,
  async () => {
    const site = await openTestSite();
    const set = (...args: string[]) => site.run('administrations', 'set', ...args);
    const longest = `A${'-'.repeat(61)}9`;
    const address = ['--customer-name', longest, '--customer-id', '0'];
    const versions = ['--versions', `v1, 2026-01 ,V_2.0,${'v'.repeat(32)}`];
    const resources = [
      '--resources',
      `transaction, refund:refundid,${'r'.repeat(64)}:${'i'.repeat(64)},x:order.id-1_a`,
    ];
    const [missing, nothing, unnamed, filter, help] = await Promise.all([
      site.run('administrations', 'list'),
      set('--administration', 'Bakery'),
      set('--versions', 'v1'),
      site.run('records', '--interface', 'both'),
      set('--help'),
    ]);
    for (const [result, code, fault] of [
      [missing, 1, /^counterfoil: There are no data in .*keys create.*\n$/],
      [nothing, 2, /^counterfoil: Nothing to change\. .*\n$/],
      [unnamed, 2, /--administration/],
      [filter, 2, /--interface.*current, earlier/],
    ] as const) {
      expect(result).toMatchObject({ code, stdout: '' });
      expect(result.stderr).toMatch(fault);
    }
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const option of [
      '--administration',
      '--customer-name',
      '--customer-id',
      '--versions',
      '--resources',
      '--json',
    ])
      expect(help.stdout).toContain(option);

    await site.createKey('Till 1');
    const done = await set('--administration', 'Bakery', ...address, ...versions, ...resources);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(
      /^administration +customer name +customer id +versions +resources\nBakery +a-+9 +0 +v1,/,
    );
    expect(await site.runJson('administrations', 'list')).toEqual([
      {
        name: 'Bakery',
        customer: { name: longest.toLowerCase(), id: '0' },
        versions: ['v1', '2026-01', 'V_2.0', 'v'.repeat(32)],
        resources: [
          { name: 'transaction', id_parameter: 'transactionid' },
          { name: 'refund', id_parameter: 'refundid' },
          { name: 'r'.repeat(64), id_parameter: 'i'.repeat(64) },
          { name: 'x', id_parameter: 'order.id-1_a' },
        ],
      },
    ]);
  },
);
