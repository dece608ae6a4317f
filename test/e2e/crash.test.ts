// A gateway that dies at any moment: what was answered is there after the restart, once, and tills go on by themselves.
// Judged from what the tills were answered against what the interface lists, never from the gateway's own counters.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { postBody } from '../support/http-call.ts';
import { openRandom } from '../support/till/random.ts';
import { replaySales } from '../support/till/replay.ts';
import { openAnswers } from './answers.ts';
import { listReceived } from './read-back.ts';
import { BAKERY_DAYS, loadBakerySales, openTestSite } from './test-site.ts';

const ROUNDS = 5;
const SEED = 20_161_030;

test(
  `a gateway killed ${ROUNDS} times in a replay (seed ${SEED}) loses nothing that was answered and doubles nothing`,
  { timeout: 180_000 },
  async () => {
    const site = await openTestSite();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const { key } = await site.createKey('Till 1');
    let gateway = await site.startGateway();
    const sales = new Map((await loadBakerySales()).map(({ externalId, body }) => [externalId, body]));
    const answers = openAnswers();
    const random = openRandom(SEED);

    const replay = replaySales({
      url: gateway.url,
      keys: [key],
      sales: sales.values(),
      tills: 8,
      duplicates: 5,
      changed: 1,
      seed: SEED,
      signal: stop.signal,
      onAnswer: answers.note,
    });
    for (let round = 0; round < ROUNDS; round++) {
      await answers.reach(Math.floor(((round + random()) / ROUNDS) * sales.size), replay, gateway);
      await delay(random() * 10); // so that it strikes at any point of a commit, not only right after an answer
      gateway.kill('SIGKILL');
      expect(await gateway.exited).toEqual({ code: null, signal: 'SIGKILL', stderr: '' });
      const answered = [...answers.recordIds];

      gateway = await site.startGateway(gateway.port);
      const [id = '', recordId] = answered[Math.floor(random() * answered.length)] ?? [];
      const repeated = await postBody(gateway.url, key, sales.get(id) ?? '');
      expect(repeated.json()).toMatchObject({ external_id: id, status: 'IGNORED', original_record_id: recordId });
      const listed = new Set(await listReceived(gateway.url, key, BAKERY_DAYS));
      expect(answered.filter(([answeredId]) => !listed.has(answeredId))).toEqual([]);
    }

    const summary = await replay;
    expect(summary.faults).toEqual([]);
    expect(summary).toMatchObject({ ok: true, complete: true, sales: sales.size });
    expect(summary.retries).not.toEqual({});
    const received = await listReceived(gateway.url, key, BAKERY_DAYS);
    expect(received.toSorted()).toEqual([...sales.keys()].toSorted());

    // A call whose answer was lost may be kept, once for each time it was tried; nothing else may be.
    const { ok, records } = (await site.runJson('check')) as { ok: boolean; records: number };
    expect(ok).toBe(true);
    expect(records).toBeGreaterThanOrEqual(answers.total() + ROUNDS);
    expect(records).toBeLessThanOrEqual(answers.total() + ROUNDS + summary.lost);
  },
);
