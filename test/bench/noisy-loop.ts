/**
 * A till that resends large records with changed content, in parallel loops. Each loop sends the next record after any
 * answer. The till runs in its own process. It receives one job, reports when the original is stored, and counts the answers
 * until it is stopped.
 */
import { Agent, request } from 'node:http';

/** The job of a noisy till. Its bodies have `members` members with generated names. */
export type NoisyJob = { host: string; port: number; token: string; loops: number; members: number };

export type FromNoisyLoop = { kind: 'kept'; bytes: number } | { kind: 'counted'; answers: Record<string, number> };

const agent = new Agent({ keepAlive: true });
const answers: Record<string, number> = {};
const tell = (message: FromNoisyLoop) => process.send?.(message);

function bodyOf(members: number, prefix: string): Buffer {
  const object = Object.fromEntries(Array.from({ length: members }, (_, i) => [`${prefix}${i}`, i]));
  return Buffer.from(JSON.stringify({ type: 'sale', external_id: 'noisy', timestamp: '2025-01-01T00:00:00Z', object }));
}

/** Resolves to the status of the answer, or to the error code if no answer came. */
function post({ host, port, token }: NoisyJob, body: Buffer): Promise<string> {
  const headers = { token, 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve) => {
    const call = request({ host, port, agent, method: 'POST', path: '/v1/raw_transactions', headers }, (answer) =>
      answer.resume().once('end', () => resolve(String(answer.statusCode))),
    );
    call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
  });
}

async function loop(job: NoisyJob, body: Buffer): Promise<never> {
  for (;;) {
    const outcome = await post(job, body);
    answers[outcome] = (answers[outcome] ?? 0) + 1;
  }
}

async function run(job: NoisyJob): Promise<void> {
  const original = bodyOf(job.members, 'a');
  const bodies = Array.from({ length: job.loops }, (_, i) => bodyOf(job.members, String.fromCodePoint(0x62 + i)));
  await post(job, original);
  tell({ kind: 'kept', bytes: original.length });
  for (const body of bodies) void loop(job, body);
}

process.once('disconnect', () => process.exit(0)); // the parent process has exited
process.once('message', (job) => {
  process.on('message', () => tell({ kind: 'counted', answers: { ...answers } }));
  void run(job as NoisyJob); // the message comes from our own process, so its type is known
});
