// The bytes of any body are stored, forwarded, shown and exported as they came, whether the body is an original, a duplicate or a
// changed resend.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import { inert } from '../../server/console/csv.ts';
import { backUp } from '../../server/store/data-directory.ts';
import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { enter } from '../support/console.ts';
import { parseCsv } from '../support/csv-cells.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const OBJECTS = countOf({ commit: 300, nightly: 100_000 });
/** Bodies with the same id, on average. */
const BODIES_OF_ID = 5;

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 5 });
const json = fc.oneof(fc.json({ stringUnit: 'binary' }), fc.json({ depthSize: 'medium' }));
const body = fc.record({
  before: space,
  object: fc.tuple(fc.string(), json),
  more: fc.tuple(fc.string(), json),
  after: space,
});

test('any object is stored, forwarded, shown and exported byte for byte', async (context) => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const upstream = await openStandIn();
  onTestFinished(() => upstream.close());
  await gateway.store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'test');
  await gateway.store.outbox.performAct(
    { administration: 'Bakery', mode: 'test', interface: 'current' },
    { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_upstream' } },
    'test',
  );
  const manager = await enter(gateway);
  const db = openDatabase(databasePath(gateway.dataDir), 'read');
  onTestFinished(() => void db.close());
  const stored = db.prepare<[number], Buffer>('SELECT body FROM records WHERE id = ?').pluck();
  const sent: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 2, maxLength: 8 }), fc.uuid(), async (bodies, external_id) => {
      const member = ([name, value]: readonly [string, string]): string => `${JSON.stringify(`x${name}`)}:${value}`;
      const texts = bodies.map(
        ({ before, object, more, after }) =>
          before + bodyOf({ external_id, object: `{${member(object)}}`, more: member(more) }) + after,
      );
      const answers = await Promise.all(texts.map((text) => postBody(gateway.apiUrl, gateway.test.secret, text)));
      sent.push(...texts);
      const recordIds = answers.map((answer) => Number(answer.json()['record_id']));
      for (const [i, recordId] of recordIds.entries())
        expect(stored.get(recordId)?.equals(Buffer.from(texts[i] ?? ''))).toBe(true);
      const shown = await Promise.all(recordIds.map((recordId) => manager.get(`/api/records/${recordId}/body`)));
      expect(shown.map(({ text }) => text)).toEqual(texts);
    }),
    { numRuns: Math.ceil(OBJECTS / BODIES_OF_ID), seed: SEED },
  );
  await upstream.waitUntil(({ attempts, queries }) => attempts - queries >= sent.length);
  const posts = upstream.attempts.filter(({ method }) => method === 'POST');
  const forwarded = posts.map(({ bytes }) => bytes.toString());
  expect(forwarded.toSorted(), repeatOf('S5', OBJECTS)).toEqual(sent.toSorted());

  const file = join(temporaryFolder(), 'backup.db');
  await backUp(gateway.dataDir, file);
  const backup = new Database(file, { readonly: true });
  onTestFinished(() => void backup.close());
  const kept = backup.prepare<[], Buffer>('SELECT body FROM records').pluck().all();
  expect(kept.map(String).toSorted(), repeatOf('S5', OBJECTS)).toEqual(sent.toSorted());
  const csv = await manager.get(`/api/records.csv?journal=${gateway.test.journalId}&status=all`);
  const [header = [], ...rows] = parseCsv(csv.text, ',');
  const cells = rows.map((row) => row[header.indexOf('content')] ?? '');
  expect(cells.toSorted(), repeatOf('S5', OBJECTS)).toEqual(sent.map(inert).toSorted());
  report(context, `${sent.length} objects, each identical`);
});
