/**
 * Runs the stand-in upstream in its own process, so that it never shares an event loop with a sender. It accepts two IPC
 * messages. One makes it forget its records. The other contains a number, and the stand-in replies when it has stored that
 * number of records.
 */
import { openStandIn } from '../support/upstream/stand-in.ts';
import type { FromStandIn, ToStandIn } from './upstream.ts';

/** The interval at which the stand-in polls its counts. Checking after each call would slow down the senders. */
const lookMs = 2;

const standIn = await openStandIn({ keepBodies: false, script: process.argv[2] ?? 'accept' });
let milestones: number[] = [];
const tell = (message: FromStandIn) => process.send?.(message);

setInterval(() => {
  const [next] = milestones;
  if (next === undefined) return;
  const { records, attempts, statuses } = standIn.summary();
  if (records < next) return;
  const again = statuses.IGNORED + statuses.ERROR;
  milestones = milestones.filter((milestone) => milestone > records);
  tell({ kind: 'mark', mark: { records, attempts, again, at: performance.timeOrigin + performance.now() } });
  if (milestones.length === 0) tell({ kind: 'reached' });
}, lookMs);

process.once('disconnect', () => process.exit(0)); // the parent process has exited
process.on('message', (message) => {
  const order = message as ToStandIn; // the message comes from our own process, so its type is known
  if (order.kind === 'expect') milestones = order.milestones.toSorted((a, b) => a - b);
  else
    void standIn.reset().then(() => {
      milestones = [];
      tell({ kind: 'forgotten' });
    });
});
tell({ kind: 'ready', url: standIn.url });
