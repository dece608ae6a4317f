// `counterfoil certify`: lists the certifications of tills, and shows the report of a certification. A person begins a
// certification in the console.

import type { Command } from 'commander';

import { type Certification, countOpen, countResults } from '../contract/certify.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { PROGRAM } from '../program.ts';
import { isOwned } from '../store/data-directory.ts';
import { reportLines, RUN_STATES } from './certify-report.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  printJson,
  printTable,
  wholeNumber,
  withCommonOptions,
  withStore,
} from './output.ts';

export function bindCertify(program: Command): void {
  const certify = program.command('certify').description('the reports of tills that were certified in the console');
  withCommonOptions(
    certify
      .command('list')
      .description('list certifications, newest first')
      .option('--limit <number>', 'the maximum number of entries', wholeNumber('--limit'), 50),
  ).action(listReports);
  withCommonOptions(
    certify
      .command('show')
      .description('show the report of a certification, with the result and the evidence of each step')
      .argument('[report]', 'the number of the report (default: the newest)', wholeNumber('The report')),
  ).action(showReport);
}

async function listReports(options: CommonOptions & { limit: number }): Promise<void> {
  const runs = await withStore(options, (store) => store.certifications.list({ limit: options.limit }));
  const shown = runs.map((run) => withoutGateway(run, options));
  if (options.json === true)
    return printJson(
      shown.map(({ id, administration, till, keyId, state, startedAt, endedAt, steps }) => ({
        id,
        administration,
        till,
        keyId,
        state,
        startedAt: formatMilliseconds(startedAt),
        endedAt: textOf(endedAt),
        ...countResults(steps),
        notTested: countOpen(steps),
      })),
    );
  if (shown.length === 0) return console.log(NO_REPORTS);
  printTable(
    ['report', 'till', 'administration', 'state', 'passed', 'failed', 'skipped', 'not tested', 'started', 'ended'],
    shown.map(({ id, till, administration, state, steps, startedAt, endedAt }) => {
      const { passed, failed, skipped } = countResults(steps);
      const times = [formatTime(startedAt), formatTime(endedAt)];
      return [id, till, administration, RUN_STATES[state], passed, failed, skipped, countOpen(steps), ...times];
    }),
  );
}

async function showReport(id: number | undefined, options: CommonOptions): Promise<void> {
  const found = await withStore(options, async ({ certifications }) =>
    id === undefined ? (await certifications.list({ limit: 1 }))[0] : certifications.get(id),
  );
  if (found === undefined) {
    const list = `${PROGRAM} certify list${dataOption(dataDirectory(options.data))}`;
    throw new OperatorError(id === undefined ? NO_REPORTS : `Report ${id} does not exist. To list all: ${list}`);
  }
  const run = withoutGateway(found, options);
  if (options.json === true) return printJson(describe(run));
  for (const line of reportLines(run)) console.log(inert(line));
}

const NO_REPORTS = 'No till was certified yet. To begin, open the card of the till in the console.';

/**
 * Shows a run as interrupted if its report says `running`, but no gateway runs. In this case the gateway was killed. Its next
 * start will end the run.
 */
function withoutGateway(run: Certification, { data }: CommonOptions): Certification {
  return run.state === 'running' && !isOwned(dataDirectory(data)) ? { ...run, state: 'interrupted' } : run;
}

/** Converts the report for JSON output: the times become texts. */
function describe({ journalId: _, startedAt, endedAt, steps, ...run }: Certification) {
  return {
    ...run,
    startedAt: formatMilliseconds(startedAt),
    endedAt: textOf(endedAt),
    steps: steps.map((step) => ({
      ...step,
      startedAt: textOf(step.startedAt),
      endedAt: textOf(step.endedAt),
      events: step.events.map((event) => ({ ...event, at: formatMilliseconds(event.at) })),
    })),
  };
}

function textOf(epochMs: number | null): string | null {
  return epochMs === null ? null : formatMilliseconds(epochMs);
}
