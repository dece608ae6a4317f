/** Starts the upstream that the gateway forwards to: the stand-in in its own process, without storing bodies. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Workspace } from './workspace.ts';

export type ToStandIn = { kind: 'forget' } | { kind: 'expect'; milestones: number[] };
export type FromStandIn =
  | { kind: 'ready'; url: string }
  | { kind: 'forgotten' }
  | { kind: 'mark'; mark: Mark }
  | { kind: 'reached' };

/**
 * The number of stored records, of calls, and of records that came again, at the time `at` (epoch milliseconds, with fractions).
 */
export type Mark = { records: number; attempts: number; again: number; at: number };

export type Upstream = {
  url: string;
  /** Forgets everything it received. */
  forget(): Promise<void>;
  count(): Promise<Mark>;
  /**
   * Resolves when the last milestone is reached, with a `Mark` for each milestone. A milestone is a number of records.
   * Milestones that are reached within one polling interval share a `Mark`.
   */
  expect(milestones: number[], onMark?: (mark: Mark) => void): Promise<Mark[]>;
  stop(): Promise<void>;
};

/** The key for the upstream, which accepts any key. */
export const upstreamToken = 'prod_bench';

const program = fileURLToPath(new URL('./stand-in-process.ts', import.meta.url));
const longestSeconds = 1200;

/** Starts the upstream. `script` controls its answers; by default it accepts everything. */
export async function startUpstream(workspace: Workspace, script = 'accept'): Promise<Upstream> {
  const child = fork(program, [script], { env: { ...process.env, NODE_ENV: 'production' } });
  const { stop } = workspace.own(child, 'SIGTERM');
  let listener: (message: FromStandIn) => void = () => undefined;
  let onEnd: (error: Error) => void = () => undefined;
  // the message comes from our own process, so its type is known
  child.on('message', (message) => listener(message as FromStandIn));
  child.once('exit', () => onEnd(new Error('the stand-in ended')));

  /** Waits until `handle` calls `done`. Only one wait at a time is possible. */
  function wait<Value>(handle: (message: FromStandIn, done: (value: Value) => void) => void): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const timer = setTimeout(() => reject(new Error('the records did not arrive in time')), longestSeconds * 1000);
    listener = (message) => handle(message, resolve);
    onEnd = reject;
    return promise.finally(() => clearTimeout(timer));
  }
  const order = (message: ToStandIn) => child.send(message);

  const expectMarks: Upstream['expect'] = (milestones, onMark = () => undefined) => {
    const marks: Mark[] = [];
    const reached = wait<Mark[]>((message, done) => {
      if (message.kind === 'reached') done(marks);
      if (message.kind !== 'mark') return;
      marks.push(message.mark);
      onMark(message.mark);
    });
    order({ kind: 'expect', milestones });
    return reached;
  };

  const url = await wait<string>((message, done) => message.kind === 'ready' && done(message.url));
  return {
    url,
    forget() {
      const forgotten = wait<void>((message, done) => message.kind === 'forgotten' && done());
      order({ kind: 'forget' });
      return forgotten;
    },
    async count() {
      const [mark] = await expectMarks([0]);
      if (mark === undefined) throw new Error('the stand-in has not said what it got');
      return mark;
    },
    expect: expectMarks,
    stop,
  };
}

/** Records per second between two counts. */
export function rateBetween(from: Mark | undefined, to: Mark | undefined): number {
  if (from === undefined || to === undefined || to.at <= from.at) return Number.NaN;
  return ((to.records - from.records) * 1000) / (to.at - from.at);
}
