// What a command says if a running gateway does not apply the network settings.

import { describe, expect, test } from 'vitest';

import { awaitSettings } from '../../../server/command/network-state.ts';
import type { NetworkSettings, NetworkView } from '../../../server/contract/network.ts';
import { writeNetworkFile } from '../../../server/network/network-file.ts';
import { failureAt, networkView } from '../../support/network-view.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const { settings } = networkView();
const closed = { ...settings, isOpen: false };

async function awaitWith(view: Partial<NetworkView> | undefined, wanted: NetworkSettings): Promise<void> {
  const folder = temporaryFolder();
  if (view !== undefined) writeNetworkFile(folder, networkView({ settings: wanted, ...view }));
  return awaitSettings(folder, wanted, 0);
}

describe('a command names what is missing', () => {
  test.each<[string, Partial<NetworkView> | undefined, NetworkSettings, string]>([
    ['the state', undefined, settings, 'it has not stored its network state'],
    ['the new settings', { settings: closed }, settings, 'it still uses the earlier ones. Restart it.'],
    [
      'an address',
      { addresses: [], interfaces: [] },
      settings,
      'this machine has no address in a network. Connect the cable',
    ],
    [
      'an address of the chosen interfaces',
      { addresses: [], interfaces: [] },
      { ...settings, interfaces: ['eth1'] },
      'the interface eth1 has no address',
    ],
    ['the end of listening', {}, closed, 'it still listens for other machines'],
    ['the console', {}, { ...settings, isConsoleOpen: true }, 'the console is not open to other machines'],
    ['the name', {}, { ...settings, isAnnounced: true }, 'it does not announce its name'],
  ])('%s', async (_what, view, wanted, sentence) => {
    await expect(awaitWith(view, wanted)).rejects.toThrow(
      `The settings are stored, but the gateway has not applied them yet: ${sentence}`,
    );
  });
});

test.each<[string, Partial<NetworkView>, NetworkSettings]>([
  ['an open network', {}, settings],
  ['a closed one', { addresses: [] }, closed],
  ['a failure to listen, which is reported', { addresses: [], failures: [failureAt('x', 'y')] }, settings],
  ['an announcement', { announcement: { state: 'on', name: 'a.local' } }, { ...settings, isAnnounced: true }],
])('%s ends the wait', async (_what, view, wanted) => {
  await expect(awaitWith(view, wanted)).resolves.toBeUndefined();
});
