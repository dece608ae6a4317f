// Invalid dates: on every route with days, the answer names the wrong parameter.

import { afterAll, beforeAll, expect, test } from 'vitest';

import { enter, type Window } from '../../support/console.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';

let gateway: TestGateway;
let window: Window;
beforeAll(async () => {
  gateway = await openTestGateway();
  window = await enter(gateway);
});
afterAll(() => gateway.close());

const DAYS = ['-1', '', '2026-02-30', '2026-11-1', '0000-00-00', '999999-01-01', '2026-11-01T00:00:00Z', '٢٠٢٦-11-01'];

test.each(DAYS.flatMap((day) => [['from', day] as const, ['to', day] as const]))(
  '%s=%j is 400 and names it',
  async (member, day) => {
    const days = { from: '2026-11-01', to: '2026-11-02', [member]: day };
    const journal = gateway.production.journalId;
    const query = new URLSearchParams({ journal: String(journal), ...days });
    for (const path of ['/api/days', '/api/days/export', '/api/days/tills/export']) {
      const answer = await window.get(`${path}?${String(query)}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(member);
    }
    const check = await window.send('POST', '/api/checks', { journal, ...days, byIds: false });
    expect(check.status).toBe(400);
    expect(check.text).toContain(member);
  },
);
