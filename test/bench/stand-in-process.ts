/**
 * The stand-in upstream as a process of its own, so that it never shares an event loop with what sends to it. It is told over
 * IPC to forget what it got, and how many records to wait for; it tells when so many are in effect.
 */
import { openStandIn } from '../support/upstream/stand-in.ts';
import type { FromStandIn, ToStandIn } from './upstream.ts';

/** How often it looks at its own counts; looking after each call would cost those that send. */
const lookMs = 2;

const standIn = await openStandIn({ keepBodies: false, script: process.argv[2] ?? 'accept' });
let milestones: number[] = [];
const tell = (message: FromStandIn) => process.send?.(message);

setInterval(() => {
  const [next] = milestones;
  if (next === undefined) return;
  const { records, attempts } = standIn.summary();
  if (records < next) return;
  milestones = milestones.filter((milestone) => milestone > records);
  tell({ kind: 'mark', mark: { records, attempts, at: performance.timeOrigin + performance.now() } });
  if (milestones.length === 0) tell({ kind: 'reached' });
}, lookMs);

process.once('disconnect', () => process.exit(0)); // whoever started it is gone
process.on('message', (message) => {
  const order = message as ToStandIn; // our own process, our own types
  if (order.kind === 'expect') milestones = order.milestones.toSorted((a, b) => a - b);
  else
    void standIn.reset().then(() => {
      milestones = [];
      tell({ kind: 'forgotten' });
    });
});
tell({ kind: 'ready', url: standIn.url });
