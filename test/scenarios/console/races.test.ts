// Calls that arrive during a change. Each answer shows the state before or after that change, and no call fails.

import { afterAll, expect, onTestFinished, test } from 'vitest';

import type { JournalView } from '../../../server/contract/setup.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { enter } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());
const manager = await enter(gateway);

test('journals are listed while another process creates and renames administrations', async () => {
  const command = await openStore({ dataDir: gateway.dataDir, role: 'command' });
  onTestFinished(() => command.close());
  const listNames = async (): Promise<string[]> => {
    const answer = await manager.get('/api/journals');
    expect(answer.status).toBe(200);
    const journals = JSON.parse(answer.text) as JournalView[];
    expect(journals.every(({ timeZone }) => timeZone !== '')).toBe(true);
    return journals.map(({ administration }) => administration);
  };
  for (const name of ['One', 'Two', 'Three']) {
    const making = command.setup.createAdministration({ name, timeZone: 'UTC', dayStartsAt: 0 }, 'test');
    while (!(await listNames()).includes(name)); // call until the new name appears
    await making;
    const renaming = command.setup.changeAdministration(name, { name: `${name}, renamed` }, 'test');
    while (!(await listNames()).includes(`${name}, renamed`));
    await renaming;
  }
});

test('a total that is withdrawn at once is answered as it was declared', async () => {
  const till = gateway.production;
  const day = { journal: till.journalId, date: '2026-11-20', tillId: till.tillId, records: null };
  for (let round = 0; round < 40; round++) {
    const declaring = [1, 2, 3, 4].map((count) =>
      postBody(
        gateway.apiUrl,
        till.secret,
        JSON.stringify({ day: day.date, count: 4 * round + count }),
        '/ext/v1/day_totals',
      ),
    );
    const takingBack = [1, 2, 3, 4].map(() => manager.send('PUT', '/api/declared-totals', day));
    const answers = await Promise.all(declaring);
    for (const [index, answer] of answers.entries())
      expect([answer.status, answer.json()]).toMatchObject([201, { count: 4 * round + index + 1, here: 0 }]);
    for (const answer of await Promise.all(takingBack)) expect(answer.status).toBe(204);
  }
});
