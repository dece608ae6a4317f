/**
 * Measures the effect of forwarding on the tills: intake at full load with a draining lane and with a paused lane. The two
 * measurements alternate on one gateway.
 */
import { measureIntake, type Pace } from './comparison.ts';
import { makeWaiting } from './drain.ts';
import { pauseOrResume, startGateway } from './gateway.ts';
import type { LoadReport } from './load.ts';
import { median } from './machine.ts';
import { asSubject, gatewayName } from './subjects.ts';
import { startUpstream } from './upstream.ts';
import type { Workspace } from './workspace.ts';

export type BesideReport = {
  alone: BesideSummary;
  draining: BesideSummary;
  /** Records forwarded per second during the intake. */
  forwardedPerSecond: number;
};

/** Medians of the rounds. Times are in milliseconds. */
export type BesideSummary = { perSecond: number; p50: number; p99: number; errors: Record<string, number> };

const connections = 64;
const warmUpSeconds = 2;

export async function measureBeside(workspace: Workspace, records: number, pace: Pace): Promise<BesideReport> {
  const upstream = await startUpstream(workspace);
  const { data, tokens } = await makeWaiting(workspace, records, upstream.url);
  await pauseOrResume(workspace, data, 'pause');
  const gateway = await startGateway(workspace, data);
  const subject = asSubject(gatewayName, gateway, tokens);
  const measure = (seconds: number) => measureIntake(workspace, subject, connections, seconds);
  await measure(warmUpSeconds);
  const alone: LoadReport[] = [];
  const draining: LoadReport[] = [];
  const forwarded: number[] = [];
  for (let round = 1; round <= pace.rounds; round += 1) {
    alone.push(await measure(pace.seconds));
    await upstream.forget();
    const going = upstream.expect([1]);
    await pauseOrResume(workspace, data, 'resume');
    await going;
    const before = await upstream.count();
    draining.push(await measure(pace.seconds));
    const after = await upstream.count();
    await pauseOrResume(workspace, data, 'pause');
    forwarded.push(((after.records - before.records) * 1000) / (after.at - before.at));
    const rates = [alone, draining].map((reports) => reports.at(-1)?.perSecond ?? 0).map(Math.round);
    process.stderr.write(`round ${round}: alone ${rates[0]}/s, while draining ${rates[1]}/s\n`);
  }
  await gateway.stop();
  await upstream.stop();
  return { alone: summarise(alone), draining: summarise(draining), forwardedPerSecond: median(forwarded) };
}

function summarise(reports: LoadReport[]): BesideSummary {
  const errors: Record<string, number> = {};
  for (const [reason, count] of reports.flatMap((report) => Object.entries(report.errors)))
    errors[reason] = (errors[reason] ?? 0) + count;
  return {
    perSecond: median(reports.map(({ perSecond }) => perSecond)),
    p50: median(reports.map(({ p50 }) => p50)),
    p99: median(reports.map(({ p99 }) => p99)),
    errors,
  };
}
