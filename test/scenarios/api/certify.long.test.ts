// Certifying a till: a scripted till works through the run sheet over HTTP, on a real gateway.

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import {
  CERTIFY_STEPS,
  type CertificationView,
  type CertifyAct,
  type CertifyStep,
  type CertifyStepView,
  MANY_DIGITS,
} from '../../../server/contract/certify.ts';
import { enter, type Window } from '../../support/console.ts';
import { type Answer, bodyOf, call, getRange, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway, type TestKey } from '../../support/open-gateway.ts';
import { openRawConnection } from '../../support/raw-call.ts';
import { MINUTE, startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';
import { waitUntil } from '../../support/wait-until.ts';

let time: VirtualTime;
let gateway: TestGateway;
let manager: Window;
let run: CertificationView;
let key: TestKey;

beforeEach(async () => {
  time = startVirtualTime(Date.now());
  gateway = await openTestGateway({}, undefined, { clock: time });
  onTestFinished(() => gateway.close());
  manager = await enter(gateway);
  await begin(gateway.test);
});

async function begin(wanted: TestKey): Promise<void> {
  key = wanted;
  const answer = await manager.send('POST', '/api/certifications', { keyId: wanted.id });
  expect(answer.status).toBe(201);
  run = JSON.parse(answer.text) as CertificationView;
}

async function act(wanted: CertifyAct): Promise<CertificationView> {
  const answer = await manager.send('POST', `/api/certifications/${run.id}/acts`, wanted);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as CertificationView;
}

async function view(): Promise<CertificationView> {
  return JSON.parse((await manager.get(`/api/certifications/${run.id}`)).text) as CertificationView;
}

async function stepOf(name: CertifyStep): Promise<CertifyStepView> {
  const found = (await view()).steps.find((step) => step.name === name);
  if (found === undefined) throw new Error(`no step ${name}`);
  return found;
}

async function actOn(kind: 'start' | 'fail' | 'confirm', step: CertifyStep): Promise<CertificationView> {
  return act({ kind, step, attempts: (await stepOf(step)).attempts });
}

const start = (step: CertifyStep): Promise<CertificationView> => actOn('start', step);

/** Expects a step to end with this result. */
async function expectResult(name: CertifyStep, state: CertifyStepView['state'], finding: string): Promise<void> {
  await waitUntil(async () => (await stepOf(name)).finding === finding);
  expect(await stepOf(name)).toMatchObject({ state, finding });
}

const now = (offsetMs = 0): string => `${new Date(Date.now() + offsetMs).toISOString().slice(0, 19)}Z`;
const sale = (id: string, object = '{"total":1.50}', timestamp = now()): string =>
  bodyOf({ external_id: id, object, timestamp });
const post = (body: string, secret = key.secret): Promise<Answer> => postBody(gateway.apiUrl, secret, body);
const statusOf = (answer: Answer): unknown => answer.json()['status'];
const range = { timestamp_gte: now(-600_000), timestamp_lt: now(3_600_000), expand: 'raw_transactions' };
const query = (more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  getRange(gateway.apiUrl, key.secret, { ...range, ...more });

describe('a well-behaved till', () => {
  test('passes every step, and its report and the act are stored', async () => {
    const first = sale('A-1');
    expect((await post(first)).status).toBe(201);
    expect(statusOf(await post(first))).toBe('IGNORED');
    expect(statusOf(await post(sale('A-1', '{"total":9}')))).toBe('ERROR');

    const lost = sale('A-2');
    await expect(post(lost)).rejects.toThrow('other side closed');
    expect(statusOf(await post(lost))).toBe('IGNORED');

    const busy = sale('A-3');
    const refusal = await post(busy);
    expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    time.jump(10_000);
    expect((await post(busy)).status).toBe(201);

    expect((await post(sale('A-4', '{}', now(600_000)))).status).toBe(201);
    expect((await post(sale('A-5', `{"number":${MANY_DIGITS}}`))).status).toBe(201);

    const slow = post(sale('A-6'));
    await waitUntil(async () => (await stepOf('slow_line')).finding === 'answer_delayed');
    time.jump(8000);
    expect((await slow).status).toBe(201);
    await expectResult('slow_line', 'passed', 'answer_awaited');

    const kept = sale('A-7');
    expect((await post(kept)).status).toBe(401);
    expect((await post(kept)).status).toBe(401);
    await actOn('confirm', 'wrong_key');
    expect((await post(kept)).status).toBe(201);

    const page = await query();
    const { next_cursor: cursor, raw_transaction_count: count, limit } = page.json();
    expect({ count, limit }).toEqual({ count: 7, limit: 4 });
    const rest = await query({ cursor: String(cursor) });
    expect(rest.json()['next_cursor']).toBeNull();
    const pages = [page, rest].flatMap((each) => each.json()['raw_transactions'] as { external_id: string }[]);
    expect(new Set(pages.map(({ external_id: id }) => id)).size).toBe(7);

    await waitUntil(async () => (await view()).state === 'ended');
    const report = await view();
    expect(report.steps.map(({ name, state }) => `${name} ${state}`)).toEqual(
      CERTIFY_STEPS.map((name) => `${name} passed`),
    );
    expect(report.steps.find(({ name }) => name === 'wrong_key')?.events).toMatchObject([
      { kind: 'fault', fault: 'key_refused', externalId: 'A-7', calls: 2 },
      { kind: 'confirmed', by: 'console' },
      { kind: 'sale', externalId: 'A-7', status: 'NEW', isSame: true },
    ]);
    expect(await gateway.store.certifications.get(run.id)).toEqual(report);
    const [entry] = await gateway.store.setup.listActs({ limit: 1 });
    expect(entry).toMatchObject({
      actor: 'console',
      administration: 'Bakery',
      mode: 'test',
      act: { kind: 'certify till', till: 'Counter under test', passed: 10, failed: 0, skipped: 0 },
    });
    expect((await post(sale('A-8'))).status).toBe(201);
    // faults that the certification injected are not in the shop's refusal log
    expect(await gateway.store.records.listRefusals(10)).toEqual([]);
    expect(gateway.store.records.unwrittenRefusals()).toBe(0);
  });

  test('may give up on a slow answer if it sends the same sale again', async () => {
    await start('slow_line');
    const gone = new AbortController();
    const body = sale('A-1');
    const given = fetch(`${gateway.apiUrl}/v1/raw_transactions`, {
      method: 'POST',
      headers: { token: key.secret, 'content-type': 'application/json' },
      body,
      signal: gone.signal,
    });
    await waitUntil(async () => (await stepOf('slow_line')).finding === 'answer_delayed');
    gone.abort();
    await expect(given).rejects.toThrow('aborted');
    await waitUntil(async () => (await stepOf('slow_line')).finding === 'gave_up');
    expect(statusOf(await post(body))).toBe('IGNORED');
    await expectResult('slow_line', 'passed', 'sent_again');
  });
});

describe('several sales in a step with a fault', () => {
  test('every refused sale must come again, and the missing ones are counted', async () => {
    await start('wrong_key');
    const bodies = ['W-1', 'W-2', 'W-3'].map((id) => sale(id, `{"n":"${id}"}`));
    for (const body of bodies) expect((await post(body)).status).toBe(401);
    await actOn('confirm', 'wrong_key');
    for (const missing of [2, 1]) {
      await post(bodies[missing]!); // `!`: the list has three bodies
      await waitUntil(async () => (await stepOf('wrong_key')).missing === missing);
      expect(await stepOf('wrong_key')).toMatchObject({ state: 'active', finding: 'awaiting_kept' });
    }
    await post(bodies[0]!);
    await expectResult('wrong_key', 'passed', 'kept_and_sent');
  });

  test.each(['current', 'earlier'] as const)(
    'a sale that was under way when the till got 503 does not count as too early: %s interface',
    async (generation) => {
      await begin(await gateway.makeKey({ interface: 'both' }));
      await start('come_back');
      const busy = sale('U-2');
      const [path, credential, body] =
        generation === 'current'
          ? ['/v1/raw_transactions', `token: ${key.secret}`, sale('U-1')]
          : ['/v1/transaction', `Authorization: Bearer ${key.secret}`, '{"transactionid":"U-1"}'];
      const underway = await openRawConnection(gateway.apiUrl);
      onTestFinished(() => underway.destroy());
      const media = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
      underway.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${credential}\r\n${media}\r\nExpect: 100-continue\r\n\r\n`);
      expect(await underway.next()).toMatchObject({ status: 100 });
      time.jump(20);
      expect((await post(busy)).status).toBe(503);
      underway.send(body);
      expect(await underway.next()).toMatchObject({ status: generation === 'current' ? 201 : 200 });
      await expectResult('come_back', 'active', 'awaiting_wait');
      time.jump(10_000);
      expect((await post(busy)).status).toBe(201);
      await expectResult('come_back', 'passed', 'waited');
    },
  );

  test('sales in one second whose ids stand in their amounts are different sales', async () => {
    await start('lost_answer');
    const soldAt = now();
    const first = sale('1', '{"qty":1,"total":1}', soldAt);
    await expect(post(first)).rejects.toThrow('other side closed');
    await post(sale('2', '{"qty":2,"total":2}', soldAt));
    await expectResult('lost_answer', 'active', 'other_sale');
    await post(first);
    await expectResult('lost_answer', 'passed', 'sent_again');
  });

  test.each(['lost_answer', 'come_back', 'slow_line', 'wrong_key'] as const)(
    'two equal sales in one second neither fail nor pass the step %s',
    async (step) => {
      await start(step);
      const soldAt = now();
      const first = sale('K-1', '{"item":"coffee"}', soldAt);
      const hit = post(first).catch(() => undefined);
      await waitUntil(async () => (await stepOf(step)).events.some(({ kind }) => kind === 'fault'));
      if (step === 'come_back') time.jump(10_000);
      if (step === 'wrong_key') await actOn('confirm', step);
      await post(sale('K-2', '{"item":"coffee"}', soldAt));
      await expectResult(step, 'active', 'new_id');
      if (step === 'slow_line') time.jump(8000);
      await hit;
      await post(first);
      await waitUntil(async () => (await stepOf(step)).events.filter(({ kind }) => kind === 'sale').length > 1);
      await expectResult(step, 'active', 'new_id');
      await start(step);
      expect(await stepOf(step)).toMatchObject({ state: 'active', events: [], missing: 0 });
    },
  );
});

describe('a faulty till fails', () => {
  /** What a faulty till does in each step, and the finding. */
  const FAULTS: readonly (readonly [CertifyStep, string, () => Promise<unknown>])[] = [
    ['first_sale', 'refused', () => post('{"type":"sale"}')],
    ['retry', 'changed', () => post(sale('B-0', '{"total":2}'))],
    ['changed_resend', 'no_conflict', () => post(sale('B-1'))],
    [
      'lost_answer',
      'changed',
      async () => {
        await expect(post(sale('B-1'))).rejects.toThrow('other side closed');
        await post(sale('B-1', '{"total":2}'));
      },
    ],
    [
      'come_back',
      'too_early',
      async () => {
        const body = sale('B-1');
        await post(body);
        time.jump(3000);
        expect(await post(body)).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
      },
    ],
    ['wrong_clock', 'clock_right', () => post(sale('B-1'))],
    ['many_digits', 'digits_lost', () => post(sale('B-1', `{"number":${JSON.stringify(Number(MANY_DIGITS))}}`))],
    [
      'slow_line',
      'changed',
      async () => {
        const slow = post(sale('B-1'));
        await waitUntil(async () => (await stepOf('slow_line')).finding === 'answer_delayed');
        await post(sale('B-1', '{"total":2}'));
        await slow; // the delay ends with the step
      },
    ],
    [
      'wrong_key',
      'changed',
      async () => {
        await post(sale('B-1'));
        await actOn('confirm', 'wrong_key');
        await post(sale('B-1', '{"total":2}'));
      },
    ],
    [
      'paging',
      'cursor_changed',
      async () => {
        const { next_cursor: cursor } = (await query()).json();
        expect((await query({ cursor: `${String(cursor)}x` })).status).toBe(400);
      },
    ],
  ];

  test.each(['retry', 'lost_answer', 'come_back', 'wrong_key'] as const)(
    'the step %s if it sends the same sale under a new id',
    async (step) => {
      const soldAt = now();
      if (step !== 'retry') await start(step);
      await post(sale('B-1', undefined, soldAt)).catch(() => undefined);
      if (step === 'come_back') time.jump(10_000);
      if (step === 'wrong_key') await actOn('confirm', step);
      await post(sale('B-2', undefined, soldAt));
      await expectResult(step, 'active', 'new_id');
      await actOn('fail', step);
      await expectResult(step, 'failed', 'new_id');
    },
  );

  test('a step that it had passed, if it goes on sending the sale that got ERROR', async () => {
    await post(sale('B-0'));
    await start('changed_resend');
    const changed = sale('B-0', '{"total":9}');
    await post(changed);
    await expectResult('changed_resend', 'passed', 'conflict_kept');
    await post(changed);
    await expectResult('changed_resend', 'failed', 'kept_sending');
  });

  test.each(FAULTS)('the step %s: %s', async (step, finding, misbehave) => {
    await post(sale('B-0'));
    await post(sale('B-00'));
    await start(step);
    await misbehave();
    await waitUntil(async () => (await stepOf(step)).finding === finding);
    if ((await stepOf(step)).state === 'active') await actOn('fail', step);
    await expectResult(step, 'failed', finding);
    expect((await post(sale('B-9'))).status, 'no fault is injected after the step').toBe(201);
  });

  test.each([
    ['lost_answer', 'awaiting_resend'],
    ['come_back', 'awaiting_wait'],
    ['wrong_key', 'key_refused'],
  ] as const)('the step %s if it forgets the sale', async (step, finding) => {
    await start(step);
    await post(sale('B-1')).catch(() => undefined);
    await waitUntil(async () => (await stepOf(step)).finding === finding);
    await actOn('fail', step);
    await expectResult(step, 'failed', finding);
    await start(step);
    expect(await stepOf(step)).toMatchObject({ state: 'active', attempts: 2, events: [] });
  });
});

describe('a fault hits nobody else', () => {
  test.each(['lost_answer', 'come_back', 'slow_line', 'wrong_key'] as const)(
    'another till of the same journal during %s',
    async (step) => {
      const other = await gateway.makeKey({ label: 'Other till' });
      await start(step);
      const hit = post(sale('C-1')).catch(() => undefined);
      await waitUntil(async () => (await stepOf(step)).finding !== 'nothing_yet');
      expect((await post(sale('C-2'), other.secret)).status).toBe(201);
      expect((await post(sale('C-3'), gateway.production.secret)).status).toBe(201);
      expect(JSON.stringify((await stepOf(step)).events)).not.toContain('C-2');
      await act({ kind: 'end' });
      await hit;
      expect((await post(sale('C-4'))).status).toBe(201);
    },
  );

  test('pages of another till keep their length', async () => {
    const other = await gateway.makeKey({ label: 'Other till' });
    await post(sale('C-1'));
    await post(sale('C-2'));
    await start('paging');
    expect((await query()).json()['next_cursor']).not.toBeNull();
    expect((await getRange(gateway.apiUrl, other.secret, range)).json()).toMatchObject({
      limit: 500,
      next_cursor: null,
    });
  });
});

describe('a run', () => {
  test('an act on an older attempt does nothing, as by a double click', async () => {
    await post(sale('A-1'));
    const twice = { kind: 'start', step: 'first_sale', attempts: 1 } as const;
    await Promise.all([act(twice), act(twice)]);
    expect(await stepOf('first_sale')).toMatchObject({ state: 'active', attempts: 2 });
    await act({ kind: 'fail', step: 'first_sale', attempts: 1 });
    await act({ kind: 'fail', step: 'retry', attempts: 1 });
    expect(await stepOf('first_sale')).toMatchObject({ state: 'active', attempts: 2 });
    await act({ kind: 'end' });
    expect(await act({ kind: 'end' })).toMatchObject({ state: 'ended' });
  });

  test('keeps no key that stands in the detail of a refusal', async () => {
    const canary = 'test_c4n4ryC4N4RYc4n4ryC4N4RY';
    const labelled = await gateway.makeKey({ label: `Till ${canary}`, interface: 'current' });
    await begin(labelled);
    const answer = await call(`${gateway.apiUrl}/v1/transaction?transactionid=1`, {
      headers: { authorization: `Bearer ${labelled.secret}` },
    });
    expect(answer.text).toContain(canary); // the answer may contain this text, because the till already has it
    await waitUntil(async () => (await stepOf('first_sale')).events.length > 0);
    await act({ kind: 'end' });
    const [shown, stored] = [await view(), await gateway.store.certifications.get(run.id)];
    expect(shown.steps[0]?.events).toMatchObject([
      { code: 'key_wrong_kind', detail: expect.stringContaining('Till test_…') },
    ]);
    expect(JSON.stringify([shown.steps, stored?.steps])).not.toContain(canary.slice(5, 15));
  });

  test('is refused for a production key, and for a revoked key', async () => {
    const answer = await manager.send('POST', '/api/certifications', { keyId: gateway.production.id });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.json()).toMatchObject({ code: 'certify_production' });
    const ended = await gateway.makeKey();
    await gateway.store.setup.revokeKey(ended.id, 'test');
    expect((await manager.send('POST', '/api/certifications', { keyId: ended.id })).json()['code']).toBe('key_ended');
  });

  test('is begun once for each key, and takes no act after its end', async () => {
    const begun = [1, 2].map(() => manager.send('POST', '/api/certifications', { keyId: key.id }));
    expect((await Promise.all(begun)).map((answer) => answer.json()['id'])).toEqual([run.id, run.id]);
    await act({ kind: 'end' });
    const late = await manager.send('POST', `/api/certifications/${run.id}/acts`, {
      kind: 'fail',
      step: 'retry',
      attempts: 1,
    });
    expect(late.json()['code']).toBe('run_over');
    const listed = await manager.get(`/api/certifications?journal=${key.journalId}`);
    const results = { passed: 0, failed: 0, skipped: 0 };
    const { till, startedAt } = run;
    expect(JSON.parse(listed.text)).toEqual([{ id: run.id, till, state: 'ended', startedAt, results }]);
  });

  test('ends after 30 minutes without a call, and injects nothing more', async () => {
    await start('come_back');
    time.jump(20 * MINUTE);
    expect((await post(sale('D-1'))).status).toBe(503);
    time.jump(20 * MINUTE);
    expect(await view()).toMatchObject({ state: 'running' });
    time.jump(30 * MINUTE);
    await waitUntil(async () => (await view()).state === 'timed_out');
    expect((await post(sale('D-2'))).status).toBe(201);
  });

  test('a step is skipped with a reason, and the next one begins', async () => {
    const skipped = await act({ kind: 'skip', step: 'first_sale', reason: 'Sold before.' });
    expect(skipped.steps.slice(0, 2)).toMatchObject([
      { state: 'skipped', reason: 'Sold before.' },
      { state: 'active', name: 'retry' },
    ]);
    const later = await act({ kind: 'skip', step: 'paging', reason: 'The till never queries.' });
    expect(later.steps[1]).toMatchObject({ state: 'active' });
    const empty = { kind: 'skip', step: 'retry', reason: ' ' };
    expect((await manager.send('POST', `/api/certifications/${run.id}/acts`, empty)).status).toBe(400);
  });

  test('on the earlier interface leaves out paging and tests the rest', async () => {
    const earlier = await gateway.makeKey({ label: 'Old till', interface: 'earlier' });
    await begin(earlier);
    const get = (id: string): Promise<Answer> =>
      call(`${gateway.apiUrl}/v1/transaction?transactionid=${id}&timestamp=${now()}`, {
        headers: { authorization: `Bearer ${earlier.secret}` },
      });
    expect((await stepOf('paging')).finding).toBe('no_queries');
    expect((await get('E-1')).status).toBe(200);
    await expectResult('first_sale', 'passed', 'stored');
    await start('lost_answer');
    await expect(get('E-2')).rejects.toThrow('other side closed');
    expect(statusOf(await get('E-2'))).toBe('IGNORED');
    await expectResult('lost_answer', 'passed', 'sent_again');
    await start('wrong_key');
    expect((await get('E-3')).status).toBe(401);
  });
});
