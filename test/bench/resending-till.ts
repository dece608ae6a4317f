/**
 * A till that resends one small sale with changed content, one call at a time, about twenty times per second. It runs in its
 * own process. It receives one job, measures until it is stopped, and reports the times of its answers.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type ResendingJob = { host: string; port: number; token: string };

/** Milliseconds of each answered resend; `errors` counts answers other than 200. */
export type FromResendingTill = { kind: 'measured'; ms: number[]; errors: Record<string, number> };

const pauseMs = 50;
/**
 * The number of resends before the measurement. They are not measured, because the gateway starts a thread for the first
 * resend.
 */
const warmUp = 20;
const agent = new Agent({ keepAlive: true });
const ms: number[] = [];
const errors: Record<string, number> = {};

/** Resolves to the status of the answer, or to the error code if no answer came. */
function post({ host, port, token }: ResendingJob, total: number): Promise<string> {
  const body = JSON.stringify({
    type: 'sale',
    external_id: `resent-${token.slice(-8)}`,
    timestamp: '2025-01-01T00:00:00Z',
    object: { total },
  });
  const headers = { token, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const call = request({ host, port, agent, method: 'POST', path: '/v1/raw_transactions', headers }, (answer) =>
      answer.resume().once('end', () => resolve(String(answer.statusCode))),
    );
    call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
}

async function run(job: ResendingJob): Promise<never> {
  await post(job, 0);
  for (let total = 1; ; total += 1) {
    const startedAt = performance.now();
    const outcome = await post(job, total);
    if (outcome === '200' && total > warmUp) ms.push(performance.now() - startedAt);
    if (outcome !== '200') errors[outcome] = (errors[outcome] ?? 0) + 1;
    await delay(pauseMs);
  }
}

process.once('disconnect', () => process.exit(0)); // the parent process has exited
process.once('message', (job) => {
  process.on('message', () => process.send?.({ kind: 'measured', ms, errors } satisfies FromResendingTill));
  void run(job as ResendingJob); // the message comes from our own process, so its type is known
});
