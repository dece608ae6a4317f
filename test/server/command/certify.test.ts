// `counterfoil certify`, beside a running gateway and without one.

import { expect, test } from 'vitest';

import { bindCertify } from '../../../server/command/certify.ts';
import { type CertificationReport, CERTIFY_STEPS } from '../../../server/contract/certify.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import type { Store } from '../../../server/store/store.ts';
import { runCommand } from '../../support/command-run.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const certify = async (dataDir: string, ...args: string[]): Promise<string> =>
  runCommand(bindCertify, ['certify', ...args, '--data', dataDir]);
const certifyJson = async (dataDir: string, ...args: string[]): Promise<unknown> =>
  JSON.parse(await certify(dataDir, ...args, '--json'));

const STARTED = Date.UTC(2026, 10, 23, 9, 0, 0);

/** Stores a run whose first step has passed. */
async function addRun(store: Store, changed: Partial<CertificationReport> = {}): Promise<number> {
  const wanted = { administration: 'Bakery', mode: 'test', label: 'Till 1', interface: 'both' } as const;
  const ensured = await store.setup.ensureKey({ ...wanted, secret: generateSecret('test'), isAdopted: false }, 'test');
  const { id: keyId, journalId } = ensured!.key; // `!`: a fresh secret belongs to no key
  const sale = {
    externalId: 'T1-1',
    recordId: 7,
    status: 'NEW',
    clockSeconds: null,
    digits: null,
    isCopy: false,
  } as const;
  const empty = { attempts: 0, startedAt: null, endedAt: null, finding: null, reason: '', events: [] };
  const report: CertificationReport = {
    journalId,
    administration: 'Bakery',
    till: 'Till 1',
    keyId,
    interface: 'both',
    version: '1.2.3',
    by: 'Ann',
    state: 'running',
    startedAt: STARTED,
    endedAt: null,
    steps: CERTIFY_STEPS.map((name, at) =>
      at > 0
        ? { ...empty, name, state: at === 1 ? ('active' as const) : ('open' as const) }
        : {
            ...empty,
            name,
            state: 'passed',
            attempts: 2,
            startedAt: STARTED,
            endedAt: STARTED + 5000,
            finding: 'stored',
            events: [{ at: STARTED + 4000, kind: 'sale', ...sale, isSame: null, afterMs: null }],
          },
    ),
    ...changed,
  };
  const id = await store.certifications.begin(report);
  if (report.endedAt !== null) await store.certifications.end(id, report);
  return id;
}

test('an ended run and the running one of a gateway are listed, newest first', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await addRun(store, { state: 'timed_out', endedAt: STARTED + 60_000 });
  await addRun(store);
  expect(await certify(dataDir, 'list')).toBe(
    [
      'report  till    administration  state      passed  failed  skipped  not tested  started               ended',
      '2       Till 1  Bakery          running    1       0       0        9           2026-11-23 09:00:00Z  -',
      '1       Till 1  Bakery          timed out  1       0       0        9           2026-11-23 09:00:00Z  2026-11-23 09:01:00Z',
    ].join('\n'),
  );
  expect(await certifyJson(dataDir, 'list', '--limit', '1')).toEqual([
    {
      id: 2,
      administration: 'Bakery',
      till: 'Till 1',
      key_id: 1,
      state: 'running',
      started_at: '2026-11-23T09:00:00.000Z',
      ended_at: null,
      passed: 1,
      failed: 0,
      skipped: 0,
      not_tested: 9,
    },
  ]);
  expect(await certify(dataDir, 'show')).toContain('Report 2: The certification of Till 1 is still running.');
});

test('without a gateway, a run that never ended is interrupted', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await addRun(store);
  await store.close();
  expect(await certifyJson(dataDir, 'list')).toMatchObject([{ state: 'interrupted', ended_at: null }]);
  expect(await certify(dataDir, 'show', '1')).toContain('  ended         the gateway stopped\n');
});

test('show prints the report of the number, or else the newest', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await addRun(store, { state: 'ended', endedAt: STARTED + 60_000 });
  await addRun(store, { state: 'ended', endedAt: STARTED + 60_000, till: 'Till \u001b[2J2' });
  await store.close();
  expect(await certify(dataDir, 'show', '1')).toContain(`Report 1: Till 1 was not fully tested.
1 passed, 0 failed, 0 skipped, 9 not tested.

  store         Bakery
  till          Till 1
  test key      1
  started       2026-11-23 09:00:00Z
  ended         2026-11-23 09:01:00Z
  certified by  Ann
  gateway       Counterfoil 1.2.3

1. First sale: passed (attempt 2)
   The sale is stored: NEW.
   2026-11-23 09:00:04Z  T1-1: record 7, NEW
2. Retry: not tested
`);
  expect(await certify(dataDir, 'show')).toContain('Report 2: Till �[2J2 was');
  expect(await certifyJson(dataDir, 'show', '1')).toMatchObject({
    id: 1,
    till: 'Till 1',
    by: 'Ann',
    state: 'ended',
    ended_at: '2026-11-23T09:01:00.000Z',
    steps: { 0: { name: 'first_sale', state: 'passed', events: [{ at: '2026-11-23T09:00:04.000Z', record_id: 7 }] } },
  });
});

test('without any run, the list is empty and show says where one begins', async () => {
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  expect(await certify(dataDir, 'list')).toMatch(/^No till was certified yet\./);
  expect(await certifyJson(dataDir, 'list')).toEqual([]);
  await expect(certify(dataDir, 'show')).rejects.toThrow(/^No till was certified yet\. To begin, open the card/);
});

test('an unknown report is refused with the command that lists all', async () => {
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  await expect(certify(dataDir, 'show', '9')).rejects.toThrow(OperatorError);
  await expect(certify(dataDir, 'show', '9')).rejects.toThrow(
    `Report 9 does not exist. To list all: counterfoil certify list --data "${dataDir}"`,
  );
  await expect(certify(dataDir, 'show', 'x')).rejects.toThrow(UsageError);
});
