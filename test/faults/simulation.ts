// The simulation of the forwarding in virtual time, with the real store. All faults come together, chosen at random with a seed.
// Answers are lost, repeated or late. The process dies. The clock jumps. The upstream fails for short times, refuses, slows
// down, and rejects some records.

import { expect } from 'vitest';

import type { Answer } from '../../server/forward/answer.ts';
import type { openForwarder } from '../../server/forward/forwarder.ts';
import { answered, type Forwarding, openForwarding, type Played } from '../support/forwarding.ts';
import { openRandom, type Random } from '../support/till/random.ts';
import { DAY, MINUTE } from '../support/virtual-time.ts';

const STEPS = 10;

/** How the upstream behaves for a while; `chance` is from 0 to 1. */
const WEATHERS: readonly ((chance: number) => Played)[] = [
  () => ({ answer: answered(201) }),
  (chance) => ({ answer: answered(201), afterMs: 1 + chance * 2000 }),
  () => ({ answer: { kind: 'unreachable', reason: 'ECONNREFUSED' } }),
  () => ({ answer: TIMEOUT, afterMs: 15_000 }),
  () => ({ answer: TIMEOUT, afterMs: 15_000, takes: true }),
  (chance) => (chance < 0.5 ? { answer: TIMEOUT, takes: true, afterMs: 50 } : { answer: answered(200) }),
  (chance) => ({ answer: TIMEOUT, afterMs: 15_000, takes: true, takesAfterMs: chance * 10 * MINUTE }),
  (chance) => ({ answer: answered(chance < 0.3 ? 500 : 201) }),
  () => ({ answer: answered(502) }),
  () => ({ answer: answered(401) }),
  () => ({ answer: answered(307) }),
  (chance) => ({ answer: chance < 0.5 ? answered(429, { retryAfterMs: chance * 60_000 }) : answered(201) }),
  (chance) => ({ answer: chance < 0.2 ? answered(429) : answered(201), takes: true }),
  (chance) => ({ answer: chance < 0.5 ? { kind: 'untrusted', reason: 'CERT_HAS_EXPIRED' } : answered(201) }),
];
const UPSTREAMS = [
  { url: 'https://upstream.test', token: 'prod_upstream' },
  { url: 'https://upstream.test/moved', token: 'prod_other' },
];
const TIMEOUT: Answer = { kind: 'unanswered', reason: 'UND_ERR_HEADERS_TIMEOUT' };

/** Jumps of the wall clock: a day ahead or back, and the clock of a machine without a battery. */
const JUMPS = [DAY, -DAY, -400 * DAY, Date.UTC(2038, 0, 20) - Date.UTC(2026, 10, 20)];

/**
 * Simulates one seed. Throws unless every record arrives, is held only after a rejection, and none is left waiting. `openLanes`
 * may be a broken variant.
 */
export async function simulate(seed: number, openLanes?: typeof openForwarder): Promise<void> {
  const random = openRandom(seed);
  const forwarding = await openForwarding(random, openLanes);
  try {
    await simulateOn(forwarding, random);
  } finally {
    await forwarding.close();
  }
}

async function simulateOn(forwarding: Forwarding, random: Random): Promise<void> {
  const { play, append, time, taken, attempts, act, deliveries, lane } = forwarding;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const sold = new Map<string, string>();
  /** For each id, the number of attempts whose answer was about the record itself. */
  const judged = new Map<string, number>();
  const isRefused = (id: string): boolean => id.startsWith('refused');
  const isPoison = (id: string): boolean => id.startsWith('poison');
  let hasHealed = false;
  let weather = pick(WEATHERS);

  play((id) => {
    const played = weather(random());
    const passes = played.answer.kind === 'answered' && played.answer.status < 300;
    const outcome: Played =
      passes && isRefused(id)
        ? { answer: answered(422) }
        : passes && isPoison(id) && !hasHealed
          ? { answer: answered(500), takes: random() < 0.5 }
          : played;
    if (outcome.answer.kind === 'unanswered' || (outcome.answer.kind === 'answered' && outcome.answer.status !== 429))
      judged.set(id, (judged.get(id) ?? 0) + 1);
    return outcome;
  });

  const sell = async (): Promise<void> => {
    const kind = random() < 0.1 ? 'refused' : random() < 0.15 ? 'poison' : 'good';
    const count = Math.ceil(random() * 12);
    for (let i = 0; i < count; i++) {
      const id = `${kind} ${sold.size}`;
      const total = random();
      sold.set(id, kind);
      const { status, recordId } = await append(id, { total });
      expect(status).toBe('NEW');
      if (random() < 0.1)
        expect(await append(id, { total })).toMatchObject({ status: 'IGNORED', originalId: recordId });
    }
  };
  const turn = async (): Promise<void> => void (weather = pick(WEATHERS));
  const rare: Record<string, () => Promise<unknown>> = {
    crash: forwarding.crash,
    restart: forwarding.restart,
    'try now': () => act({ kind: 'try now' }),
    'set upstream': () => act({ kind: 'set upstream', upstream: pick(UPSTREAMS) }),
    'send again': () => act({ kind: 'send again', records: { kind: 'all' }, delivered: random() < 0.5 }),
    'set upstream while sending': async () => {
      const before = attempts.length;
      await sell();
      await time.passUntil(() => attempts.length > before, MINUTE).catch(() => {}); // while the line is down, none is sent
      const other = UPSTREAMS.find(({ url }) => url !== attempts.at(-1)?.upstream.url);
      if (other !== undefined) await act({ kind: 'set upstream', upstream: other });
    },
    wait: () => time.pass(random() * 10 * MINUTE),
    'clock jump': async () => time.setWallClock(time.now() + pick(JUMPS)),
  };
  // Each seed has only some of the rare steps, because one step can hide the fault that another would show.
  const chosen = Object.values(rare).filter(() => random() < 0.4);
  const steps = [sell, sell, sell, turn, turn, turn, ...chosen];
  await sell();
  for (let i = 0; i < STEPS; i++) {
    await pick(steps)();
    // Continues at a random moment of the forwarder's work.
    await time.pass(random() < 0.5 ? random() * 30 : random() * 60_000);
  }

  hasHealed = true;
  weather = () => ({ answer: answered(201) });
  await time.pass(10 * MINUTE);
  const laidDown = deliveries();
  expect(laidDown.map(({ id }) => id)).toEqual([...sold.keys()]);
  for (const { id, state, attempts: counted } of laidDown) {
    expect({ id, state }).toEqual({ id, state: isRefused(id) ? 'held' : 'delivered' });
    expect(counted).toBeGreaterThanOrEqual(1);
    expect(counted).toBeLessThanOrEqual(judged.get(id) ?? 0);
    if (!isRefused(id)) expect(taken.get(id)).toBeGreaterThanOrEqual(1);
    // All attempts for an id have the same bytes, so that the upstream recognises them as one record.
    expect(new Set(attempts.filter((attempt) => attempt.id === id).map(({ body }) => body)).size).toBe(1);
  }
  const refused = [...sold.values()].filter((kind) => kind === 'refused').length;
  expect(await lane()).toMatchObject({
    state: 'running',
    cause: null,
    waiting: 0,
    held: refused,
    delivered: sold.size - refused,
  });
  expect(await forwarding.store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
}
