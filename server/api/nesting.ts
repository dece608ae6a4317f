// Finds the nesting depth of a JSON text without parsing it. To parse 1 MiB of brackets would take a hundred times longer.

import { MAX_NESTING } from '../contract/codes.ts';
import { extendPointer } from '../lib/json-pointer.ts';
import { endOfString } from '../store/records/exact-json.ts';

/**
 * The JSON pointer of the first member that is nested too deeply. Undefined if there is none. Ignores other JSON errors,
 * because the parser finds them later.
 */
export function findTooDeepMember(text: string): string | undefined {
  if (text.length <= 2 * MAX_NESTING) return undefined;
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
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > MAX_NESTING + 1) return pointerTo(member);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return undefined;
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
