// The commands with and without a running gateway. A running gateway follows the changes that commands make.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { Client } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type Site, spawnCommand } from '../support/gateway-process.ts';
import { openTestSite } from './test-site.ts';

const sale = { type: 'sale', external_id: 'T1-000001', timestamp: '2026-11-20T13:04:51Z', object: { total: 12.5 } };

/** A keep-alive connection. It counts how often it had to connect. */
function openConnection(url: string) {
  const client = new Client(url, { allowH2: false });
  let connections = 0;
  client.on('connect', () => (connections += 1));
  onTestFinished(() => client.destroy());
  return {
    connections: () => connections,
    async post(key: string, body: object): Promise<{ status: number; body: unknown }> {
      const headers = { token: key, 'content-type': 'application/json' };
      const answer = await client.request({
        method: 'POST',
        path: '/v1/raw_transactions',
        headers,
        body: JSON.stringify(body),
      });
      return { status: answer.statusCode, body: await answer.body.json() };
    },
  };
}

test('status, records, keys and check print the same with and without a running gateway', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1', 'production'); // no gateway runs yet, so the command itself makes the key
  const gateway = await site.startGateway();
  const till = openConnection(gateway.url);
  expect(await till.post(key, sale)).toMatchObject({ status: 201, body: { status: 'NEW' } });
  expect(await till.post(key, sale)).toMatchObject({ status: 200, body: { status: 'IGNORED' } });
  expect(await till.post(key, { ...sale, object: { total: 13 } })).toMatchObject({
    status: 200,
    body: { status: 'ERROR', differences: ['/object/total'] },
  });

  const ask = async () => {
    const commands = [['status'], ['records'], ['keys', 'list'], ['check']];
    const [status, records, keys, check] = await Promise.all(commands.map((command) => site.runJson(...command)));
    // Leaves out the time of a key's last use, because the gateway writes it up to a second late.
    const stableKeys = (keys as { last_used_at: number }[]).map(({ last_used_at: _, ...stable }) => stable);
    // Only a running gateway has an address for tills.
    const { network: _, ...stableStatus } = status as { network: unknown };
    return { status: stableStatus, records, keys: stableKeys, check };
  };
  const beside = await ask();
  expect(beside).toMatchObject({
    status: { journals: [{ administration: 'Bakery', mode: 'production', records: { NEW: 1, IGNORED: 1, ERROR: 1 } }] },
    records: [
      { record_id: 3, status: 'ERROR' },
      { record_id: 2, status: 'IGNORED' },
      { record_id: 1, status: 'NEW' },
    ],
    keys: [{ id: 1, administration: 'Bakery', mode: 'production', label: 'Till 1', revoked_at: null }],
    check: { ok: true, records: 3 },
  });
  expect(JSON.stringify(beside)).not.toContain(key);

  await gateway.stop();
  expect(await ask()).toEqual(beside);
});

test('refusals lists refused calls with their reasons, beside a running gateway and without one', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  expect(await site.run('refusals')).toMatchObject({ code: 0, stdout: 'No refusals.\n', stderr: '' });
  const gateway = await site.startGateway();
  const till = openConnection(gateway.url);
  expect(await till.post('prod_unknown-to-the-gateway', sale)).toMatchObject({ status: 401 });
  expect(await till.post(key, { ...sale, type: '' })).toMatchObject({ status: 400 });
  await fetch(`${gateway.url}/${'long'.repeat(40)}`, { method: 'DELETE' });

  const call = { address: '127.0.0.1', method: 'POST', path: '/v1/raw_transactions' };
  const refusals = [
    { ...call, id: 3, till: null, method: 'DELETE', path: `/${'long'.repeat(40)}`, code: 'not_found' },
    { ...call, id: 2, till: 'Till 1', code: 'field_invalid', key_id: 1 },
    { ...call, id: 1, till: null, code: 'key_unknown', key_id: null, excerpt: 'prod_…eway' },
  ];
  await expect.poll(() => site.runJson('refusals')).toMatchObject(refusals);
  await gateway.stop();
  const kept = await site.runJson('refusals');
  expect(kept).toMatchObject(refusals);
  expect((kept as { at: string }[]).map(({ at }) => at).join()).toMatch(/^(\d{4}-\d\d-\d\dT[\d:.]{12}Z,?){3}$/);

  const { stdout } = await site.run('refusals', '--limit', '2');
  const [headings, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(headings).toEqual(['time', 'address', 'till', 'method', 'path', 'code', 'detail']);
  expect(rows.map(([, ...row]) => row)).toEqual([
    [
      '127.0.0.1',
      '-',
      'DELETE',
      `/${'long'.repeat(40).slice(0, 58)}…`,
      'not_found',
      expect.stringMatching(/^This path does not exist/),
    ],
    ['127.0.0.1', 'Till 1', 'POST', call.path, 'field_invalid', expect.stringContaining('type')],
  ]);
  for (const limit of ['0', '1.5', 'many', ''])
    expect(await site.run('refusals', '--limit', limit)).toMatchObject({
      code: 2,
      stderr: `counterfoil: --limit must be a whole number from 1, not "${limit}".\n`,
    });
});

const DAY = 'timestamp_gte=2026-11-20T00:00:00&timestamp_lt=2026-11-21T00:00:00';

test('text from a caller cannot control the terminal that lists it', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  await fetch(`${gateway.url}/v1/raw_transactions?${DAY}&%1b[2J%0a=1`, { headers: { token: key } });
  await gateway.stop();
  const { stdout } = await site.run('keys', 'list');
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^id /),
    expect.stringMatching(/^1 /),
    expect.stringMatching(/^Till 1 \(key 1\) sends unusual forms/),
    expect.stringContaining('such as \ufffd[0x\ufffd'),
  ]);
});

test('a running gateway knows a key that was made by another process', async () => {
  const site = await openTestSite();
  const gateway = await site.startGateway();
  const till = openConnection(gateway.url);
  const { key } = await site.createKey('Till 1');
  await expect.poll(async () => (await till.post(key, sale)).status).toBe(201);
});

test('a revoked key is refused on every open connection, and only that key', async () => {
  const site = await openTestSite();
  const revoked = await site.createKey('Till 1');
  const live = await site.createKey('Till 2');
  const gateway = await site.startGateway();
  const connections = Array.from({ length: 64 }, () => openConnection(gateway.url));
  const postOnAll = (key: string) =>
    Promise.all(connections.map(async (connection) => (await connection.post(key, sale)).status));
  expect(new Set(await postOnAll(revoked.key))).toEqual(new Set([201, 200]));

  await site.runJson('keys', 'revoke', String(revoked.id));
  await expect.poll(() => postOnAll(revoked.key)).toEqual(Array(64).fill(401));
  const [first] = connections;
  expect(await first?.post(revoked.key, sale)).toMatchObject({ status: 401, body: { code: 'key_revoked' } });
  expect(await postOnAll(live.key)).toEqual(Array(64).fill(200));
  expect(connections.map((connection) => connection.connections())).toEqual(Array(64).fill(1));
});

test('a key that was revoked without a running gateway is refused from the first call on', async () => {
  const site = await openTestSite();
  const { id, key } = await site.createKey('Till 1');
  await site.runJson('keys', 'revoke', String(id));
  const gateway = await site.startGateway();
  expect(await openConnection(gateway.url).post(key, sale)).toMatchObject({
    status: 401,
    body: { code: 'key_revoked' },
  });
});

test('a proxy password is in no error, no log and no output', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const bad = await site.run('serve', '--upstream-proxy', 'socks5://user:canary@127.0.0.1:1');
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringMatching(/^counterfoil: --upstream-proxy is not shown/) });
  const lane = ['--administration', 'Bakery', '--mode', 'test'];
  await site.runJson('upstream', 'set', ...lane, '--url', 'https://upstream.example', '--token', 'test_x');
  const gateway = await site.startGateway(0, '--upstream-proxy', 'http://user:canary@127.0.0.1:1');
  expect(await openConnection(gateway.url).post(key, sale)).toMatchObject({ status: 201 });
  const show = () => site.run('upstream', 'show');
  await expect.poll(async () => (await show()).stdout).toContain('(ECONNREFUSED)');
  const shown = [bad, await show(), await site.run('status'), await site.run('upstream', 'acts'), await gateway.stop()];
  const logs = globSync(join(site.dataDir, 'logs', '*')).map((path) => readFileSync(path, 'utf8'));
  expect(logs.join()).toContain('line down');
  expect(JSON.stringify([shown, logs])).not.toContain('canary');
});

describe('a command reads a key without showing it', () => {
  const KEY = 'test_canary-0123456789';
  const SET = ['upstream', 'set', '--administration', 'Bakery', '--mode', 'test', '--url', 'https://upstream.example'];
  const ADOPT = ['keys', 'create', '--administration', 'Bakery', '--mode', 'test', '--label', 'Till 2'];

  /** Runs a command with `input` on its standard input. Resolves to its exit code and its complete output. */
  async function runWith(input: string, site: Site, args: readonly string[]) {
    const child = spawnCommand([...args, '--data', site.dataDir], input);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exited, printed: stdout + stderr };
  }

  function fileWith(site: Site, content: string): string {
    const path = join(site.dataDir, 'key.txt');
    writeFileSync(path, content);
    return path;
  }

  test.each([
    ['our key upstream', SET, '--token-file'],
    ['an adopted key of a till', ADOPT, '--adopt-file'],
  ])('%s comes from a file or from standard input', async (_name, command, option) => {
    const site = await openTestSite();
    await site.createKey('Till 1');
    const gateway = await site.startGateway();
    const file = fileWith(site, `\ufeff${KEY}-of-file\r\n`);
    expect(await site.run(...command, option, file)).toMatchObject({ code: 0, stderr: '' });
    const piped = await runWith(`${KEY}-of-input\n`, site, [...command, option, '-']);
    expect(piped).toMatchObject({ code: 0 });
    expect(piped.printed).not.toContain('canary');
    if (command === SET) return;
    const till = openConnection(gateway.url);
    expect(await till.post(`${KEY}-of-file`, sale)).toMatchObject({ status: 201 });
    expect(await till.post(`${KEY}-of-input`, sale)).toMatchObject({ status: 200 });
  });
});
