// `counterfoil administrations set`: accepted and refused options. A wrong option is refused by name, before the data are
// opened. Changes take effect in a running gateway.

import { join } from 'node:path';

import { Command, CommanderError } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';

import { bindAdministrations } from '../../../server/command/administrations.ts';
import { INTERFACES } from '../../../server/contract/codes.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { makeKey, temporaryFolder } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

/** Runs the command as main does. Rejects with the error that main would explain. */
async function run(args: readonly string[]): Promise<void> {
  const program = new Command('counterfoil').exitOverride().configureOutput({ writeErr: () => {} });
  bindAdministrations(program);
  await program.parseAsync(['administrations', ...args], { from: 'user' });
}

/** This directory does not exist, so a command that tries to open it fails. */
const nowhere = join(import.meta.dirname, 'no-such-folder');
const setting = (...args: string[]): string[] => ['set', '--administration', 'Bakery', '--data', nowhere, ...args];

describe('set refuses, and names the fault', () => {
  test.each<[string, string[], RegExp]>([
    [
      'without a change',
      [],
      /Nothing to change.*--customer-name and --customer-id, or --no-customer, --versions, --resources, --forwarded or --others-send/,
    ],
    ['a name that is a path step', ['--rename', '..'], /^--rename must have 1 to 100 characters/],
    ['a customer name without an id', ['--customer-name', 'bakery'], /--customer-name and --customer-id .*give both/],
    ['a customer id without a name', ['--customer-id', '42'], /--customer-name and --customer-id .*give both/],
    [
      'an empty customer name',
      ['--customer-name', '', '--customer-id', '42'],
      /^--customer-name is part of a host name.*not ""\.$/,
    ],
    [
      'a customer name with a dot',
      ['--customer-name', 'a.b', '--customer-id', '42'],
      /^--customer-name .*not "a\.b"\.$/,
    ],
    [
      'a customer name with an underscore',
      ['--customer-name', 'a_b', '--customer-id', '42'],
      /^--customer-name .*not "a_b"\.$/,
    ],
    [
      'a customer name that begins with a hyphen',
      ['--customer-name=-a', '--customer-id', '42'],
      /^--customer-name .*not "-a"\.$/,
    ],
    [
      'a customer name that ends with a hyphen',
      ['--customer-name', 'a-', '--customer-id', '42'],
      /^--customer-name .*not "a-"\.$/,
    ],
    [
      'a customer name of 64 letters',
      ['--customer-name', 'a'.repeat(64), '--customer-id', '42'],
      /^--customer-name .*63/,
    ],
    [
      'a customer name that is not ASCII',
      ['--customer-name', 'café', '--customer-id', '42'],
      /^--customer-name .*café/,
    ],
    [
      'the test label as customer name',
      ['--customer-name', 'Dev-Plem', '--customer-id', '42'],
      /^--customer-name .*other than dev-plem, not "Dev-Plem"\.$/,
    ],
    [
      'a customer id with a space',
      ['--customer-name', 'bakery', '--customer-id', '4 2'],
      /^--customer-id is part of a host name.*not "4 2"\.$/,
    ],
    ['the test label as customer id', ['--customer-name', 'bakery', '--customer-id', 'dev-plem'], /^--customer-id/],
    ['no version', ['--versions', ''], /^--versions must be a list/],
    ['an empty version', ['--versions', 'v1,,v2'], /^--versions must be a list/],
    ['a repeated version', ['--versions', 'v1, v1'], /^--versions must be a list/],
    ['a version with a slash', ['--versions', 'v1/2'], /^--versions must be names.*not "v1\/2"\.$/],
    ['a version of 33 characters', ['--versions', 'v'.repeat(33)], /^--versions must be names of 1 to 32/],
    ['the version c, where addresses begin', ['--versions', 'v1,c'], /^--versions .*not "c"\.$/],
    ['a version `.`', ['--versions', '.'], /^--versions .*not "\."\.$/],
    ['a version that goes up in a path', ['--versions', 'v1,..'], /^--versions .*not "\.\."\.$/],
    [
      'an address to set and to remove',
      ['--no-customer', '--customer-name', 'bakery', '--customer-id', '42'],
      /^--no-customer removes the address/,
    ],
    ['no resource', ['--resources', ''], /^--resources must be a list/],
    ['a repeated resource', ['--resources', 'a,a'], /^--resources must be a list/],
    ['a resource twice with two ids', ['--resources', 'a:x,a:y'], /^--resources names a resource twice/],
    ['a resource with a slash', ['--resources', 'a/b'], /^--resources must be names.*not "a\/b"\.$/],
    ['a resource of 65 characters', ['--resources', 'a'.repeat(65)], /^--resources must be names of 1 to 64/],
    ['a resource without name', ['--resources', ':id'], /^--resources .*not ":id"\.$/],
    ['a resource with an empty id', ['--resources', 'a:'], /^--resources .*not "a:"\.$/],
    ['a resource with two ids', ['--resources', 'a:b:c'], /^--resources .*not "a:b:c"\.$/],
    ['an id with a space', ['--resources', 'a:b c'], /^--resources .*not "a:b c"\.$/],
    ['timestamp as id', ['--resources', 'a:timestamp'], /^--resources .*not "a:timestamp"\.$/],
    [
      'the resource of the current interface',
      ['--resources', 'raw_transactions'],
      /^raw_transactions is a resource of the current/,
    ],
  ])('%s', async (_name, args, message) => {
    const error = await run(setting(...args)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(message);
  });

  test.each<[string, string[], RegExp]>([
    ['no administration', ['set', '--versions', 'v1'], /--administration/],
    ['an unknown option', setting('--customer', 'x'), /--customer/],
    ['an option without its value', setting('--versions'), /--versions/],
    ['an extra argument', setting('--versions', 'v1', 'more'), /too many arguments/],
    ['an unknown command', ['get'], /get/],
  ])('%s', async (_name, args, message) => {
    const error = await run(args).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CommanderError);
    expect((error as CommanderError).message).toMatch(message);
  });

  test.each([
    ['set', setting('--versions', 'v1')],
    ['list', ['list', '--data', nowhere]],
  ])('a data directory without data: %s', async (_name, args) => {
    const error = await run(args).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as OperatorError).message).toContain(nowhere);
  });
});

test('set names an administration that does not exist, and the administration that already has the address', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  for (const administration of ['Bakery', 'Café']) await makeKey(store, 'Till 1', { administration });
  await store.setup.changeAdministration('Bakery', { customer: { name: 'bakery', id: '42' } }, 'test');
  await store.close();
  const set = (name: string) =>
    run(['set', '--administration', name, '--data', dataDir, '--customer-name', 'Bakery', '--customer-id', '42']);
  for (const [name, message] of [
    ['Butcher', /^The administration "Butcher" does not exist; .*list/],
    ['Café', /^Bakery already has this customer name and id/],
  ] as const) {
    const error = await set(name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as OperatorError).message).toMatch(message);
  }
});

test('a store gets another name, which no other store has', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const { id } = await makeKey(store, 'Till 1', { administration: 'My store' });
  await makeKey(store, 'Till 1', { administration: 'Kiosk' });
  const rename = (name: string): Promise<void> =>
    run(['set', '--administration', 'My store', '--rename', name, '--data', dataDir, '--json']);
  await expect(rename('Kiosk')).rejects.toThrow(/The administration "Kiosk" already exists/);
  await rename('Corner Bakery');
  expect((await store.setup.listKeys()).find((key) => key.id === id)).toMatchObject({
    administration: 'Corner Bakery',
  });
  await store.close();
});

test('a store that is renamed while the gateway runs continues: its key still works, and its sales are still forwarded', async () => {
  const gateway = await openTestGateway();
  const upstream = await openStandIn();
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const { store, apiUrl, dataDir } = gateway;
  const { secret } = await gateway.makeKey({ mode: 'production', interface: 'both' });
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } } as const;
  for (const by of INTERFACES)
    await store.outbox.performAct({ administration: 'Bakery', mode: 'production', interface: by }, act, 'test');
  const sell = async (id: string): Promise<void> => {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await postBody(apiUrl, secret, bodyOf({ external_id: id }))).status).toBe(201);
    expect((await call(`${apiUrl}/v1/transaction?transactionid=${id}`, { headers })).text).toContain('NEW');
  };
  await sell('BEFORE');
  await run(['set', '--administration', 'Bakery', '--rename', 'Corner Bakery', '--data', dataDir, '--json']);
  await sell('MEANWHILE');
  await expect.poll(() => store.outbox.lanes().map(({ administration }) => administration)).not.toContain('Bakery');
  await sell('AFTER');
  await upstream.waitUntil(({ records }) => records === 6);
});
