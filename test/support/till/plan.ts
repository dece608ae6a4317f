// Plans the calls of a replay, their order and their expected answers. It sends nothing, and the same seed gives the same plan.
// A till resends a sale only after it was accepted, so each answer is predictable.

import type { Status } from '../../../server/contract/codes.ts';
import { changeOneValue } from './change.ts';
import type { Dialect } from './dialect.ts';
import { openRandom } from './random.ts';

/** A new sale, the same bytes again, or the same sale with one changed value. */
export type CallKind = 'sale' | 'duplicate' | 'changed';

export interface Call {
  readonly kind: CallKind;
  readonly body: Buffer;
  /** The sale's id. A body without an id is sent too, and must be refused. */
  readonly externalId: string | undefined;
  /** For `changed`: the JSON pointer to the changed value. */
  readonly changedPointer?: string;
}

/** A resend, due after a number of further sales of the same till. */
export interface Resend {
  readonly call: Call;
  readonly after: number;
}

export interface PlannedSale {
  readonly sale: Call;
  readonly resends: readonly Resend[];
}

export interface PlanOptions {
  /** Percent of the sales that are sent again unchanged. */
  readonly duplicates: number;
  /** Percent of the sales that are sent again with one value changed. */
  readonly changed: number;
  readonly seed: number;
  readonly dialect: Dialect;
}

/** At most this number of further sales come between a sale and its resend. */
const MAX_AFTER_LENGTH = 40;

/** Plans one sale after another from the records of the file, in their order. */
export function openPlan({ duplicates, changed, seed, dialect }: PlanOptions): (record: Buffer) => PlannedSale {
  const random = openRandom(seed);
  return (record) => {
    const body = dialect.bodyOf(record);
    const externalId = readId(body, dialect.idMember);
    const isDuplicated = random() * 100 < duplicates;
    const isChanged = random() * 100 < changed;
    const resends: Resend[] = [];
    const after = (): number => 1 + Math.floor(random() * MAX_AFTER_LENGTH);
    if (isDuplicated) resends.push({ call: { kind: 'duplicate', body, externalId }, after: after() });
    if (isChanged) {
      const change = changeOneValue(body, dialect.listCompared, random);
      if (change !== undefined)
        resends.push({
          call: { kind: 'changed', body: change.body, externalId, changedPointer: change.pointer },
          after: after(),
        });
    }
    return { sale: { kind: 'sale', body, externalId }, resends };
  };
}

function readId(body: Buffer, name: string): string | undefined {
  try {
    const members = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null;
    const id = members?.[name];
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The gateway's answer for a record that it kept. */
export interface Receipt {
  /** The HTTP status. */
  readonly http: number;
  readonly recordId: number;
  readonly externalId: string;
  readonly status: Status;
  readonly originalId: number | undefined;
  readonly differences: readonly string[] | undefined;
}

export interface Circumstances {
  /** An earlier attempt at this call got no answer, so the gateway may already have the record. */
  readonly wasAnswerLost: boolean;
  /** For a resend: the record id that the gateway gave to the original sale. */
  readonly originalId: number | undefined;
  /** The HTTP status of NEW. */
  readonly httpOfNew: number;
}

/**
 * The result of judging an answer. `repeated`: the gateway had kept an attempt whose answer was lost, and recognised the
 * retry.
 */
export type Verdict =
  | { readonly kind: 'expected' | 'repeated' }
  | { readonly kind: 'unexpected'; readonly why: string };

const EXPECTED: Record<CallKind, Status> = { sale: 'NEW', duplicate: 'IGNORED', changed: 'ERROR' };

/** Compares an answer with the expected one (docs/interface.md#send-a-record). */
export function judge(call: Call, receipt: Receipt, circumstances: Circumstances): Verdict {
  const { wasAnswerLost, originalId, httpOfNew } = circumstances;
  const isRepeat = call.kind === 'sale' && receipt.status === 'IGNORED' && wasAnswerLost;
  const expected = isRepeat ? 'IGNORED' : EXPECTED[call.kind];
  // If the gateway kept an attempt whose answer was lost, only the gateway knows the record's id. So the answer to the retry
  // may contain any id.
  const why = findFault(call, receipt, {
    status: expected,
    http: expected === 'NEW' ? httpOfNew : 200,
    originalId: isRepeat ? receipt.originalId : originalId,
  });
  if (why === undefined) return { kind: isRepeat ? 'repeated' : 'expected' };
  return { kind: 'unexpected', why: `${describeCall(call)} ${why}` };
}

function findFault(
  call: Call,
  receipt: Receipt,
  { status, http, originalId }: Pick<Receipt, 'status' | 'http' | 'originalId'>,
): string | undefined {
  const differences = receipt.differences?.join(', ');
  if (receipt.externalId !== call.externalId) return `was answered for ${receipt.externalId}`;
  if (receipt.status !== status) {
    return `was answered ${receipt.status}, not ${status}${call.kind === 'sale' ? ': it was there before' : ''}`;
  }
  if (receipt.http !== http) return `was answered ${status} with HTTP ${receipt.http}, not ${http}`;
  if (receipt.originalId !== originalId) return `was compared with record ${receipt.originalId}, not ${originalId}`;
  if (status !== 'NEW' && originalId === undefined) return 'was answered without an original_record_id';
  if (differences !== call.changedPointer) return `was said to differ at ${differences}, not at ${call.changedPointer}`;
  return undefined;
}

/** A call in words. */
export function describeCall({ kind, externalId = 'a body without an id' }: Call): string {
  switch (kind) {
    case 'sale':
      return externalId;
    case 'duplicate':
      return `${externalId}, sent again unchanged,`;
    case 'changed':
      return `${externalId}, sent again with a change,`;
  }
}
