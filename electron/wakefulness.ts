// Prevents sleep while tills are open. If the machine sleeps anyway, the gateway records it.

import type { PowerMonitor, PowerSaveBlocker } from 'electron';

import type { Sleep } from '../server/contract/machine.ts';

/** Minimum length of a sleep that the gateway is told of. Shorter sleeps do not affect tills. */
const MIN_SLEEP_MS = 60_000;

export interface WakefulnessParts {
  readonly power: Pick<PowerMonitor, 'on'>;
  readonly stayAwake: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly noteSleep: (sleep: Sleep) => void;
}

export interface Wakefulness {
  /** Keeps the machine awake, or lets it sleep again. */
  set(isAwake: boolean): void;
  isKeptAwake(): boolean;
}

export function openWakefulness({ power, stayAwake, now, noteSleep }: WakefulnessParts): Wakefulness {
  let blocker: number | undefined;
  let asleepSince: number | undefined;
  power.on('suspend', () => (asleepSince = now()));
  power.on('resume', () => {
    const sleep = { from: asleepSince ?? now(), to: now() };
    asleepSince = undefined;
    if (sleep.to - sleep.from >= MIN_SLEEP_MS) noteSleep(sleep);
  });
  return {
    set(isAwake) {
      if (isAwake) blocker ??= stayAwake.start('prevent-app-suspension');
      else if (blocker !== undefined) {
        stayAwake.stop(blocker);
        blocker = undefined;
      }
    },
    isKeptAwake: () => blocker !== undefined,
  };
}
