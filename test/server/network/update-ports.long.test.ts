// While a start updates data of an earlier version, tills get 503 at the usual ports, by HTTP and by HTTPS with the certificate that
// they trust.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { pino } from 'pino';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { openAuthority } from '../../../server/network/authority.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { spawnProgram } from '../../support/gateway-process.ts';
import { type Answer, bodyOf, call, postBody } from '../../support/http-call.ts';
import { turnBackToSchema16 } from '../../support/old-data.ts';
import { makeKey, temporaryFolder } from '../../support/temp-store.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SECRET = 'prod_0123456789';
/** The update of these records takes longer than the opening of the ports. */
const RECORDS = 60_000;

/** A data directory of schema 16 with an authority. Returns its root certificate. */
async function makeEarlierData(dataDir: string): Promise<string> {
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store, 'Till 1', { secret: SECRET });
  const { certificate } = await openAuthority({
    network: store.network,
    dataDir,
    hosts: [],
    baseDomain: undefined,
    now: Date.now(),
    actor: 'test',
    log: pino({ level: 'silent' }),
  });
  await store.close();
  const db = openDatabase(databasePath(dataDir), 'write');
  turnBackToSchema16(db);
  db.prepare(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
    INSERT INTO records (id, journal_id, interface, key_id, status, sold_at, received_at, external_id, type, digest, body)
      SELECT id, ?, 'current', ?, 'NEW', 1760000000 + id, 1760000000000, 'S-' || id, 'sale', randomblob(32), randomblob(200) FROM ids`).run(
    RECORDS,
    key.journalId,
    key.id,
  );
  db.close();
  return certificate;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('while a start updates its data, tills get 503 until they are served', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const authority = await makeEarlierData(dataDir);
  const port = await findFreePort();
  const gateway = spawnProgram('server/main.ts', [
    'serve',
    '--data',
    dataDir,
    '--port',
    String(port),
    '--console-port',
    '0',
  ]);
  onTestFinished(() => void gateway.kill('SIGKILL'));
  const [plainUrl, secureUrl] = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`];
  const dispatcher = new Agent({ connect: { ca: authority }, pipelining: 0 });
  onTestFinished(() => dispatcher.close());
  /** Calls until the gateway serves the call, and returns the answers of the time before. */
  async function callUntilServed(send: () => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = [];
    await waitUntil(async () => {
      const answer = await send().catch(() => undefined); // refused before the ports open, and while they change hands
      if (answer?.status === 503) answers.push(answer);
      return answer !== undefined && answer.status !== 503;
    });
    return answers;
  }
  const [health, plain, secure, ready] = await Promise.all([
    waitUntil(() => call(`${plainUrl}/healthz`).catch(() => undefined)),
    callUntilServed(() => postBody(plainUrl, SECRET, bodyOf({ external_id: 'new' }))),
    callUntilServed(() => call(`${secureUrl}/v1/raw_transactions`, { dispatcher })),
    callUntilServed(() => call(`${plainUrl}/readyz`)),
  ]);
  expect(health).toMatchObject({ status: 200, text: '{"status":"ok"}', headers: { connection: 'close' } });
  for (const answers of [plain, secure, ready]) {
    expect(answers[0]?.headers).toMatchObject({
      'retry-after': '5',
      'content-type': 'application/problem+json',
      connection: 'close',
    });
    expect(answers[0]?.json()).toEqual({
      type: '/docs#store_busy',
      title: expect.any(String),
      status: 503,
      code: 'store_busy',
      detail: 'The gateway is updating its data to a new version. Send the call again later.',
    });
  }
});
