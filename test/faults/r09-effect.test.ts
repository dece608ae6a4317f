// All faults together, chosen at random with a seed. Answers are lost, repeated or late. The process dies. The upstream fails
// for short times, refuses, slows down, and rejects some records. The test checks what the upstream received.

import { expect, test } from 'vitest';

import type { Answer } from '../../server/forward/answer.ts';
import { answered, openForwarding, type Played } from '../support/forwarding.ts';
import { openRandom } from '../support/till/random.ts';
import { MINUTE } from '../support/virtual-time.ts';

const SEEDS = 20;
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

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  'seed %i: every record arrives, takes effect once, is held only after a rejection, and none is left waiting',
  async (seed) => {
    const random = openRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const forwarding = await openForwarding(random);
    const { play, append, time, taken, attempts, act, deliveries, lane } = forwarding;
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
        sold.set(id, kind);
        await append(id, { total: random() });
      }
    };
    const turn = async (): Promise<void> => void (weather = pick(WEATHERS));
    const rare: Record<string, () => Promise<unknown>> = {
      crash: forwarding.crash,
      restart: forwarding.restart,
      'try now': () => act({ kind: 'try now' }),
      'set upstream': () => act({ kind: 'set upstream', upstream: pick(UPSTREAMS) }),
      'send again': () => act({ kind: 'send again', records: { kind: 'all' }, delivered: random() < 0.5 }),
      wait: () => time.pass(random() * 10 * MINUTE),
    };
    const steps = [sell, sell, sell, turn, turn, turn, ...Object.values(rare)];
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
  },
);
