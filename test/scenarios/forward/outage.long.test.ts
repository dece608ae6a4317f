// Every cause of an outage, for one record and for many, across a restart and a crash. No record is lost, wrongly held or
// wrongly counted, and no lane delays another. The tests run in virtual time, independent of the machine's clock.

import { describe, expect, test } from 'vitest';

import type { Answer } from '../../../server/forward/answer.ts';
import { answered, type Forwarding, ids, openForwarding } from '../../support/forwarding.ts';
import { DAY, HOUR, MINUTE } from '../../support/virtual-time.ts';

const CAUSES: readonly [name: string, answer: Answer, state: string, cause: RegExp][] = [
  ['no connection', { kind: 'unreachable', reason: 'ECONNREFUSED' }, 'line down', /be reached \(ECONNREFUSED\)/],
  ['a timeout', { kind: 'unanswered', reason: 'UND_ERR_HEADERS_TIMEOUT' }, 'line down', /does not answer/],
  ['500', answered(500), 'line down', /a fault on its side \(500\)/],
  ['408', answered(408), 'line down', /\(408\)/],
  ['401', answered(401), 'refused', /refuses our key \(401\)/],
  ['404', answered(404), 'refused', /address does not exist \(404\)/],
  ['307', answered(307), 'refused', /redirects to another address \(307\)/],
  ['a bad certificate', { kind: 'untrusted', reason: 'CERT_HAS_EXPIRED' }, 'refused', /not secure/],
  ['a proxy that wants a password', { kind: 'proxy refused', status: 407 }, 'refused', /proxy refuses .*\(407\)/],
  ['a link-local address', { kind: 'link-local', addresses: '169.254.169.254' }, 'refused', /points to 169\.254\./],
  ['429', answered(429), 'running', /slow down \(429\)/],
  ['503 with Retry-After', answered(503, { retryAfterMs: 20_000 }), 'running', /come back later \(503\)/],
];

/** The administration of the lane with the i-th cause. */
const nameOf = (i: number): string => `Store ${i}`;
/** The prefix of the ids that the lane with the i-th cause forwards. */
const prefixOf = (i: number): string => `L${i}`;

/**
 * Opens a lane for each cause of an outage. Until `end` is called, the lane's upstream gives the answer that leads to this
 * cause.
 */
async function openOutages() {
  const forwarding = await openForwarding();
  for (const i of CAUSES.keys()) await forwarding.addAdministration(nameOf(i));
  const answerTo = (id: string): Answer => CAUSES[Number(/^L(\d+)-/.exec(id)?.[1])]?.[1] ?? answered(201);
  forwarding.play((id) => ({ answer: answerTo(id) }));
  return {
    ...forwarding,
    sellOnAll: (count: number) =>
      Promise.all(CAUSES.flatMap((_, i) => ids(count, prefixOf(i)).map((id) => forwarding.append(id, {}, nameOf(i))))),
    end: () => forwarding.play(() => ({ answer: answered(201) })),
  };
}

test.each([
  [1, 'restart'],
  [30, 'crash'],
] as const)(
  '%i over a %s: everything waits, no attempt is counted, and everything is sent once it is over',
  async (count, event) => {
    const { sellOnAll, time, taken, deliveries, lane, end, ...outages } = await openOutages();
    const expectOutages = async (): Promise<void> => {
      for (const [i, [name, , state, cause]] of CAUSES.entries()) {
        const expected = { state, cause: expect.stringMatching(cause), waiting: count, held: 0 };
        expect(await lane(nameOf(i)), name).toMatchObject(expected);
      }
    };
    await sellOnAll(count);
    await time.pass(20 * MINUTE);
    await expectOutages();
    await outages[event]();
    await time.pass(20 * MINUTE);
    await expectOutages();
    expect(deliveries().every((each) => each.state === 'waiting' && each.attempts === 0)).toBe(true);
    end();
    await time.passUntil(() => taken.size === count * CAUSES.length, 6 * MINUTE);
    await time.pass(1000);
    for (const [i, [name]] of CAUSES.entries()) {
      const expected = { state: 'running', cause: null, waiting: 0, held: 0, delivered: count };
      expect(await lane(nameOf(i)), name).toMatchObject(expected);
    }
    expect(deliveries().every((each) => each.state === 'delivered' && each.attempts === 1)).toBe(true);
    expect([...taken.values()]).toEqual(Array(count * CAUSES.length).fill(1));
  },
);

describe('a rejected record', () => {
  test.each(['restart', 'crash'] as const)('stays held over a %s and is not sent again automatically', async (end) => {
    const forwarding = await openForwarding();
    const { play, sell, time, taken, attempts, deliveries, lane } = forwarding;
    play((id) => ({ answer: id === 'S-3' ? answered(422, { excerpt: 'no such product' }) : answered(201) }));
    await sell(...ids(5));
    await time.pass(MINUTE);
    await forwarding[end]();
    await time.pass(DAY);
    expect(await lane()).toMatchObject({ state: 'running', waiting: 0, held: 1, delivered: 4 });
    expect(deliveries()[2]).toMatchObject({ state: 'held', attempts: 1, answerStatus: 422, answer: 'no such product' });
    expect(attempts.filter(({ id }) => id === 'S-3')).toHaveLength(1);

    play(() => ({ answer: answered(201) }));
    await forwarding.act({ kind: 'send again', records: { kind: 'all' }, delivered: false });
    await time.passUntil(() => taken.has('S-3'), 1000);
    await time.pass(1000);
    expect(deliveries()[2]).toMatchObject({ state: 'delivered', attempts: 2, answerStatus: 201, answer: null });
  });

  test('is kept when it is set aside, and not sent until a person sends it again', async () => {
    const { play, sell, time, taken, act, lane } = await openForwarding();
    play((id) => ({ answer: answered(id === 'S-3' ? 400 : 201) }));
    await sell(...ids(5));
    await time.pass(MINUTE);
    await act({ kind: 'set aside', records: { kind: 'all' }, reason: 'a test sale' });
    expect(await lane()).toMatchObject({ held: 0, setAside: 1 });
    play(() => ({ answer: answered(201) }));
    await act({ kind: 'try now' });
    await time.pass(DAY);
    expect(taken.has('S-3')).toBe(false);
    await act({ kind: 'send again', records: { kind: 'one', recordId: 3 }, delivered: false });
    await time.passUntil(() => taken.has('S-3'), 1000);
    await time.pass(1000);
    expect(await lane()).toMatchObject({ waiting: 0, held: 0, setAside: 0, delivered: 5 });
  });
});

test('401 for an hour: nothing is held, no attempt is counted, the lane says why, new credentials drain it', async () => {
  const { play, sell, time, taken, act, lane, deliveries } = await openForwarding();
  play((_id, _nth, { upstream }) => ({ answer: answered(upstream.token === 'prod_new' ? 201 : 401) }));
  for (let minute = 0; minute < 60; minute++) {
    await sell(...ids(2, `minute ${minute}`));
    await time.pass(MINUTE);
  }
  expect(await lane()).toMatchObject({ state: 'refused', held: 0, waiting: 120 });
  expect((await lane()).cause).toMatch(/refuses our key \(401\)/);
  expect(deliveries()).toHaveLength(120);
  expect(deliveries().every(({ state, attempts }) => state === 'waiting' && attempts === 0)).toBe(true);
  await act({ kind: 'set upstream', upstream: { url: 'https://upstream.test', token: 'prod_new' } });
  await time.passUntil(() => taken.size === 120, 5000);
  await time.pass(1000);
  expect(deliveries().every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true);
});

test('a change of address aborts the calls to the old one, and everything goes to the new one', async () => {
  const { play, sell, time, taken, act, attempts } = await openForwarding();
  play((_id, _nth, { upstream }) =>
    upstream.url === 'https://new.test'
      ? { answer: answered(201) }
      : { answer: { kind: 'unanswered', reason: 'UND_ERR_HEADERS_TIMEOUT' }, afterMs: 15_000 },
  );
  await sell(...ids(20));
  await time.pass(1000);
  await act({ kind: 'set upstream', upstream: { url: 'https://new.test', token: 'prod_new' } });
  const since = attempts.length;
  await time.passUntil(() => taken.size === 20, 1000);
  expect(attempts.slice(since).every(({ upstream }) => upstream.url === 'https://new.test')).toBe(true);
});

describe('two lanes', () => {
  test('one lane runs undisturbed beside a lane with each cause', async () => {
    const { play, append, sellOnAll, time, taken, lane } = await openOutages();
    play((id) => {
      const cause = CAUSES[Number(/^L(\d+)-/.exec(id)?.[1])];
      return cause === undefined ? { answer: answered(201) } : { answer: cause[1], afterMs: 15_000 };
    });
    await sellOnAll(100);
    await time.pass(10 * MINUTE);
    await Promise.all(ids(100, 'C').map((id) => append(id)));
    await time.passUntil(() => taken.size === 100, 500);
    await time.pass(1000);
    expect(await lane()).toMatchObject({ state: 'running', cause: null, waiting: 0, delivered: 100 });
    for (const [i, [name, , state]] of CAUSES.entries())
      expect(await lane(nameOf(i)), name).toMatchObject({ state, waiting: 100, delivered: 0 });
  });

  test('of two administrations never send to each other’s upstream', async () => {
    const { append, sell, time, attempts, addAdministration } = await openForwarding();
    await addAdministration('Cafe');
    await sell(...ids(50));
    await Promise.all(ids(50, 'C').map((id) => append(id, {}, 'Cafe')));
    await time.pass(5000);
    expect(attempts).toHaveLength(100);
    for (const { id, upstream } of attempts) {
      expect(upstream.url).toBe(id.startsWith('C') ? 'https://cafe.test' : 'https://upstream.test');
    }
  });
});

describe('the machine’s clock is set', () => {
  test.each<[string, (now: number) => number]>([
    ['a day ahead', (now) => now + DAY],
    ['a day back', (now) => now - DAY],
    ['400 days back', (now) => now - 400 * DAY],
    ['to 2038', () => Date.UTC(2038, 0, 19, 3, 14, 8)],
    ['to 1970', () => 0],
  ])(
    '%s: the back-off continues unchanged, with and without a restart, and everything arrives',
    async (_name, jump) => {
      const forwarding = await openForwarding();
      const { play, sell, time, taken, attempts, lane } = forwarding;
      play(() => ({ answer: { kind: 'unreachable', reason: 'ENETUNREACH' } }));
      await sell(...ids(10));
      await time.pass(2 * HOUR);
      const before = attempts.length;
      time.setWallClock(jump(time.now()));
      await time.pass(2 * HOUR);
      expect(attempts.length - before).toBeGreaterThan(20); // one attempt every 150 s on average
      expect(attempts.length - before).toBeLessThan(100);
      await sell(...ids(10, 'after'));
      await forwarding.restart();
      await time.pass(HOUR);
      time.setWallClock(jump(time.now()));
      expect(await lane()).toMatchObject({ state: 'line down', waiting: 20 });
      play((id, nth) => (id === 'S-5' && nth % 3 !== 0 ? { answer: answered(500) } : { answer: answered(201) }));
      await time.passUntil(() => taken.size === 20, 10 * MINUTE);
      await time.pass(1000);
      expect(await lane()).toMatchObject({ state: 'running', waiting: 0, held: 0, delivered: 20 });
    },
  );
});

describe('forwarded duplicates', () => {
  async function openForwardingAll(): Promise<Forwarding> {
    const forwarding = await openForwarding();
    await forwarding.store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
    return forwarding;
  }

  test('are sent after their original, each with its status', async () => {
    const { append, time, taken, attempts, lane } = await openForwardingAll();
    for (const id of ids(20)) {
      expect(await append(id, { total: 1 })).toMatchObject({ status: 'NEW' });
      expect(await append(id, { total: 1 })).toMatchObject({ status: 'IGNORED' });
      expect(await append(id, { total: 2 })).toMatchObject({ status: 'ERROR' });
    }
    await time.pass(MINUTE);
    expect(await lane()).toMatchObject({ waiting: 0, delivered: 60 });
    for (const id of taken.keys()) {
      const statuses = attempts.filter((attempt) => attempt.id === id).map(({ status }) => status);
      expect(statuses[0]).toBe('NEW');
      expect(statuses.toSorted()).toEqual(['ERROR', 'IGNORED', 'NEW']);
    }
  });

  test('wait while their original is held, are sent after it, and are set aside with it', async () => {
    const { append, play, time, attempts, lane, act } = await openForwardingAll();
    play((id, nth) => ({ answer: answered(nth === 1 && id !== 'c' ? 422 : 201) }));
    for (const id of ['a', 'b', 'c']) for (const total of [1, 1, 2]) await append(id, { total });
    await time.pass(DAY);
    expect(await lane()).toMatchObject({ waiting: 4, held: 2, delivered: 3 });
    await act({ kind: 'send again', records: { kind: 'one', recordId: 1 }, delivered: false });
    await time.pass(MINUTE);
    expect(await lane()).toMatchObject({ waiting: 2, held: 1, delivered: 6 });
    await act({ kind: 'set aside', records: { kind: 'all' }, reason: 'twice' });
    await time.pass(MINUTE);
    expect(await lane()).toMatchObject({ waiting: 0, held: 0, setAside: 3, delivered: 6 });
    expect(attempts.filter(({ id }) => id === 'a').map(({ status }) => status)).toEqual([
      'NEW',
      'NEW',
      'IGNORED',
      'ERROR',
    ]);
  });

  test('are not forwarded by default', async () => {
    const { append, time, attempts } = await openForwarding();
    for (const total of [1, 1, 2]) await append('a', { total });
    await time.pass(MINUTE);
    expect(attempts.map(({ status }) => status)).toEqual(['NEW']);
  });
});

test('the status that another gateway gives a record is stored with it', async () => {
  const { play, sell, time, deliveries } = await openForwarding();
  play((id) => ({ answer: answered(200, { upstreamStatus: id === 'S-2' ? 'ERROR' : 'NEW' }) }));
  await sell('S-1', 'S-2');
  await time.pass(1000);
  expect(deliveries().map(({ upstreamStatus }) => upstreamStatus)).toEqual(['NEW', 'ERROR']);
});
