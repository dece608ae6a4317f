// What a test says of a value it can't know, typed so that it may stand in any expectation.

import { expect } from 'vitest';

export const anyNumber: unknown = expect.any(Number);
export const anyText: unknown = expect.any(String);
export const anyList: unknown = expect.any(Array);

export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
