// Changes exactly one value of a body. When the till sends the changed body, the gateway must answer ERROR and name that
// difference. Numbers are read and written without loss.

import { isLosslessNumber, LosslessNumber, stringify } from 'lossless-json';

import { hasParts, type Members, readMembers } from './members.ts';
import type { Random } from './random.ts';

export interface ChangedBody {
  readonly body: Buffer;
  /** The place of the change, as a JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** A value in a document that is neither an object nor an array, and where it is. */
interface Leaf {
  readonly holder: Members;
  readonly name: string;
  readonly pointer: string;
}

const DAY_MS = 86_400_000;

/** Changes one value in the members that `listCompared` names. Undefined if the body has no members. */
export function changeOneValue(
  body: Buffer,
  listCompared: (members: Members) => string[],
  random: Random,
): ChangedBody | undefined {
  const choice = random();
  const members = readMembers(body);
  if (members === undefined) return undefined;
  const leaves = listCompared(members).flatMap((name) => listLeaves(members, name, pointerTo('', name)));
  const leaf = leaves[Math.floor(choice * leaves.length)];
  if (leaf === undefined) return undefined;
  const value = leaf.holder[leaf.name];
  leaf.holder[leaf.name] = leaf.pointer === '/timestamp' ? oneDayLater(value) : otherValue(value);
  return { body: Buffer.from(stringify(members) ?? ''), pointer: leaf.pointer };
}

function listLeaves(holder: Members, name: string, pointer: string): Leaf[] {
  const value = holder[name];
  if (!hasParts(value)) return [{ holder, name, pointer }];
  return Object.keys(value).flatMap((part) => listLeaves(value, part, pointerTo(pointer, part)));
}

function pointerTo(holder: string, name: string): string {
  return `${holder}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function oneDayLater(timestamp: unknown): unknown {
  const time = Date.parse(String(timestamp));
  return Number.isNaN(time) ? otherValue(timestamp) : `${new Date(time + DAY_MS).toISOString().slice(0, 19)}Z`;
}

/** Returns a different value of the same type. The values differ in meaning, not only in spelling. */
function otherValue(value: unknown): unknown {
  if (isLosslessNumber(value)) return new LosslessNumber(/[1-9]/.test(value.value) ? '0' : '1');
  if (typeof value === 'string') return `${value}*`;
  return value !== true; // true becomes false; false and null become true
}
