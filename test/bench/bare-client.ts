/**
 * Posts prepared bodies with a bare undici client, as a reference for forwarding. The number of calls in flight is fixed, and
 * connections are kept alive. The client stores nothing and never retries. It runs in its own process, which receives one job
 * and exits when everything is posted.
 */
import { Pool } from 'undici';

import { createRecordSource, planFill } from './records.ts';
import { upstreamToken } from './upstream.ts';

const [url = '', records = '', underway = ''] = process.argv.slice(2);
const nextRecord = createRecordSource(planFill(0, Number(records)));
const bodies = Array.from({ length: Number(records) }, () => Buffer.from(nextRecord().body, 'latin1'));
const pool = new Pool(url, { connections: Number(underway), pipelining: 1, allowH2: false });
const headers = { 'content-type': 'application/json', token: upstreamToken };
let sent = 0;

async function postInTurn(): Promise<void> {
  while (sent < bodies.length) {
    const body = bodies[sent];
    sent += 1;
    const answer = await pool.request({ method: 'POST', path: '/v1/raw_transactions', headers, body: body ?? null });
    if (answer.statusCode !== 201) throw new Error(`answered with ${answer.statusCode}`);
    await answer.body.dump();
  }
}

process.once('disconnect', () => process.exit(1)); // the parent process has exited
await Promise.all(Array.from({ length: Number(underway) }, postInTurn));
await pool.close();
process.disconnect();
