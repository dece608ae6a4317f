// Matchers for values that a test cannot know. Their types fit any expectation.

import { expect } from 'vitest';

export const anyNumber: unknown = expect.any(Number);
export const anyText: unknown = expect.any(String);
export const anyList: unknown = expect.any(Array);

export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
