// How long to wait before trying again: twice as long each time up to a limit, and a random part of that, so that many
// gateways that lost the same upstream do not all come back at the same moment.

export interface BackOff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Milliseconds to wait after a failure that had so many `earlier` ones before it in a row; `random` is from 0 to 1 (full jitter). */
export function backOffMs({ firstMs, mostMs }: BackOff, earlier: number, random: number): number {
  const ceiling = Math.min(mostMs, firstMs * 2 ** Math.min(earlier, 30));
  return Math.round(random * ceiling);
}
