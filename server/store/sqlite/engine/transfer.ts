// Packs groups of arrivals, outcomes and settlements for the transfer between threads: numbers in one typed array, bodies in
// one transferred buffer, texts in one list. Cloning an object per record would take more time than storing the record.

import { STATUSES } from '../../../contract/codes.ts';
import type { Settlement } from '../../outbox/ledger.ts';
import type { Arrival, Compared, EarlierCall, Outcome } from '../../records/ledger.ts';
import { SETTLED_STATES } from '../outbox/delivery.ts';
import type { Uncompared } from '../records/record.ts';

export interface PackedArrivals {
  readonly count: number;
  readonly numbers: Float64Array;
  /** The texts of the arrivals in order: for each arrival, first its externalId, then its type. */
  readonly texts: readonly string[];
  /** Extra fields of arrivals of the earlier interface, by position in the group. */
  readonly earlier: ReadonlyMap<number, EarlierCall>;
  /** Comparisons of changed resends, by position in the group. */
  readonly compared: ReadonlyMap<number, Compared>;
  readonly bodies: ArrayBuffer;
}

/** Seven numbers of each arrival: journalId, tillId, keyId, soldAt, isTimedElsewhere, receivedAt, bytes of the body. */
const ARRIVAL_NUMBERS = 7;
/**
 * Three numbers of each result. First: the recordId or, for UNCOMPARED, the size of the original in bytes. Second: the index of
 * the status, FAILED or UNCOMPARED. Third: the originalId or 0.
 */
const OUTCOME_NUMBERS = 3;
const FAILED = -1;
const UNCOMPARED = -2;
/**
 * Eight numbers of each settlement: recordId, index of the status, soldAt, index of the state, attempts, answeredAt,
 * answerStatus and index of upstreamStatus. The last two are -1 for null.
 */
const SETTLEMENT_NUMBERS = 8;

/** Packs arrivals for the writer thread. The caller should transfer the buffer `bodies`, not copy it. */
export function packArrivals(arrivals: readonly Arrival[]): PackedArrivals {
  const numbers = new Float64Array(arrivals.length * ARRIVAL_NUMBERS);
  const texts: string[] = [];
  const earlier = new Map<number, EarlierCall>();
  const compared = new Map<number, Compared>();
  const bodies = new Uint8Array(arrivals.reduce((bytes, { body }) => bytes + body.byteLength, 0));
  let at = 0;
  let offset = 0;
  for (const [i, arrival] of arrivals.entries()) {
    if (arrival.earlier !== undefined) earlier.set(i, arrival.earlier);
    if (arrival.compared !== undefined) compared.set(i, arrival.compared);
    numbers[at++] = arrival.journalId;
    numbers[at++] = arrival.tillId;
    numbers[at++] = arrival.keyId;
    numbers[at++] = arrival.soldAt;
    numbers[at++] = Number(arrival.isTimedElsewhere);
    numbers[at++] = arrival.receivedAt;
    numbers[at++] = arrival.body.byteLength;
    texts.push(arrival.externalId, arrival.type);
    bodies.set(arrival.body, offset);
    offset += arrival.body.byteLength;
  }
  return { count: arrivals.length, numbers, texts, earlier, compared, bodies: bodies.buffer };
}

/** Unpacks arrivals in the writer thread. Their bodies are views of one shared buffer. */
export function unpackArrivals({ count, numbers, texts, earlier, compared, bodies }: PackedArrivals): Arrival[] {
  const arrivals: Arrival[] = [];
  let at = 0;
  let offset = 0;
  const next = (): number => numbers[at++] ?? 0;
  for (let i = 0; i < count; i++) {
    const [journalId, tillId, keyId, soldAt] = [next(), next(), next(), next()];
    const [isTimedElsewhere, receivedAt, length] = [next() === 1, next(), next()];
    arrivals.push({
      journalId,
      tillId,
      keyId,
      earlier: earlier.get(i),
      soldAt,
      isTimedElsewhere,
      receivedAt,
      externalId: texts[2 * i] ?? '',
      type: texts[2 * i + 1] ?? '',
      body: Buffer.from(bodies, offset, length),
      compared: compared.get(i),
    });
    offset += length;
  }
  return arrivals;
}

/** `failed` means that this arrival was not stored. Other arrivals of its group may have been stored. */
export type AppendResult =
  | Outcome
  | Uncompared
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

export interface PackedResults {
  readonly numbers: Float64Array;
  /** Texts of results by position in the group: the differences of an ERROR, or the code and message of a failure. */
  readonly details: ReadonlyMap<number, readonly string[]>;
}

/** Packs results in the writer thread, in the order of the arrivals. */
export function packResults(results: readonly AppendResult[]): PackedResults {
  const numbers = new Float64Array(results.length * OUTCOME_NUMBERS);
  const details = new Map<number, readonly string[]>();
  results.forEach((result, i) => {
    if (result.status === 'failed') {
      numbers[i * OUTCOME_NUMBERS + 1] = FAILED;
      details.set(i, [result.code, result.message]);
      return;
    }
    if (result.status === 'uncompared') {
      numbers[i * OUTCOME_NUMBERS] = result.originalBytes;
      numbers[i * OUTCOME_NUMBERS + 1] = UNCOMPARED;
      numbers[i * OUTCOME_NUMBERS + 2] = result.originalId;
      return;
    }
    numbers[i * OUTCOME_NUMBERS] = result.recordId;
    numbers[i * OUTCOME_NUMBERS + 1] = STATUSES.indexOf(result.status);
    if (result.status !== 'NEW') numbers[i * OUTCOME_NUMBERS + 2] = result.originalId;
    if (result.status === 'ERROR') details.set(i, result.differences);
  });
  return { numbers, details };
}

/** Unpacks the result of the arrival at position `i` of the group. */
export function unpackResult({ numbers, details }: PackedResults, i: number): AppendResult {
  const first = numbers[i * OUTCOME_NUMBERS] ?? 0;
  const statusIndex = numbers[i * OUTCOME_NUMBERS + 1] ?? FAILED;
  const originalId = numbers[i * OUTCOME_NUMBERS + 2] ?? 0;
  if (statusIndex === UNCOMPARED) return { status: 'uncompared', originalId, originalBytes: first };
  const recordId = first;
  const status = STATUSES[statusIndex];
  const detail = details.get(i) ?? [];
  switch (status) {
    case 'NEW':
      return { status, recordId };
    case 'IGNORED':
      return { status, recordId, originalId };
    case 'ERROR':
      return { status, recordId, originalId, differences: detail };
    default:
      return { status: 'failed', code: detail[0] ?? '', message: detail[1] ?? '' };
  }
}

export interface PackedSettlements {
  readonly numbers: Float64Array;
  /** The upstream's answers, by position in the group. */
  readonly answers: ReadonlyMap<number, string>;
}

/** Packs settlements for the writer. */
export function packSettlements(settlements: readonly Settlement[]): PackedSettlements {
  const numbers = new Float64Array(settlements.length * SETTLEMENT_NUMBERS);
  const answers = new Map<number, string>();
  let at = 0;
  for (const [i, settlement] of settlements.entries()) {
    numbers[at++] = settlement.recordId;
    numbers[at++] = STATUSES.indexOf(settlement.status);
    numbers[at++] = settlement.soldAt;
    numbers[at++] = SETTLED_STATES.indexOf(settlement.state);
    numbers[at++] = settlement.attempts;
    numbers[at++] = settlement.answeredAt;
    numbers[at++] = settlement.answerStatus ?? -1;
    numbers[at++] = settlement.upstreamStatus === null ? -1 : STATUSES.indexOf(settlement.upstreamStatus);
    if (settlement.answer !== null) answers.set(i, settlement.answer);
  }
  return { numbers, answers };
}

/** Unpacks settlements in the writer. */
export function unpackSettlements({ numbers, answers }: PackedSettlements): Settlement[] {
  let at = 0;
  const next = (): number => numbers[at++] ?? -1;
  return Array.from({ length: numbers.length / SETTLEMENT_NUMBERS }, (_, i) => ({
    recordId: next(),
    status: known(STATUSES[next()]),
    soldAt: next(),
    state: known(SETTLED_STATES[next()]),
    attempts: next(),
    answeredAt: next(),
    answerStatus: presentOrNull(next()),
    upstreamStatus: STATUSES[next()] ?? null,
    answer: answers.get(i) ?? null,
  }));
}

function presentOrNull(value: number): number | null {
  return value === -1 ? null : value;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a settlement names no known status or state');
  return value;
}
