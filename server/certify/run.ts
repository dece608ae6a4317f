// One active run: its current step and its report. After a passed or skipped step, the run starts the next open step. After a
// failed step, the run waits for a person, so that the integrator can read the reason first.

import type {
  CertificationReport,
  CertificationView,
  CertifyAct,
  CertifyEvent,
  CertifyRunState,
  CertifyStep,
  CertifyStepView,
} from '../contract/certify.ts';
import { assertNever } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isResentAfterFinal } from './judge.ts';
import { type StepWatch, watchStep } from './step-watch.ts';
import type { SentSale, Trial } from './trial.ts';

export interface Run {
  view(): CertificationView;
  /** The trial of the active step. Undefined if no step is active. */
  trial(): Trial | undefined;
  /** Performs an act, and resolves when the report is stored. */
  act(act: CertifyAct, actor: string): Promise<CertificationView>;
  /** Ends the run and its faults, and resolves when the report is stored. */
  end(state: Exclude<CertifyRunState, 'running'>): Promise<void>;
}

interface RunParts {
  readonly id: number;
  /** The first report of the run. It has an active step. */
  readonly report: CertificationReport;
  readonly clock: Clock;
  /** The run ends after this time without a call or an act. */
  readonly idleMs: number;
  onChange(): void;
  /** Stores the report. */
  save(view: CertificationView): Promise<void>;
  onFault(error: unknown): void;
}

export function openRun({ id, report: first, clock, idleMs, onChange, save, onFault }: RunParts): Run {
  let report = first;
  let watch: StepWatch | undefined;
  let lastSale: SentSale | undefined;
  let cancelIdle = (): void => {};
  /** The last write. Reports are written one after the other. */
  let saved: Promise<void> = Promise.resolve();

  const view = (): CertificationView => ({ id, ...report });
  const isOver = (): boolean => report.state !== 'running';

  function changeStep(name: CertifyStep, change: Partial<CertifyStepView>): void {
    report = { ...report, steps: report.steps.map((step) => (step.name === name ? { ...step, ...change } : step)) };
  }

  function store(): void {
    const current = view();
    saved = saved.then(() => save(current)).catch(onFault);
    onChange();
  }

  function touch(): void {
    cancelIdle();
    if (!isOver()) cancelIdle = clock.after(idleMs, () => void end('timed_out'));
  }

  const isCurrent = ({ step, attempts }: { readonly step: CertifyStep; readonly attempts: number }): boolean =>
    stepOf(step)?.attempts === attempts;
  const stepOf = (name: CertifyStep): CertifyStepView | undefined => report.steps.find((step) => step.name === name);
  const activeStep = (): CertifyStepView | undefined => report.steps.find(({ state }) => state === 'active');

  function watchActive(): void {
    lastSale = watch?.lastSale() ?? lastSale;
    watch?.end();
    watch = undefined;
    const active = activeStep();
    if (active === undefined) return;
    const onEvent = (): void => {
      touch();
      judge(begun, active.name);
    };
    const begun = watchStep(active.name, clock, onEvent, lastSale);
    watch = begun;
  }

  function judge(by: StepWatch, name: CertifyStep): void {
    if (by !== watch) return;
    failEarlier(by.events.at(-1), name);
    const { kind, finding } = by.judgement();
    const evidence = { finding, events: [...by.events], dropped: by.dropped(), missing: by.missing() };
    if (kind === 'waiting') {
      changeStep(name, evidence);
      return onChange(); // the change is stored later, together with the next act or result
    }
    closeStep(name, { ...evidence, state: kind });
    if (!isOver()) store();
  }

  /**
   * Looks for steps that passed with a final answer to this sale. The till has now sent the sale again, so these steps fail.
   */
  function failEarlier(event: CertifyEvent | undefined, active: CertifyStep): void {
    if (event?.kind !== 'sale') return;
    for (const step of report.steps) {
      if (step.name === active || !isResentAfterFinal(event, step)) continue;
      changeStep(step.name, { state: 'failed', finding: 'kept_sending', events: [...step.events, event] });
    }
  }

  function closeStep(name: CertifyStep, change: Partial<CertifyStepView>): void {
    const wasActive = activeStep()?.name === name;
    changeStep(name, { ...change, endedAt: clock.now() });
    if (wasActive) watchActive(); // ends the faults of this step
    if (change.state !== 'failed') startNext();
  }

  function startNext(): void {
    if (activeStep() !== undefined) return;
    const next = report.steps.find(({ state }) => state === 'open');
    if (next !== undefined) return start(next.name);
    if (report.steps.every(({ state }) => state === 'passed' || state === 'skipped')) void end('ended');
  }

  /** Starts a step, or starts it again. If another step was active, it becomes open without a result. */
  function start(name: CertifyStep): void {
    const active = activeStep();
    if (active !== undefined) changeStep(active.name, { state: 'open' });
    const attempts = (stepOf(name)?.attempts ?? 0) + 1;
    changeStep(name, {
      state: 'active',
      attempts,
      startedAt: clock.now(),
      endedAt: null,
      finding: 'nothing_yet',
      reason: '',
      events: [],
      dropped: 0,
      missing: 0,
    });
    watchActive();
  }

  function perform(act: CertifyAct, actor: string): void {
    const active = activeStep();
    switch (act.kind) {
      case 'start':
        if (isCurrent(act)) start(act.step);
        return;
      case 'skip':
        if (stepOf(act.step)?.state === 'passed') return; // the step passed while the person was typing the reason to skip it
        return closeStep(act.step, { state: 'skipped', reason: act.reason, finding: null, events: [], dropped: 0 });
      case 'fail':
        if (isCurrent(act) && active?.name === act.step) closeStep(act.step, { state: 'failed' });
        return;
      case 'confirm':
        if (isCurrent(act) && active?.name === act.step) watch?.confirm(actor);
        return;
      case 'end':
        return void end('ended');
      default:
        return assertNever(act);
    }
  }

  function end(state: Exclude<CertifyRunState, 'running'>): Promise<void> {
    if (isOver()) return saved;
    cancelIdle();
    const active = activeStep();
    if (active !== undefined) changeStep(active.name, { state: 'open' });
    report = { ...report, state, endedAt: clock.now() };
    watchActive();
    store();
    return saved;
  }

  watchActive();
  touch();
  return {
    view,
    trial: () => watch,
    async act(act, actor) {
      touch();
      perform(act, actor);
      if (!isOver()) store();
      await saved;
      return view();
    },
    end,
  };
}
