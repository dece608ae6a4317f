// Runs around every test file. Files share processes, so a fake clock that a file leaves would break the next file.

import { afterAll, vi } from 'vitest';

afterAll(() => {
  if (vi.isFakeTimers()) throw new Error('this file leaves a fake clock: call vi.useRealTimers() at its end');
});
