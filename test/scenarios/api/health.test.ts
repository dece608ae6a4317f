// Liveness and readiness of the gateway. While the store is in trouble, tills are told to retry and nothing of their calls is
// stored. Afterwards the gateway accepts calls again automatically.

import { renameSync } from 'node:fs';

import { describe, expect, onTestFinished, test } from 'vitest';

import { databasePath } from '../../../server/store/sqlite/engine/database.ts';
import { anyNumber, anyText } from '../../support/api/matchers.ts';
import { expectProblem, PATHS } from '../../support/api/refusal-table.ts';
import { bodyOf, call, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

describe('a gateway in good health', () => {
  test.each(['/healthz', '/readyz'])('%s is 200 on the api listener, without a key', async (path) => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    for (const method of ['GET', 'HEAD']) expect((await call(gateway.apiUrl + path, { method })).status).toBe(200);
    expect((await call(gateway.apiUrl + path)).json()).toEqual({ status: 'ok' });
  });
});

describe('a gateway whose database file was moved away', () => {
  test('is alive but not ready, refuses every POST with 503 and Retry-After, answers queries, and recovers automatically', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { apiUrl, production } = gateway;
    expect((await postBody(apiUrl, production.secret, bodyOf())).status).toBe(201);
    const before = await gateway.countRecords();
    const file = databasePath(gateway.dataDir);
    const body = bodyOf({ external_id: 'in trouble' });

    renameSync(file, `${file}.away`);
    for (const path of [...PATHS, ...PATHS]) {
      const refused = await postBody(apiUrl, production.secret, body, path);
      expectProblem(refused, { status: 503, code: 'store_unavailable' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await call(`${apiUrl}/healthz`)).status).toBe(200);
    const notReady = await call(`${apiUrl}/readyz`);
    expect(notReady.status).toBe(503);
    expect(notReady.json()).toEqual({
      status: 'not ready',
      code: 'store_unavailable',
      hint: anyText,
      since: anyNumber,
    });
    expect(notReady.text).not.toContain(gateway.dataDir);
    for (const path of PATHS)
      expect((await getRange(apiUrl, production.secret, {}, path)).json()).toMatchObject({ raw_transaction_count: 1 });

    renameSync(`${file}.away`, file);
    await expect.poll(async () => (await call(`${apiUrl}/readyz`)).status).toBe(200);
    expect(await gateway.countRecords()).toEqual(before);
    expect((await postBody(apiUrl, production.secret, body)).json()).toMatchObject({ status: 'NEW' });
  });
});
