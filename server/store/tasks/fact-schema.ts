// Reads facts of tasks back from the database, where each is kept as JSON.

import { z } from 'zod';

import { ARCHIVE_FAILURES, ARCHIVE_FAULTS } from '../../contract/archive.ts';
import { BACKUP_FAULTS } from '../../contract/backups.ts';
import { CAUSE_CODES, ERROR_CODES, type ErrorCode, INTERFACES, LANE_STATES } from '../../contract/codes.ts';
import { SURENESS } from '../../contract/gaps.ts';
import type { TaskFact } from '../../contract/todo.ts';
import { REASON_CODES } from '../../contract/verdicts.ts';

const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const of = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ kind: z.literal(kind), ...shape });

export const taskFact = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['store_full', 'store_unavailable']), since: z.number() }),
  of('records_damaged', { records: z.int() }),
  of('wal_damaged', { foundAt: z.number(), hasLostSales: z.boolean() }),
  of('index_damaged', { foundAt: z.number() }),
  of('clock_wrong', {}),
  of('disk_low', { freeBytes: z.number() }),
  of('backup_old', { lastAt: z.number().nullable() }),
  of('backup_failed', { fault: z.enum(BACKUP_FAULTS), folder: z.string(), since: z.number() }),
  of('archive_failed', {
    fault: z.enum([...ARCHIVE_FAULTS, ...ARCHIVE_FAILURES]),
    folder: z.string(),
    files: z.int(),
    records: z.int(),
    since: z.number(),
  }),
  of('certificate_ends', {
    of: z.enum(['files', 'own', 'authority']),
    expiresAt: z.number(),
    isOver: z.boolean(),
  }),
  of('upstream_stopped', {
    interface: z.enum(INTERFACES),
    state: z.enum(LANE_STATES).exclude(['running']),
    cause: z.enum(CAUSE_CODES).nullable(),
    since: z.number(),
    waiting: z.int(),
  }),
  of('held', { interface: z.enum(INTERFACES), records: z.int() }),
  of('day_differs', {
    date,
    reasons: z.array(z.strictObject({ code: z.enum(REASON_CODES), count: z.int() })),
    missing: z.array(z.string()).default([]), // facts of an earlier version have no ids
  }),
  of('silent_till', { till: z.string(), tillId: z.int(), since: z.number(), sureness: z.enum(SURENESS) }),
  of('numbers_skipped', {
    date,
    tills: z.array(z.string()),
    numbers: z.int(),
    ranges: z.array(z.tuple([z.string(), z.string()])),
    sureness: z.enum(SURENESS),
  }),
  of('conflicts', { date, from: z.int(), to: z.int(), records: z.int(), tills: z.array(z.string()) }),
  of('refusals', {
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    till: z.string().nullable(),
    calls: z.int(),
    lastAt: z.number(),
  }),
]) satisfies z.ZodType<TaskFact>;

/** Reads a stored fact. Returns undefined for a fact that this version does not know. */
export function parseFact(json: string): TaskFact | undefined {
  try {
    return taskFact.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined; // not JSON
  }
}
