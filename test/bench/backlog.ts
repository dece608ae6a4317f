/**
 * Measures the cost of a large backlog, which one gateway process drains once. Compares the gateway's memory in three states:
 * when idle, when the line is down, and when it drains. Also measures the time from the start until the upstream has the first
 * record, and the cost per record as the backlog shrinks.
 */
import { cpuBetween, makeWaiting } from './drain.ts';
import { measureStart, readRestMb } from './footprint.ts';
import { countWaiting, createTillKeys, setUpstream, startGateway } from './gateway.ts';
import { median, readCpuSeconds, readFilePagesMb, watchResidentMb } from './machine.ts';
import { rateBetween, startUpstream, type Upstream, upstreamToken } from './upstream.ts';
import { findFreePort, type Workspace } from './workspace.ts';

/** Times in milliseconds, memory in MB. Memory is null on systems without /proc. */
export type BacklogReport = {
  records: number;
  idleMb: number | null;
  lineDownMb: number | null;
  drainingMb: number | null;
  /** The file pages within `idleMb` and `drainingMb`, in MB. The operating system can reclaim them. */
  filePagesMb: { idle: number | null; draining: number | null };
  readyMs: number;
  firstForwardedMs: number;
  stretches: Stretch[];
  repeated: number;
};

/**
 * A part of the drain. `from` and `to` are the numbers of waiting records at its beginning and end. The other fields are costs
 * per record in microseconds.
 */
export type Stretch = { from: number; to: number; usPerRecord: number; cpu: number | null };

const starts = 3;
/**
 * The parts of the drain to measure. Each number is the share of the backlog that still waits when the part begins or ends. The
 * time before the first part is warm-up.
 */
const stretches = [
  [0.95, 0.85],
  [0.55, 0.45],
  [0.12, 0.08],
  [0.02, 0.001],
] as const;

export async function measureBacklog(workspace: Workspace, records: number): Promise<BacklogReport> {
  const upstream = await startUpstream(workspace);
  const { data } = await makeWaiting(workspace, records, upstream.url);

  const idleData = workspace.makeFolder('idle');
  await createTillKeys(workspace, idleData);
  await setUpstream(workspace, idleData, upstream.url, upstreamToken);
  const idle = await measureRest(workspace, idleData);

  const firsts: number[] = [];
  for (let start = 0; start < starts; start += 1) firsts.push(await timeToFirst(workspace, upstream, data));
  const firstForwardedMs = median(firsts);
  process.stderr.write(`start to first forwarded: ${firsts.map((each) => each.toFixed(0)).join(', ')} ms\n`);

  await setUpstream(workspace, data, `http://127.0.0.1:${await findFreePort()}`, upstreamToken);
  const readyMs = await measureStart(workspace, data);
  const { mb: lineDownMb } = await measureRest(workspace, data);
  await setUpstream(workspace, data, upstream.url, upstreamToken);

  process.stderr.write('draining all records\n');
  const { drainingFilePagesMb, ...drained } = await drainAll(workspace, upstream, data, records);
  await upstream.stop();
  const filePagesMb = { idle: idle.filePagesMb, draining: drainingFilePagesMb };
  return { records, idleMb: idle.mb, lineDownMb, filePagesMb, readyMs, firstForwardedMs, ...drained };
}

async function measureRest(
  workspace: Workspace,
  data: string,
): Promise<{ mb: number | null; filePagesMb: number | null }> {
  const gateway = await startGateway(workspace, data);
  const mb = await readRestMb(gateway.pid);
  const filePagesMb = readFilePagesMb(gateway.pid);
  await gateway.stop();
  return { mb, filePagesMb };
}

/**
 * Milliseconds from spawning the gateway until the upstream has the first record. Each call of this function forwards a few
 * records before the gateway stops.
 */
async function timeToFirst(workspace: Workspace, upstream: Upstream, data: string): Promise<number> {
  await upstream.forget();
  const reached = upstream.expect([1]);
  const startedAt = performance.timeOrigin + performance.now();
  const gateway = await startGateway(workspace, data);
  const [first] = await reached;
  await gateway.stop();
  return (first?.at ?? Number.NaN) - startedAt;
}

async function drainAll(
  workspace: Workspace,
  upstream: Upstream,
  data: string,
  records: number,
): Promise<Pick<BacklogReport, 'drainingMb' | 'stretches' | 'repeated'> & { drainingFilePagesMb: number | null }> {
  await upstream.forget();
  // fewer than the store had at first, because each start has sent a few records
  const waiting = await countWaiting(workspace, data);
  const ends = stretches.map((shares) => shares.map((share) => waiting - Math.round(share * records)));
  let pid: number | undefined;
  const cpu: (number | null)[] = [];
  const reached = upstream.expect([...ends.flat(), waiting], ({ records: arrived }) => {
    cpu.push(readCpuSeconds(pid ?? 0));
    process.stderr.write(`${waiting - arrived} wait\n`);
  });
  const gateway = await startGateway(workspace, data);
  ({ pid } = gateway);
  const resident = watchResidentMb(gateway.pid);
  const marks = await reached;
  const drainingMb = resident.stop();
  const drainingFilePagesMb = readFilePagesMb(gateway.pid);
  await gateway.stop();
  const last = marks.at(-1);
  return {
    drainingMb,
    drainingFilePagesMb,
    repeated: last === undefined ? 0 : last.attempts - last.records,
    stretches: ends.map((stretch) => {
      const [first = -1, end = -1] = stretch.map((arrived) => marks.findIndex(({ records: at }) => at >= arrived));
      const [from, to] = [marks[first], marks[end]];
      return {
        from: waiting - (from?.records ?? 0),
        to: waiting - (to?.records ?? 0),
        usPerRecord: 1e6 / rateBetween(from, to),
        cpu: cpuBetween(from, to, cpu[first], cpu[end]),
      };
    }),
  };
}
