/**
 * Measures the move of a shop to another machine: a backup while tills sell, its restore to an empty data folder, and the start
 * until the restored gateway forwards. The upstream counts whether it gets a record again.
 */
import { join } from 'node:path';

import { backUp, type Gateway, restore, setUpstream, startGateway } from './gateway.ts';
import { type LoadJob, runLoad } from './load.ts';
import { startUpstream, upstreamToken } from './upstream.ts';
import type { Workspace } from './workspace.ts';

/** Times in seconds. */
export type MoveReport = {
  soldPerSecond: number;
  backup: number;
  restore: number;
  /** From the start of the restored gateway until the upstream has another 100 sales. */
  forwarding: number;
  /** Records that the upstream got again. */
  again: number;
};

const perSecond = 100;
const connections = 4;
const salesAfter = 100;

/** `data` has `records` records, and `tokens` are its keys. Forwards all records first, because a shop has few that wait. */
export async function measureMove(
  workspace: Workspace,
  data: string,
  records: number,
  tokens: string[],
): Promise<MoveReport> {
  const upstream = await startUpstream(workspace);
  await setUpstream(workspace, data, upstream.url, upstreamToken);
  const gateway = await startGateway(workspace, data);
  process.stderr.write('forwarding all records\n');
  await upstream.expect([records]);
  const sell = async (to: Gateway, idPrefix: string, until: LoadJob['until']): Promise<number> => {
    const target = { wire: 'http', ...to.address, tokens } as const;
    const plan = { idPrefix, first: 0, time: { kind: 'now' } } as const;
    const job = { target, connections, perSecond, records: plan, until, watchPid: to.pid };
    const { errors, perSecond: sold } = await runLoad(workspace, job);
    if (Object.keys(errors).length > 0) throw new Error(`not all sales were accepted: ${JSON.stringify(errors)}`);
    return sold;
  };

  const file = join(workspace.makeFolder('moved'), 'backup.db');
  let isBackedUp = false;
  const backingUp = timed(() => backUp(workspace, data, file)).finally(() => void (isBackedUp = true));
  const sold: number[] = [];
  while (!isBackedUp) sold.push(await sell(gateway, `move-${sold.length}`, { kind: 'seconds', warmUp: 0, seconds: 1 }));
  const backup = await backingUp;
  await gateway.stop();

  const { records: before } = await upstream.count();
  const restored = join(workspace.makeFolder('restored'), 'data');
  const restoring = await timed(() => restore(workspace, file, restored));
  let again = Number.NaN;
  const forwarding = await timed(async () => {
    const reached = upstream.expect([before + salesAfter]);
    const started = await startGateway(workspace, restored);
    await sell(started, 'moved', { kind: 'count', count: salesAfter, limitSeconds: 60 });
    again = (await reached)[0]?.again ?? again;
  });
  return {
    soldPerSecond: sold.reduce((sum, each) => sum + each, 0) / sold.length,
    backup,
    restore: restoring,
    forwarding,
    again,
  };
}

/** The seconds that some work takes. */
export async function timed(work: () => void | Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
