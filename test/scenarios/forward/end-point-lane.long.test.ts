// On the earlier interface, 400 means that the end point is not valid (docs/interface.md#refusals). The records of that end
// point then wait. They are not held, because they are not at fault. Records of other end points continue. The tests use
// virtual time and a real store.

import { describe, expect, test } from 'vitest';

import { answered, type Forwarding, ids, openForwarding, type Played } from '../../support/forwarding.ts';
import { openRandom } from '../../support/till/random.ts';
import { HOUR, MINUTE } from '../../support/virtual-time.ts';

const SALES = 'v1/transaction';
const CANCELLATIONS = 'v1/cancellations';
const OK = { answer: answered(200) };
const INVALID = { answer: answered(400, { excerpt: 'no such end point' }) };

/** Opens forwarding for the administration "Bakery", with an upstream for the earlier interface too. */
async function open(
  random?: () => number,
): Promise<Forwarding & { readonly earlierLane: () => ReturnType<Forwarding['lane']> }> {
  const forwarding = await openForwarding(random);
  await setUpstream(forwarding, 'https://earlier.test');
  return { ...forwarding, earlierLane: () => forwarding.lane('Bakery', 'earlier') };
}

function setUpstream({ act }: Forwarding, url: string, token = 'earlier-token'): Promise<void> {
  return act({ kind: 'set upstream', upstream: { url, token } }, 'Bakery', 'earlier');
}

describe('no record has ever passed at an end point', () => {
  test('the first 400 refuses it: nothing is held, other end points continue, the cause names the address', async () => {
    const { play, sellAt, time, taken, earlierLane, deliveries } = await open();
    play((_id, _nth, { endPoint }) => (endPoint === CANCELLATIONS ? INVALID : OK));
    await sellAt(CANCELLATIONS, ...ids(30, 'C'));
    await sellAt(SALES, ...ids(30));
    await time.passUntil(() => taken.size === 30, MINUTE);
    await time.pass(HOUR);
    expect(await earlierLane()).toMatchObject({
      state: 'refused',
      cause: expect.stringContaining('https://earlier.test/v1/cancellations'),
      waiting: 30,
      held: 0,
      delivered: 30,
    });
    expect(deliveries().every(({ state, attempts }) => state === 'delivered' || attempts === 0)).toBe(true);
    await sellAt(SALES, 'later');
    await time.passUntil(() => taken.has('later'), 1000);

    play(() => OK);
    await time.passUntil(() => taken.size === 61, 6 * MINUTE);
    await time.pass(1000);
    expect(await earlierLane()).toMatchObject({ state: 'running', cause: null, waiting: 0, held: 0, delivered: 61 });
  });

  test.each([1, 2, 40])('a correct address sends all %i of it, without a person', async (count) => {
    const forwarding = await open();
    const { play, sellAt, time, taken, earlierLane } = forwarding;
    play((_id, _nth, { upstream }) => (upstream.url === 'https://right.test' ? OK : INVALID));
    await sellAt(SALES, ...ids(count));
    await time.pass(HOUR);
    expect(await earlierLane()).toMatchObject({ state: 'refused', waiting: count, held: 0 });
    await setUpstream(forwarding, 'https://right.test');
    await time.passUntil(() => taken.size === count, 2000);
    await time.pass(1000);
    expect(await earlierLane()).toMatchObject({ state: 'running', cause: null, waiting: 0, held: 0, delivered: count });
  });

  test('it is tried with one record at a time, not always the same, up to five minutes apart', async () => {
    const { play, sellAt, time, attempts } = await open(openRandom(1));
    play(() => INVALID);
    await sellAt(SALES, ...ids(20));
    await time.pass(24 * HOUR);
    const tries = attempts.slice(-40);
    expect(new Set(tries.map(({ id }) => id)).size).toBeGreaterThan(10);
    const gaps = tries.slice(1).map(({ at }, i) => at - (tries[i]?.at ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5 * MINUTE + 1);
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeGreaterThan(MINUTE);
  });

  test('one bad record at the front delays the others for seconds, and is held once they pass', async () => {
    const { play, sellAt, time, taken, earlierLane } = await open();
    play((id) => (id === 'bad' ? INVALID : OK));
    await sellAt(SALES, 'bad', ...ids(20));
    await time.passUntil(() => taken.size === 20, 10_000);
    await time.pass(MINUTE);
    expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: 1, delivered: 20 });
  });
});

describe('records have passed at an end point', () => {
  async function openPassed(random?: () => number): Promise<Awaited<ReturnType<typeof open>>> {
    const forwarding = await open(random);
    await forwarding.sellAt(SALES, ...ids(10, 'passed'));
    await forwarding.time.passUntil(() => forwarding.taken.size === 10, MINUTE);
    await forwarding.time.pass(1000);
    return forwarding;
  }

  test('a single 400 is the fault of that record', async () => {
    const { play, sellAt, time, taken, earlierLane } = await openPassed();
    play((id) => (id === 'bad' ? INVALID : OK));
    await sellAt(SALES, 'bad', ...ids(20));
    await time.passUntil(() => taken.size === 30, 1000);
    await time.pass(1000);
    expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: 1, delivered: 30 });
  });

  test.each([3, 40])('%i in a row refuse it, and the two held records wait again', async (count) => {
    const { play, sellAt, time, taken, earlierLane } = await openPassed();
    play(() => INVALID);
    await sellAt(SALES, ...ids(count));
    await time.pass(HOUR);
    expect(await earlierLane()).toMatchObject({ state: 'refused', waiting: count, held: 0, delivered: 10 });
    play(() => OK);
    await time.passUntil(() => taken.size === 10 + count, 6 * MINUTE);
  });

  test.each(['restart', 'crash'] as const)('three in a row are counted over a %s', async (end) => {
    const forwarding = await openPassed();
    const { play, sellAt, time, taken } = forwarding;
    play(() => INVALID);
    for (const id of ids(3)) {
      await sellAt(SALES, id);
      await time.pass(MINUTE);
      await forwarding[end]();
      await time.pass(1000);
    }
    expect(await forwarding.lane('Bakery', 'earlier')).toMatchObject({ state: 'refused', waiting: 3, held: 0 });
    play(() => OK);
    await time.passUntil(() => taken.size === 13, 6 * MINUTE);
  });

  test('only two in a row are held, until the upstream is set again', async () => {
    const forwarding = await openPassed();
    const { play, sellAt, time, taken, earlierLane } = forwarding;
    play((_id, _nth, { upstream }) => (upstream.url === 'https://right.test' ? OK : INVALID));
    await sellAt(SALES, ...ids(2));
    await time.pass(HOUR);
    expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: 2 });
    await setUpstream(forwarding, 'https://right.test');
    await time.passUntil(() => taken.size === 12, 2000);
  });

  test.each([3, 4, 50])(
    '%i bad records in a row do not hold up the good ones, and are held in the end',
    async (bad) => {
      const { play, sellAt, time, taken, earlierLane } = await openPassed();
      play((id) => (id.startsWith('bad') ? INVALID : OK));
      await sellAt(SALES, ...ids(20, 'before'), ...ids(bad, 'bad'), ...ids(20, 'after'));
      await time.passUntil(() => taken.size === 50, MINUTE);
      for (let minute = 0; minute < 30; minute++) {
        await sellAt(SALES, `minute ${minute}`);
        await time.pass(MINUTE);
      }
      expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: bad, delivered: 80 });
    },
  );

  test('three in a row release their own records, not all that were ever held', async () => {
    const { play, sellAt, time, taken, attempts, earlierLane } = await openPassed();
    const isBad = (id: string): boolean => id.startsWith('bad');
    play((id) => (isBad(id) ? INVALID : OK));
    for (let i = 0; i < 100; i++) {
      await sellAt(SALES, `bad ${i}`, `good ${i}`);
      await time.passUntil(() => taken.has(`good ${i}`), 10 * MINUTE);
    }
    await time.pass(HOUR);
    expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: 100 });
    const before = attempts.length;
    play(() => INVALID);
    await sellAt(SALES, 'good a', 'good b', 'good c');
    await time.pass(1000);
    expect(await earlierLane()).toMatchObject({ state: 'refused', waiting: 3, held: 100 });
    play((id) => (isBad(id) ? INVALID : OK));
    await time.passUntil(() => taken.has('good c'), HOUR);
    expect(attempts.slice(before).filter(({ id }) => isBad(id))).toEqual([]);
  });

  test('the refusal is stored as soon as the disk is writable', async () => {
    const forwarding = await openPassed();
    const { play, sellAt, time } = forwarding;
    play(() => INVALID);
    forwarding.failNotes(5);
    await sellAt(SALES, ...ids(3));
    await time.pass(MINUTE);
    const before = forwarding.attempts.length;
    await forwarding.crash();
    await time.pass(500);
    expect(await forwarding.lane('Bakery', 'earlier')).toMatchObject({ state: 'refused', waiting: 3, held: 0 });
    expect(forwarding.attempts.length - before).toBeLessThan(3);
  });

  test('a new address is not blamed for answers of the old one', async () => {
    const forwarding = await open();
    const { play, sellAt, time, states } = forwarding;
    play((_id, _nth, { upstream }) => (upstream.url === 'https://right.test' ? OK : INVALID));
    await sellAt(SALES, ...ids(3));
    await time.pass(HOUR);
    await setUpstream(forwarding, 'https://right.test');
    await time.pass(MINUTE);
    expect(states.filter(({ cause }) => JSON.stringify(cause).includes('right.test'))).toEqual([]);
  });

  test.each([30, 50, 70])(
    'with %i in 100 bad records of one till, the others are forwarded within seconds',
    async (bad) => {
      const { play, sellAt, time, taken, earlierLane } = await openPassed(openRandom(bad));
      const random = openRandom(1);
      const isBad = new Map(ids(300).map((id) => [id, random() * 100 < bad]));
      play((id) => (isBad.get(id) === true ? INVALID : OK));
      const late: string[] = [];
      for (const [id, isItBad] of isBad) {
        await sellAt(SALES, id);
        await time.pass(1000);
        if (isItBad) continue;
        await time.pass(10_000);
        if (!taken.has(id)) late.push(id);
      }
      expect(late).toEqual([]);
      await time.pass(HOUR);
      const count = [...isBad.values()].filter(Boolean).length;
      expect(await earlierLane()).toMatchObject({ waiting: 0, held: count });
    },
  );

  test('a new address counts from the start: its first 400 refuses it', async () => {
    const forwarding = await openPassed();
    const { play, sellAt, time, earlierLane } = forwarding;
    play(() => INVALID);
    await setUpstream(forwarding, 'https://wrong.test');
    await sellAt(SALES, 'one');
    await time.pass(MINUTE);
    const cause: unknown = expect.stringContaining('https://wrong.test/v1/transaction');
    expect(await earlierLane()).toMatchObject({ state: 'refused', cause, waiting: 1, held: 0 });
  });

  test.each([409, 413, 422])(
    '%i does not refuse the end point: only each single record is at fault',
    async (status) => {
      const { play, sellAt, time, earlierLane } = await openPassed();
      play(() => ({ answer: answered(status) }));
      await sellAt(SALES, ...ids(5));
      await time.pass(MINUTE);
      expect(await earlierLane()).toMatchObject({ state: 'running', waiting: 0, held: 5 });
    },
  );
});

test('ten thousand waiting records of a refused end point delay no other record, and are not sent one by one', async () => {
  const { play, sellAt, time, taken, attempts, earlierLane } = await open();
  play((_id, _nth, { endPoint }) => (endPoint === CANCELLATIONS ? INVALID : OK));
  await sellAt(CANCELLATIONS, ...ids(10_000, 'C'));
  await time.pass(MINUTE);
  await sellAt(SALES, 'sale');
  await time.passUntil(() => taken.has('sale'), 1000);
  await time.pass(HOUR);
  expect(attempts.length).toBeLessThan(60);
  play(() => OK);
  await time.passUntil(() => taken.size === 10_001, 10 * MINUTE);
  await time.pass(1000);
  expect(await earlierLane()).toMatchObject({ waiting: 0, held: 0, delivered: 10_001 });
});

test('while the line is down probes continue as usual, and afterwards the cause of the end point is shown again', async () => {
  const { play, sellAt, time, taken, earlierLane } = await open();
  play(() => INVALID);
  await sellAt(SALES, ...ids(5));
  await time.pass(MINUTE);
  play(() => ({ answer: { kind: 'unreachable', reason: 'ECONNREFUSED' } }));
  await time.pass(HOUR);
  expect(await earlierLane()).toMatchObject({ state: 'line down', waiting: 5, held: 0 });
  play(() => INVALID);
  await time.pass(HOUR);
  expect(await earlierLane()).toMatchObject({ state: 'refused', cause: expect.stringContaining(SALES), waiting: 5 });
  play(() => OK);
  await time.passUntil(() => taken.size === 5, 6 * MINUTE);
});

test('“try now” tries a refused end point at once', async () => {
  const { play, sellAt, time, taken, act } = await open();
  play(() => INVALID);
  await sellAt(SALES, ...ids(5));
  await time.pass(24 * HOUR);
  play(() => OK);
  await act({ kind: 'try now' }, 'Bakery', 'earlier');
  await time.passUntil(() => taken.size === 1, 100);
  await time.pass(2000);
  expect(taken.size).toBe(5);
});

test('a new record at a refused end point tries it at once, twice a minute at most', async () => {
  const { play, sellAt, time, taken, attempts } = await open();
  play(() => INVALID);
  await sellAt(SALES, ...ids(5));
  await time.pass(24 * HOUR);
  const before = attempts.length;
  for (const id of ids(20, 'new')) {
    await sellAt(SALES, id);
    await time.pass(1000);
  }
  expect(attempts.length - before).toBeLessThanOrEqual(2);
  await time.pass(MINUTE);
  play(() => OK);
  await sellAt(SALES, 'last');
  await time.passUntil(() => taken.size === 26, 2000);
});

test('Retry-After also applies to a refused end point', async () => {
  const { play, sellAt, time, attempts } = await open();
  play((_id, _nth, { endPoint }) =>
    endPoint === CANCELLATIONS ? INVALID : { answer: answered(429, { retryAfterMs: HOUR }) },
  );
  await sellAt(CANCELLATIONS, ...ids(5, 'C'));
  await time.pass(1000);
  await sellAt(SALES, 'sale');
  await time.pass(1000);
  const before = attempts.length;
  await time.pass(HOUR - MINUTE);
  expect(attempts.length).toBe(before);
});

test.each(Array.from({ length: 5 }, (_, i) => i + 1))(
  'seed %i: whatever the end points answer meanwhile, every good record is delivered and every bad one held in the end',
  async (seed) => {
    const random = openRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const forwarding = await openForwarding(random);
    await setUpstream(forwarding, 'https://a.test');
    const { play, sellAt, time, act } = forwarding;
    const endPoints = [SALES, CANCELLATIONS, 'v2/transaction'];
    let invalid = new Set<string>([pick(endPoints)]);
    let weather = (): Played => OK;
    play((id, _nth, { endPoint = '' }) => {
      const played = weather();
      const isTaken = played.answer.kind === 'answered' && played.answer.status === 200;
      const isInvalid = id.startsWith('bad') || invalid.has(endPoint);
      return { ...(isTaken && isInvalid ? INVALID : played), afterMs: 1 + random() * 40 };
    });
    const steps: Record<string, () => unknown> = {
      turn: () => void (invalid = new Set(endPoints.filter(() => random() < 0.4))),
      storm: () =>
        void (weather = pick<() => Played>([
          () => OK,
          () => (random() < 0.5 ? OK : { answer: answered(500) }),
          () => ({ answer: answered(429, { retryAfterMs: 5000 }) }),
          () => ({ answer: { kind: 'unreachable', reason: 'ECONNREFUSED' } }),
        ])),
      'set upstream': () => setUpstream(forwarding, pick(['https://a.test', 'https://b.test'])),
      'try now': () => act({ kind: 'try now' }, 'Bakery', 'earlier'),
      crash: forwarding.crash,
      restart: forwarding.restart,
      wait: () => time.pass(random() * 10 * MINUTE),
    };
    const sold = { good: 0, bad: 0 };
    for (let i = 0; i < 25; i++) {
      for (let n = Math.ceil(random() * 8); n > 0; n--) {
        const kind = random() < 0.15 ? 'bad' : 'good';
        await sellAt(pick(endPoints), `${kind} ${(sold[kind] += 1)}`);
      }
      await steps[pick(Object.keys(steps))]?.();
      await time.pass(random() < 0.5 ? random() * 50 : random() * MINUTE);
    }
    invalid = new Set();
    weather = () => OK;
    // Sells more good records. Each delivered record shows that the end point works, so only the bad records are at fault.
    const sellOn = async (): Promise<void> => {
      for (let round = 0; round < 6; round++) {
        for (const endPoint of endPoints) await sellAt(endPoint, `good ${(sold.good += 1)}`);
        await time.pass(10 * MINUTE);
      }
    };
    await sellOn();
    const stateOf = (wanted: string): unknown[] =>
      forwarding.deliveries().flatMap(({ id, state }) => (id.startsWith(wanted) ? [state] : []));
    expect(stateOf('good')).not.toContain('waiting');
    expect(new Set(stateOf('bad'))).toEqual(new Set(['held']));
    // If fewer than three good records in a row got 400, the lane blames the records and holds them. A new upstream releases
    // them.
    await setUpstream(forwarding, 'https://c.test');
    await sellOn();
    expect(await forwarding.lane('Bakery', 'earlier')).toMatchObject({
      state: 'running',
      cause: null,
      waiting: 0,
      held: sold.bad,
      delivered: sold.good,
    });
    expect(await forwarding.store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  },
);
