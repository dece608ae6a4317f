// The space that the archiver leaves to tills.

import { join } from 'node:path';

import { expect, test } from 'vitest';

import { assertSpaceSpared, hasSpaceToMove } from '../../../../../server/store/sqlite/archive/run.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

test('if the free space is unknown, bodies are packed', () => {
  const missing = join(temporaryFolder(), 'missing');
  expect(hasSpaceToMove(missing)).toBe(true);
  expect(() => assertSpaceSpared(missing, 'move')).toThrow('ENOENT');
});
