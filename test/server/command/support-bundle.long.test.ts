// The support bundle: what it has, and that it has no secret and nothing of a sale.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { extract } from 'tar';
import { expect, onTestFinished, test } from 'vitest';

import { bindSupportBundle } from '../../../server/command/support-bundle.ts';
import { digestPassword } from '../../../server/lib/password.ts';
import { runCommand } from '../../support/command-run.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

/** Makes a bundle and returns the text of each of its files, by name. */
async function makeBundle(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const folder = temporaryFolder();
  const file = join(folder, 'support.tar.gz');
  await runCommand(bindSupportBundle, ['support-bundle', file, '--data', dataDir]);
  await extract({ file, cwd: folder });
  const inside = join(folder, 'counterfoil-support');
  return new Map(readdirSync(inside).map((name) => [name, readFileSync(join(inside, name), 'utf8')]));
}

const FILES = [
  'README.txt',
  'about.json',
  'doctor.json',
  'log.jsonl',
  'schema.sql',
  'settings.json',
  'status.json',
  'tables.json',
];

test('the bundle has findings, settings, versions, tables and the end of the log', async () => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  await postBody(gateway.apiUrl, gateway.production.secret, bodyOf());
  const bundle = await makeBundle(gateway.dataDir);
  expect([...bundle.keys()].toSorted()).toEqual(FILES.toSorted());
  const json = (name: string): unknown => JSON.parse(bundle.get(name) ?? '');
  expect(json('doctor.json')).toMatchObject({ gateway: 'running', lines: expect.any(Array) });
  expect(json('status.json')).toMatchObject({ journals: expect.any(Array) });
  expect(json('settings.json')).toMatchObject({
    settings: expect.arrayContaining([{ name: 'port', value: 7410, source: 'default' }]),
  });
  expect(json('about.json')).toMatchObject({
    program: { node: process.versions.node },
    machine: { platform: process.platform },
  });
  expect(json('tables.json')).toContainEqual({ table: 'records', rows: 1 });
  expect(bundle.get('schema.sql')).toContain('CREATE TABLE verdicts');
  await expect.poll(async () => (await makeBundle(gateway.dataDir)).get('log.jsonl')).toContain('"started"');
});

test('no file of the bundle has a secret, the content or the id of a sale, or the note of a person', async () => {
  const upstream = await openStandIn({ script: '422 body "no canary-answer, prod_canarycanarycanary"' });
  onTestFinished(() => upstream.close());
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { store, apiUrl, consoleUrl, dataDir, production } = gateway;
  const adopted = 'canary-adopted-token-of-a-till';
  await gateway.makeKey({
    mode: 'production',
    label: 'Old till',
    interface: 'earlier',
    secret: adopted,
    isAdopted: true,
  });
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  const token = 'prod_canaryUpstreamToken000000000000000000000';
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream: { url: upstream.url, token } }, 'test');
  await store.people.add(
    { name: 'Ann', role: 'manager', createdAt: 1, password: await digestPassword('canary-password') },
    'test',
  );
  await store.alerts.setMail(
    {
      host: 'localhost',
      port: 1,
      security: 'starttls',
      user: 'shop',
      from: 'shop@example.org',
      password: 'canary-mail-password',
    },
    'test',
  );
  // Sales on both interfaces, one of them changed, and refused calls that quote the sale or the key in unusual places.
  const sale = { external_id: 'canary-id', type: 'canary-type', object: '{"canary":"canary-goods"}' };
  await postBody(apiUrl, production.secret, bodyOf(sale));
  await postBody(apiUrl, production.secret, bodyOf({ ...sale, object: '{"canary":"canary-change"}' }));
  await call(
    `${apiUrl}/v1/transaction?transactionid=canary-earlier&timestamp=2026-11-20T10:00:00Z&goods=canary-bread`,
    {
      headers: { authorization: `Bearer ${adopted}` },
    },
  );
  await postBody(apiUrl, 'canary-wrong-key', bodyOf(sale));
  await postBody(apiUrl, production.secret, '{"canary":');
  await call(`${apiUrl}/canary-path?token=canary-query`, { headers: { token: production.secret } });
  await call(`${consoleUrl}/enter?code=canary-code`);
  await expect.poll(async () => (await store.outbox.listLaneStatus()).map(({ held }) => held)).toContain(1);
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const declared = { date: day, type: 'canary-type', tillId: null, records: 1, ids: ['canary-declared'] };
  await store.declared.declare(production.journalId, [declared], { actor: 'test', source: 'till' });
  gateway.log.error({ err: new Error(`a library said ${token} at http://shop:canary-proxy@127.0.0.1:1`) }, 'a fault');
  await expect.poll(() => store.tasks.list(), { timeout: 20_000 }).not.toEqual([]);
  const [task] = await store.tasks.list();
  const version = [task?.digest, ...(task?.size ?? [])].join(' ');
  await store.tasks.mark(
    { tasks: [{ id: task?.id ?? 0, version }], kind: 'not a problem', note: 'canary-note' },
    'Ann',
  );
  await expect.poll(() => readFileSync(join(dataDir, 'logs', 'counterfoil.log'), 'utf8')).toContain('a library said');
  writeFileSync(
    join(dataDir, 'settings.json'),
    JSON.stringify({ upstreamProxy: 'http://shop:canary-proxy-password@127.0.0.1:1', port: 7410 }),
  );

  const secrets = [...gateway.listSecrets(), token, adopted];
  for (const [name, text] of await makeBundle(dataDir)) {
    expect([name, /.{0,40}canary.{0,40}/i.exec(text)?.[0]]).toEqual([name, undefined]);
    for (const secret of secrets) expect([name, text.includes(secret)]).toEqual([name, false]);
  }
  writeFileSync(join(dataDir, 'settings.json'), '{"upstreamProxy":"ftp://shop:canary-bad-proxy@127.0.0.1:1"}');
  for (const [name, text] of await makeBundle(dataDir)) expect([name, /canary/i.test(text)]).toEqual([name, false]);
});

test('the bundle is made from data that cannot be opened, and says why', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'counterfoil.db'), Buffer.alloc(40_960, 'x'));
  const bundle = await makeBundle(dataDir);
  expect([...bundle.keys()].toSorted()).toEqual(FILES.toSorted());
  expect(bundle.get('status.json')).toContain('is not a database');
});

test('only its owner can read the bundle, and no file is replaced', async () => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'support.tar.gz');
  const make = () => runCommand(bindSupportBundle, ['support-bundle', file, '--data', dataDir]);
  await make();
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file);
  await expect(make()).rejects.toThrow('already exists');
  expect(readFileSync(file)).toEqual(before);
  const nowhere = ['support-bundle', join(dataDir, 'none', 'a.tar.gz'), '--data', dataDir];
  await expect(runCommand(bindSupportBundle, nowhere)).rejects.toThrow('could not be written (ENOENT)');
});
