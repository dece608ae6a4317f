// `counterfoil status` before anything is set up.

import { afterEach, describe, expect, test } from 'vitest';

import { bindStatus } from '../../../server/command/status.ts';
import type { NetworkView } from '../../../server/contract/network.ts';
import { writeNetworkFile } from '../../../server/network/network-file.ts';
import { runCommand } from '../../support/command-run.ts';
import { failureAt, networkView } from '../../support/network-view.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

afterEach(() => void (process.exitCode = undefined));

const readStatus = async (dataDir: string, ...args: string[]): Promise<string> =>
  runCommand(bindStatus, ['status', '--data', dataDir, ...args]);

test('a lane without an upstream is not called paused, and status prints the whole command that sets one', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'a' }));
  await store.close();
  const printed = await readStatus(dataDir);
  expect(printed).toMatch(/^Bakery +production +current .* no upstream /m);
  expect(printed).not.toContain('paused');
  expect(printed).toContain(
    `Bakery (production, current): No upstream address is set: counterfoil upstream set --url URL --token-file FILE --data "${dataDir}" --administration "Bakery" --mode production. 1 record waits; nothing is lost.`,
  );
});

test('without keys, status prints the command that makes the first one, with the data directory', async () => {
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  expect(await readStatus(dataDir)).toContain(`counterfoil keys create --data "${dataDir}"`);
});

describe('beside a running gateway, status says where tills connect', () => {
  async function statusOf(changed: Partial<NetworkView>): Promise<[text: string, json: unknown]> {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    writeNetworkFile(dataDir, networkView(changed));
    return [await readStatus(dataDir), JSON.parse(await readStatus(dataDir, '--json'))];
  }

  test('at every address of an open network', async () => {
    const addresses = ['https://192.168.1.20:7410', 'https://10.0.0.5:7410'];
    const failures = [failureAt('10.0.0.9:7410', 'Another program uses port 7410. Stop it.')];
    const [printed, json] = await statusOf({ addresses, failures });
    expect(printed).toContain('Tills connect at https://192.168.1.20:7410, or else at https://10.0.0.5:7410.');
    expect(printed).toContain('10.0.0.9:7410: Another program uses port 7410. Stop it.');
    expect(json).toMatchObject({ network: { addresses, local_address: 'http://127.0.0.1:7410', failures } });
  });

  test('on this machine while the network is closed', async () => {
    const { settings } = networkView();
    const [printed] = await statusOf({ addresses: [], settings: { ...settings, isOpen: false } });
    expect(printed).toContain(
      'Only tills on this machine can connect, at http://127.0.0.1:7410. For tills on other machines: counterfoil lan on',
    );
  });
});

test('without a running gateway, status has no address', async () => {
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  writeNetworkFile(dataDir, networkView()); // a gateway that was killed leaves this file behind
  expect(await readStatus(dataDir)).not.toContain('192.168.1.20');
  expect(JSON.parse(await readStatus(dataDir, '--json'))).toMatchObject({ network: null });
});
