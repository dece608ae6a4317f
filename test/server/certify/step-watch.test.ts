// How one attempt at a step of a certification is judged, also if the till makes many calls.

import type { ServerResponse } from 'node:http';

import { describe, expect, test } from 'vitest';

import { type StepWatch, watchStep } from '../../../server/certify/step-watch.ts';
import { MANY_DIGITS, MAX_KEPT_SALES } from '../../../server/contract/certify.ts';
import type { Outcome } from '../../../server/store/records/ledger.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const SALE = {
  externalId: 'A',
  soldAt: 1,
  receivedAt: 1000,
  begunAt: 0,
  method: null,
  body: Buffer.from('{"external_id":"A","object":{},"timestamp":"1970-01-01T00:00:01Z"}'),
};

function noteRefusals(watch: StepWatch, count: number): void {
  for (let i = 0; i < count; i += 1) watch.noteRefusal({ status: 400, code: 'json_malformed', detail: 'No.' });
}

test('a confirmed key stays valid, and its refused sale is remembered, however many calls come', () => {
  const watch = watchStep('wrong_key', startVirtualTime(), () => {});
  noteRefusals(watch, 30);
  expect(() => watch.receive(SALE)).toThrow('does not know this key');
  watch.confirm('Ann');
  noteRefusals(watch, 500);
  expect(() => watch.receive(SALE)).not.toThrow();
  expect(watch.judgement()).toEqual({ kind: 'waiting', finding: 'awaiting_kept' });
  expect(watch.events).toHaveLength(60);
  expect(watch.dropped()).toBe(472);
});

test('more refused sales than are remembered never pass', async () => {
  const watch = watchStep('wrong_key', startVirtualTime(), () => {});
  const sales = Array.from({ length: MAX_KEPT_SALES + 1 }, (_, i) => ({ ...SALE, externalId: `A${i}` }));
  for (const sale of sales) expect(() => watch.receive(sale)).toThrow('does not know this key');
  expect(watch.missing()).toBe(MAX_KEPT_SALES);
  watch.confirm('Ann');
  for (const sale of sales) {
    await watch.receive(sale).hold({} as ServerResponse, { status: 'IGNORED', recordId: 1 } as Outcome);
  }
  expect(watch.missing()).toBe(0);
  expect(watch.judgement()).toEqual({ kind: 'waiting', finding: 'too_many' });
});

test('only a refused key is confirmed, and only once', () => {
  const watch = watchStep('wrong_key', startVirtualTime(), () => {});
  watch.confirm('Ann');
  expect(() => watch.receive(SALE)).toThrow('does not know this key');
  watch.confirm('Ann');
  watch.confirm('Bob');
  expect(watch.events).toMatchObject([{ kind: 'fault' }, { kind: 'confirmed', by: 'Ann' }]);
});

test('a sale that was under way when the till got 503 with Retry-After is stored, and does not count as too early', async () => {
  const time = startVirtualTime();
  const watch = watchStep('come_back', time, () => {});
  time.jump(100);
  expect(() => watch.receive(SALE)).toThrow('stored nothing of this call');
  time.jump(20);
  const outcome = { status: 'NEW', recordId: 1 } as Outcome;
  await watch.receive({ ...SALE, externalId: 'B', begunAt: 99 }).hold({} as ServerResponse, outcome);
  expect(watch.events).toMatchObject([{ kind: 'fault' }, { externalId: 'B', afterMs: null, isCopy: false }]);
  expect(watch.judgement()).toEqual({ kind: 'waiting', finding: 'awaiting_wait' });
  expect(() => watch.receive({ ...SALE, externalId: 'B', begunAt: 110 })).toThrow('stored nothing of this call');
  expect(watch.judgement()).toEqual({ kind: 'failed', finding: 'too_early' });
});

describe('a sale that repeats another one under a new id', () => {
  const saleOf = (externalId: string, text: string) => ({ ...SALE, externalId, body: Buffer.from(text) });
  const body = (id: string, object: string): string =>
    `{"external_id":"${id}","type":"sale","object":${object},"timestamp":"1970-01-01T00:00:01Z"}`;
  const OUTCOME = { status: 'NEW', recordId: 1 } as Outcome;
  const RES = {} as ServerResponse;

  test.each([
    ['with the same content', body('A-1', '{"total":1.50}'), body('A-2', '{"total":1.50}'), true],
    ['with another receipt number', body('A-1', '{"receipt":"A-1"}'), body('A-2', '{"receipt":"A-2"}'), false],
    ['with another amount', body('A-1', '{"total":1.50}'), body('A-2', '{"total":2}'), false],
  ])('%s', async (_name, first, second, isCopy) => {
    const watch = watchStep('retry', startVirtualTime(), () => {}, saleOf('A-1', first));
    await watch.receive(saleOf('A-2', second)).hold(RES, OUTCOME);
    expect(watch.events).toMatchObject([{ isCopy }]);
  });

  test('is not assumed for calls without a timestamp', async () => {
    const earlier = (externalId: string) => ({
      ...saleOf(externalId, `transactionid=${externalId}`),
      method: 'GET' as const,
    });
    const watch = watchStep('retry', startVirtualTime(), () => {}, earlier('A-1'));
    await watch.receive(earlier('A-2')).hold(RES, OUTCOME);
    expect(watch.events).toMatchObject([{ isCopy: false }]);
  });

  test('is not assumed if its id is already known', async () => {
    const watch = watchStep('retry', startVirtualTime(), () => {}, saleOf('A-1', body('A-1', '{}')));
    await watch.receive(saleOf('A-2', body('A-2', '{}'))).hold(RES, { ...OUTCOME, status: 'IGNORED' } as Outcome);
    expect(watch.judgement()).toEqual({ kind: 'passed', finding: 'repeated' });
  });

  test('is found by a sale that the fault hit, not by the latest one', async () => {
    const watch = watchStep('wrong_key', startVirtualTime(), () => {});
    expect(() => watch.receive(saleOf('A-1', body('A-1', '{}')))).toThrow('does not know this key');
    expect(() => watch.receive(saleOf('A-2', body('A-2', '{"total":1}')))).toThrow('does not know this key');
    watch.confirm('Ann');
    await watch.receive(saleOf('A-3', body('A-3', '{}'))).hold(RES, OUTCOME);
    noteRefusals(watch, 500);
    expect(watch.judgement()).toEqual({ kind: 'waiting', finding: 'new_id' });
  });

  test('the number of 20 digits must be in the object', async () => {
    const watch = watchStep('many_digits', startVirtualTime(), () => {});
    await watch.receive(saleOf(MANY_DIGITS, body(MANY_DIGITS, '{}'))).hold(RES, OUTCOME);
    expect(watch.judgement()).toEqual({ kind: 'waiting', finding: 'digits_missing' });
  });
});
