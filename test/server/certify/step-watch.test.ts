// One attempt at a step with many calls.

import { expect, test } from 'vitest';

import { type StepWatch, watchStep } from '../../../server/certify/step-watch.ts';
import { GatewayError } from '../../../server/errors.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const SALE = {
  externalId: 'A',
  soldAt: 1,
  receivedAt: 1000,
  method: null,
  body: Buffer.from('{"external_id":"A","object":{},"timestamp":"1970-01-01T00:00:01Z"}'),
};

function noteRefusals(watch: StepWatch, count: number): void {
  for (let i = 0; i < count; i += 1) watch.noteRefusal(new GatewayError('json_malformed', { detail: 'No.' }));
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
});

test('only a refused key is confirmed, and only once', () => {
  const watch = watchStep('wrong_key', startVirtualTime(), () => {});
  watch.confirm('Ann');
  expect(() => watch.receive(SALE)).toThrow('does not know this key');
  watch.confirm('Ann');
  watch.confirm('Bob');
  expect(watch.events).toMatchObject([{ kind: 'fault' }, { kind: 'confirmed', by: 'Ann' }]);
});
