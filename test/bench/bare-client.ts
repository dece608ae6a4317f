/**
 * The bare undici client that forwarding is compared with: posts so many bodies, built before it begins, with so many calls
 * underway at a time, each on a connection that stays open. It keeps nothing, decides nothing and tries nothing again. Runs as
 * a process of its own: takes one job, and ends when all is posted.
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

process.once('disconnect', () => process.exit(1)); // whoever ordered the load is gone
await Promise.all(Array.from({ length: Number(underway) }, postInTurn));
await pool.close();
process.disconnect();
