// A gateway is killed at random moments, while tills send by both interfaces and the upstream comes and goes. The judge knows
// only what the tills sent, what they were answered, and what the upstream has received.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { openAnswers } from '../e2e/answers.ts';
import { openUpstream, setUpstream, TOKEN } from '../e2e/lane.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { CURRENT, type Dialect, earlierDialect } from '../support/till/dialect.ts';
import { openRandom } from '../support/till/random.ts';
import { replaySales } from '../support/till/replay.ts';
import { type Attempt, openWire } from '../support/till/wire.ts';
import type { StandInSummary } from '../support/upstream/stand-in.ts';
import { waitUntil } from '../support/wait-until.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const KILLS = countOf({ commit: 12, nightly: 1000, release: 10_000 });
/** Gateways that are killed at the same time, so that one runs while another starts. */
const SITES = 2;
const ROUNDS = Math.ceil(KILLS / SITES);
const REPEAT = repeatOf('R1', KILLS);
/** Maximum time from the start of a gateway to its end. */
const MAX_LIFE_MS = 200;
/** Maximum calls of a resend after a restart. */
const MAX_TRIES = 3;
/**
 * Only a call that took this long may be repeated. On a busy machine, a till gives up after 15 s, and the gateway answers 408 if a
 * call is incomplete after 5 s.
 */
const SLOW_CALL_MS = 5000;
/** Sales per second of a group of tills. */
const RATE = 150;
const FLAPPING = `2%: close taken; 1%: 500; 1%: reset; 1%: cut; 0.5%: garbage; 1%: slow 100ms; 0.2%: dribble;
  accept x100, down for 200ms, accept x50, 503 for 100ms, 429 retry-after 1s x2, repeat`;

interface TillGroup {
  readonly name: string;
  readonly tills: number;
  readonly dialect: Dialect;
  /** How these tills resend after a restart: on the earlier interface by the other method. */
  readonly repeatDialect: Dialect;
}

const [GET, POST] = [earlierDialect('GET'), earlierDialect('POST')];
const GROUPS: readonly TillGroup[] = [
  { name: 'current', tills: 4, dialect: CURRENT, repeatDialect: CURRENT },
  { name: 'get', tills: 2, dialect: GET, repeatDialect: POST },
  { name: 'post', tills: 2, dialect: POST, repeatDialect: GET },
];

test('a gateway that is killed at random moments loses and doubles no answered sale, and forwards each', async (context) => {
  const summaries = await Promise.all(Array.from({ length: SITES }, (_, i) => killAgainAndAgain(SEED + i)));
  for (const behaviour of ['close taken', '500', 'reset', 'cut', '503']) {
    const times = summaries.reduce((sum, { behaviours }) => sum + (behaviours[behaviour] ?? 0), 0);
    expect(times, behaviour).toBeGreaterThan(0);
  }
  const sales = summaries.reduce((sum, { records }) => sum + records, 0);
  report(context, `${SITES * ROUNDS} kills, ${sales} sales: 0 lost, 0 doubled, 0 unsent`);
});

/** Kills the gateway of a new site in each round. Returns what its upstream received. */
async function killAgainAndAgain(seed: number): Promise<StandInSummary> {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const upstream = await openUpstream(FLAPPING, { keepBodies: false });
  await setUpstream(site, upstream.url, TOKEN);
  await setUpstream(site, `${upstream.url}/c/dev-plem/bakery/12`, TOKEN, '--interface', 'earlier');
  await (await site.startGateway()).stop(); // saves the compiled code, which a killed process does not
  let gateway = await site.startGateway();
  const random = openRandom(seed);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());

  let isOver = false;
  const groups = GROUPS.map((group) => {
    const answers = openAnswers();
    const sold: Buffer[] = [];
    function* sell(): Generator<Buffer> {
      while (!isOver) {
        sold.push(saleOf(`${group.name}-${sold.length}`));
        yield sold.at(-1) ?? Buffer.alloc(0);
      }
    }
    const replay = replaySales({
      url: gateway.url,
      keys: [key],
      dialect: group.dialect,
      sales: sell(),
      tills: group.tills,
      rate: RATE,
      duplicates: 5,
      changed: 1,
      seed,
      signal: stop.signal,
      onAnswer: answers.note,
    });
    return { ...group, answers, sold, replay };
  });

  await waitUntil(() => groups.every(({ answers }) => answers.total() > 0)); // so that each round can repeat an answered sale
  for (let round = 0; round < ROUNDS; round++) {
    await delay(random() * MAX_LIFE_MS);
    gateway.kill('SIGKILL');
    expect(await gateway.exited, REPEAT).toEqual({ code: null, signal: 'SIGKILL', stderr: '' });
    gateway = await site.startGateway(gateway.port);
    await Promise.all(
      groups.map(async ({ name, answers, repeatDialect }) => {
        const answered = [...answers.recordIds];
        const [externalId = '', originalId] = answered[Math.floor(random() * answered.length)] ?? [];
        const repeated = await resend(gateway.url, key, repeatDialect, saleOf(externalId));
        // A gateway that has ended says why.
        if (repeated.kind === 'failed')
          expect(await Promise.race([gateway.exited, delay(1000, 'runs')]), REPEAT).toBe('runs');
        expect(repeated, `${name}: ${REPEAT}`).toMatchObject({
          receipt: { externalId, status: 'IGNORED', originalId },
        });
      }),
    );
  }
  isOver = true;
  const summaries = await Promise.all(groups.map(({ replay }) => replay));
  for (const summary of summaries) {
    expect(summary, REPEAT).toMatchObject({ ok: true, complete: true, faults: [] });
    expect(summary.retries).not.toEqual({});
  }

  const sold = groups.flatMap((group) => group.sold.map((_, i) => `${group.name}-${i}`));
  await upstream.setScript('accept');
  await waitUntil(() => upstream.summary().records >= sold.length);
  const effects = upstream.effects.map(({ id, statuses }) => ({ id, news: statuses.NEW, errors: statuses.ERROR }));
  expect(effects.map(({ id }) => id).toSorted()).toEqual(sold.toSorted());
  expect(effects.filter(({ news, errors }) => news !== 1 || errors !== 0)).toEqual([]);
  expect(await site.runJson('check')).toMatchObject({ ok: true });
  return upstream.summary();
}

/** The sale with this id. It is always the same, so that a repeat has the same content. */
function saleOf(externalId: string): Buffer {
  const object = { amount: 12.5, text: externalId.repeat(10) };
  return Buffer.from(
    JSON.stringify({ type: 'sale', external_id: externalId, timestamp: '2026-11-20T10:00:00Z', object }),
  );
}

/** Sends a sale. Repeats it only if a slow call got no answer. */
async function resend(url: string, key: string, dialect: Dialect, record: Buffer): Promise<Attempt> {
  const wire = openWire(url, key, dialect);
  try {
    for (let tries = 1; ; tries++) {
      const startedAt = performance.now();
      const attempt = await wire.attempt(dialect.bodyOf(record));
      const isSlow = performance.now() - startedAt >= SLOW_CALL_MS;
      if (attempt.kind !== 'failed' || !isSlow || tries === MAX_TRIES) return attempt;
    }
  } finally {
    await wire.close();
  }
}
