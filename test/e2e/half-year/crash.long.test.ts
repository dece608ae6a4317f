// A gateway dies at random moments. After the restart every answered sale exists exactly once, and tills continue
// automatically. The test compares the tills' answers with the listed records, never with the gateway's counters.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { CURRENT, type Dialect, earlierDialect } from '../../support/till/dialect.ts';
import { openRandom } from '../../support/till/random.ts';
import { replaySales } from '../../support/till/replay.ts';
import { type Attempt, openWire } from '../../support/till/wire.ts';
import { openAnswers } from '../answers.ts';
import { listKept, listReceived } from '../read-back.ts';
import { BAKERY_DAYS, loadBakerySales, openTestSite } from '../test-site.ts';

const ROUNDS = 5;
const SEED = 20_161_030;

interface TillGroup {
  readonly tills: number;
  /** Whether these tills make the i-th sale. */
  readonly makes: (i: number) => boolean;
  readonly dialect: Dialect;
  /**
   * How these tills resend after a restart. On the earlier interface, the resend uses GET if the first call was a POST, and
   * POST if it was a GET.
   */
  readonly repeatDialect: Dialect;
}

const [GET, POST] = [earlierDialect('GET'), earlierDialect('POST')];
const GROUPS: readonly TillGroup[] = [
  { tills: 4, makes: (i) => i % 2 === 0, dialect: CURRENT, repeatDialect: CURRENT },
  { tills: 2, makes: (i) => i % 4 === 1, dialect: GET, repeatDialect: POST },
  { tills: 2, makes: (i) => i % 4 === 3, dialect: POST, repeatDialect: GET },
];

test(
  `a gateway killed ${ROUNDS} times in a replay by both interfaces (seed ${SEED}) loses no answered sale and doubles none`,
  { timeout: 180_000 },
  async () => {
    const site = await openTestSite();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const { key } = await site.createKey('Till 1');
    let gateway = await site.startGateway();
    const sales = await loadBakerySales();
    const answers = openAnswers();
    const random = openRandom(SEED);

    const groups = GROUPS.map(({ makes, ...group }) => ({ ...group, sales: sales.filter((_, i) => makes(i)) }));
    const replays = Promise.all(
      groups.map((group) =>
        replaySales({
          url: gateway.url,
          keys: [key],
          dialect: group.dialect,
          sales: group.sales.map(({ body }) => body),
          tills: group.tills,
          duplicates: 5,
          changed: 1,
          seed: SEED,
          signal: stop.signal,
          onAnswer: answers.note,
        }),
      ),
    );
    const listOriginals = async (): Promise<string[]> => {
      const earlier = (await listKept(site, 'earlier')).filter(({ status }) => status === 'NEW');
      const current = await listReceived(gateway.url, key, BAKERY_DAYS);
      return [...current, ...earlier.map(({ externalId }) => externalId)];
    };
    for (let round = 0; round < ROUNDS; round++) {
      await answers.reach(Math.floor(((round + random()) / ROUNDS) * sales.length), replays, gateway);
      // waits a random time, so that the kill hits any point of a commit, not only the moment after an answer
      await delay(random() * 10);
      gateway.kill('SIGKILL');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGKILL', stderr: '' });
      const answered = new Map(answers.recordIds);

      gateway = await site.startGateway(gateway.port);
      for (const { sales: made, repeatDialect } of groups) {
        const answeredSales = made.filter(({ externalId }) => answered.has(externalId));
        const sale = answeredSales[Math.floor(random() * answeredSales.length)];
        const repeated = await sendOnce(gateway.url, key, repeatDialect, sale?.body ?? Buffer.alloc(0));
        const originalId = answered.get(sale?.externalId ?? '');
        expect(repeated).toMatchObject({ receipt: { externalId: sale?.externalId, status: 'IGNORED', originalId } });
      }
      const listed = new Set(await listOriginals());
      expect([...answered.keys()].filter((id) => !listed.has(id))).toEqual([]);
    }

    const summaries = await replays;
    for (const [i, summary] of summaries.entries()) {
      expect(summary.faults).toEqual([]);
      expect(summary).toMatchObject({ ok: true, complete: true, sales: groups[i]?.sales.length });
      expect(summary.retries).not.toEqual({});
    }
    expect((await listOriginals()).toSorted()).toEqual(sales.map(({ externalId }) => externalId).toSorted());

    // If an answer was lost, the gateway may have kept that attempt and also its retry. It must have kept nothing else.
    const { ok, records } = (await site.runJson('check')) as { ok: boolean; records: number };
    expect(ok).toBe(true);
    const repeats = ROUNDS * groups.length;
    const lost = summaries.reduce((sum, summary) => sum + summary.lost, 0);
    expect(records).toBeGreaterThanOrEqual(answers.total() + repeats);
    expect(records).toBeLessThanOrEqual(answers.total() + repeats + lost);
  },
);

async function sendOnce(url: string, key: string, dialect: Dialect, record: Buffer): Promise<Attempt> {
  const wire = openWire(url, key, dialect);
  try {
    return await wire.attempt(dialect.bodyOf(record));
  } finally {
    await wire.close();
  }
}
