// A time-out for work that cannot be cancelled, such as a DNS look-up.

/** The work took too long. The code is the one that Node uses when a connection takes too long. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

/** Waits for `work` at most this time, then rejects with a TimeoutError. The work itself continues. */
export function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimeoutError('too slow')), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
