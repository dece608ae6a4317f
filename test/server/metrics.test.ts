// The metrics on the console listener. They are only for this machine's owner: only on loopback, and not for a web page whose
// host name points to this machine.

import { createHook } from 'node:async_hooks';

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import type { DiskState, HealthView } from '../../server/contract/machine.ts';
import { addTaskGauges, openMetrics } from '../../server/metrics.ts';
import { bodyOf, call, getRange, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openRawConnection, rawCall } from '../support/raw-call.ts';

let lagTimers = 0;
createHook({ init: (_id, type) => void (lagTimers += type === 'ELDHISTOGRAM' ? 1 : 0) }).enable();
const gateway = await openTestGateway();
afterAll(() => gateway.close());
const { apiUrl, consoleUrl, production } = gateway;

const NO_HEALTH = (): HealthView => ({
  trouble: null,
  unwrittenRefusals: 0,
  machine: { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
});

/** Reads the value of one metric. */
async function metric(line: string): Promise<number> {
  const { text } = await call(`${consoleUrl}/metrics`);
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}

test('the first scrape starts the only timer for the metrics of Node in this process', async () => {
  // Another test file may have scraped in this process, so this test has its own copy of the module.
  const address = '../../server/metrics.ts?unscraped';
  const unscraped = (await import(/* @vite-ignore */ address)) as typeof import('../../server/metrics.ts');
  const before = lagTimers;
  const first = unscraped.openMetrics(gateway.store, NO_HEALTH);
  const second = unscraped.openMetrics(gateway.store, NO_HEALTH);
  expect(lagTimers).toBe(before);
  const { text } = await first.scrape();
  expect(Number(/^nodejs_eventloop_lag_min_seconds (.*)$/m.exec(text)?.[1])).toBeLessThan(10);
  await second.scrape();
  expect(lagTimers).toBe(before + 1);
});

test('the first scrape has a lag of the event loop, also if the loop is blocked meanwhile', async () => {
  const address = '../../server/metrics.ts?blocked';
  const unscraped = (await import(/* @vite-ignore */ address)) as typeof import('../../server/metrics.ts');
  const scraping = unscraped.openMetrics(gateway.store, NO_HEALTH).scrape();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const { text } = await scraping;
  expect(Number(/^nodejs_eventloop_lag_min_seconds (.*)$/m.exec(text)?.[1])).toBeLessThan(10);
});

describe('/metrics', () => {
  test('is Prometheus text with a help and a type for every counter', async () => {
    const answer = await call(`${consoleUrl}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain;/);
    for (const name of [
      'records_total',
      'refusals_total',
      'intake_seconds',
      'store_waiting',
      'store_wal_pages',
      'store_taking',
    ]) {
      expect(answer.text).toMatch(new RegExp(`^# HELP counterfoil_${name} .+$`, 'm'));
      expect(answer.text).toMatch(new RegExp(`^# TYPE counterfoil_${name} (counter|gauge|histogram)$`, 'm'));
    }
  });

  test('counts records by status', async () => {
    const statuses = ['NEW', 'IGNORED', 'ERROR'];
    const read = (): Promise<number[]> =>
      Promise.all(
        statuses.map((status) => metric(`counterfoil_records_total{interface="current",status="${status}"}`)),
      );
    const before = await read();
    const answered = await metric('counterfoil_intake_seconds_count');
    for (const object of ['{}', '{}', '{}', '{"a":1}'])
      await postBody(apiUrl, production.secret, bodyOf({ external_id: 'counted', object }));
    expect(await read()).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 2, (before[2] ?? 0) + 1]);
    expect(await metric('counterfoil_intake_seconds_count')).toBe(answered + 4);
  });

  test('counts refusals by code, and those of unreadable calls too', async () => {
    const codes = ['key_unknown', 'json_malformed', 'query_invalid', 'not_found', 'request_malformed'];
    const read = (): Promise<number[]> =>
      Promise.all(codes.map((code) => metric(`counterfoil_refusals_total{code="${code}"}`)));
    const before = await read();
    await postBody(apiUrl, 'unknown', bodyOf());
    await postBody(apiUrl, production.secret, '{');
    await getRange(apiUrl, production.secret, { limit: '0' });
    await call(`${apiUrl}/nowhere`);
    await rawCall(apiUrl, 'garbage\r\n\r\n');
    expect(await read()).toEqual(before.map((count) => count + 1));
  });

  test('names for each lane the number of waiting records and whether it forwards', async () => {
    const lane = `administration="Bakery",mode="production",interface="current"`;
    const waiting = `counterfoil_deliveries{${lane},state="waiting"}`;
    const before = await metric(waiting);
    await postBody(apiUrl, production.secret, bodyOf());
    expect(await metric(waiting)).toBe(before + 1);
    expect(await metric(`counterfoil_deliveries{${lane},state="delivered"}`)).toBe(0);
    expect(await metric(`counterfoil_lane_up{${lane}}`)).toBe(0);
  });

  test('says whether the store accepts records', async () => {
    expect(await metric('counterfoil_store_taking')).toBe(1);
  });

  test('a disk without a known size has no metric of its remaining time', async () => {
    const readDaysLeft = async (disk: DiskState | null): Promise<string | undefined> => {
      const health = { ...NO_HEALTH(), machine: { ...NO_HEALTH().machine, disk } };
      const { registry } = openMetrics(gateway.store, () => health);
      const text = await registry.getSingleMetricAsString('counterfoil_disk_days_left');
      return text.split(' ').at(-1);
    };
    const disk = { freeBytes: 1, totalBytes: 2, isLow: true };
    expect(await readDaysLeft(null)).toBe('Nan');
    expect(await readDaysLeft({ ...disk, daysLeft: null })).toBe('+Inf');
    expect(await readDaysLeft({ ...disk, daysLeft: 12 })).toBe('12');
  });

  test('measures the sync of each group of records, and the size of the database', async () => {
    const before = await metric('counterfoil_store_sync_seconds_count');
    await postBody(apiUrl, production.secret, bodyOf());
    expect(await metric('counterfoil_store_sync_seconds_count')).toBe(before + 1);
    expect(await metric('counterfoil_store_sync_seconds_sum')).toBeGreaterThan(0);
    expect(await metric('counterfoil_database_bytes')).toBeGreaterThan(50_000);
  });

  test('says how long the oldest record of a lane has waited', async () => {
    const name = (mode: string) =>
      `counterfoil_oldest_waiting_seconds{administration="Bakery",mode="${mode}",interface="current"}`;
    await postBody(apiUrl, production.secret, bodyOf());
    const { registry } = openMetrics(gateway.store, NO_HEALTH, () => Date.now() + 3_600_000);
    const text = await registry.getSingleMetricAsString('counterfoil_oldest_waiting_seconds');
    const valueOf = (line: string): number =>
      Number(
        text
          .split('\n')
          .find((each) => each.startsWith(line))
          ?.split(' ')
          .at(-1),
      );
    expect(valueOf(name('production'))).toBeGreaterThan(3590);
    expect(valueOf(name('production'))).toBeLessThan(3700);
    expect(valueOf(name('test'))).toBe(0);
  });

  test('counts silent tills, differing days and verdicts by journal', async () => {
    const journal = 'administration="Bakery",mode="production"';
    const { text } = await call(`${consoleUrl}/metrics`);
    for (const line of [
      `counterfoil_silent_tills{${journal}} 0`,
      `counterfoil_days_differing{${journal}} 0`,
      `counterfoil_days{${journal},verdict="differs"} 0`,
      `counterfoil_lane_upstream{${journal},interface="current"} 0`,
      'counterfoil_clock_offset_seconds Nan',
    ])
      expect(text).toContain(`${line}\n`);
    const { registry } = openMetrics(gateway.store, NO_HEALTH);
    const fact = { kind: 'silent_till', till: 'Till 1', tillId: 1, since: 1, sureness: 'likely' } as const;
    const tasks = [{ fact, journalId: production.journalId, isClosed: true }];
    addTaskGauges(registry, { store: gateway.store, tasks: () => tasks });
    expect(await registry.getSingleMetricAsString('counterfoil_silent_tills')).toContain(`{${journal}} 1`);
    expect(await registry.getSingleMetricAsString('counterfoil_tasks')).toContain('{kind="silent_till"} 0');
  });

  test('has the other metrics while the data cannot be read', async () => {
    const broken = () => Promise.reject(new Error('the disk failed'));
    const store = {
      ...gateway.store,
      outbox: { ...gateway.store.outbox, listLaneStatus: broken },
      health: { ...gateway.store.health, readDatabase: broken },
    };
    const { text } = await openMetrics(store, NO_HEALTH).scrape();
    expect(text).toMatch(/^counterfoil_store_taking 1$/m);
    expect(text).not.toMatch(/^counterfoil_(database_bytes|lane_up|oldest_waiting_seconds)[ {]/m);
  });

  test('contains no key, no external_id and no body', async () => {
    await postBody(
      apiUrl,
      production.secret,
      bodyOf({ external_id: 'canary-id', type: 'canary-type', object: '{"canary":"body"}' }),
    );
    await postBody(apiUrl, 'canary-key', '{"canary":');
    const { text } = await call(`${consoleUrl}/metrics`);
    expect(text).not.toContain('canary');
    for (const secret of gateway.listSecrets()) expect(text).not.toContain(secret);
  });
});

describe('access to the listeners', () => {
  test('the api listener has no /metrics', async () => {
    expect((await call(`${apiUrl}/metrics`)).json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  test.each(['/v1/raw_transactions', '/api/v1/raw_transactions', '/openapi.json', '/docs'])(
    'the console listener accepts no record at %s, and serves nothing there',
    async (path) => {
      const before = await gateway.countRecords();
      for (const [method, statuses] of [
        ['GET', [401, 404]],
        ['POST', [403, 404]],
      ] as const) {
        const headers = { token: production.secret, 'content-type': 'application/json' };
        const body = method === 'POST' ? bodyOf() : undefined;
        expect(statuses).toContain((await call(consoleUrl + path, { method, headers, body })).status);
      }
      expect(await gateway.countRecords()).toEqual(before);
    },
  );

  test('only GET and HEAD read the metrics', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await call(`${consoleUrl}/metrics`, { method });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain('counterfoil_');
    }
  });

  test.each([
    'console.example',
    'console.example:7411',
    'localhost.example',
    '127.0.0.1.example',
    'example.localhost',
    '192.168.1.5',
    '10.0.0.1:7411',
    '0.0.0.0',
    '[::]',
    '[::2]',
    '2130706433',
    '127.1',
    'localhost@example',
    'example#localhost',
    'localhost:80:80',
    'localhost:',
    'localhost, example',
    '',
  ])('a call for the host %j is refused and learns nothing', async (host) => {
    const answer = await rawCall(consoleUrl, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer?.status).toBe(403);
    expect(answer?.text).not.toContain('counterfoil_');
  });

  test('a call without a host is refused', async () => {
    for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
      const answer = await rawCall(consoleUrl, `GET /metrics ${version}\r\n\r\n`);
      expect([400, 403]).toContain(answer?.status);
      expect(answer?.text).not.toContain('counterfoil_');
    }
  });

  test('a call with two hosts is refused', async () => {
    for (const hosts of ['Host: 127.0.0.1\r\nHost: example', 'Host: example\r\nHost: 127.0.0.1']) {
      const answer = await rawCall(consoleUrl, `GET /metrics HTTP/1.1\r\n${hosts}\r\n\r\n`);
      expect([400, 403]).toContain(answer?.status);
    }
  });

  test.each(['localhost', 'localhost:7411', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:7411'])(
    'a call for the host %j is answered',
    async (host) => {
      expect((await rawCall(consoleUrl, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.status).toBe(200);
    },
  );

  test('the console stays on 127.0.0.1 if the api listener is opened to every address', async (context) => {
    if (process.platform !== 'linux') return context.skip('not run: only Linux has 127.0.0.2 without being set up');
    const open = await openTestGateway({ host: '0.0.0.0' });
    onTestFinished(() => open.close());
    expect(new URL(open.consoleUrl).hostname).toBe('127.0.0.1');
    const ownAddress = '127.0.0.2';
    await expect(openRawConnection(`http://${ownAddress}:${new URL(open.consoleUrl).port}`)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect((await call(`http://${ownAddress}:${new URL(open.apiUrl).port}/healthz`)).status).toBe(200);
  });
});
