// Finds the text of a value in a stored call exactly as it was sent. Skips all other values of the call.

import { extendPointer } from '../../lib/json-pointer.ts';
import { readQuery } from '../../lib/query-string.ts';
import { findParameters, type KeptCall, textOfBody } from './content.ts';
import { openReader, type Reader } from './exact-json.ts';

/**
 * Returns the JSON text at each pointer (RFC 6901). The pointers come from a comparison of calls. Leaves out a pointer without
 * a value. A parameter of a query string becomes a JSON string. If a name is repeated, its last value counts.
 */
export function textsAt(call: KeptCall, pointers: readonly string[]): Map<string, string> {
  return openTextFinder(pointers)(call);
}

/** Returns `textsAt` for these pointers. It is faster if many calls are read. */
export function openTextFinder(pointers: readonly string[]): (call: KeptCall) => Map<string, string> {
  const root = branch(pointers);
  return ({ method, body }) => {
    const text = textOfBody(body);
    if (method === 'GET') return parametersAt(text, pointers);
    const found = new Map<string, string>();
    const json = method === 'POST' ? findParameters(text).text : text;
    collect(
      openReader(json, () => {}),
      root,
      found,
    );
    return found;
  };
}

function parametersAt(query: string, pointers: readonly string[]): Map<string, string> {
  const all = readQuery(query).map(
    ({ name = '', value = '' }) => [extendPointer('', name), JSON.stringify(value)] as const,
  );
  return new Map(
    all.filter((entry): entry is [string, string] => entry[0] !== undefined && pointers.includes(entry[0])),
  );
}

/** A tree of pointers; each step of a pointer is one level. `pointer` is set where a pointer ends. */
interface Branch {
  pointer: string | undefined;
  readonly steps: Map<string, Branch>;
}

function branch(pointers: readonly string[]): Branch {
  const root: Branch = { pointer: undefined, steps: new Map() };
  for (const pointer of pointers) {
    let at = root;
    for (const step of pointer.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = at.steps.get(name) ?? { pointer: undefined, steps: new Map() };
      at.steps.set(name, next);
      at = next;
    }
    at.pointer = pointer;
  }
  return root;
}

/** Reads one value. Reads only the nested members and items to which a pointer leads. */
function collect(reader: Reader, at: Branch, found: Map<string, string>): void {
  if (at.pointer !== undefined) {
    const text = reader.passText();
    found.set(at.pointer, text);
    if (at.steps.size > 0)
      collect(
        openReader(text, () => {}),
        { ...at, pointer: undefined },
        found,
      );
    return;
  }
  if (at.steps.size > 0 && reader.takes('{')) collectMembers(reader, at, found);
  else if (at.steps.size > 0 && reader.takes('[')) collectItems(reader, at, found);
  else reader.passOver();
}

function collectMembers(reader: Reader, at: Branch, found: Map<string, string>): void {
  if (reader.takes('}')) return;
  do {
    const next = at.steps.get(reader.readName());
    if (next === undefined) reader.passOver();
    else collect(reader, next, found);
  } while (reader.takes(','));
  reader.takes('}');
}

function collectItems(reader: Reader, at: Branch, found: Map<string, string>): void {
  if (reader.takes(']')) return;
  let index = 0;
  do {
    const next = at.steps.get(String(index));
    if (next === undefined) reader.passOver();
    else collect(reader, next, found);
    index += 1;
  } while (reader.takes(','));
  reader.takes(']');
}
