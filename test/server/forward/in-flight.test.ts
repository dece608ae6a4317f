// The calls of a lane that wait for an answer.

import { expect, test } from 'vitest';

import { openInFlight } from '../../../server/forward/in-flight.ts';

test('a call counts until it has answered, and a retry counts as one', async () => {
  const inFlight = openInFlight();
  const heard: unknown[] = [];
  const first = Promise.withResolvers<string>();
  const retry = Promise.withResolvers<string>();
  inFlight.start(
    () => first.promise,
    false,
    (answer) => heard.push([answer, inFlight.count()]),
  );
  inFlight.start(
    () => retry.promise,
    true,
    (answer) => heard.push([answer, inFlight.count()]),
  );
  expect([inFlight.count(), inFlight.retries()]).toEqual([2, 1]);
  const all = inFlight.allAnswered();
  retry.resolve('retry');
  await retry.promise;
  expect([inFlight.count(), inFlight.retries()]).toEqual([1, 0]);
  first.resolve('first');
  await all;
  expect(heard).toEqual([
    ['retry', 1],
    ['first', 0],
  ]);
});

test('an abandoned call hears no answer, and a later one does', async () => {
  const inFlight = openInFlight();
  const heard: unknown[] = [];
  const left = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const call = (signal: AbortSignal): Promise<string> => (signals.push(signal), left.promise);
  inFlight.start(call, false, (answer) => heard.push(answer));
  inFlight.abandon();
  inFlight.start(call, false, (answer) => heard.push(answer));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  left.resolve('late');
  await inFlight.allAnswered();
  expect(heard).toEqual([undefined, 'late']);
});
