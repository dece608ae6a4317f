// A lane in virtual time: what each cause of an outage does, and that every record arrives in the end.

import { describe, expect, test } from 'vitest';

import type { Answer } from '../../../server/forward/answer.ts';
import { answered, ids, openForwarding } from '../../support/forwarding.ts';
import { HOUR, MINUTE } from '../../support/virtual-time.ts';

test('records are forwarded in the order they came, each once', async () => {
  const { sell, time, attempts, taken, lane } = await openForwarding();
  await sell(...ids(1000));
  await time.passUntil(() => taken.size === 1000, HOUR);
  expect(attempts).toHaveLength(1000);
  expect(attempts.slice(0, 3).map(({ id }) => id)).toEqual(['S-1', 'S-2', 'S-3']);
  await time.pass(5000);
  expect(await lane()).toMatchObject({ state: 'running', cause: null, waiting: 0, held: 0, delivered: 1000 });
});

describe('the line is down', () => {
  test('probes are sent one at a time, back off to five minutes, and use different records', async () => {
    const { play, sell, time, attempts } = await openForwarding();
    play(() => ({ answer: { kind: 'unreachable', reason: 'ECONNREFUSED' } }));
    await sell(...ids(5));
    await time.pass(24 * HOUR);
    const probes = attempts.slice(-20);
    expect(new Set(probes.map(({ id }) => id)).size).toBe(5);
    const gaps = probes.slice(1).map(({ at }, i) => at - (probes[i]?.at ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThan(2 * MINUTE);
    expect(attempts.length).toBeLessThan(24 * 60);
  });

  test('after thirty days offline, everything is sent', async () => {
    const { play, sell, time, taken, lane } = await openForwarding();
    play(() => ({ answer: { kind: 'unreachable', reason: 'ENOTFOUND' } }));
    for (let day = 0; day < 30; day++) {
      await sell(...ids(20, `day ${day}`));
      await time.pass(24 * HOUR);
    }
    expect(await lane()).toMatchObject({ state: 'line down', waiting: 600, held: 0 });
    play(() => ({ answer: answered(201) }));
    await time.passUntil(() => taken.size === 600, 6 * MINUTE);
  });

  test('everything arrives over a line that goes up and down every second, sixty times', async () => {
    const { play, sell, time, taken, lane } = await openForwarding();
    const isUp = (): boolean => Math.floor(time.monotonic() / 1000) % 2 === 0;
    play(() => (isUp() ? { answer: answered(201), afterMs: 5 } : { answer: answered(502), afterMs: 5 }));
    for (let second = 0; second < 120; second++) {
      await sell(...ids(5, `second ${second}`));
      await time.pass(1000);
    }
    await time.passUntil(() => taken.size === 600, 10 * MINUTE);
    await time.pass(1000);
    expect(await lane()).toMatchObject({ state: 'running', waiting: 0, held: 0, delivered: 600 });
  });
});

describe('one record', () => {
  test.each([400, 409, 413, 415, 422])(
    '%i: that record is held with its answer, the others continue',
    async (status) => {
      const { play, sell, time, taken, lane } = await openForwarding();
      play((id) => ({ answer: answered(id === 'S-500' ? status : 201, { excerpt: 'no' }) }));
      await sell(...ids(1000));
      await time.passUntil(() => taken.size === 999, MINUTE);
      await time.pass(1000);
      expect(await lane()).toMatchObject({ state: 'running', waiting: 0, held: 1, delivered: 999 });
    },
  );

  test.each<[string, Answer, number]>([
    ['always draws 500', answered(500), 1],
    ['always draws an answer without an end', answered(200, { isCut: true }), 1],
    ['always hangs', { kind: 'unanswered', reason: 'UND_ERR_HEADERS_TIMEOUT' }, 15_000],
  ])('that %s: the others arrive, and it waits for its own back-off and is shown', async (_name, answer, afterMs) => {
    const { play, sell, time, taken, lane, attempts } = await openForwarding();
    play((id) => (id === 'S-500' ? { answer, afterMs } : { answer: answered(201) }));
    await sell(...ids(1000));
    await time.passUntil(() => taken.size === 999, MINUTE);
    await time.pass(HOUR);
    expect(await lane()).toMatchObject({ state: 'running', waiting: 1, held: 0, delivered: 999 });
    expect((await lane()).cause).toMatch(/1 record/);
    expect(attempts.filter(({ id }) => id === 'S-500').length).toBeLessThan(60);
    await sell('later');
    await time.passUntil(() => taken.has('later'), 20_000);
  });

  test('thirty of a hundred draw 500: the others are not delayed for long', async () => {
    const { play, sell, time, taken } = await openForwarding();
    play((id) => ({ answer: answered(Number(id.slice(2)) % 10 < 3 ? 500 : 201), afterMs: 5 }));
    await sell(...ids(1000));
    await time.passUntil(() => taken.size === 700, MINUTE);
    expect(taken.size).toBe(700);
  });
});

test('429 is obeyed, with its Retry-After', async () => {
  const { play, sell, time, taken, attempts } = await openForwarding();
  play(() => ({ answer: time.monotonic() < 600_000 ? answered(429, { retryAfterMs: 120_000 }) : answered(201) }));
  await sell(...ids(20));
  await time.pass(595_000);
  expect(attempts.length).toBeLessThan(20);
  await time.passUntil(() => taken.size === 20, 10 * MINUTE);
});

test('a pause keeps everything, also over a restart', async () => {
  const forwarding = await openForwarding();
  const { sell, time, taken, lane, act } = forwarding;
  await act({ kind: 'pause' });
  await sell(...ids(20));
  await time.pass(HOUR);
  expect(taken.size).toBe(0);
  await forwarding.restart();
  await time.pass(HOUR);
  expect(await lane()).toMatchObject({ state: 'paused', waiting: 20 });
  await act({ kind: 'resume' });
  await time.passUntil(() => taken.size === 20, 1000);
});

test('after a lost answer the record is sent again, and counts once', async () => {
  const { play, sell, time, taken, lane } = await openForwarding();
  play((_id, attempt) =>
    attempt === 1
      ? { answer: { kind: 'unanswered', reason: 'UND_ERR_SOCKET' }, takes: true }
      : { answer: answered(200) },
  );
  await sell(...ids(30));
  await time.passUntil(() => [...taken.values()].every((times) => times === 2) && taken.size === 30, HOUR);
  await time.pass(1000);
  expect(await lane()).toMatchObject({ waiting: 0, delivered: 30 });
});
