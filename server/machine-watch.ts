// Watches the disk and the clock of the machine, and reports each problem once when it begins and once when it ends. At the
// start, it also reports which other users can change the data directory. It keeps the latest findings in memory, so that they
// are available even when the disk or the store fails.

import { healthOf, isOver, listProblems, overSentence, type Problem } from './bad-news.ts';
import type { HealthView } from './contract/machine.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './log.ts';
import { listDirectoryFaults } from './store/data-directory.ts';
import { isSameTime } from './store/health/clock-fault.ts';
import type { HealthLedger } from './store/health/ledger.ts';
import type { RecordLedger } from './store/records/ledger.ts';

/** Interval at which disk and clock are checked. */
const LOOK_MS = 15_000;

export interface MachineWatch {
  /** The latest findings; never reads the disk. */
  health(): HealthView;
  /** Call it when a problem of the store begins or ends, or when damage is found. It then checks the machine immediately. */
  noteTrouble(): void;
  close(): void;
}

export async function openMachineWatch(parts: {
  readonly store: {
    readonly health: Pick<HealthLedger, 'trouble' | 'readMachine' | 'confirmClock'>;
    readonly records: Pick<RecordLedger, 'unwrittenRefusals'>;
  };
  readonly clock: Clock;
  readonly dataDir: string;
  readonly log: Log;
  /** Calls `onTime` with each time that another machine reports, in epoch milliseconds. Returns a function that stops this. */
  readonly listenForTime: (onTime: (epochMs: number) => void) => () => void;
  /** Reports a sentence to the person who started the gateway. */
  readonly tell: (sentence: string, isSerious: boolean) => void;
  /** Called when a problem has begun or ended. */
  readonly onChange: () => void;
  readonly onFault: (error: unknown) => void;
}): Promise<MachineWatch> {
  const { store, clock, dataDir, log, listenForTime, tell, onChange, onFault } = parts;
  let machine = await store.health.readMachine().catch((error: unknown) => {
    onFault(error);
    return { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null };
  });
  /** The problems that were reported and have not ended, by code and subject. */
  let told = new Map<string, Problem>();
  let isClosed = false;
  let callOff = clock.after(LOOK_MS, look);
  let stopListening: (() => void) | undefined;

  function health(): HealthView {
    return healthOf({
      trouble: store.health.trouble() ?? null,
      unwrittenRefusals: store.records.unwrittenRefusals(),
      machine,
    });
  }

  function tellNews(): void {
    const now = health();
    const problems = new Map(listProblems(now, dataDir).map((problem) => [problem.code + problem.about, problem]));
    const begun = [...problems].filter(([key]) => !told.has(key)).map(([, problem]) => problem);
    const over = [...told.values()].filter(({ code }) => isOver(code, now));
    told = problems;
    for (const { code, sentence, isSerious } of begun) {
      if (now.trouble?.code !== code) log[isSerious ? 'error' : 'warn']({ code, ...machine }, sentence);
      tell(sentence, isSerious);
    }
    for (const { code, isSerious } of over) {
      const sentence = overSentence(code, now.unwrittenRefusals);
      log.info({ code }, sentence);
      tell(sentence, isSerious);
    }
    if (begun.length + over.length > 0) onChange();
  }

  /**
   * Listens for the time of other machines while the clock is behind the newest record. Either the clock is wrong now, or it
   * was ahead when that record arrived. Only the time of another machine can show which of the two is true.
   */
  function listen(): void {
    if (machine.clock?.code === 'before_newest') stopListening ??= listenForTime(compare);
    else listenNoMore();
  }

  function listenNoMore(): void {
    stopListening?.();
    stopListening = undefined;
  }

  function compare(epochMs: number): void {
    if (!isSameTime(epochMs, clock.now())) return;
    listenNoMore(); // one confirmation is enough; `look` listens again if the clock is still in doubt
    store.health.confirmClock().catch(onFault).finally(lookNow);
  }

  function lookNow(): void {
    if (isClosed) return;
    callOff();
    look();
  }

  function look(): void {
    store.health
      .readMachine()
      .then((seen) => {
        if (isClosed) return;
        machine = seen;
        tellNews();
        listen();
      })
      .catch(onFault)
      .finally(() => {
        if (isClosed) return;
        callOff(); // a parallel call of `look` may already have set a timer
        callOff = clock.after(LOOK_MS, look);
      });
  }

  for (const sentence of listDirectoryFaults(dataDir)) {
    log.warn(sentence);
    tell(sentence, false);
  }
  tellNews();
  listen();
  return {
    health,
    noteTrouble() {
      tellNews();
      lookNow();
    },
    close() {
      isClosed = true;
      callOff();
      listenNoMore();
    },
  };
}
