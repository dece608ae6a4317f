import { expect, test } from 'vitest';

import { flagOf, variableOf } from '../../../renderer/model/setting-name.ts';

test('a setting of the gateway is also a flag and an environment variable', () => {
  expect(flagOf('consolePort')).toBe('--console-port');
  expect(variableOf('consolePort')).toBe('COUNTERFOIL_CONSOLE_PORT');
});
