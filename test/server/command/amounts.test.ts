// `counterfoil amounts`: usage and output, and the sums of `counterfoil days --json`.

import { join } from 'node:path';

import { Command, CommanderError } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { bindAmounts } from '../../../server/command/amounts.ts';
import { bindDays } from '../../../server/command/days.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean(lines.push(String(text))));
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(`${text}\n`));
  try {
    const program = new Command('counterfoil').exitOverride().configureOutput({ writeErr: () => {} });
    bindAmounts(program);
    bindDays(program);
    await program.parseAsync(args, { from: 'user' });
    return lines.join('');
  } finally {
    write.mockRestore();
    log.mockRestore();
  }
}

/** This directory does not exist, so a command that tries to open it fails. */
const nowhere = join(import.meta.dirname, 'no-such-folder');

describe('set refuses, and names the fault', () => {
  test.each<[string, string[], RegExp]>([
    ['an empty pointer', ['--total', ''], /^--total must be a JSON pointer/],
    [
      'a pointer with a wrong escape',
      ['--total', '/object/~2'],
      /^--total must be a JSON pointer.*not "\/object\/~2"\.$/,
    ],
    ['a currency that is no code', ['--total', '/object/total', '--currency', '€'], /^--currency must be a code/],
    ['a payment with a wrong escape', ['--total', '/t', '--payment', '/~'], /^--payment must be a JSON pointer/],
  ])('%s', async (_name, args, message) => {
    const running = run('amounts', 'set', '--administration', 'Bakery', '--type', 'sale', '--data', nowhere, ...args);
    await expect(running).rejects.toBeInstanceOf(UsageError);
    await expect(running).rejects.toThrow(message);
  });

  test('a missing total', async () => {
    const running = run('amounts', 'set', '--administration', 'Bakery', '--type', 'sale', '--data', nowhere);
    await expect(running).rejects.toBeInstanceOf(CommanderError);
  });
});

/** Makes a data directory with sales of three days. No gateway runs on it. */
async function makeData(): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  const totals = ['0.10', '0.20', 12.5, null, 3];
  for (const [n, total] of totals.entries()) {
    const soldAt = Date.UTC(2025, 9, 8 + (n % 3), 12) / 1000;
    const object = { total, currency: 'EUR', payment: { method: 'cash' } };
    await store.records.append(arrivalOf(key, { externalId: `T-${n}`, soldAt, object }));
  }
  await store.close();
  return dataDir;
}

test('the suggested command sets the rule, and the days then have exact sums', async () => {
  const dataDir = await makeData();
  const shown = await run('amounts', 'suggest', '--data', dataDir);
  expect(shown).toContain('Bakery, sale: 4 of 5 records have an amount.');
  const [, command = ''] = /To confirm: counterfoil (.*)/.exec(shown) ?? [];
  expect(command).toBe(
    `amounts set --data "${dataDir}" --administration "Bakery" --type "sale" --total "/object/total" --currency "/object/currency" --payment "/object/payment/method"`,
  );
  await run(...command.replaceAll('"', '').split(' '));
  expect(JSON.parse(await run('amounts', 'show', '--json', '--data', dataDir))).toEqual([
    {
      administration: 'Bakery',
      type: 'sale',
      total: '/object/total',
      currency: '/object/currency',
      payment: '/object/payment/method',
      sign: 'as sent',
      fill: null,
    },
  ]);
  const days = JSON.parse(await run('days', '--month', '2025-10', '--json', '--data', dataDir)) as {
    day: string;
    amounts: unknown;
  }[];
  const sum = { currency: 'EUR', declared: null, difference: null, without_amount: 0 };
  expect(days.filter(({ day }) => day < '2025-10-11').map(({ day, amounts }) => [day, amounts])).toEqual([
    [
      '2025-10-08',
      [
        { ...sum, here: '0.10' },
        { ...sum, currency: null, here: null, without_amount: 1 },
      ],
    ],
    ['2025-10-09', [{ ...sum, here: '3.20' }]],
    ['2025-10-10', [{ ...sum, here: '12.50' }]],
  ]);
});

test('without a rule, the sum of a declared currency is unknown, not zero', async () => {
  const dataDir = await makeData();
  const store = await openStore({ dataDir, role: 'gateway' });
  const { journalId } = await makeKey(store);
  const total = { date: '2025-10-10', type: null, tillId: null, records: 1 };
  const amounts = [{ currency: 'EUR', value: '500.00' }];
  await store.declared.declare(journalId, [{ ...total, amounts }], { actor: 'Ann', source: 'typed' });
  await store.close();
  expect(JSON.parse(await run('days', '--day', '2025-10-10', '--json', '--data', dataDir))).toMatchObject([
    { amounts: [{ currency: 'EUR', here: null, declared: '500.00', difference: null, without_amount: 1 }] },
  ]);
});

test.each([
  [
    'a pointer that leads to no amount',
    ['--type', 'sale', '--total', '/object/totaal'],
    /^counterfoil: no record of the type "sale" among the newest 5 records has an amount at "\/object\/totaal"/,
  ],
  [
    'a type without records',
    ['--type', 'sales', '--total', '/object/total'],
    /^counterfoil: the newest 5 records of "Bakery" have none of the type "sales"/,
  ],
])('set warns of %s', async (_, args, warning) => {
  const errors: string[] = [];
  const error = vi.spyOn(console, 'error').mockImplementation((text: string) => void errors.push(text));
  onTestFinished(() => error.mockRestore());
  const dataDir = await makeData();
  await run('amounts', 'set', '--administration', 'Bakery', '--data', dataDir, ...args);
  expect(errors).toEqual([expect.stringMatching(warning)]);
  errors.length = 0;
  await run(
    'amounts',
    'set',
    '--administration',
    'Bakery',
    '--data',
    dataDir,
    '--type',
    'sale',
    '--total',
    '/object/total',
  );
  expect(errors).toEqual([]);
});

test('amounts can be removed, and a type without a rule cannot', async () => {
  const dataDir = await makeData();
  const scope = ['--administration', 'Bakery', '--type', 'sale', '--data', dataDir];
  await run('amounts', 'set', ...scope, '--total', 'object', '--currency', 'eur', '--sign', 'negative');
  expect(JSON.parse(await run('amounts', 'show', '--json', '--data', dataDir))).toMatchObject([
    { total: '/object', currency: 'EUR', sign: 'negative' },
  ]);
  expect(await run('amounts', 'remove', ...scope)).toContain('No amounts are read yet.');
  await expect(run('amounts', 'remove', ...scope)).rejects.toThrow('No amounts of "sale" are read');
});

test('an unknown administration is named', async () => {
  const dataDir = temporaryFolder();
  await makeKey(await openTemporaryStore({ dataDir }));
  for (const command of [
    ['show'],
    ['suggest'],
    ['set', '--type', 'sale', '--total', '/t'],
    ['remove', '--type', 'sale'],
  ]) {
    const running = run('amounts', ...command, '--administration', 'Nobody', '--data', dataDir);
    await expect(running).rejects.toBeInstanceOf(OperatorError);
    await expect(running).rejects.toThrow('The administration "Nobody" does not exist');
  }
});
