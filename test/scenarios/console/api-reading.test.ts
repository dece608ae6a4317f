// The page about reading with a token lists exactly the calls that a token may make, and the members of their answers.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { AddedReadTokenView } from '../../../server/contract/setup.ts';
import { type Ids, isApi, isChange, pathOf, ROWS } from '../../support/console-routes.ts';
import { enter } from '../../support/console.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/api-reading.md'), 'utf8');
/** The calls of the page, with the cell about their answers. */
const CALLS = [...PAGE.matchAll(/^\| `(\/api[^`]*)` \| (.*?) \|/gm)].map(([, path = '', answer = '']) => ({
  path,
  answer,
}));

let gateway: TestGateway;
let token: string;
let ids: Ids;
beforeAll(async () => {
  gateway = await openTestGateway({}, undefined, { rendererFolder: '/nowhere' });
  const { apiUrl, store, production } = gateway;
  const sold = await postBody(apiUrl, production.secret, bodyOf({ external_id: 'A-1' }));
  const manager = await enter(gateway);
  ({ token } = (
    await manager.send('POST', '/api/read-tokens', { name: 'Head office' })
  ).json() as unknown as AddedReadTokenView);
  ids = {
    journal: production.journalId,
    lane: store.outbox.lanes().find(({ journalId }) => journalId === production.journalId)?.id ?? 0,
    record: Number(sold.json()['record_id']),
    key: production.id,
  };
});
afterAll(() => gateway.close());

const withIds = (path: string): string =>
  path.replace('JOURNAL', String(ids.journal)).replace('RECORD', String(ids.record)).replace('LANE', String(ids.lane));

test('the page lists every call that clerks can read, and no other', () => {
  // The test has no certification, so the page names this call in the row of the list.
  const others = new Set(['GET /api/live', 'GET /api/certifications/:id']);
  const readable = ROWS.filter((row) => isApi(row) && !isChange(row) && row.for === 'clerks' && !others.has(row.route));
  expect(CALLS.map(({ path }) => withIds(path)).toSorted()).toEqual(readable.map((row) => pathOf(row, ids)).toSorted());
});

test.each(CALLS)('the answer of $path is as the page says', async ({ path, answer }) => {
  const got = await call(gateway.consoleUrl + withIds(path), { headers: { authorization: `Bearer ${token}` } });
  expect(got.status).toBe(200);
  const type = got.headers['content-type'];
  if (answer === 'CSV') return expect(type).toContain('text/csv');
  if (answer === 'bytes') return expect(type).toBe('application/octet-stream');
  const content: unknown = JSON.parse(got.text);
  expect(Array.isArray(content)).toBe(answer.startsWith('list'));
  const [described] = Array.isArray(content) ? (content as unknown[]) : [content];
  const members = [...answer.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(Object.keys((described ?? {}) as object).toSorted()).toEqual(members.toSorted());
});
