// The earlier interface from end to end. It is set up on the command line beside a running gateway. A till that knows only its
// address and token then calls it. The command line shows the calls.

import { Client } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { machineZone } from '../../server/lib/calendar.ts';
import { openTestSite } from './test-site.ts';

/** A till that uses one keep-alive connection. */
function openTill(url: string, key: string) {
  const client = new Client(url, { allowH2: false });
  onTestFinished(() => client.destroy());
  return async function get(path: string) {
    const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${key}` } });
    return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
  };
}

/** Splits a printed table into columns. */
const rowsOf = ({ stdout }: { readonly stdout: string }): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('a change on the command line is known to a running gateway, and later calls are shown', async () => {
  const site = await openTestSite();
  const [till, underTest] = [await site.createKey('Till 1', 'production'), await site.createKey('Till 1', 'test')];
  const gateway = await site.startGateway();
  const get = openTill(gateway.url, till.key);
  const long = `B${'-'.repeat(61)}9`;
  const alias = `/c/${long}/42/V_2.0/refund?refundid=1&timestamp=2026-11-20T13:04:51.5Z`;
  expect(await get('/v1/transaction?transactionid=a')).toMatchObject({ status: 200, body: { status: 'NEW' } });
  expect(await get(alias)).toMatchObject({ status: 403, body: { code: 'address_mismatch' } });

  const set = ['administrations', 'set', '--administration', 'Bakery'];
  expect(await site.run(...set, '--customer-name', long, '--customer-id', '42')).toMatchObject({
    code: 0,
    stderr: '',
  });
  await expect.poll(async () => (await get(alias)).body['code']).toBe('end_point_invalid');
  const wide = `${'r'.repeat(64)}:${'i'.repeat(64)}`;
  const wanted = [
    '--versions',
    `v1, 2026-01 ,V_2.0,${'v'.repeat(32)}`,
    '--resources',
    `transaction, refund:refundid,${wide}`,
  ];
  expect(await site.runJson(...set, ...wanted)).toEqual({
    name: 'Bakery',
    customer: { name: long.toLowerCase(), id: '42' },
    versions: ['v1', '2026-01', 'V_2.0', 'v'.repeat(32)],
    resources: [
      { name: 'transaction', id_parameter: 'transactionid' },
      { name: 'refund', id_parameter: 'refundid' },
      { name: 'r'.repeat(64), id_parameter: 'i'.repeat(64) },
    ],
    forwarded: ['NEW'],
    others_send: false,
    time_zone: machineZone(),
    day_starts_at: 0,
  });
  await expect.poll(async () => (await get(alias)).status).toBe(200);
  expect(await get('/v1/cancellations?transactionid=a')).toMatchObject({ status: 400 });
  expect(await get('/2026-01/transaction?transactionid=a')).toMatchObject({ body: { status: 'IGNORED' } });
  expect(await get('/v1/transaction?transactionid=a&amount=1')).toMatchObject({ body: { status: 'ERROR' } });
  await openTill(gateway.url, underTest.key)('/v1/transaction?transactionid=a');
  await fetch(`${gateway.url}/v1/raw_transactions`, {
    method: 'POST',
    headers: { token: till.key, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'sale', external_id: 'a', timestamp: '2026-11-20T13:04:51Z', object: {} }),
  });

  const [status, records] = await Promise.all([
    site.runJson('status'),
    site.runJson('records', '--interface', 'earlier', '--mode', 'production', '--external-id', '1'),
  ]);
  const none = { NEW: 0, IGNORED: 0, ERROR: 0 };
  const [production, inTest] = (status as { journals: unknown[] }).journals;
  expect(production).toMatchObject({ records: { ...none, NEW: 1 }, earlier_records: { ERROR: 1 } });
  expect(inTest).toMatchObject({ mode: 'test', records: none, earlier_records: { ...none, NEW: 1 } });
  // The test repeated this sale until the gateway accepted it. The first accepted call is NEW, and every later one is a
  // duplicate.
  const [newest, ...older] = (records as Record<string, unknown>[]).toReversed();
  expect(newest).toMatchObject({
    status: 'NEW',
    interface: 'earlier',
    version: 'V_2.0',
    method: 'GET',
    type: 'refund',
    timestamp: '2026-11-20T13:04:51Z',
  });
  for (const again of older) expect(again).toMatchObject({ status: 'IGNORED', original_id: newest?.['record_id'] });

  await gateway.stop(); // the commands also read the data without a gateway
  const [statusTable, currentTable, administrations] = await Promise.all([
    site.run('status'),
    site.run('records', '--interface', 'current'),
    site.run('administrations', 'list'),
  ]);
  expect(rowsOf(statusTable).map((row) => row.slice(0, 4))).toEqual([
    ['No gateway runs on these data. Tills cannot send, and nothing is forwarded.'],
    [''],
    ['administration', 'mode', 'interface', 'NEW'],
    ['Bakery', 'production', 'current', '1'],
    ['Bakery', 'production', 'earlier', '2'],
    ['Bakery', 'test', 'current', '0'],
    ['Bakery', 'test', 'earlier', '1'],
    [
      expect.stringMatching(
        /^Bakery \(production, current\): No upstream address is set.* 1 record waits; nothing is lost\.$/,
      ),
    ],
    [
      expect.stringMatching(
        /^Bakery \(production, earlier\): No upstream address is set.* 2 records wait; nothing is lost\.$/,
      ),
    ],
    [
      expect.stringMatching(
        /^Bakery \(test, earlier\): No upstream address is set.* 1 record waits; nothing is lost\.$/,
      ),
    ],
  ]);
  expect(rowsOf(currentTable).map((row) => row.toSpliced(5, 2).slice(1, 8))).toEqual([
    ['interface', 'status', 'external_id', 'type', 'administration', 'mode', 'till'],
    ['current', 'NEW', 'a', 'sale', 'Bakery', 'production', 'Till 1'],
  ]);
  expect(rowsOf(administrations)).toEqual([
    [
      'administration',
      'time zone',
      'day starts at',
      'customer name',
      'customer id',
      'versions',
      'resources',
      'forwarded',
      'others send',
    ],
    [
      'Bakery',
      machineZone(),
      '00:00',
      long.toLowerCase(),
      '42',
      `v1,2026-01,V_2.0,${'v'.repeat(32)}`,
      `transaction:transactionid,refund:refundid,${wide}`,
      'NEW',
      'no',
    ],
  ]);
  expect(await site.runJson(...set, '--no-customer')).toMatchObject({ customer: null, versions: { length: 4 } });
});

test('administrations ends with 0 when it is done, 1 when it cannot be done, 2 when it is used wrongly', async () => {
  const site = await openTestSite();
  const [help, missing, nothing, filter] = await Promise.all([
    site.run('administrations', 'set', '--help'),
    site.run('administrations', 'list'),
    site.run('administrations', 'set', '--administration', 'Bakery'),
    site.run('records', '--interface', 'both'),
  ]);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const option of ['--administration', '--customer-name', '--customer-id', '--versions', '--resources', '--json'])
    expect(help.stdout).toContain(option);
  for (const [result, code, fault] of [
    [missing, 1, /^counterfoil: The directory .* has no data\..*keys create.*\n$/],
    [nothing, 2, /^counterfoil: Nothing to change\. .*\n$/],
    [filter, 2, /--interface.*current, earlier/],
  ] as const) {
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(fault);
  }
});
