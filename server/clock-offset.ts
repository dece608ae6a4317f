// Measures how far the clock of this machine is from the clocks of the upstreams, by the Date header of their answers. It reads one
// answer a minute, so forwarding has almost no extra cost.

import type { Clock } from './lib/clock.ts';

const EVERY_MS = 60_000;
/** An older measurement says nothing about the present time. */
const VALID_MS = 60 * 60_000;
/** The header has whole seconds. On average, the real time is half a second later. */
const HALF_SECOND_MS = 500;

export interface ClockOffset {
  /** The offset in seconds, positive if this clock is ahead. NaN if no upstream on another machine has answered recently. */
  seconds(): number;
  close(): void;
}

export function openClockOffset({
  clock,
  listenForTime,
}: {
  readonly clock: Clock;
  /** Calls `onTime` with each time that another machine reports, in epoch milliseconds. Returns a function that stops this. */
  readonly listenForTime: (onTime: (epochMs: number) => void) => () => void;
}): ClockOffset {
  let measured = { seconds: NaN, at: -Infinity };
  let stop = (): void => {};

  function measure(): void {
    stop = listenForTime((epochMs) => {
      stop();
      measured = { seconds: (clock.now() - epochMs - HALF_SECOND_MS) / 1000, at: clock.monotonic() };
      stop = clock.after(EVERY_MS, measure);
    });
  }

  measure();
  return {
    seconds: () => (clock.monotonic() - measured.at > VALID_MS ? NaN : measured.seconds),
    close: () => stop(),
  };
}
