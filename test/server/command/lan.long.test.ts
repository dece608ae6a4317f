// `counterfoil lan` without a gateway, and beside a process that applies the command's changes as a gateway does.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, onTestFinished, test } from 'vitest';

import { bindLan } from '../../../server/command/lan.ts';
import type { NetworkView } from '../../../server/contract/network.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { digestPassword, missingPassword } from '../../../server/lib/password.ts';
import { writeNetworkFile } from '../../../server/network/network-file.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import type { Store } from '../../../server/store/store.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { runCommand } from '../../support/command-run.ts';
import { failureAt, networkView } from '../../support/network-view.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';
import { waitUntil } from '../../support/wait-until.ts';

afterEach(() => void (process.exitCode = undefined));

const lan = async (dataDir: string, ...args: string[]): Promise<string> =>
  runCommand(bindLan, ['lan', ...args, '--data', dataDir]);
const lanJson = async (dataDir: string, ...args: string[]) =>
  JSON.parse(await lan(dataDir, ...args, '--json')) as Record<string, unknown>;

/** Makes an empty store that no gateway runs on. */
async function makeData(prepare?: (store: Store) => Promise<unknown>): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await prepare?.(store);
  await store.close();
  return dataDir;
}

const listKeysOf = async ({ setup }: Store): Promise<string[]> =>
  (await setup.listKeys()).map(({ administration, mode, label }) => `${administration}, ${mode}, ${label}`);

const ownInterface = Object.entries(networkInterfaces()).find(
  ([, addresses = []]) => addresses[0]?.internal === false,
)?.[0];

describe('without a running gateway', () => {
  test('lan on is stored in a new data directory, and takes effect at the next start', async () => {
    const dataDir = temporaryFolder();
    const printed = await lan(dataDir, 'on');
    expect(printed).toContain('No gateway runs here. These settings take effect at its next start.');
    expect(printed).toContain(
      'The network is open to tills on other machines. Interfaces: all interfaces except those of containers and virtual machines.',
    );
    expect(await lanJson(dataDir, 'status')).toMatchObject({
      running: false,
      settings: { is_open: true, interfaces: null, allows_plain_http: false, is_console_open: false },
      addresses: [],
      authority: null,
      certificate: null,
    });
  });

  test('lan on --till makes no key, because it could print no address for the till', async () => {
    const dataDir = temporaryFolder();
    await expect(lan(dataDir, 'on', '--till', 'Till 1')).rejects.toThrow('there is no address for the till yet');
    expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_open: true } });
    expect(await listKeysOf(await openTemporaryStore({ dataDir }))).toEqual([]);
  });

  test('lan off closes the network and the console, and prints the command that opens it', async () => {
    const dataDir = await makeData(async (store) => store.network.change({ isOpen: true, isConsoleOpen: true }, 'Ann'));
    expect(await lan(dataDir, 'off')).toContain(`To open it: counterfoil lan on --data "${dataDir}"`);
    expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_open: false, is_console_open: false } });
  });

  test('each option changes its own setting only, and can be undone', async ({ skip }) => {
    const name = ownInterface ?? skip('not run: this machine has no network interface');
    const dataDir = await makeData();
    await lan(dataDir, 'on', '--interface', name, '--plain-http', '--announce');
    expect(await lan(dataDir, 'on')).toContain('anyone in the network can read the keys and sales of tills');
    expect(await lanJson(dataDir, 'status')).toMatchObject({
      settings: { interfaces: [name], allows_plain_http: true, is_announced: true },
    });
    await lan(dataDir, 'on', '--interface', 'all', '--no-plain-http', '--no-announce');
    expect(await lanJson(dataDir, 'status')).toMatchObject({
      settings: { is_open: true, interfaces: null, allows_plain_http: false, is_announced: false },
    });
  });

  test('status shows the authority that tills already trust', async () => {
    const { cert, key } = makeCertificate({ name: 'Authority', until: new Date(Date.UTC(2036, 10, 1)) });
    const authority = { certificate: cert, key, fingerprint: 'AA:BB' };
    const dataDir = await makeData(async (store) => store.network.addAuthority(authority, undefined, 'test'));
    expect(await lanJson(dataDir, 'status')).toMatchObject({
      authority: { fingerprint: 'AA:BB', file: join(dataDir, 'ca.pem'), end: '2036-11-01T00:00:00.000Z' },
    });
    expect(await lan(dataDir, 'status')).toContain('SHA-256 AA:BB');
  });

  test('lan test says that the gateway must run', async () => {
    await expect(lan(await makeData(), 'test')).rejects.toThrow(/No gateway runs here, .* Start it: counterfoil serve/);
  });
});

describe('a change is refused', () => {
  test('with an unknown interface, and the message lists those of this machine', async () => {
    const refused = lan(await makeData(), 'on', '--interface', 'wlan77');
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      ownInterface === undefined ? /none with an address/ : `Its interfaces: ${ownInterface}`,
    );
  });

  test('for the console as long as there is no user', async () => {
    const dataDir = await makeData();
    const refused = lan(dataDir, 'on', '--console');
    await expect(refused).rejects.toThrow(OperatorError);
    await expect(refused).rejects.toThrow(`Add one first: counterfoil users add --data "${dataDir}" --name NAME`);
    expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_open: false, is_console_open: false } });
  });

  test('by a setting in the file, which the message names', async () => {
    const dataDir = await makeData();
    writeFileSync(join(dataDir, 'settings.json'), '{"host":"127.0.0.1"}');
    await expect(lan(dataDir, 'on')).rejects.toThrow(
      'The setting host decides about the network, by host in settings.json. Remove it there, restart the gateway',
    );
    expect(await lan(dataDir, 'status')).toContain(
      'The setting host decides about the network, so counterfoil lan cannot change that.',
    );
  });

  test('by an option of the running gateway', async () => {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    writeNetworkFile(dataDir, networkView({ fixedBy: ['consoleHost'] }));
    await expect(lan(dataDir, 'on', '--console')).rejects.toThrow(
      'The setting consoleHost decides about the console, by the option --console-host or the variable COUNTERFOIL_CONSOLE_HOST of the running gateway',
    );
  });
});

test('a setting that decides only about the console does not keep the network closed', async () => {
  const dataDir = await makeData();
  writeFileSync(join(dataDir, 'settings.json'), '{"consoleHost":"127.0.0.1"}');
  await lan(dataDir, 'on');
  expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_open: true } });
  await expect(lan(dataDir, 'on', '--no-console')).rejects.toThrow('The setting consoleHost decides about the console');
  expect(await lan(dataDir, 'off')).toContain('The setting consoleHost decides about the console, so counterfoil lan');
  expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_open: false } });
});

describe('the console', () => {
  const ann = { name: 'Ann', role: 'manager', createdAt: 1 } as const;

  test('opens once somebody has a password', async () => {
    const password = await digestPassword('correct horse');
    const dataDir = await makeData(async (store) => store.people.add({ ...ann, password }, 'test'));
    expect(await lan(dataDir, 'on', '--console')).not.toContain('password');
    expect(await lanJson(dataDir, 'status')).toMatchObject({ settings: { is_console_open: true } });
  });

  test('opens for a user who has no password yet, with the command that sets one', async () => {
    const dataDir = await makeData(async (store) => {
      await store.people.add({ ...ann, password: missingPassword() }, 'test');
      await store.people.add({ ...ann, name: 'Ben Oak', password: missingPassword() }, 'test');
    });
    expect(await lan(dataDir, 'on')).not.toContain('password');
    const reset = `counterfoil users reset --data "${dataDir}" --name`;
    const printed = await lan(dataDir, 'on', '--console');
    expect(printed).toContain(`Nobody can sign in to the console on another machine yet.
Ann has no password yet and cannot sign in. To set one: ${reset} "Ann"
Ben Oak has no password yet and cannot sign in. To set one: ${reset} "Ben Oak"`);
    expect(await lan(dataDir, 'off')).not.toContain('password');
  });

  test('names the one user without a password beside others', async () => {
    const dataDir = await makeData(async (store) => {
      await store.people.add({ ...ann, password: await digestPassword('correct horse') }, 'test');
      await store.people.add({ ...ann, name: 'Ben', password: missingPassword() }, 'test');
    });
    const printed = await lan(dataDir, 'on', '--console');
    expect(printed).toContain('Ben has no password yet and cannot sign in.');
    expect(printed).not.toMatch(/Nobody can sign in|Ann has/);
  });
});

describe('beside a running gateway', () => {
  /**
   * A stand-in for a running gateway, with a data directory. `apply` waits until a command has opened or closed the network in
   * the settings, and then writes the network state as a gateway does.
   */
  async function runGateway(applied: Partial<NetworkView> = {}) {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    writeNetworkFile(dataDir, networkView({ settings: await store.network.settings(), addresses: [] }));
    return {
      dataDir,
      keys: () => listKeysOf(store),
      isOpen: async () => (await store.network.settings()).isOpen,
      async addStores(...names: string[]): Promise<void> {
        for (const name of names) await store.setup.createAdministration({ name, timeZone: 'UTC', dayStartsAt: 0 }, '');
      },
      async apply(isOpen: boolean): Promise<void> {
        await waitUntil(async () => (await store.network.settings()).isOpen === isOpen);
        const addresses = isOpen ? networkView().addresses : [];
        writeNetworkFile(dataDir, networkView({ addresses, ...applied, settings: await store.network.settings() }));
      },
    };
  }

  test('lan on prints addresses, fingerprint and the next step when the gateway is open', async () => {
    const { dataDir, apply } = await runGateway();
    const [printed] = await Promise.all([lan(dataDir, 'on'), apply(true)]);
    expect(printed).toBe(`The network is open: tills on other machines can connect.
  for tills     https://192.168.1.20:7410
  this machine  http://127.0.0.1:7410
  names         till-server.local
  interfaces    all interfaces except those of containers and virtual machines
                eth0 (192.168.1.20)
  certificate   made by this gateway, until 2027-02-01 00:00:00Z, renewed automatically
  authority     SHA-256 ${networkView().authority?.fingerprint}
                /var/lib/counterfoil/ca.pem, until 2036-11-01 00:00:00Z

Next, make a test key for a till, then run the printed lines there: counterfoil keys create --data "${dataDir}" --administration "My store" --mode test --label "Till 1"
To test the addresses: counterfoil lan test --data "${dataDir}"`);
    const [closed] = await Promise.all([lan(dataDir, 'off'), apply(false)]);
    expect(closed).toContain('The network is closed: only tills on this machine can connect.');
    expect(closed).toContain(`To open it: counterfoil lan on --data "${dataDir}"`);
  });

  test('lan on --json has what a till needs, with times in ISO 8601', async () => {
    const { dataDir, apply } = await runGateway();
    const [printed] = await Promise.all([lanJson(dataDir, 'on'), apply(true)]);
    expect(printed).toMatchObject({
      running: true,
      addresses: ['https://192.168.1.20:7410'],
      names: ['till-server.local'],
      authority: {
        fingerprint: networkView().authority?.fingerprint,
        file: '/var/lib/counterfoil/ca.pem',
        end: '2036-11-01T00:00:00.000Z',
      },
      certificate: {
        end: '2027-02-01T00:00:00.000Z',
        names: ['till-server.local', 'localhost', '127.0.0.1', '192.168.1.20'],
      },
      console_addresses: [],
      failures: [],
    });
  });

  test('lan on with a key says what is left to do, until a till has called from another machine', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    writeNetworkFile(dataDir, networkView());
    const secret = generateSecret('test');
    const wanted = { administration: 'A', mode: 'test', label: 'Till 1', interface: 'both', isAdopted: false } as const;
    const made = await store.setup.createKey({ ...wanted, secret }, 'test');
    const { id } = made!; // `!`: a fresh secret belongs to no key
    const printed = await lan(dataDir, 'status');
    expect(printed).toContain(
      `counterfoil keys create --data "${dataDir}" --administration "A" --mode test --label "Till 2"\nTo test`,
    );
    expect(printed).not.toContain('/trust');
    store.setup.noteKeyUse(id, Date.now(), 'https://192.168.1.20:7410');
    await expect.poll(async () => lan(dataDir, 'status')).not.toContain('Next,');
    await store.setup.revokeKey(id, 'test');
    expect(await lan(dataDir, 'status')).toContain('--administration "A" --mode test --label "Till 1"');
  });

  test('status shows the chosen interfaces, also one without an address', async () => {
    const { settings } = networkView();
    const { dataDir } = await runGateway();
    const show = async (changed: Partial<NetworkView>): Promise<string> => {
      writeNetworkFile(dataDir, networkView(changed));
      return lan(dataDir, 'status');
    };
    const chosen = { settings: { ...settings, interfaces: ['eth0', 'eth1'] } };
    expect(await show(chosen)).toContain(
      '  interfaces    only eth0 (192.168.1.20)\n                only eth1 (no address)\n',
    );
    expect(await show({ ...chosen, fixedBy: ['host'] })).toContain('  interfaces    all\n');
  });

  test('status shows the HTTP addresses only while plain HTTP is allowed', async () => {
    const { settings } = networkView();
    const { dataDir } = await runGateway();
    const addresses = ['https://192.168.1.20:7410', 'https://counterfoil.local:7410', 'http://203.0.113.5:7410'];
    writeNetworkFile(dataDir, networkView({ addresses, settings: { ...settings, allowsPlainHttp: true } }));
    expect(await lan(dataDir, 'status')).toContain(
      '  by plain HTTP http://192.168.1.20:7410\n                http://counterfoil.local:7410\n  this machine',
    );
    expect(await lanJson(dataDir, 'status')).toMatchObject({
      addresses,
      plain_http_addresses: ['http://192.168.1.20:7410', 'http://counterfoil.local:7410', 'http://203.0.113.5:7410'],
    });
    writeNetworkFile(dataDir, networkView());
    expect(await lan(dataDir, 'status')).not.toContain('http://192.168');
    expect(await lanJson(dataDir, 'status')).toMatchObject({ plain_http_addresses: [] });
  });

  test('lan on --till connects a till of a fresh gateway: its key, its address and the lines to run there', async () => {
    const { dataDir, apply, keys } = await runGateway();
    const [printed] = await Promise.all([lan(dataDir, 'on', '--till', 'Till 1'), apply(true)]);
    expect(printed).toMatch(
      /^The network is open: .*\n\nKey 1 for Till 1 \(My store, test\)\. It is shown only now:\ntest_/,
    );
    expect(printed).toContain('Address for the till: https://192.168.1.20:7410/v1/raw_transactions');
    expect(printed).toContain("then curl --cacert counterfoil-ca.pem 'https://192.168.1.20:7410/v1/raw_transactions'");
    expect(printed).toContain('If the till gets no answer, a firewall may block it. Allow');
    await expect(lan(dataDir, 'on', '--till', 'Till 1')).rejects.toThrow(
      `Till 1 already has a test key, so no key was made. For a second one: counterfoil keys create --data "${dataDir}" --administration "My store" --mode test --label "Till 1"`,
    );
    expect(await lanJson(dataDir, 'on', '--till', 'Till 2')).toMatchObject({
      label: 'Till 2',
      key: expect.stringMatching(/^test_/),
      addresses: ['https://192.168.1.20:7410'],
    });
    expect(await keys()).toEqual(['My store, test, Till 1', 'My store, test, Till 2']);
  });

  test('lan on --till changes nothing while several administrations exist, and names them', async () => {
    const { dataDir, addStores, isOpen } = await runGateway();
    await addStores('A', 'B');
    await expect(lan(dataDir, 'on', '--till', 'Till 1')).rejects.toThrow(
      'There are several administrations. Also give --administration, with one of: "A", "B".',
    );
    await expect(lan(dataDir, 'on', '--till', 'Till 1', '--administration', 'C')).rejects.toThrow(
      'The administration "C" does not exist. Existing administrations: "A", "B".',
    );
    await expect(lan(dataDir, 'on', '--administration', 'A')).rejects.toThrow('--administration needs --till');
    expect(await isOpen()).toBe(false);
  });

  test('lan on --till makes the key in the administration that --administration names', async () => {
    const { dataDir, addStores, apply, keys } = await runGateway();
    await addStores('A', 'B');
    const before = await keys();
    await Promise.all([lan(dataDir, 'on', '--till', 'New till', '--administration', 'B'), apply(true)]);
    expect((await keys()).filter((key) => !before.includes(key))).toEqual(['B, test, New till']);
  });

  test('status of an open network without an address says what is missing', async () => {
    const { dataDir } = await runGateway();
    writeNetworkFile(dataDir, networkView({ addresses: [], interfaces: [] }));
    expect(await lan(dataDir, 'status')).toContain(
      'tills on other machines cannot connect yet: this machine has no address in a network. Connect the cable or Wi-Fi',
    );
  });

  test('status of a gateway that a setting keeps closed does not advise lan on', async () => {
    const { settings } = networkView();
    const { dataDir } = await runGateway();
    const closed = { addresses: [], settings: { ...settings, isOpen: false }, fixedBy: ['host'] };
    writeNetworkFile(dataDir, networkView(closed));
    expect(await lan(dataDir, 'status')).not.toContain('To open it');
  });

  test('status says what a person must do', async () => {
    const at = { administration: 'Bakery', address: 'https://192.168.1.9:7410', at: 0 };
    const { dataDir, apply } = await runGateway({
      announcement: { state: 'failed', detail: 'Another program uses port 5353.' },
      failures: [failureAt('10.0.0.5:7410', 'Another program uses port 7410. Stop it.')],
      tillsAtOldAddress: [{ till: 'Till 1', ...at }],
      tillsToTrust: [{ till: 'Till 2', ...at }],
    });
    await Promise.all([lan(dataDir, 'on', '--plain-http'), apply(true)]);
    const printed = await lan(dataDir, 'status');
    for (const sentence of [
      'Plain HTTP is allowed: anyone in the network can read the keys and sales of tills that use it.',
      'The name is not announced: Another program uses port 5353.',
      '10.0.0.5:7410: Another program uses port 7410. Stop it.',
      'Till 1 (Bakery) last called https://192.168.1.9:7410. This machine no longer has that address.',
      'Till 2 (Bakery) does not know the new authority yet.',
    ])
      expect(printed).toContain(sentence);
  });
});

describe('lan test', () => {
  async function serveOpen(hosts: string[], changed: Partial<NetworkView> = {}): Promise<[string, string]> {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    const authority = makeCertificate({ name: 'Authority', hosts: [] });
    const file = join(dataDir, 'ca.pem');
    writeFileSync(file, authority.cert);
    const server = createServer(makeCertificate({ issuer: authority, hosts }), (_request, response) => {
      response.end('{"status":"ok"}');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const view = networkView();
    writeNetworkFile(dataDir, { ...view, addresses: [address], authority: { ...view.authority!, file }, ...changed });
    return [dataDir, address];
  }

  test('tells the firewall if every address works', async () => {
    const [dataDir, address] = await serveOpen(['127.0.0.1']);
    const printed = await lan(dataDir, 'test');
    expect(printed).toContain(
      `${address}: works.\nThis test runs on this machine, so its firewall did not see it and may still block tills.`,
    );
    expect(process.exitCode).toBeUndefined();
    expect(await lanJson(dataDir, 'test')).toEqual({
      addresses: [{ address, fault: null }],
      failures: [],
      notices: [],
    });
  });

  test('exits with 1 and says what to do if an address fails', async () => {
    const [dataDir, address] = await serveOpen(['10.0.0.5']);
    expect(await lan(dataDir, 'test')).toContain(`${address}: The address 127.0.0.1 is not in the certificate`);
    expect(process.exitCode).toBe(1);
  });

  test('exits with 1 if the gateway could not listen everywhere', async () => {
    const failures = [failureAt('10.0.0.5:7410', 'Another program uses port 7410. Stop it.')];
    const [dataDir] = await serveOpen(['127.0.0.1'], { failures });
    expect(await lan(dataDir, 'test')).toContain('10.0.0.5:7410: Another program uses port 7410. Stop it.');
    expect(process.exitCode).toBe(1);
  });

  test('only notes a public address, which the certificate of the gateway cannot contain', async () => {
    const failures = [failureAt('https://203.0.113.5:7410', 'The certificate cannot contain it.', 'uncertified')];
    const [dataDir, address] = await serveOpen(['127.0.0.1'], { failures });
    expect(await lan(dataDir, 'test')).toContain(
      `Notice: https://203.0.113.5:7410: The certificate cannot contain it.\n${address}: works.`,
    );
    expect(await lanJson(dataDir, 'test')).toEqual({
      addresses: [{ address, fault: null }],
      failures: [],
      notices: failures,
    });
    expect(process.exitCode).toBeUndefined();
  });

  test('exits with 1 if a public address is the only one', async () => {
    const failures = [failureAt('https://203.0.113.5:7410', 'The certificate cannot contain it.', 'uncertified')];
    const [dataDir] = await serveOpen([], { failures, addresses: [] });
    expect(await lan(dataDir, 'test')).toBe('Notice: https://203.0.113.5:7410: The certificate cannot contain it.');
    expect(process.exitCode).toBe(1);
  });

  test('of a closed network says how to open it', async () => {
    const { settings } = networkView();
    const [dataDir] = await serveOpen([], { addresses: [], settings: { ...settings, isOpen: false } });
    await expect(lan(dataDir, 'test')).rejects.toThrow(
      'nothing to test. For tills on other machines: counterfoil lan on',
    );
  });

  test('names the chosen interface that no longer has an address', async () => {
    const settings = { ...networkView().settings, interfaces: ['lan0'] };
    const [dataDir] = await serveOpen([], { addresses: [], settings });
    await expect(lan(dataDir, 'test')).rejects.toThrow(
      'There is nothing to test: the interface lan0 has no address in a network.',
    );
  });

  test('says if the file of the authority is missing', async () => {
    const [dataDir] = await serveOpen([], { authority: { ...networkView().authority!, file: '/nowhere/ca.pem' } });
    await expect(lan(dataDir, 'test')).rejects.toThrow('The authority in /nowhere/ca.pem cannot be read.');
  });
});
