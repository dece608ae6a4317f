// A record as lists show it: with its delivery, but without its body.

import { findCause, parseCause } from '../../../cause.ts';
import {
  AHEAD_MINUTES,
  type ClockFlag,
  type Delivery,
  LATE_HOURS,
  type RecordSummary,
} from '../../../contract/records.ts';
import { AMOUNT_COLUMNS, AMOUNT_JOIN, type AmountRow, recordAmountOf } from '../amounts/record-amount.ts';
import { BODY_BYTES_SQL } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';

export const SUMMARY_SQL = `
  SELECT records.id AS recordId, administrations.name AS administration, mode, label AS till, key_id AS keyId,
    records.interface, version, method, status, original_id AS originalId, external_id AS externalId, type, sold_at AS soldAt, received_at AS receivedAt,
    ${BODY_BYTES_SQL} AS bytes,
    state, attempts, answered_at AS answeredAt, answer_status AS answerStatus, answer, upstream_status AS upstreamStatus, reason,
    EXISTS (
      SELECT 1 FROM clock_faults WHERE first_record_id <= records.id AND coalesce(last_record_id, records.id) >= records.id
    ) AS isOwnClockWrong, ${AMOUNT_COLUMNS}
  FROM records
  JOIN journals ON journals.id = records.journal_id
  JOIN administrations ON administrations.id = administration_id
  JOIN keys ON keys.id = key_id
  JOIN tills ON tills.id = till_id
  LEFT JOIN deliveries ON record_id = records.id ${AMOUNT_JOIN}`;

export type SummaryRow = Omit<RecordSummary, 'amount' | 'clock' | 'delivery'> & {
  [Name in Exclude<keyof Delivery, 'cause'>]: Delivery[Name] | null;
} & { readonly isOwnClockWrong: 0 | 1 } & AmountRow;

export function summaryOf(row: SummaryRow): RecordSummary {
  const {
    state,
    attempts,
    answeredAt,
    answerStatus,
    answer: _,
    upstreamStatus,
    reason,
    isOwnClockWrong,
    ruleId: _ruleId,
    isPending: _isPending,
    stored: _stored,
    ...record
  } = row;
  return {
    ...record,
    amount: recordAmountOf(row),
    clock: isOwnClockWrong === 1 ? 'gateway' : clockFlag(record),
    delivery:
      state === null
        ? null
        : { state, attempts: attempts ?? 0, answeredAt, answerStatus, ...said(row), upstreamStatus, reason },
  };
}

/** Splits the column `answer`. The column has either the upstream's answer, or the cause of a failed attempt. */
function said({ state, answer, answerStatus }: SummaryRow): Pick<Delivery, 'answer' | 'cause'> {
  if (answer === null) return { answer, cause: null };
  if (answerStatus === null) return { answer: null, cause: parseCause(answer) };
  const cause = state === 'held' ? undefined : findCause(answer);
  return cause === undefined ? { answer, cause: null } : { answer: null, cause };
}

/** Flags a sale whose date differs too much from the gateway's clock (docs/operate.md#clocks). */
function clockFlag({ soldAt, receivedAt }: Pick<RecordSummary, 'soldAt' | 'receivedAt'>): ClockFlag | undefined {
  const behindMs = receivedAt - soldAt * 1000;
  if (behindMs < -AHEAD_MINUTES * 60 * 1000) return 'ahead';
  return behindMs > LATE_HOURS * 60 * 60 * 1000 ? 'late' : undefined;
}

/** Reads one record; undefined if there is none. */
export function openSummaryReader(db: Connection): (recordId: number) => RecordSummary | undefined {
  const select = db.prepare<[number], SummaryRow>(`${SUMMARY_SQL} WHERE records.id = ?`);
  return (recordId) => {
    const row = select.get(recordId);
    return row && summaryOf(row);
  };
}
