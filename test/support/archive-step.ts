// A program that packs all bodies and archives a day, step by step, and says before each step that it begins. A test kills it. Its
// argument is a data directory.

import { openStore } from '../../server/store/open-store.ts';
import { DAY } from './archived.ts';

const [, , dataDir = ''] = process.argv;
const say = (step: string): void => void process.stdout.write(`${step}\n`);

const store = await openStore({ dataDir, role: 'gateway' });
const [journal] = await store.setup.listJournals();
const journalId = journal?.id ?? 0;
say('pack');
while (await store.archive.packSlice()) say('pack');
say('move');
while (await store.archive.moveSlice()) say('move');
if (!(await store.archive.listDays(journalId)).has(DAY.date)) {
  say('write');
  await store.archive.write('2025-10', [{ ...DAY, journalId, signedAt: 1 }]);
  say('move');
  while (await store.archive.moveSlice()) say('move');
}
say('done');
await store.close();
