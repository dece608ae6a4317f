// A gateway is stopped again and again while tills send and one till has stopped in the middle of a call. Each stop is clean
// and quick, and every answered sale is stored.

import { expect, onTestFinished, test } from 'vitest';

import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { openAnswers } from '../e2e/answers.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { openRawConnection } from '../support/raw-call.ts';
import { replaySales } from '../support/till/replay.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

const STOPS = countOf({ commit: 1, nightly: 200 });
const ANSWERS = 300;
const TILLS = 16;
const MAX_STOP_MS = 5000;

test('every stop under load is clean and quick, and every answered sale is stored', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const answers = openAnswers();
  let sold = 0;
  function* sell(): Generator<Buffer> {
    for (;;) {
      sold += 1;
      const sale = { type: 'sale', external_id: `T-${sold}`, timestamp: '2026-11-20T10:00:00Z', object: { sold } };
      yield Buffer.from(JSON.stringify(sale));
    }
  }
  let slowestMs = 0;
  for (let stop = 0; stop < STOPS; stop++) {
    const gateway = await site.startGateway();
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const tills = { url: gateway.url, keys: [key], sales: sell(), tills: TILLS, signal: end.signal };
    const replay = replaySales({ ...tills, onAnswer: answers.note });
    const stalled = await openRawConnection(gateway.url);
    onTestFinished(() => stalled.destroy());
    stalled.send(
      `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${key}\r\nContent-Type: application/json\r\n`,
    );
    stalled.send('Content-Length: 100\r\nExpect: 100-continue\r\n\r\n');
    expect((await stalled.next())?.status).toBe(100);
    await answers.reach(answers.total() + ANSWERS, replay, gateway);
    const signalledAt = performance.now();
    expect(await gateway.stop(), repeatOf('R17', STOPS)).toEqual({ code: 0, signal: null, stderr: '' });
    slowestMs = Math.max(slowestMs, performance.now() - signalledAt);
    end.abort();
    expect(await replay).toMatchObject({ complete: false, faults: [] });
  }
  const db = openDatabase(databasePath(site.dataDir), 'read');
  onTestFinished(() => void db.close());
  const stored = new Set(db.prepare<[], string>('SELECT external_id FROM records').pluck().all());
  expect([...answers.recordIds.keys()].filter((id) => !stored.has(id))).toEqual([]);
  if (JUDGES_TIME) expect(slowestMs, repeatOf('R17', STOPS)).toBeLessThan(MAX_STOP_MS);
  report(context, `${STOPS} stops, ${answers.total()} answers: all stored; slowest stop ${slowestMs.toFixed(0)} ms`);
});
