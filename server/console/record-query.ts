// Reads the query of a record search. The address bar of the console has the same parameters. A cursor contains only data that
// is already on its page, but clients must not interpret it.

import { z } from 'zod';

import { readTypedAmount } from '../contract/amounts.ts';
import { DELIVERY_STATES, INTERFACES, MAX_EXTERNAL_ID, STATUSES } from '../contract/codes.ts';
import type { RecordQuery } from '../contract/records.ts';
import { GatewayError } from '../errors.ts';
import { parameterFault } from '../http/validation.ts';
import { parseDecimal } from '../lib/decimal.ts';
import type { RecordSearch, SearchPosition } from '../store/records/ledger.ts';
import { isInOrderOfId } from '../store/records/search-order.ts';
import { idText, numberText, secondText } from './request.ts';

const wellFormed = z
  .string()
  .min(1)
  .max(2 * MAX_EXTERNAL_ID) // in UTF-16 units
  .refine((text) => text.isWellFormed());

const amountOf = (text: string): bigint | undefined => parseDecimal(readTypedAmount(text) ?? '');
const amountText = z
  .string()
  .max(100)
  // before `transform`, whose result undefined would be reported as a missing parameter
  .refine((text) => amountOf(text) !== undefined, {
    error: 'must be an amount such as 12.50 or 12,50',
    params: { code: 'amount' },
  })
  .transform(amountOf);

const filters = {
  journal: idText,
  id: wellFormed.optional(),
  idEnd: wellFormed.optional(),
  amount: amountText.optional(),
  interface: z.enum(INTERFACES).optional(),
  status: z.enum(STATUSES).optional(),
  delivery: z.enum(DELIVERY_STATES).optional(),
  type: wellFormed.optional(),
  till: idText.optional(),
  from: secondText.optional(),
  to: secondText.optional(),
  order: z.enum(['newest', 'oldest']).default('newest'),
} satisfies Record<Exclude<keyof RecordQuery, 'cursor' | 'limit'> | 'journal', z.ZodType>;

/** The filters of the list and the export. */
export const recordFilter = z.strictObject(filters);

export const recordQuery = recordFilter.extend({
  cursor: z
    .string()
    .max(8 * MAX_EXTERNAL_ID)
    .optional(),
  limit: numberText(1, 500).default(100),
});

export function searchOf(
  { journal: journalId, id: idPrefix, till: tillId, ...filter }: z.infer<typeof recordFilter>,
  limit: number,
  after: SearchPosition | undefined,
): RecordSearch {
  return { journalId, idPrefix, tillId, ...filter, limit, after };
}

export function writeCursor(position: SearchPosition): string {
  const at = 'soldAt' in position ? position.soldAt : position.externalId;
  return Buffer.from(JSON.stringify([at, position.recordId])).toString('base64url');
}

const bySale = z.tuple([z.int(), z.int().positive()]).transform(([soldAt, recordId]) => ({ soldAt, recordId }));
const byId = z
  .tuple([z.string(), z.int().positive()])
  .transform(([externalId, recordId]) => ({ externalId, recordId }));

/** Reads a cursor. Throws `cursor_invalid` if it belongs to another kind of search. */
export function readCursor(cursor: string, filter: z.infer<typeof recordFilter>): SearchPosition {
  const isById = isInOrderOfId({ ...filter, idPrefix: filter.id });
  const result = (isById ? byId : bySale).safeParse(parse(cursor));
  if (result.success) return result.data;
  const fault = parameterFault('cursor', 'value', 'is not that of a page of this search');
  throw new GatewayError('cursor_invalid', { detail: `${fault.detail}.`, errors: [fault] });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
