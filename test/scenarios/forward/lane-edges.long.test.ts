// A lane in virtual time, when the upstream, a person or the store acts at the worst moment.

import { expect, test } from 'vitest';

import { answered, ids, openForwarding } from '../../support/forwarding.ts';
import { HOUR, MINUTE } from '../../support/virtual-time.ts';

test('a retry that is due while the lane is at full concurrency waits without a busy loop', async () => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((id) => {
    if (id === 'S-2') return { answer: answered(500) };
    return { answer: answered(201), afterMs: 5000 };
  });
  await sell(...ids(6));
  await time.passUntil(() => taken.size === 5, MINUTE);
  await time.pass(1000);
  expect(await lane()).toMatchObject({ waiting: 1, delivered: 5 });
});

test('a page that arrives after a record was settled does not send it again', async () => {
  const { sell, time, taken, attempts, act, delayPages, lane } = await openForwarding();
  await sell(...ids(300));
  await time.pass(5);
  delayPages(30);
  for (let i = 0; i < 20; i++) {
    await act({ kind: 'try now' });
    await time.pass(7);
  }
  await time.passUntil(() => taken.size === 300, MINUTE);
  await time.pass(1000);
  expect(attempts).toHaveLength(300);
  expect(await lane()).toMatchObject({ waiting: 0, delivered: 300 });
});

test.each([0, 1])('429 with Retry-After: %i ms for a minute does not cause a flood', async (retryAfterMs) => {
  const { play, sell, time, attempts } = await openForwarding();
  play(() => ({ answer: answered(429, { retryAfterMs }) }));
  await sell(...ids(20));
  await time.pass(MINUTE);
  expect(attempts.length).toBeLessThan(200);
});

test('sixteen records that draw 429 at the same time count as one request to slow down', async () => {
  const { play, sell, time, taken, attempts } = await openForwarding(() => 1);
  await sell(...ids(100));
  await time.passUntil(() => taken.size === 100, MINUTE);
  const before = time.monotonic();
  play((_id, nth) => ({ answer: answered(nth === 1 ? 429 : 201) }));
  await sell(...ids(100, 'B'));
  await time.passUntil(() => attempts.length > 120, 10 * MINUTE);
  expect(time.monotonic() - before).toBeLessThan(10_000);
});

test.each([429, 503])('a single record that draws %i with Retry-After does not block the others', async (status) => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((id) => ({ answer: id === 'poison' ? answered(status, { retryAfterMs: 30_000 }) : answered(201) }));
  await sell('poison', ...ids(100));
  await time.passUntil(() => taken.size === 100, 5 * MINUTE);
  await time.pass(1000);
  expect(await lane()).toMatchObject({ state: 'running', waiting: 1, held: 0, delivered: 100 });
});

test('records in flight when the upstream asked for a pause do not end it', async () => {
  const { play, sell, time, attempts } = await openForwarding();
  play((id) =>
    id === 'S-5' ? { answer: answered(429, { retryAfterMs: 600_000 }) } : { answer: answered(201), afterMs: 50 },
  );
  await sell(...ids(50));
  await time.pass(1000);
  const before = attempts.length;
  await time.pass(500_000);
  expect(attempts.length).toBe(before);
});

test('one record that always draws 500 does not delay a sale a minute', async () => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((id) => ({ answer: answered(id === 'poison' ? 500 : 201) }));
  await sell('poison', 'first');
  await time.passUntil(() => taken.has('first'), MINUTE);
  for (const id of ids(60)) {
    await sell(id);
    await time.passUntil(() => taken.has(id), 1000);
    await time.pass(MINUTE);
  }
  expect(await lane()).toMatchObject({ state: 'running', waiting: 1, held: 0, delivered: 61 });
});

test.each([20, 100, 600])('%i records in a row that draw 500 do not stop those behind them', async (bad) => {
  const { play, sell, time, taken } = await openForwarding();
  play((id) => ({ answer: answered(id.startsWith('bad') ? 500 : 201) }));
  await sell(...ids(bad, 'bad'));
  await sell(...ids(50, 'good'));
  await time.passUntil(() => taken.size === 50, 24 * HOUR);
  expect(taken.size).toBe(50);
});

test('the count of attempts survives a restart and an outage', async () => {
  const forwarding = await openForwarding();
  const { play, sell, time, taken, deliveries } = forwarding;
  play((id) => ({ answer: answered(id === 'bad' ? 500 : 201) }));
  await sell('bad');
  for (let i = 0; i < 5; i++) {
    await sell(...ids(5, `good ${i}`));
    await time.pass(10 * MINUTE);
  }
  const find = () => deliveries().find(({ id }) => id === 'bad')?.attempts ?? 0;
  const before = find();
  expect(before).toBeGreaterThan(3);
  await forwarding.restart();
  play(() => ({ answer: answered(201) }));
  await time.passUntil(() => taken.has('bad'), 10 * MINUTE);
  await time.pass(1000);
  expect(find()).toBe(before + 1);
});

test('a refused lane that then gets no proper answer shows the newest cause', async () => {
  const { play, sell, time, lane } = await openForwarding();
  play(() => ({ answer: answered(401) }));
  await sell('a', 'b');
  await time.pass(HOUR);
  expect(await lane()).toMatchObject({ state: 'refused', cause: expect.stringContaining('401') });
  play(() => ({ answer: answered(502) }));
  await time.pass(HOUR);
  expect(await lane()).toMatchObject({ state: 'line down', cause: expect.stringContaining('502') });
});

test('the rate covers the last seconds, and is zero when all is delivered', async () => {
  const { play, sell, time, lane } = await openForwarding();
  play(() => ({ answer: answered(201), afterMs: 200 }));
  await sell(...ids(400));
  await time.pass(4500);
  const { perSecond } = await lane();
  expect(perSecond).toBeGreaterThan(60);
  expect(perSecond).toBeLessThanOrEqual(80);
  await time.pass(MINUTE);
  expect(await lane()).toMatchObject({ waiting: 0, perSecond: 0 });
});

test.each([
  ['500', 1],
  ['500 after a second', 1000],
])(
  'three thousand in a row at the front that always draw %s do not delay the records behind them for long',
  async (_name, afterMs) => {
    const { play, sell, time, taken, lane } = await openForwarding();
    play((id) => (id.startsWith('bad') ? { answer: answered(500), afterMs } : { answer: answered(201) }));
    await sell(...ids(3000, 'bad'));
    await sell(...ids(50, 'good'));
    await time.passUntil(() => taken.size === 50, 10 * MINUTE);
    await time.pass(1000);
    expect(await lane()).toMatchObject({ waiting: 3000, held: 0 });
    await sell('later');
    await time.passUntil(() => taken.has('later'), MINUTE);
  },
);

test('among thousands that always draw 500 the others are sent, as long as new ones pass', async () => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((id) => ({ answer: answered(id.startsWith('bad') ? 500 : 201) }));
  await sell(...ids(1200, 'bad before'), ...ids(100, 'good'), ...ids(300, 'bad after'));
  for (let minute = 0; minute < 10; minute++) {
    await sell(`good of minute ${minute}`);
    await time.pass(MINUTE);
  }
  expect(await lane()).toMatchObject({ waiting: 1500, held: 0, delivered: 110 });
  expect(taken.size).toBe(110);
});
