// Sends valid and invalid calls to all documented routes of both listeners. The gateway must answer each call or close its
// connection, keep what it acknowledged, and continue.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { CONSOLE_ERROR_CODES, ERROR_CODES, type Mode } from '../../server/contract/codes.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import { type JournalView, PASSWORD_HASH } from '../../server/contract/setup.ts';
import { LINK_MS, linkInto } from '../../server/listening.ts';
import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { createLink } from '../../server/store/sqlite/people/link.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { type Ids, listConsoleRoutes, ROWS } from '../support/console-routes.ts';
import { passOf, PASSWORD, type Window, windowOf } from '../support/console.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import type { Draft } from './fuzz/draft.ts';
import { type Exchange, exchange, type HttpAnswer } from './fuzz/exchange.ts';
import { CUSTOMER, draftOfRow, listTillTargets, type OpenApi, type Target } from './fuzz/good-call.ts';
import { type Mutation, mutation } from './fuzz/mutation.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const CALLS = countOf({ commit: 3000, nightly: 2_000_000 });
/** The number of calls that run at the same time. */
const LANES = 64;
/** Calls that are generated together, with their own seed. Two million at once would not fit into memory. */
const CALLS_OF_SEED = 1000;
/** The number of valid calls of each route of the tills at the start. The gateway accepts only a quarter of the day totals. */
const VALID_CALLS = 60;
/** The number of calls between two valid sales of the shop. */
const SALE_EVERY = 100;
const MAX_FAULTS_SHOWN = 10;

const CODES: Readonly<Record<string, { readonly status: number }>> = { ...ERROR_CODES, ...CONSOLE_ERROR_CODES };
/** Documented error codes that still mean a fault of the gateway. */
const FAULTS = new Set(['internal', 'store_damaged']);

test('good and spoiled calls of every route cause no 5xx, no crash and no error, and lose no sale', async (context) => {
  const shop = await openShop();
  const { site, gateway, document, standIn } = shop;
  const faults: string[] = [];
  const receipts: Receipt[] = [];
  const sales: Sale[] = [];
  /** Names of the routes that have accepted a valid call. */
  const reached = new Set<string>();

  let sold = 0;
  async function sell(): Promise<void> {
    const number = sold++;
    const externalId = `sale ${number}`;
    const body = bodyOf({ external_id: externalId, object: `{"total": ${number}.50}` });
    const answer = await postBody(gateway.url, shop.till, body);
    if (answer.status !== 201) return void faults.push(`${externalId}: ${answer.status} ${answer.text}`);
    sales.push({ recordId: Number(answer.json()['record_id']), externalId, body });
  }

  async function run(url: string, draft: Draft, nameOf: () => string): Promise<Exchange> {
    const result = await exchange(url, draft).catch((error: unknown): Exchange => {
      faults.push(`${nameOf()}: ${String(error)}`);
      return { answers: [], isHung: false };
    });
    if (result.isHung) faults.push(`${nameOf()}: no answer`);
    for (const answer of result.answers) {
      const fault = faultOf(answer, url === gateway.url);
      if (fault !== undefined) faults.push(`${nameOf()}: ${fault}`);
      const receipt = receiptOf(answer);
      if (receipt !== undefined) receipts.push(receipt);
    }
    return result;
  }

  // One at a time, because a second link for the clerk would end the first.
  let keeping: Promise<void> | undefined;
  const keepSessions = (): Promise<void> =>
    (keeping ??= shop.keepSessions().finally(() => {
      keeping = undefined;
    }));

  const tillTargets = listTillTargets(document, new URL(gateway.url).host, shop.keys);
  await sell();

  // Makes every valid call first, so that invalid calls have objects to refer to. The second round uses the objects that the
  // first round has made.
  for (const row of [...ROWS, ...ROWS]) {
    const draft = draftOfRow(row, shop.ids, shop.windows.manager, gateway.consoleUrl);
    const { answers } = await run(gateway.consoleUrl, draft, () => row.route);
    if ((answers[0]?.status ?? 500) < 300 || answers[0]?.status === row.status) reached.add(row.route);
    if (row.route.startsWith('DELETE /api/session')) await shop.enter();
  }
  for (const { route, calls } of tillTargets) {
    for (const draft of fc.sample(calls, { seed: SEED, numRuns: VALID_CALLS })) {
      const { answers } = await run(gateway.url, draft, () => route);
      if ((answers[0]?.status ?? 500) < 300) reached.add(route);
    }
  }

  interface Case {
    readonly target: number;
    readonly good: Draft | undefined;
    readonly who: Who;
    readonly mutations: readonly Mutation[];
  }
  const tillCases = anyIndexOf(tillTargets).chain((target) =>
    fc.record<Case>({
      target: fc.constant(target),
      good: (tillTargets[target] as Target).calls,
      who: fc.constant('manager' as const),
      mutations: MUTATIONS,
    }),
  );
  const consoleCases = fc.record<Case>({
    target: anyIndexOf(ROWS),
    good: fc.constant(undefined),
    who: fc.constantFrom('nobody', 'clerk', 'manager', 'manager'),
    mutations: MUTATIONS,
  });
  function* listCases(): Generator<Case> {
    for (let at = 0; at < CALLS; at += CALLS_OF_SEED) {
      const numRuns = Math.min(CALLS_OF_SEED, CALLS - at);
      yield* fc.sample(fc.oneof(tillCases, consoleCases), { seed: SEED + at, numRuns });
    }
  }
  const cases = listCases();

  let made = 0;
  async function work(): Promise<void> {
    for (const { target, good, who, mutations } of cases) {
      const i = made++;
      if (i % SALE_EVERY === 0) {
        await sell();
        await keepSessions();
      }
      const row = ROWS[target];
      const isConsole = good === undefined && row !== undefined;
      const draft = isConsole ? draftOfRow(row, shop.ids, shop.windows[who], gateway.consoleUrl) : (good as Draft);
      const spoiled = mutations.reduce((each, mutate) => mutate(each), draft);
      const nameOf = (): string =>
        `call ${i} (${isConsole ? `${row.route} as ${who}` : tillTargets[target]?.route}) ${JSON.stringify(shown(spoiled))}`;
      await run(isConsole ? gateway.consoleUrl : gateway.url, spoiled, nameOf);
    }
  }
  await Promise.all(Array.from({ length: LANES }, work));
  await sell();

  const ready = [await call(`${gateway.consoleUrl}/health`), await call(`${gateway.url}/readyz`)];
  faults.push(...ready.filter(({ status }) => status !== 200).map((answer) => `afterwards: ${answer.text}`));
  await shop.enter();
  for (const { recordId, body } of sales) {
    const answer = await shop.windows.manager.get(`/api/records/${recordId}/body`);
    if (answer.text !== body)
      faults.push(`the sale ${recordId} is no longer what was sent: ${answer.status} ${answer.text}`);
  }
  const stopped = await gateway.stop();
  await standIn.close();
  faults.push(...listLogErrors(site.dataDir), ...listLost(site.dataDir, receipts, sales));
  const reproduce = repeatOf('S1', CALLS);
  expect(faults.slice(0, MAX_FAULTS_SHOWN), `${faults.length} faults, repeated by ${reproduce}`).toEqual([]);
  expect(stopped, reproduce).toEqual({ code: 0, signal: null, stderr: '' });
  expect(await site.runJson('check'), reproduce).toMatchObject({ ok: true });
  const routes = [...tillTargets.map(({ route }) => route), ...listConsoleRoutes()];
  expect([...reached].toSorted()).toEqual(routes.toSorted());
  report(context, `${made} calls of ${routes.length} routes`);
});

const MUTATIONS = fc.oneof(
  { weight: 1, arbitrary: fc.constant<readonly Mutation[]>([]) },
  { weight: 9, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 4 }) },
);

/** Each index equally often. `fc.nat` prefers the first and the last. */
const anyIndexOf = (list: readonly unknown[]): fc.Arbitrary<number> => fc.constantFrom(...list.keys());

type Who = 'nobody' | 'clerk' | 'manager';

interface Sale {
  readonly recordId: number;
  readonly externalId: string;
  readonly body: string;
}

interface Receipt {
  readonly recordId: number;
  readonly status: string;
  readonly externalId: string;
}

/** Opens a gateway with keys, a customer's address, an upstream that accepts everything, and signed-in users. */
async function openShop() {
  const site = await openTestSite();
  const standIn = await openStandIn({ script: 'accept' });
  const [production, testing] = [await site.createKey('Till 1', 'production'), await site.createKey('Till 2')];
  const address = ['--customer-name', CUSTOMER.customer_name, '--customer-id', CUSTOMER.customer_id];
  await site.runJson('administrations', 'set', '--administration', 'Bakery', ...address);
  // The shop sells with its own administration. No other call changes it, so the shop can always sell.
  const { key: till } = (await site.runJson(
    'keys',
    'create',
    '--administration',
    'Ledger',
    '--mode',
    'production',
    '--label',
    'Shop',
  )) as { key: string };
  const spare = await site.createKey('Spare');
  const gateway = await site.startGateway();
  const document = (await call(`${gateway.url}/openapi.json`)).json() as unknown as OpenApi;
  await site.runJson(
    'upstream',
    'set',
    '--administration',
    'Bakery',
    '--mode',
    'test',
    '--url',
    standIn.url,
    '--token',
    'test_of-the-upstream',
  );

  /** A new session of a manager, from a link. The command makes the same link, but it takes half a second to start. */
  const enter = async (): Promise<Window> => {
    const db = openDatabase(databasePath(site.dataDir), 'write');
    const code = createLink(db, Date.now() + LINK_MS);
    db.close();
    return windowOf(gateway, passOf(await call(linkInto(gateway.consoleUrl, code))));
  };
  /**
   * A new session of the clerk, from a password link. A sign-in would be refused, because other calls have given wrong passwords
   * from the same address.
   */
  const enterAsClerk = async (manager: Window): Promise<Window> => {
    const reset = await manager.send('POST', '/api/users/Ann/reset');
    const code = String(reset.json()['path']).replace(`/${PASSWORD_HASH}`, '');
    const answer = await windowOf(gateway, undefined).send('POST', '/api/password-link', { code, password: PASSWORD });
    return windowOf(gateway, passOf(answer));
  };
  const manager = await enter();
  await manager.send('POST', '/api/users', { name: 'Ann', role: 'clerk' });
  const windows: Record<Who, Window> = {
    nobody: windowOf(gateway, undefined),
    clerk: await enterAsClerk(manager),
    manager,
  };
  const journals = (await windows.manager.get('/api/journals')).json() as unknown as JournalView[];
  const journalOf = (wanted: Mode): number =>
    journals.find(({ administration, mode }) => administration === 'Bakery' && mode === wanted)?.id ?? 0;
  const overview = await windows.manager.get(`/api/overview?journal=${journalOf('test')}`);
  const { lanes } = overview.json() as unknown as OverviewView;
  const ids: Ids = {
    journal: journalOf('production'),
    lane: lanes.find((lane) => lane.interface === 'current')?.id ?? 0,
    record: Number((await postBody(gateway.url, testing.key, bodyOf())).json()['record_id']),
    key: spare.id,
  };
  return {
    site,
    standIn,
    gateway,
    document,
    windows,
    ids,
    till,
    keys: { production: production.key, test: testing.key },
    async enter() {
      windows.manager = await enter();
    },
    /** Begins new sessions instead of those that calls have ended. */
    async keepSessions() {
      if ((await windows.manager.get('/api/session')).status !== 200) windows.manager = await enter();
      if ((await windows.clerk.get('/api/session')).status !== 200) windows.clerk = await enterAsClerk(windows.manager);
    },
  };
}

/** The fault of an answer; undefined if the answer is correct. */
function faultOf({ status, headers, text: body }: HttpAnswer, isOfTills: boolean): string | undefined {
  if (status < 400) return undefined;
  if (headers['content-type'] !== 'application/problem+json') {
    // A page of the console may answer an error with its own text, but a till gets a problem document.
    return isOfTills || status >= 500 ? `${status} ${headers['content-type']}: ${body.slice(0, 200)}` : undefined;
  }
  if (body === '') return status >= 500 ? `${status} without a body` : undefined; // an answer to HEAD has no body
  const { code, status: said } = JSON.parse(body) as { code: string; status: number };
  const isKnown = CODES[code]?.status === status && said === status;
  return isKnown && !FAULTS.has(code) ? undefined : `${status}: ${body.slice(0, 300)}`;
}

function receiptOf({ status, text: body }: HttpAnswer): Receipt | undefined {
  if (status > 201 || !body.startsWith('{"record_id":')) return undefined;
  const { record_id: recordId, status: kept, external_id: externalId } = JSON.parse(body) as Record<string, unknown>;
  return { recordId: Number(recordId), status: String(kept), externalId: String(externalId) };
}

function shown({ method, path, query, headers, body, framing, fate }: Draft) {
  const short = (each: string): string => (each.length > 120 ? `${each.slice(0, 100)}…${each.length}` : each);
  return {
    line: short(`${method} ${path}?${query.join('&')}`),
    headers: headers.map((header) => short(header.join(': '))),
    body: body && short(body.toString('latin1')),
    framing,
    fate,
  };
}

/** Finds lines in the log files that report failures of the gateway. */
function listLogErrors(dataDir: string): string[] {
  const folder = join(dataDir, 'logs');
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && (JSON.parse(line) as { level: number }).level >= 50)
      .map((line) => `in the log: ${line}`),
  );
}

/** Finds acknowledged sales that are missing or stored twice. */
function listLost(dataDir: string, receipts: readonly Receipt[], sales: readonly Sale[]): string[] {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    const select = db.prepare<[number], { status: string; externalId: string }>(
      'SELECT status, external_id AS externalId FROM records WHERE id = ?',
    );
    const count = db.prepare<[string], number>('SELECT count(*) FROM records WHERE external_id = ?').pluck();
    const lost = receipts.filter(({ recordId, status, externalId }) => {
      const found = select.get(recordId);
      return found?.status !== status || found.externalId !== externalId;
    });
    const ids = new Set(receipts.map(({ recordId }) => recordId));
    return [
      ...lost.map((receipt) => `lost: ${JSON.stringify(receipt)}`),
      ...(ids.size === receipts.length ? [] : ['two calls had the same receipt']),
      ...sales
        .filter(({ externalId }) => count.get(externalId) !== 1)
        .map(({ externalId }) => `not once: ${externalId}`),
    ];
  } finally {
    db.close();
  }
}
