// Selects the content of a call, which is compared when another call repeats its id (docs/interface.md#same-content). On the
// current interface: three members of the body. On the earlier interface: all parameters of the GET or POST.

import type { EarlierMethod } from '../../contract/codes.ts';
import { assertNever } from '../../errors.ts';
import { canonicalInstant, restorePlus } from '../../lib/instant.ts';
import { extendPointer } from '../../lib/json-pointer.ts';
import { readQuery } from '../../lib/query-string.ts';
import { ExactNumber, isObject, pickMembers, readDocument, readNumber, Unread, type Value } from './exact-json.ts';

/** The method and body of a stored call. */
export interface KeptCall {
  /** Null on the current interface. */
  readonly method: EarlierMethod | null;
  /** For a GET, the query string. */
  readonly body: Uint8Array;
}

export interface Content {
  readonly members: ReadonlyMap<string, Value>;
  /**
   * JSON pointers that show where a member name is repeated. If there are any, another call has the same content only if it has
   * the same bytes.
   */
  readonly repeated: readonly string[];
  /** Whether a text may mean a number or boolean, because all parameters of a query string are texts. */
  readonly hasLooseTexts: boolean;
}

/** The members compared on the current interface. Other members are stored but not compared. */
const COMPARED_MEMBERS = ['type', 'timestamp', 'object'];

/** A body as text, without the byte order mark that some senders put first. */
export function textOfBody(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The content of a valid call. Pointers start at the compared members, even if an object such as `data` wraps them. */
export function contentOf({ method, body }: KeptCall): Content {
  const text = textOfBody(body);
  switch (method) {
    case null:
      return contentOfTransaction(text);
    case 'GET':
      return contentOfQuery(text);
    case 'POST':
      return contentOfParameters(text);
    default:
      return assertNever(method);
  }
}

function contentOfTransaction(text: string): Content {
  const { root, repeated } = readDocument(text);
  const members = new Map<string, Value>();
  for (const name of COMPARED_MEMBERS) {
    const value = isObject(root) ? root.get(name) : undefined;
    if (value !== undefined) members.set(name, name === 'timestamp' ? instantOf(value) : value);
  }
  return { members, repeated, hasLooseTexts: false };
}

function contentOfQuery(text: string): Content {
  const members = new Map<string, Value>();
  const repeated: string[] = [];
  for (const { name = '', value = '' } of readQuery(text)) {
    if (members.has(name)) repeated.push(extendPointer('', name) ?? '');
    members.set(name, parameterValue(name, value));
  }
  return { members, repeated, hasLooseTexts: true };
}

function contentOfParameters(body: string): Content {
  const { root, repeated } = readDocument(findParameters(body).text);
  const parameters = isObject(root) ? [...root] : [];
  const members = new Map(parameters.map(([name, value]) => [name, parameterValue(name, value)]));
  return { members, repeated, hasLooseTexts: true };
}

/** Finds the parameters of a POST: the body itself, or the object in its only member `data`. */
export function findParameters(body: string): { readonly pointer: '' | '/data'; readonly text: string } {
  const picked = pickMembers(body, ['data']);
  const data = picked?.size === 1 ? picked.members.get('data') : undefined;
  if (data instanceof Unread && data.text.startsWith('{')) return { pointer: '/data', text: data.text };
  return { pointer: '', text: body };
}

/** A parameter for comparison: the amount as a number, even if it came as a text, and the timestamp as an instant. */
function parameterValue(name: string, value: Value): Value {
  if (typeof value !== 'string') return value;
  if (name === 'timestamp') return instantOf(value);
  return name === 'amount' ? readText(value) : value;
}

/** Returns the same value for all spellings of an instant. Any other value stays as it is. */
function instantOf(value: Value): Value {
  return typeof value === 'string' ? (canonicalInstant(restorePlus(value)) ?? value) : value;
}

/**
 * Converts a text to the type of the other call's value, if the text can be read as that type: the text 10 of a query string is
 * the number 10 of a body. Two texts are compared as they are, so 1.10 is not 1.1, and a code of digits is not a number.
 */
export function alikeText(value: Value | undefined, other: Value | undefined): Value | undefined {
  if (typeof value !== 'string') return value;
  if (typeof other === 'boolean') return value === String(other) ? other : value;
  return typeof other === 'number' || other instanceof ExactNumber ? readText(value) : value;
}

/** The JSON number in a text, or the text itself. */
function readText(text: string): Value {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? readNumber(text) : text;
}
