// Exponential back-off with full jitter: the limit doubles with each failure, and the wait is a random part of it. So gateways
// that lost the same upstream do not all return at the same moment.

export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Returns how many milliseconds to wait after a failure. `earlier` is the number of consecutive failures before that failure.
 */
export function backOffMs({ firstMs, maxMs }: BackOff, earlier: number, random: number): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(earlier, 30));
  return Math.round(random * ceiling);
}
