import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { type DiagnosticsChannel, request } from 'undici';

import { ACTORS } from '../../server/contract/codes.ts';
import { prepareConnections } from '../../server/forward/connection.ts';
import { machineClock } from '../../server/lib/clock.ts';
import { type CheckParts, runCheck } from '../../server/reconcile/check.ts';
import { openDays } from '../../server/reconcile/days.ts';
import { openStore } from '../../server/store/open-store.ts';
/**
 * Measures how to find one sale that is missing upstream in a month. The gateway forwards a month of records to an upstream
 * that confirms all of them but loses one. The month is then reconciled over HTTP, once by counts and once by ids. Nothing is
 * sent again, so the figures are only for the queries that find the sale.
 */
import type { LaneSettings } from '../../server/store/outbox/ledger.ts';
import type { Store } from '../../server/store/store.ts';
import { appendRecords, findLane } from './fill.ts';
import { countWaiting, createTillKeys, setStoreDays, setUpstream, startGateway } from './gateway.ts';
import { createMonthSource, idInMonth, shopMonth } from './shop-month.ts';
import { startUpstream, type Upstream, upstreamToken } from './upstream.ts';
import { tryFor, type Workspace } from './workspace.ts';

/** The cost of a search: the number of queries for counts and for pages, the bytes of their answers, and the seconds. */
export type Asked = { counts: number; pages: number; bytes: number; seconds: number };

export type FindingReport = { records: number; byNumber: Asked; byId: Asked };

const nothingAsked: Readonly<Asked> = { counts: 0, pages: 0, bytes: 0, seconds: 0 };
const forwardedSeconds = 120;
/**
 * The place of the missing sale in the month, from 0 to 1. The sale is on a Saturday, the busiest day. For this day, the search
 * must halve the range most often.
 */
const lostAt = 0.575;

export async function measureFinding(workspace: Workspace, records: number): Promise<FindingReport> {
  const lost = idInMonth(Math.floor(records * lostAt));
  const upstream = await startUpstream(workspace, `id=${lost}: accept untaken; accept`);
  const data = await forwardMonth(workspace, upstream, records);
  const store = await openStore({ dataDir: data, role: 'gateway' });
  try {
    const lane = findLane(store);
    await askOnce(upstream.url);
    const byNumber = await reconcile(store, lane, { byIds: false, lost, upstream });
    await loseAgain(store, lane);
    const byId = await reconcile(store, lane, { byIds: true, lost, upstream });
    return { records, byNumber, byId };
  } finally {
    await store.close();
    await upstream.stop();
  }
}

/** Fills a store and delivers all its records to an upstream that loses one of them. Returns the data folder. */
async function forwardMonth(workspace: Workspace, upstream: Upstream, records: number): Promise<string> {
  process.stderr.write(`filling a month with ${records} records\n`);
  const data = workspace.makeFolder('month');
  await createTillKeys(workspace, data);
  await setStoreDays(workspace, data, shopMonth.zone, shopMonth.dayStartsAt);
  const store = await openStore({ dataDir: data, role: 'gateway' });
  try {
    await appendRecords(store, records, createMonthSource(records));
  } finally {
    await store.close();
  }
  await setUpstream(workspace, data, upstream.url, upstreamToken);

  process.stderr.write('forwarding all records\n');
  const reached = upstream.expect([records - 1]);
  const gateway = await startGateway(workspace, data);
  await reached;
  await tryFor(forwardedSeconds, async () => {
    const waiting = await countWaiting(workspace, data);
    if (waiting > 0) throw new Error(`${waiting} records wait still`);
  });
  await gateway.stop();
  return data;
}

type Wanted = { byIds: boolean; lost: string; upstream: Upstream };

/**
 * Checks the month like the command `reconcile`, in a process that does not forward. Throws if the check finds anything but the
 * missing sale.
 */
async function reconcile(store: Store, lane: LaneSettings, { byIds, lost, upstream }: Wanted): Promise<Asked> {
  const { journalId } = lane;
  const { from, to } = shopMonth;
  const days = openDays({ store, clock: machineClock });
  const check = await days.check({ journal: journalId, from, to, byIds }, ACTORS.commandLine);
  if (check === undefined) throw new Error('the month has not begun');
  const seenBefore = (await upstream.count()).attempts;

  const asked: Asked = { ...nothingAsked };
  const now = (): Asked => ({ ...asked, seconds: performance.now() / 1000 });
  const limits = { connections: 1, connectTimeoutMs: 5000, answerTimeoutMs: 30_000, maxAnswerBytes: 8 * 1024 * 1024 };
  const dispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined })(limits);
  const begun = now();
  let differing = 0;
  const parts: CheckParts = {
    store,
    dispatcher,
    clock: machineClock,
    random: Math.random,
    holder: 'bench',
    isForwarding: false,
    signal: new AbortController().signal,
    onVerdict({ reasons }) {
      if (reasons.some(({ code }) => code === 'sent_again')) differing += 1;
    },
  };
  await counting(asked, () => runCheck({ ...check, journalId }, parts));
  await dispatcher.destroy();
  const all = minus(now(), begun);

  const { records: sentAgain } = await store.outbox.listWaiting(lane.id, 0);
  const isFound = Buffer.from(sentAgain[0]?.body ?? []).includes(`"${lost}"`);
  if (differing !== 1 || sentAgain.length !== 1 || !isFound) throw new Error(`${lost} was not found, or not by itself`);
  const seen = (await upstream.count()).attempts - seenBefore;
  if (seen !== all.counts + all.pages) throw new Error(`the upstream was asked ${seen} times`);
  return all;
}

/**
 * Settles the lost sale as delivered, because the search has queued it again. The sale is still missing upstream, so the next
 * search finds it too.
 */
async function loseAgain(store: Store, lane: LaneSettings): Promise<void> {
  const { records } = await store.outbox.listWaiting(lane.id, 0);
  const answer = { attempts: 1, answeredAt: Date.now(), answerStatus: 201, answer: null, upstreamStatus: null };
  await store.outbox.settle(
    lane.id,
    records.map(({ recordId, status, soldAt }) => ({ recordId, status, soldAt, state: 'delivered', ...answer })),
  );
}

/** Sends one query, so that the stand-in sorts its records before the measurement. A real upstream keeps them sorted. */
async function askOnce(url: string): Promise<void> {
  const query = 'timestamp_gte=2025-10-01T00:00:00&timestamp_lt=2025-10-02T00:00:00&expand=none';
  const { statusCode, body } = await request(`${url}/v1/raw_transactions?${query}`, {
    headers: { token: upstreamToken },
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the upstream answered ${statusCode}`);
}

/** Counts the queries of this process to any upstream while `asking` runs. */
async function counting(asked: Asked, asking: () => Promise<void>): Promise<void> {
  const onRequest = (message: unknown): void => {
    const { request } = message as DiagnosticsChannel.RequestCreateMessage; // undici publishes messages of this type
    if (String(request.path).includes('expand=none')) asked.counts += 1;
    else asked.pages += 1;
  };
  const onChunk = (message: unknown): void => {
    const { chunk } = message as DiagnosticsChannel.RequestBodyChunkReceivedMessage;
    asked.bytes += chunk.length;
  };
  subscribe('undici:request:create', onRequest);
  subscribe('undici:request:bodyChunkReceived', onChunk);
  try {
    await asking();
  } finally {
    unsubscribe('undici:request:create', onRequest);
    unsubscribe('undici:request:bodyChunkReceived', onChunk);
  }
}

function minus(to: Asked, from: Asked): Asked {
  return {
    counts: to.counts - from.counts,
    pages: to.pages - from.pages,
    bytes: to.bytes - from.bytes,
    seconds: to.seconds - from.seconds,
  };
}
