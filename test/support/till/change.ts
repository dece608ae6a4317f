// Changes one value of a record and nothing else, so that a resend must be answered ERROR with exactly that difference.
// Numbers are read and written without loss.

import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

import type { Random } from './random.ts';

export interface ChangedBody {
  readonly body: Buffer;
  /** Where the change is, as a JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** A place in a document that holds a value without parts. */
interface Leaf {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly pointer: string;
}

const DAY_MS = 86_400_000;

/** Changes the type, the timestamp or a value anywhere in the object; undefined for a body that is no record. */
export function changeOneValue(body: Buffer, random: Random): ChangedBody | undefined {
  const choice = random();
  const record = parseRecord(body);
  if (record === undefined) return undefined;
  const leaves = ['type', 'timestamp', 'object'].flatMap((name) => listLeaves(record, name, `/${name}`));
  const leaf = leaves[Math.floor(choice * leaves.length)];
  if (leaf === undefined) return undefined;
  const value = leaf.holder[leaf.name];
  leaf.holder[leaf.name] = leaf.pointer === '/timestamp' ? oneDayLater(value) : otherValue(value);
  return { body: Buffer.from(stringify(record) ?? ''), pointer: leaf.pointer };
}

function parseRecord(body: Buffer): Record<string, unknown> | undefined {
  try {
    const record = parse(body.toString('utf8'));
    return typeof record === 'object' && record !== null ? (record as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not JSON, or a member name is repeated: then no change is the only difference
  }
}

function listLeaves(holder: Record<string, unknown>, name: string, pointer: string): Leaf[] {
  const value = holder[name];
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return [{ holder, name, pointer }];
  const parts = value as Record<string, unknown>;
  return Object.keys(parts).flatMap((part) =>
    listLeaves(parts, part, `${pointer}/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

function oneDayLater(timestamp: unknown): unknown {
  const time = Date.parse(String(timestamp));
  return Number.isNaN(time) ? otherValue(timestamp) : `${new Date(time + DAY_MS).toISOString().slice(0, 19)}Z`;
}

/** A value of the same kind that differs from every spelling of the given one. */
function otherValue(value: unknown): unknown {
  if (isLosslessNumber(value)) return new LosslessNumber(/[1-9]/.test(value.value) ? '0' : '1');
  if (typeof value === 'string') return `${value}*`;
  return value !== true; // a flag is turned over; what is null becomes true
}
