// Finds faults of a long JSON text without parsing it. To parse 1 MiB of brackets would take a hundred times longer.

import { MAX_NESTING } from '../contract/codes.ts';
import { extendPointer } from '../lib/json-pointer.ts';
import { endOfString } from '../store/records/exact-json.ts';

/** The faults of a text. Other JSON errors are ignored, because the parser finds them later. */
export interface TextFaults {
  /** The JSON pointer of the first member that is nested too deeply. Undefined if there is none. */
  readonly tooDeep: string | undefined;
  /** The names of the body's members that appear more than once, of those looked for. Escaped names are not found. */
  readonly repeated: readonly string[];
}

/** Finds the faults of a text. Looks for repetitions of the members with these names. */
export function findTextFaults(text: string, names: readonly string[]): TextFaults {
  if (text.length <= 2 * MAX_NESTING) return { tooDeep: undefined, repeated: [] };
  const counts = new Map(names.map((name) => [`"${name}"`, 0]));
  let depth = 0;
  let member = '';
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (depth === 1) member = text.slice(at, end + 1);
        at = end;
        break;
      }
      case 0x3a: {
        // :
        const count = depth === 1 ? counts.get(member) : undefined;
        if (count !== undefined) counts.set(member, count + 1);
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > MAX_NESTING + 1) return { tooDeep: pointerTo(member), repeated: [] };
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return { tooDeep: undefined, repeated: names.filter((name) => (counts.get(`"${name}"`) ?? 0) > 1) };
}

/**
 * Returns the JSON pointer of a member by its quoted name. Returns '', the pointer of the whole body, if the name is too long
 * or invalid.
 */
function pointerTo(quoted: string): string {
  try {
    return extendPointer('', String(JSON.parse(quoted))) ?? '';
  } catch {
    return '';
  }
}
