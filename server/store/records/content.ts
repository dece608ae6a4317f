// Selects the content of a call (docs/interface.md#same-content). Calls with the same id are compared by their content. On the
// current interface, the content consists of three members of the body. On the earlier interface, it consists of all parameters
// of the GET or POST.

import type { EarlierMethod } from '../../contract/codes.ts';
import { assertNever } from '../../errors.ts';
import { canonicalInstant, restorePlus } from '../../lib/instant.ts';
import { extendPointer } from '../../lib/json-pointer.ts';
import { readQuery } from '../../lib/query-string.ts';
import { ExactNumber, isObject, pickMembers, readDocument, readNumber, Unread, type Value } from './exact-json.ts';

/** The method and body of a stored call. */
export interface KeptCall {
  /** The method of a call on the earlier interface; null on the current interface. */
  readonly method: EarlierMethod | null;
  /** The body of the call; for a GET, the query string. */
  readonly body: Uint8Array;
}

export interface Content {
  readonly members: ReadonlyMap<string, Value>;
  /**
   * JSON pointers to repeated member names. If a name is repeated, another call has the same content only if it has the same
   * bytes.
   */
  readonly repeated: readonly string[];
  /**
   * Whether a text such as `10` may mean a number or boolean. True on the earlier interface, because a query string has only
   * texts.
   */
  readonly hasLooseTexts: boolean;
}

/** The members compared on the current interface. Other members are stored but not compared. */
const COMPARED_MEMBERS = ['type', 'timestamp', 'object'];

/** A body as text, without the byte order mark that some senders put first. */
export function textOfBody(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * Returns the content of a valid call. Pointers begin at the compared members, even if an object such as `data` contains these
 * members.
 */
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

/** Finds the parameters of a POST. They are in the body itself, or in the object `data` if it is the only member. */
export function findParameters(body: string): { readonly pointer: '' | '/data'; readonly text: string } {
  const picked = pickMembers(body, ['data']);
  const data = picked?.size === 1 ? picked.members.get('data') : undefined;
  if (data instanceof Unread && data.text.startsWith('{')) return { pointer: '/data', text: data.text };
  return { pointer: '', text: body };
}

/** Prepares a parameter for comparison. An amount that came as a text becomes a number, and a timestamp becomes an instant. */
function parameterValue(name: string, value: Value): Value {
  if (typeof value !== 'string') return value;
  if (name === 'timestamp') return instantOf(value);
  return name === 'amount' ? readText(value) : value;
}

/** Returns the same value for all spellings of an instant. Returns any other value unchanged. */
function instantOf(value: Value): Value {
  return typeof value === 'string' ? (canonicalInstant(restorePlus(value)) ?? value) : value;
}

/**
 * Converts a text to the type of the other call's value, if possible. The text 10 of a query string then equals the number 10
 * of a body. Two texts are compared as they are, so 1.10 differs from 1.1.
 */
export function alikeText(value: Value | undefined, other: Value | undefined): Value | undefined {
  if (typeof value !== 'string') return value;
  if (typeof other === 'boolean') return value === String(other) ? other : value;
  return typeof other === 'number' || other instanceof ExactNumber ? readText(value) : value;
}

/** Returns the number if the text is a JSON number; otherwise returns the text. */
function readText(text: string): Value {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? readNumber(text) : text;
}
