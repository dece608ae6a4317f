// Tills of the earlier interface put sold goods and secrets into the address and a header. These never appear in the log file,
// the refusal log, the metrics or an answer, whether the call is accepted or refused.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { ALIAS, HOST, openEarlierGateway, PATH, TEST_HOST } from '../../support/api/earlier-gateway.ts';
import { refusalsOf } from '../../support/api/refusal-table.ts';
import { call } from '../../support/http-call.ts';
import { rawCall } from '../../support/raw-call.ts';

const shared = await openEarlierGateway();
afterAll(() => shared.close());

async function openGateway() {
  const gateway = await openEarlierGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

const NAME = 'canaryname';
const VALUE = 'canaryvalue';
const TOKEN = 'canarytoken';

test('names, values and tokens of any call appear in no log file, no refusal and no metric', async () => {
  const gateway = await openGateway();
  const { apiUrl, consoleUrl, till, get, post } = gateway;
  const unknown = `prod_${TOKEN}-0123456789-${TOKEN}-0123456789`;
  const headersOf = (authorization: string | undefined) => ({ headers: { authorization } });
  const query = `transactionid=${VALUE}&${NAME}=${VALUE}&key=${till.secret}`;
  const body = JSON.stringify({ transactionid: VALUE, [NAME]: { [NAME]: VALUE } });
  const refusedOrTaken: (() => Promise<unknown>)[] = [
    () => get(query),
    () => get(query),
    () => get(`${query}&more=${VALUE}`),
    () => post(body),
    () => get(query, headersOf(undefined)),
    () => get(query, headersOf(`Basic ${TOKEN}`)),
    () => get(query, headersOf(TOKEN)),
    () => get(query, headersOf(`Bearer ${unknown}`)),
    () => get(query, { headers: { authorization: [`Bearer ${unknown}`, `Bearer ${unknown}`] } }),
    () => get(query, { key: gateway.production }),
    () => get(query, { headers: { host: TEST_HOST } }),
    () => get(query, { headers: { 'x-moz': 'prefetch' } }),
    () => get(query, { path: '/v1/nothing' }),
    () => get(query, { path: `${ALIAS}/v2/nothing` }),
    () => get(query, { path: '/nowhere' }),
    () => get(`${NAME}=${VALUE}`),
    () => get(`transactionid=${VALUE.repeat(120)}`),
    () => get(`${query}&transactionid=${VALUE}`),
    () => get(`${query}&timestamp=${VALUE}`),
    () => get(`${query}&${NAME}%zz=${VALUE}`),
    () => get(`${query}&${NAME}2=${VALUE}%ff`),
    () => post(body, { path: `${PATH}?${query}` }),
    () => post(`["${VALUE}"]`),
    () => post(`{"${NAME}":"${VALUE}`),
    () => post(`{"${NAME}":"${VALUE}"}`),
    () => post(`{"data":{"transactionid":"${VALUE}","timestamp":"${VALUE}"}}`),
    () => post(body, { headers: { 'content-type': VALUE } }),
    () => call(`${apiUrl}${PATH}?${query}`, { method: 'HEAD', headers: { authorization: `Bearer ${unknown}` } }),
    () => call(`${apiUrl}${PATH}?${query}`, { method: 'PUT', headers: { authorization: `Bearer ${unknown}` } }),
    () =>
      rawCall(
        apiUrl,
        `GET http://${HOST}${PATH}?${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${unknown}\r\n\r\n`,
      ),
    () => rawCall(apiUrl, `GET ${PATH}?${query}${VALUE.repeat(2000)} HTTP/1.1\r\nHost: a\r\n\r\n`),
    () =>
      rawCall(apiUrl, `GET ${PATH}?${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${unknown}\r\nbroken\r\n\r\n`),
    () => rawCall(apiUrl, `GET ${PATH}?${query}\xe9 HTTP/1.1\r\nHost: a\r\n\r\n`),
  ];
  for (const send of refusedOrTaken) await send();

  const canaries = [NAME, VALUE, TOKEN, ...gateway.listSecrets().map((secret) => secret.slice(5, 30))];
  const expectNone = (where: string, content: string): void => {
    for (const canary of canaries) expect(content.includes(canary), `${where} has ${canary} in it`).toBe(false);
  };
  const refusals = await gateway.store.records.listRefusals(1000);
  expect(refusals.length).toBe(refusedOrTaken.length - 4);
  expectNone('the refusal log', JSON.stringify(refusals));
  expectNone('the metrics', (await call(`${consoleUrl}/metrics`)).text);

  await gateway.store.health.check(); // after this, all earlier writes are on disk
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['counterfoil.db', 'counterfoil.log']));
  for (const { parentPath, name } of files) {
    // The database may hold accepted names and values. Of a key, it may hold only a digest.
    const content = readFileSync(join(parentPath, name), 'latin1');
    if (!name.startsWith('counterfoil.db')) expectNone(name, content);
    expect(content.includes(TOKEN), `${name} has a token in it`).toBe(false);
  }
});

test('a path is logged without its query, and a key in the path is masked', async () => {
  const gateway = shared;
  const { answer, log } = await refusalsOf(gateway, () =>
    gateway.get('transactionid=a', { path: `/v1/${gateway.till.secret}` }),
  );
  expect(answer.status).toBe(400);
  expect(log).toMatchObject([{ method: 'GET', path: '/v1/prod_…', code: 'end_point_invalid', excerpt: '' }]);
});

test('the refusal log has the prefix and last four characters of an unknown token, and nothing of a value that is no Bearer token', async () => {
  const gateway = shared;
  const send = (authorization: string) => gateway.get('transactionid=a', { headers: { authorization } });
  const excerptOf = async (authorization: string) =>
    (await refusalsOf(gateway, () => send(authorization))).log[0]?.excerpt;
  expect(await excerptOf('Bearer test_abcdefghijklmnopqrstuvwxyz')).toBe('test_…wxyz');
  expect(await excerptOf('Bearer hunter2')).toBe('…');
  expect(await excerptOf('Basic dXNlcjpwYXNzd29yZA==')).toBe('');
});

test('every letter and digit of a refused body is masked', async () => {
  const gateway = shared;
  const { log } = await refusalsOf(gateway, () => gateway.post('{"clerk":"Ann Ünal","card":"4111"}'));
  expect(log).toMatchObject([{ code: 'field_invalid', excerpt: '{"xxxxx":"xxx xxxx","xxxx":"0000"}' }]);
});

test('a name of the query string is not in the refusal log, unless the gateway knows it', async () => {
  const { log } = await refusalsOf(shared, () => shared.get('hunter2=%ZZ'));
  expect(log).toMatchObject([{ code: 'field_invalid', faults: [{ pointer: '', code: 'encoding' }] }]);
  expect(JSON.stringify(log)).not.toContain('hunter2');
  const known = await refusalsOf(shared, () => shared.get('transactionid=a&timestamp=soon'));
  expect(known.log).toMatchObject([{ faults: [{ pointer: '/timestamp', code: 'format' }] }]);
});

test('the metrics count records of the earlier interface separately by status, and its refusals by code', async () => {
  const gateway = await openGateway();
  for (const query of ['transactionid=a', 'transactionid=a', 'transactionid=a', 'transactionid=a&b=1'])
    await gateway.get(query);
  await gateway.post('{"transactionid":"b"}');
  await gateway.get('transactionid=c', { path: '/v1/nothing' });
  const { text } = await call(`${gateway.consoleUrl}/metrics`);
  const lines = text.split('\n').filter((line) => /^counterfoil_(records|refusals)_total/.test(line));
  expect(lines.filter((line) => line.includes('earlier')).toSorted()).toEqual([
    'counterfoil_records_total{interface="earlier",status="ERROR"} 1',
    'counterfoil_records_total{interface="earlier",status="IGNORED"} 2',
    'counterfoil_records_total{interface="earlier",status="NEW"} 2',
  ]);
  expect(lines.filter((line) => line.includes('current'))).toEqual([]);
  expect(lines).toContain('counterfoil_refusals_total{code="end_point_invalid"} 1');
  expect(text).toMatch(/^counterfoil_intake_seconds_count 5$/m);
});

test('the console listener accepts no records', async () => {
  const gateway = shared;
  const headers = { authorization: `Bearer ${gateway.till.secret}` };
  for (const path of [PATH, ALIAS + PATH])
    expect((await call(`${gateway.consoleUrl}${path}?transactionid=a`, { headers })).status).toBe(404);
  expect(await gateway.countRecords()).toEqual({ NEW: 0, IGNORED: 0, ERROR: 0 });
});
