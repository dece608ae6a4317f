// What a replay sends, in which order, and what must come back: decided here without sending anything, and the same for
// the same seed. A till sends a sale again only after it was accepted, so what must come back is never a matter of luck.

import type { Status } from '../../../server/contract.ts';
import { changeOneValue } from './change.ts';
import { openRandom } from './random.ts';

/** A sale for the first time, the same bytes again, or the same sale with one value changed. */
export type CallKind = 'sale' | 'duplicate' | 'changed';

export interface Call {
  readonly kind: CallKind;
  readonly body: Buffer;
  /** Undefined when the body has none; then it is sent all the same, to be refused. */
  readonly externalId: string | undefined;
  /** For `changed`: where the value is, as a JSON pointer. */
  readonly changedPointer?: string;
}

/** A call that follows its sale, after so many further sales of the same till. */
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
}

/** How many further sales a till makes, at the most, before it sends one again. */
const LONGEST_AFTER = 40;

/** Plans sale after sale, in the order of the file. */
export function openPlan({ duplicates, changed, seed }: PlanOptions): (body: Buffer) => PlannedSale {
  const random = openRandom(seed);
  return (body) => {
    const externalId = readExternalId(body);
    const isDuplicated = random() * 100 < duplicates;
    const isChanged = random() * 100 < changed;
    const resends: Resend[] = [];
    const after = (): number => 1 + Math.floor(random() * LONGEST_AFTER);
    if (isDuplicated) resends.push({ call: { kind: 'duplicate', body, externalId }, after: after() });
    if (isChanged) {
      const change = changeOneValue(body, random);
      if (change !== undefined)
        resends.push({
          call: { kind: 'changed', body: change.body, externalId, changedPointer: change.pointer },
          after: after(),
        });
    }
    return { sale: { kind: 'sale', body, externalId }, resends };
  };
}

function readExternalId(body: Buffer): string | undefined {
  try {
    const record: unknown = JSON.parse(body.toString('utf8'));
    const id =
      typeof record === 'object' && record !== null && 'external_id' in record ? record.external_id : undefined;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** An answer that says a record was kept. */
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
  /** An earlier attempt at this call got no answer, so it may have been kept then. */
  readonly wasAnswerLost: boolean;
  /** For a resend: the record that counts, as the answer to the sale said. */
  readonly originalId: number | undefined;
}

/** `repeated`: the sale was kept at an attempt whose answer was lost, and the retry was recognised. */
export type Verdict =
  | { readonly kind: 'expected' | 'repeated' }
  | { readonly kind: 'unexpected'; readonly why: string };

const EXPECTED: Record<CallKind, Status> = { sale: 'NEW', duplicate: 'IGNORED', changed: 'ERROR' };

/** Compares an answer with what must come back (specification section 3; design section 5, "Answer"). */
export function judge(call: Call, receipt: Receipt, { wasAnswerLost, originalId }: Circumstances): Verdict {
  const isRepeat = call.kind === 'sale' && receipt.status === 'IGNORED' && wasAnswerLost;
  const expected = isRepeat ? 'IGNORED' : EXPECTED[call.kind];
  // What a retry of a sale repeats is known to nobody but the gateway.
  const why = findFault(call, receipt, expected, isRepeat ? receipt.originalId : originalId);
  if (why === undefined) return { kind: isRepeat ? 'repeated' : 'expected' };
  return { kind: 'unexpected', why: `${describeCall(call)} ${why}` };
}

function findFault(call: Call, receipt: Receipt, expected: Status, originalId: number | undefined): string | undefined {
  const http = expected === 'NEW' ? 201 : 200;
  const differences = receipt.differences?.join(', ');
  if (receipt.externalId !== call.externalId) return `was answered for ${receipt.externalId}`;
  if (receipt.status !== expected) {
    return `was answered ${receipt.status}, not ${expected}${call.kind === 'sale' ? ': it was there before' : ''}`;
  }
  if (receipt.http !== http) return `was answered ${expected} with HTTP ${receipt.http}, not ${http}`;
  if (receipt.originalId !== originalId) return `was compared with record ${receipt.originalId}, not ${originalId}`;
  if (expected !== 'NEW' && originalId === undefined) return 'was answered without an original_record_id';
  if (differences !== call.changedPointer) return `was said to differ at ${differences}, not at ${call.changedPointer}`;
  return undefined;
}

/** A call as people name it. */
export function describeCall({ kind, externalId = 'a body without external_id' }: Call): string {
  switch (kind) {
    case 'sale':
      return externalId;
    case 'duplicate':
      return `${externalId}, sent again unchanged,`;
    case 'changed':
      return `${externalId}, sent again with a change,`;
  }
}
