// Routes of Upstream: the lanes with their states, and the acts on them.

import { z } from 'zod';

import { MAX_REASON_LENGTH } from '../contract/codes.ts';
import type { LaneActAnswer, LaneActRequest, LaneView, WaitingSample } from '../contract/lanes.ts';
import type { RecordChoice } from '../contract/records.ts';
import { assertNever } from '../errors.ts';
import type { OutboxLedger, Act } from '../store/outbox/ledger.ts';
import { laneOf, viewLane } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody, readId } from './request.ts';
import type { Routes } from './rights.ts';
import { readUpstreamRequest, upstreamRequest } from './upstream-request.ts';

const second = z.int().min(-62_135_596_800).max(253_402_300_800);
const choice = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('one'), recordId: z.int().positive() }),
  z.strictObject({ kind: z.literal('some'), recordIds: z.array(z.int().positive()).min(1).max(500) }),
  z.strictObject({ kind: z.literal('sold'), from: second, to: second }),
  z.strictObject({ kind: z.literal('held') }),
  z.strictObject({ kind: z.literal('all') }),
]) satisfies z.ZodType<RecordChoice>;
const reason = z
  .string()
  .trim()
  .refine((text) => text.length >= 1 && text.length <= MAX_REASON_LENGTH && text.isWellFormed(), {
    error: `must have 1 to ${MAX_REASON_LENGTH} characters`,
    params: { code: 'length' },
  });
const actRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['pause', 'resume', 'try now']) }),
  z
    .strictObject({ kind: z.literal('send again'), records: choice, delivered: z.boolean().exactOptional() })
    .refine(({ records, delivered = false }) => !delivered || records.kind !== 'all', {
      path: ['delivered'],
      error: 'delivered records can be sent again for one record or one range only',
      params: { code: 'all' },
    }),
  z.strictObject({ kind: z.literal('set aside'), records: choice, reason }),
]) satisfies z.ZodType<unknown, LaneActRequest>;

export function bindLanes(routes: Routes, { store, samples, upstreams }: ConsoleParts): void {
  routes.forClerks.get('/api/lanes/:id/waiting', (req, res) => {
    assertNoQuery(req);
    res.json(samples.listOf(laneOf(store, readId(req)).id) satisfies readonly WaitingSample[]);
  });

  routes.forManagers.post('/api/lanes/:id/acts', async (req, res) => {
    assertNoQuery(req);
    const lane = laneOf(store, readId(req));
    const wanted = readBody(req, actRequest);
    const act: Act = wanted.kind === 'send again' ? { delivered: false, ...wanted } : wanted;
    const result = await store.outbox.performAct(lane, act, sessionOf(res).actor);
    res.json({ records: recordsOf(result) } satisfies LaneActAnswer);
  });

  routes.forManagers.put('/api/lanes/:id/upstream', async (req, res) => {
    assertNoQuery(req);
    const lane = laneOf(store, readId(req));
    const upstream = await readUpstreamRequest(lane, readBody(req, upstreamRequest), upstreams);
    const act: Act = { kind: 'set upstream', upstream };
    recordsOf(await store.outbox.performAct(lane, act, sessionOf(res).actor));
    const status = (await store.outbox.listLaneStatus()).find(({ id }) => id === lane.id);
    if (status === undefined) throw nothingHere();
    res.json(viewLane(status) satisfies LaneView);
  });
}

function recordsOf(result: Awaited<ReturnType<OutboxLedger['performAct']>>): number {
  switch (result.kind) {
    case 'done':
      return result.records;
    case 'unknown lane':
      throw nothingHere();
    default:
      return assertNever(result);
  }
}
