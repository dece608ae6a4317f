// Routes of Records: search page by page, and one record in detail.

import type { RecordDetail, RecordPage } from '../contract/records.ts';
import { administrationOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { readCursor, recordQuery, searchOf, writeCursor } from './record-query.ts';
import { assertNoQuery, nothingHere, readId, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

export function bindRecords(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/records', async (req, res) => {
    const { cursor, limit, ...filter } = readQuery(req, recordQuery);
    administrationOfJournal(store, filter.journal);
    const after = cursor === undefined ? undefined : readCursor(cursor, filter);
    const { records, next, total, isFilling } = await store.records.search(searchOf(filter, limit, after));
    res.json({ records, next: next === undefined ? null : writeCursor(next), total, isFilling } satisfies RecordPage);
  });

  routes.forClerks.get('/api/records/:id', async (req, res) => {
    assertNoQuery(req);
    const record = await store.records.get(readId(req));
    if (record === undefined) throw nothingHere('This record does not exist.');
    res.json(record satisfies RecordDetail);
  });

  routes.forClerks.get('/api/records/:id/body', async (req, res) => {
    assertNoQuery(req);
    const id = readId(req);
    const body = await store.records.getBody(id);
    if (body === undefined) throw nothingHere('This record does not exist.');
    // A download, never displayed: the bytes of a till must not run as a page of the console.
    res.attachment(`record-${id}.txt`).type('application/octet-stream').send(Buffer.from(body));
  });
}
