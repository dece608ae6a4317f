// What of a stored call is compared when its id comes again (design, section 5): on the current interface three
// members of the body, on the earlier one all parameters, however they were sent.

import type { EarlierMethod } from '../contract.ts';
import { assertNever } from '../errors.ts';
import { extendPointer } from '../json-pointer.ts';
import { readQuery } from '../query-string.ts';
import { isObject, readDocument, readNumber, Unread, type Value } from './exact-json.ts';

/** A call as it is kept. */
export interface KeptCall {
  /** Null on the current interface. */
  readonly method: EarlierMethod | null;
  /** Of a GET the query string. */
  readonly body: Uint8Array;
}

export interface Content {
  readonly members: ReadonlyMap<string, Value>;
  /** JSON pointers of repeated names: a call that has any says the same as nothing but its own bytes. */
  readonly repeated: readonly string[];
}

/** The members that make up a record's content on the current interface; others are kept but not compared. */
const COMPARED_MEMBERS = ['type', 'timestamp', 'object'];

/** Of a call that intake has found valid. Pointers are those of the members, not of what wraps them. */
export function contentOf({ method, body }: KeptCall): Content {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
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
    if (value !== undefined) members.set(name, value);
  }
  return { members, repeated };
}

function contentOfQuery(text: string): Content {
  const members = new Map<string, Value>();
  const repeated: string[] = [];
  for (const { name = '', value = '' } of readQuery(text)) {
    if (members.has(name)) repeated.push(extendPointer('', name) ?? '');
    members.set(name, parameterValue(name, value));
  }
  return { members, repeated };
}

function contentOfParameters(body: string): Content {
  const { root, repeated } = readDocument(findParameters(body).text);
  const parameters = isObject(root) ? [...root] : [];
  return { members: new Map(parameters.map(([name, value]) => [name, parameterValue(name, value)])), repeated };
}

/** Where the parameters of a POST are: the body itself, or the object in its one member `data`. */
export function findParameters(body: string): { readonly pointer: '' | '/data'; readonly text: string } {
  const { root, repeatedNames } = readDocument(body, 1);
  const data = isObject(root) && root.size === 1 && repeatedNames.length === 0 ? root.get('data') : undefined;
  if (data instanceof Unread && data.text.startsWith('{')) return { pointer: '/data', text: data.text };
  return { pointer: '', text: body };
}

/**
 * A parameter as it is compared. A query string has only texts, so what reads as a number is one (10, "10", 10.0 and 1e1
 * are the same, 007 is a text), true and "true" are the same, and a timestamp's fraction may end in zeros.
 */
function parameterValue(name: string, value: Value): Value {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return value;
  if (name === 'timestamp') return value.replace(/\.?0*Z$/, (end) => (value.includes('.') ? 'Z' : end));
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? readNumber(value) : value;
}
