import { expect, test } from 'vitest';

import { flagOf, variableOf } from '../../../renderer/settings/setting-name.ts';

test('a setting of the gateway is a flag and a variable, too', () => {
  expect(flagOf('consolePort')).toBe('--console-port');
  expect(variableOf('consolePort')).toBe('COUNTERFOIL_CONSOLE_PORT');
});
