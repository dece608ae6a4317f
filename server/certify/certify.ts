// Certifies tills. A run belongs to one test key; production keys are refused. A person begins the run. The gateway watches
// only the calls of that key, judges each step, and stores a report after every change. A run ends when a person ends it, or
// when every step has passed or was skipped. It also ends after 30 minutes without a call, and when the gateway stops. After
// the end, the gateway injects no more faults.

import {
  CERTIFY_IDLE_MINUTES,
  CERTIFY_STEPS,
  type CertificationReport,
  type CertificationSummary,
  type CertificationView,
  type CertifyAct,
  type CertifyStepView,
  countResults,
} from '../contract/certify.ts';
import { ConsoleError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Key } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { openRun, type Run } from './run.ts';
import { isInjected } from './step-watch.ts';
import type { Trials } from './trial.ts';

/** Maximum runs in a list. */
const MAX_LISTED = 100;
/** Maximum runs to read after a crash. A key has at most one active run, and no shop has this number of keys. */
const MAX_RUNNING = 100_000;

export interface Certify extends Trials {
  /** Begins a run, or returns the active run of this key. Throws for a production key, and for a replaced or revoked key. */
  begin(key: Key, actor: string): Promise<CertificationView>;
  /**
   * Performs an act on an active run. Resolves to undefined for an unknown run. If the run has ended, the act `end` does
   * nothing, and every other act throws `run_over`.
   */
  act(id: number, act: CertifyAct, actor: string): Promise<CertificationView | undefined>;
  /** Returns a run. Resolves to undefined for an unknown run. */
  get(id: number): Promise<CertificationView | undefined>;
  /** Lists the runs of a journal, newest first. */
  list(journalId: number): Promise<CertificationSummary[]>;
  /** Ends all runs with the state `interrupted`, and stores their reports. */
  close(): Promise<void>;
}

interface CertifyParts {
  readonly store: Pick<Store, 'certifications'>;
  readonly clock: Clock;
  /** Called after each change of a run. */
  onChange(): void;
  onFault(error: unknown): void;
}

/** Opens certifications. Ends runs that were still active when the gateway crashed. */
export async function openCertify({ store, clock, onChange, onFault }: CertifyParts): Promise<Certify> {
  const { certifications } = store;
  /** The latest run of each key, even if it has ended. */
  const byKey = new Map<number, Run>();
  /** The runs whose end is not stored yet. */
  const byId = new Map<number, Run>();
  /** Runs that are starting, by key. A second call of `begin` gets the same run. */
  const beginning = new Map<number, Promise<CertificationView>>();

  try {
    for (const { id, ...report } of await certifications.list({ isRunning: true, limit: MAX_RUNNING }))
      await certifications.end(id, interruptedReport(report, clock.now()));
  } catch (error) {
    onFault(error); // the error is only reported, because the gateway must start even on a full disk
  }

  async function begin(key: Key, actor: string): Promise<CertificationView> {
    const report = newReport(key, actor, clock.now());
    const id = await certifications.begin(report);
    const run = openRun({
      id,
      report,
      clock,
      idleMs: CERTIFY_IDLE_MINUTES * 60_000,
      onChange,
      async save({ id: _, ...stored }) {
        if (stored.state === 'running') return certifications.save(id, stored);
        await certifications.end(id, stored);
        byId.delete(id); // only when its end is stored: until then, the stored report says `running`
        if (byKey.get(key.id) === run) byKey.delete(key.id);
      },
      onFault,
    });
    byKey.set(key.id, run);
    byId.set(id, run);
    onChange();
    return run.view();
  }

  return {
    find: (keyId) => (byKey.size === 0 ? undefined : byKey.get(keyId)?.trial()),
    monotonic: clock.monotonic,
    isInjected,
    async begin(key, actor) {
      assertTestKey(key);
      const latest = byKey.get(key.id)?.view();
      if (latest?.state === 'running') return latest;
      const underway = beginning.get(key.id);
      if (underway !== undefined) return underway;
      const begun = begin(key, actor).finally(() => beginning.delete(key.id));
      beginning.set(key.id, begun);
      return begun;
    },
    async act(id, act, actor) {
      const run = byId.get(id);
      if (run?.view().state === 'running') return run.act(act, actor);
      const over = run?.view() ?? (await certifications.get(id));
      if (over === undefined || act.kind === 'end') return over;
      throw new ConsoleError('run_over', { detail: 'This run has ended. Begin a new one to test the till again.' });
    },
    get: async (id) => byId.get(id)?.view() ?? certifications.get(id),
    async list(journalId) {
      const stored = await certifications.list({ journalId, limit: MAX_LISTED });
      return stored.map((view) => summaryOf(byId.get(view.id)?.view() ?? view));
    },
    async close() {
      await Promise.all([...byId.values()].map((run) => run.end('interrupted')));
    },
  };
}

function assertTestKey({ mode, label, revokedAt }: Key): void {
  if (mode !== 'test') {
    throw new ConsoleError('certify_production', {
      detail: `The key of ${label} is a production key. Create a test key for this till, and certify it with that key.`,
    });
  }
  if (revokedAt !== null)
    throw new ConsoleError('key_ended', { detail: `The key of ${label} is already replaced or revoked.` });
}

function summaryOf({ id, till, state, startedAt, steps }: CertificationView): CertificationSummary {
  return { id, till, state, startedAt, results: countResults(steps) };
}

function newReport(key: Key, by: string, now: number): CertificationReport {
  const { journalId, administration, label: till, id: keyId, interface: generation } = key;
  const hasQueries = generation !== 'earlier'; // the earlier interface has no queries
  const steps = CERTIFY_STEPS.map((name, index): CertifyStepView => {
    const empty = { name, attempts: 0, startedAt: null, endedAt: null, finding: null, reason: '', events: [] };
    if (name === 'paging' && !hasQueries) return { ...empty, state: 'skipped', finding: 'no_queries' };
    return index === 0
      ? { ...empty, state: 'active', attempts: 1, startedAt: now, finding: 'nothing_yet' }
      : { ...empty, state: 'open' };
  });
  const run = { state: 'running', startedAt: now, endedAt: null, steps } as const;
  return { journalId, administration, till, keyId, interface: generation, version: VERSION, by, ...run };
}

/** Returns the report of a run that was still active when the gateway crashed. Its active step gets no result. */
function interruptedReport(report: CertificationReport, endedAt: number): CertificationReport {
  const steps = report.steps.map((step) => (step.state === 'active' ? { ...step, state: 'open' as const } : step));
  return { ...report, state: 'interrupted', endedAt, steps };
}
