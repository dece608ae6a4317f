// Each journal answers one query at a time (docs/interface.md#limits). A second query waits for two seconds at most. Then its
// sender is told to retry. Other journals and tills that post are not affected.

import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { openApiListener } from '../../../server/api/listener.ts';
import { openQueryGate } from '../../../server/api/query-gate.ts';
import { NO_TRIALS } from '../../../server/certify/trial.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { openMetrics } from '../../../server/metrics.ts';
import type { RecordLedger } from '../../../server/store/records/ledger.ts';
import { openVia } from '../../../server/via.ts';
import { expectProblem, expectRefused, PATHS } from '../../support/api/refusal-table.ts';
import { bodyOf, getRange, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

/** The gateway's clock with real timers. Tests fake only the timers of the gate. */
const { setTimeout: wait, clearTimeout: cancel } = globalThis;
const unfaked = {
  ...machineClock,
  after(ms: number, work: () => void) {
    const timer = wait(work, ms).unref();
    return () => cancel(timer);
  },
};

describe('the gate', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A query that runs until the test ends it, and reports when it begins. */
  function held(log: string[], name: string) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const query = (): Promise<string> => {
      log.push(name);
      return promise;
    };
    return { query, end: () => resolve(name), fail: (error: Error) => reject(error) };
  }
  const TILL_1 = { journalId: 1, keyId: 1 };
  const TILL_2 = { journalId: 1, keyId: 2 };
  const BUSY = { code: 'query_busy', retryAfterSeconds: 1 };

  test('a query runs at once if no other query of its journal runs', async () => {
    expect(await openQueryGate().run(TILL_1, () => Promise.resolve('answer'))).toBe('answer');
  });

  test('the next query begins when the one before has ended, in the order of arrival', async () => {
    const gate = openQueryGate();
    const began: string[] = [];
    const queries = ['first', 'second', 'third'].map((name) => held(began, name));
    const results = queries.map(({ query }) => gate.run(TILL_1, query));
    await vi.advanceTimersByTimeAsync(0);
    expect(began).toEqual(['first']);
    for (const [i, query] of queries.entries()) {
      query.end();
      await results[i];
      await vi.advanceTimersByTimeAsync(0);
      expect(began).toEqual(['first', 'second', 'third'].slice(0, i + 2));
    }
  });

  test('a query that has waited two seconds is refused and never runs; with less time it waits', async () => {
    const gate = openQueryGate();
    const began: string[] = [];
    const [first, second] = [held(began, 'first'), held(began, 'second')];
    const running = gate.run(TILL_1, first.query);
    const refused = vi.fn<(error: unknown) => void>();
    void gate.run(TILL_1, second.query).catch(refused);
    await vi.advanceTimersByTimeAsync(1999);
    expect(refused).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(BUSY));
    first.end();
    await running;
    expect(began).toEqual(['first']);
    expect(await gate.run(TILL_1, () => Promise.resolve('third'))).toBe('third');
  });

  test('a query that got its turn may run for any time', async () => {
    const gate = openQueryGate();
    const [first, second] = [held([], 'first'), held([], 'second')];
    const results = [gate.run(TILL_1, first.query), gate.run(TILL_1, second.query)];
    first.end();
    await vi.advanceTimersByTimeAsync(60_000);
    second.end();
    expect(await Promise.all(results)).toEqual(['first', 'second']);
  });

  test('a refused query gives up its place, and the query behind it is next', async () => {
    const gate = openQueryGate();
    const began: string[] = [];
    const [first, second, third] = [held(began, 'first'), held(began, 'second'), held(began, 'third')];
    const running = gate.run(TILL_1, first.query);
    const refused = gate.run(TILL_1, second.query).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    const patient = gate.run(TILL_1, third.query);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refused).toMatchObject(BUSY);
    first.end();
    third.end();
    expect(await Promise.all([running, patient])).toEqual(['first', 'third']);
    expect(began).toEqual(['first', 'third']);
  });

  test('a query that fails, or throws at once, makes room for the next', async () => {
    const gate = openQueryGate();
    const failing = held([], 'failing');
    const results = [
      gate.run(TILL_1, failing.query),
      gate.run(TILL_1, () => {
        throw new Error('thrown');
      }),
      gate.run(TILL_1, () => Promise.resolve('after')),
    ];
    failing.fail(new Error('failed'));
    const [failed, thrown, after] = await Promise.allSettled(results);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'failed' } });
    expect(thrown).toMatchObject({ status: 'rejected', reason: { message: 'thrown' } });
    expect(after).toEqual({ status: 'fulfilled', value: 'after' });
  });

  test('keys take turns: a key is next even if many queries of another key wait', async () => {
    const gate = openQueryGate();
    const began: string[] = [];
    const run = (till: typeof TILL_1, name: string): Promise<number> =>
      gate.run(till, () => Promise.resolve(began.push(name)));
    const first = held(began, 'a1');
    const running = [gate.run(TILL_1, first.query), ...['a2', 'a3', 'a4'].map((name) => run(TILL_1, name))];
    running.push(...['b1', 'b2'].map((name) => run(TILL_2, name)));
    first.end();
    await Promise.all(running);
    expect(began).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('64 queries of a key wait; the next one is refused at once, and another key still gets its turn', async () => {
    const gate = openQueryGate();
    const first = held([], 'first');
    const running = [gate.run(TILL_1, first.query)];
    for (let i = 0; i < 64; i++) running.push(gate.run(TILL_1, () => Promise.resolve('waiting')));
    await expect(gate.run(TILL_1, () => Promise.resolve('too many'))).rejects.toMatchObject(BUSY);
    const other = gate.run(TILL_2, () => Promise.resolve('other'));
    first.end();
    expect(await other).toBe('other');
    await Promise.all(running);
  });

  test('another journal does not wait', async () => {
    const gate = openQueryGate();
    const first = held([], 'first');
    const running = gate.run(TILL_1, first.query);
    expect(await gate.run({ journalId: 2, keyId: 1 }, () => Promise.resolve('other'))).toBe('other');
    first.end();
    await running;
  });
});

describe('over HTTP', async () => {
  const gateway = await openTestGateway({}, undefined, { clock: unfaked });
  afterAll(() => gateway.close());

  /** Opens a second API listener on the gateway's own store. It answers production queries only when the test releases them. */
  async function openHeldListener() {
    const release = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const queryRange: RecordLedger['queryRange'] = async (query) => {
      if (query.journalId === gateway.production.journalId) {
        began.resolve();
        await release.promise;
      }
      return gateway.store.records.queryRange(query);
    };
    const store = { ...gateway.store, records: { ...gateway.store.records, queryRange } };
    const listener = openApiListener({
      store,
      trials: NO_TRIALS,
      via: openVia(store.outbox),
      log: gateway.log,
      metrics: openMetrics(store, () => ({
        trouble: null,
        unwrittenRefusals: 0,
        machine: { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
      })),
      config: { baseDomain: '', connectionsPerAddress: 64 },
    });
    const { port } = await listener.entry.listen('127.0.0.1', 0, 'port', 'machine');
    onTestFinished(() => {
      release.resolve();
      return listener.close();
    });
    return { url: `http://127.0.0.1:${port}`, release: () => release.resolve(), began: began.promise };
  }
  const get = (secret: string, path: string): string =>
    `GET ${path}?${rangeParameters()} HTTP/1.1\r\nHost: a\r\ntoken: ${secret}\r\n\r\n`;
  /** Resolves when a call waits at the gate. Its two-second timer is then the only fake timer. */
  async function someoneWaits(): Promise<void> {
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test.each(PATHS)(
    'while one GET runs, a second one of the journal waits two seconds and is 429 with Retry-After (%s)',
    async (path) => {
      const { url, release, began } = await openHeldListener();
      const { secret } = gateway.production;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());

      const first = rawCall(url, get(secret, path));
      await began;
      const busy = { status: 429, code: 'query_busy', headers: { 'retry-after': '1' } } as const;
      await expectRefused(gateway, busy, { method: 'GET', path }, async () => {
        const second = rawCall(url, get(secret, path));
        await someoneWaits();
        vi.advanceTimersByTime(2000);
        return second;
      });
      vi.useRealTimers();
      release();
      expect((await first)?.status).toBe(200);
      expect((await rawCall(url, get(secret, path)))?.status).toBe(200);
    },
  );

  test('while one GET runs, the other mode is answered, tills post, and a second till of the journal is 429 too', async () => {
    const { url, release, began } = await openHeldListener();
    const { production, test: testKey } = gateway;
    const sibling = await gateway.makeKey({ mode: 'production', label: 'Second counter' });
    const first = rawCall(url, get(production.secret, '/v1/raw_transactions'));
    await began;
    expect((await rawCall(url, get(testKey.secret, '/v1/raw_transactions')))?.status).toBe(200);
    const body = bodyOf();
    const post = `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${production.secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect((await rawCall(url, post))?.status).toBe(201);

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // only now, because other calls set timers too
    onTestFinished(() => void vi.useRealTimers());
    const second = rawCall(url, get(sibling.secret, '/api/v1/raw_transactions'));
    await someoneWaits();
    vi.advanceTimersByTime(2000);
    const answer = await second;
    expectProblem(answer!, { status: 429, code: 'query_busy' }); // `!`: expectProblem fails without an answer
    vi.useRealTimers();
    release();
    expect((await first)?.status).toBe(200);
  });

  test('simultaneous queries of one journal are all answered, one after the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => getRange(gateway.apiUrl, gateway.production.secret)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});
