/**
 * Runs one load in a new process, which ends with this process. So the generator never shares an event loop with the subject.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { BenchRecord, RecordPlan } from './records.ts';
import type { Workspace } from './workspace.ts';

/** The address and protocol of a load. `tokens` are spread over the connections; an empty list sends no token. */
export type Target =
  | { wire: 'http'; host: string; port: number; tokens: string[] }
  | { wire: 'redis'; host: string; port: number }
  | { wire: 'postgres'; host: string; port: number; user: string };

/** A started subject that accepts records. */
export type Running = {
  kind: 'running';
  name: string;
  target: Target;
  pid: number;
  /** The file of the subject's SQLite database, if it has one. */
  database?: string;
  stop: () => Promise<void>;
};
export type Absent = { kind: 'absent'; name: string; reason: string };
export type Subject = Running | Absent;

/** `done`: the expected answer is complete. `partial`: it is not complete yet. Any other text names an unexpected answer. */
export type Scan = (bytes: Buffer) => 'done' | 'partial' | (string & {});

/** One protocol, as the generator uses it. Texts are latin1: one character is one byte on the wire. */
export type Wire = {
  /** Sent once after connecting; `createGreetingScan` reads its answer. Empty when the protocol has no greeting. */
  greeting: string;
  createGreetingScan(): Scan;
  createScan(): Scan;
  request(record: BenchRecord, connection: number): string;
};

export type LoadJob = {
  target: Target;
  connections: number;
  /** A plan, or `bakery` for the bakery's sales, which have their own times and ids. */
  records: RecordPlan | 'bakery';
  /** Maximum rate per second of all connections together; without it, full speed. */
  perSecond?: number;
  /** When the load ends. `seconds` measures for that time after a warm-up. `count` sends that number of records once each. */
  until: { kind: 'seconds'; warmUp: number; seconds: number } | { kind: 'count'; count: number; limitSeconds: number };
  /** Process whose processor time is read at both ends of the measurement. */
  watchPid: number;
};

/**
 * The result of a load. Times are in milliseconds. Unexpected answers are counted only in `errors`. Processor figures are
 * null except on Linux.
 */
export type LoadReport = {
  answered: number;
  seconds: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  errors: Record<string, number>;
  /** Share of one core that the generator used, 0 to 1. Near 1, the rate was limited by the generator, not by the subject. */
  generatorBusy: number;
  /** Microseconds of processor time per record, over all threads and children of the subject. */
  subjectCpu: number | null;
  /** Share of the machine used by the operating system and by processes other than subject and generator. */
  others: number | null;
};

const generator = fileURLToPath(new URL('./load-generator.ts', import.meta.url));

/** Runs the load to its end. Throws if the generator exits early, or runs half a minute longer than planned. */
export async function runLoad(workspace: Workspace, job: LoadJob): Promise<LoadReport> {
  const child = fork(generator, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const owned = workspace.own(child, 'SIGKILL');
  const seconds = job.until.kind === 'seconds' ? job.until.warmUp + job.until.seconds : job.until.limitSeconds;
  const { promise, resolve, reject } = Promise.withResolvers<LoadReport>();
  const timer = setTimeout(() => reject(new Error('the load generator did not finish')), (seconds + 30) * 1000);
  // the message comes from our own process, so its type is known
  child.once('message', (report) => resolve(report as LoadReport));
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`the load generator ended early (${code})`)));
  child.send(job);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await owned.stop();
  }
}
