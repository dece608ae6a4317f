// Records as lists show them: newest first, filtered, without their bodies, each with how far it has come.

import type { DeliveryState, EarlierMethod, Interface, Mode, Status } from '../contract.ts';
import type { Connection } from './database.ts';
import type { Delivery } from './delivery.ts';

export interface RecordFilter {
  readonly administration?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly interface?: Interface | undefined;
  readonly status?: Status | undefined;
  readonly externalId?: string | undefined;
  readonly delivery?: DeliveryState | undefined;
  /** Only records with a smaller id: where the next page goes on. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** A record as lists show it, without its body. */
export interface RecordSummary {
  readonly recordId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly interface: Interface;
  /** Of the end point, as is `method`; null on the current interface. */
  readonly version: string | null;
  readonly method: EarlierMethod | null;
  readonly status: Status;
  readonly originalId: number | null;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly bytes: number;
  /** Whether the till's clock is far off, or the record comes late; undefined when neither. */
  readonly clock: ClockFlag | undefined;
  /** Null for a record that is not forwarded. */
  readonly delivery: Delivery | null;
}

export type ClockFlag = 'ahead' | 'late';

/** More than five minutes ahead of the gateway, or more than 48 hours behind (design, section 5). */
function clockFlag({ soldAt, receivedAt }: Pick<RecordSummary, 'soldAt' | 'receivedAt'>): ClockFlag | undefined {
  const behindMs = receivedAt - soldAt * 1000;
  if (behindMs < -5 * 60 * 1000) return 'ahead';
  return behindMs > 48 * 60 * 60 * 1000 ? 'late' : undefined;
}

/** Lists records newest first. */
export function listRecords(db: Connection, filter: RecordFilter): RecordSummary[] {
  const conditions = [
    filter.administration !== undefined && 'administrations.name = @administration',
    filter.mode !== undefined && 'mode = @mode',
    filter.interface !== undefined && 'records.interface = @interface',
    filter.status !== undefined && 'status = @status',
    filter.externalId !== undefined && 'external_id = @externalId',
    filter.delivery !== undefined && 'deliveries.state = @delivery',
    filter.beforeId !== undefined && 'records.id < @beforeId',
  ].filter((condition) => condition !== false);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const rows = db
    .prepare(`
    SELECT records.id AS recordId, administrations.name AS administration, mode, label AS till,
      records.interface, version, method, status, original_id AS originalId, external_id AS externalId, type, sold_at AS soldAt, received_at AS receivedAt,
      length(body) AS bytes,
      state, attempts, answered_at AS answeredAt, answer_status AS answerStatus, answer, upstream_status AS upstreamStatus, reason
    FROM records
    JOIN journals ON journals.id = records.journal_id
    JOIN administrations ON administrations.id = administration_id
    JOIN keys ON keys.id = key_id
    JOIN tills ON tills.id = till_id
    LEFT JOIN deliveries ON record_id = records.id
    ${where} ORDER BY records.id DESC LIMIT @limit`)
    .all(filter) as (Omit<RecordSummary, 'clock' | 'delivery'> & { [Name in keyof Delivery]: Delivery[Name] | null })[];
  return rows.map(({ state, attempts, answeredAt, answerStatus, answer, upstreamStatus, reason, ...row }) => ({
    ...row,
    clock: clockFlag(row),
    delivery:
      state === null
        ? null
        : { state, attempts: attempts ?? 0, answeredAt, answerStatus, answer, upstreamStatus, reason },
  }));
}
