// The calls of a lane that wait for an answer.

export interface InFlight {
  /** Number of calls without an answer. */
  count(): number;
  /** The number of retries among the calls without an answer. */
  retries(): number;
  /**
   * Makes a call. `abandon` aborts its signal. After the answer, the call is no longer counted. `onAnswer` then gets the
   * answer, or undefined if the call was abandoned. `call` must not reject.
   */
  start<T>(
    call: (signal: AbortSignal) => Promise<T>,
    isRetry: boolean,
    onAnswer: (answer: T | undefined) => void,
  ): void;
  /** Resolves when all calls that are now in flight have an answer. */
  allAnswered(): Promise<void>;
  /** Aborts every call that is in flight. Calls that start later are not affected. */
  abandon(): void;
}

export function openInFlight(): InFlight {
  /** An array, because a Set that has grown keeps its old tables in V8. These tables would keep later calls in memory. */
  let calls: readonly Promise<void>[] = [];
  let retries = 0;
  let abandoning = new AbortController();

  return {
    count: () => calls.length,
    retries: () => retries,
    start(call, isRetry, onAnswer) {
      const { signal } = abandoning;
      if (isRetry) retries += 1;
      const answered = call(signal).then((answer) => {
        calls = calls.filter((each) => each !== answered);
        if (isRetry) retries -= 1;
        onAnswer(signal.aborted ? undefined : answer);
      });
      calls = [...calls, answered];
    },
    async allAnswered() {
      await Promise.all(calls);
    },
    abandon() {
      abandoning.abort();
      abandoning = new AbortController();
    },
  };
}
