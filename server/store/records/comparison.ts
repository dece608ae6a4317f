// Compares the content of two calls (docs/interface.md#same-content). A member name can be too long for a pointer. A difference
// inside that member is then reported for the object around it.

import { MAX_DIFFERENCES } from '../../contract/records.ts';
import { extendPointer } from '../../lib/json-pointer.ts';
import { alikeText, type Content } from './content.ts';
import { ExactNumber, isObject, type Value } from './exact-json.ts';

/**
 * Lists the differences between a resent call and the original as JSON pointers (RFC 6901), at most `MAX_DIFFERENCES`. An empty
 * list means that both calls have the same content.
 */
export function listDifferences(original: Content, resent: Content): string[] {
  const found = new Set<string>([...original.repeated, ...resent.repeated]);
  for (const name of new Set([...original.members.keys(), ...resent.members.keys()])) {
    const [a, b] = [original.members.get(name), resent.members.get(name)];
    if (original.hasLooseTexts) collectBelow(alikeText(a, b), alikeText(b, a), '', name, found);
    else collectBelow(a, b, '', name, found);
  }
  return [...found].slice(0, MAX_DIFFERENCES);
}

const isArray = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

function collectDifferences(a: Value | undefined, b: Value | undefined, pointer: string, found: Set<string>): void {
  if (found.size >= MAX_DIFFERENCES) return;
  if (isArray(a) && isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) collectBelow(a[i], b[i], pointer, i, found);
  } else if (isObject(a) && isObject(b)) {
    for (const name of new Set([...a.keys(), ...b.keys()]))
      collectBelow(a.get(name), b.get(name), pointer, name, found);
  } else if (a instanceof ExactNumber && b instanceof ExactNumber) {
    if (a.canonical !== b.canonical) found.add(pointer);
  } else if (a !== b) {
    found.add(pointer);
  }
}

function collectBelow(
  a: Value | undefined,
  b: Value | undefined,
  pointer: string,
  step: string | number,
  found: Set<string>,
): void {
  const below = extendPointer(pointer, step);
  if (below !== undefined) return collectDifferences(a, b, below, found);
  if (found.has(pointer)) return;
  const inside = new Set<string>();
  collectDifferences(a, b, '', inside);
  if (inside.size > 0) found.add(pointer);
}
