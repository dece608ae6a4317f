// The contract of the ledger of certifications, for every engine.

import { describe, expect, test } from 'vitest';

import type { CertificationReport } from '../../../../server/contract/certify.ts';
import type { Store } from '../../../../server/store/store.ts';
import { engines } from './engines.ts';

async function makeReport({ setup }: Store): Promise<CertificationReport> {
  const wanted = { administration: 'Bar', mode: 'test', label: 'Till 1', interface: 'both' } as const;
  const key = await setup.createKey({ ...wanted, secret: `test_${Math.random()}`, isAdopted: false }, 'Ann');
  if (key === undefined) throw new Error('no key was made');
  const step = { attempts: 1, startedAt: 1, endedAt: 2, reason: '', events: [] };
  return {
    journalId: key.journalId,
    administration: 'Bar',
    till: 'Till 1',
    keyId: key.id,
    interface: 'both',
    version: '1.0.0',
    by: 'Ann',
    state: 'running',
    startedAt: 1,
    endedAt: null,
    steps: [
      { ...step, name: 'first_sale', state: 'passed', finding: 'stored' },
      { ...step, name: 'retry', state: 'active', finding: 'nothing_yet' },
    ],
  };
}

describe.each(engines)('certifications on $name', ({ makeSite }) => {
  test('a report survives a restart, and runs are listed newest first', async () => {
    const site = makeSite();
    const before = await site.open();
    const report = await makeReport(before);
    const first = await before.certifications.begin(report);
    const second = await before.certifications.begin(report);
    await before.certifications.save(second, { ...report, till: 'Till 2' });
    await before.close();
    const { certifications } = await site.open();
    expect(await certifications.get(first)).toEqual({ id: first, ...report });
    expect(await certifications.get(999)).toBeUndefined();
    const listed = await certifications.list({ journalId: report.journalId, limit: 10 });
    expect(listed.map(({ id, till }) => ({ id, till }))).toEqual([
      { id: second, till: 'Till 2' },
      { id: first, till: 'Till 1' },
    ]);
    expect(await certifications.list({ journalId: 999, limit: 10 })).toEqual([]);
  });

  test('a run ends once, and the end is in the log of acts', async () => {
    const store = await makeSite().open();
    const report = await makeReport(store);
    const { certifications } = store;
    const id = await certifications.begin(report);
    const ended = { ...report, state: 'ended', endedAt: 9 } as const;
    await certifications.end(id, ended);
    await certifications.end(id, { ...ended, till: 'other' });
    await certifications.save(id, report);
    expect(await certifications.get(id)).toEqual({ id, ...ended });
    expect(await certifications.list({ isRunning: true, limit: 10 })).toEqual([]);
    const acts = (await store.setup.listActs({ limit: 10 })).filter(({ act }) => act.kind === 'certify till');
    expect(acts).toMatchObject([
      { actor: 'Ann', mode: 'test', act: { kind: 'certify till', till: 'Till 1', passed: 1, failed: 0, skipped: 0 } },
    ]);
  });
});
