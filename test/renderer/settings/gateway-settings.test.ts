// Every setting of the gateway has a name and an explanation in Settings.

import { expect, test } from 'vitest';

import { gatewaySettings } from '../../../renderer/settings/gateway-settings.tsx';
import type { Words } from '../../../renderer/settings/store-settings.tsx';
import { SETTING_NAMES } from '../../../server/config.ts';

test('no setting is shown by its name in the file', () => {
  const views = SETTING_NAMES.map((name) => ({ name, value: null, source: 'default' as const }));
  const shown = gatewaySettings(views, ((name: string) => `text ${name}`) as Words);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter(({ id, title }) => title !== id.replace('gateway-', 'text '))).toEqual([]);
});
