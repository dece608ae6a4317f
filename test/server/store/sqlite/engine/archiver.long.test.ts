// Kills a process while it packs and archives, at every step and within the steps. After each kill, every body is in the database or in a file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { bodyColumns, type BodyRow, openBodies } from '../../../../../server/store/sqlite/archive/body.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { sellDelivered } from '../../../../support/archived.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

const PROGRAM = join(import.meta.dirname, '../../../../support/archive-step.ts');
const RECORDS = 600;

/** Runs the program and kills it `ms` after it has said its n-th step. Resolves to its last step. */
async function runUntil(dataDir: string, steps: number, ms: number): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let [count, last] = [0, ''];
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    count += 1;
    if (count !== steps) continue;
    await delay(ms);
    child.kill('SIGKILL');
  }
  await exited;
  return last;
}

function readBodies(dataDir: string): Map<number, string> {
  const db = new Database(databasePath(dataDir), { readonly: true });
  try {
    const bodyOf = openBodies(db);
    const rows = db.prepare<[], BodyRow & { readonly id: number }>(`SELECT id, ${bodyColumns(db)} FROM records`).all();
    return new Map(rows.map((row) => [row.id, bodyOf(row.id, row).toString()]));
  } finally {
    db.close();
  }
}

test('a kill at any step of packing and archiving loses no body, and the next start continues', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await sellDelivered(store, RECORDS);
  await store.close();
  const before = readBodies(dataDir);
  expect(before.size).toBe(RECORDS);
  let rounds = 0;
  for (let step = 1; step <= 4; step++)
    for (const ms of [0, 6]) {
      await runUntil(dataDir, step, ms);
      rounds += 1;
      expect(readBodies(dataDir), `step ${step}, ${ms} ms`).toEqual(before);
    }
  expect(rounds).toBe(8);
  expect(await runUntil(dataDir, Infinity, 0)).toBe('done');
  expect(readBodies(dataDir)).toEqual(before);
  expect(readdirSync(join(dataDir, 'archive'))).toHaveLength(1);
  const again = await openStore({ dataDir, role: 'gateway' });
  const summary = await again.archive.readSummary();
  const result = await again.health.check();
  await again.close();
  expect(summary).toMatchObject({ files: 1, records: RECORDS, fault: null });
  expect(result).toMatchObject({
    structure: [],
    damagedRecords: [],
    countFaults: [],
    saleFaults: [],
    deliveryFaults: [],
  });
});
