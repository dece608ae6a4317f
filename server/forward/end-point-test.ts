// Tests refused end points. For each refused end point, sends one of its records at a time, to learn whether the end point is
// valid again. `end-point.ts` says which test is due and what an answer means.

import type { EndPoint, WaitingRecord } from '../store/outbox/ledger.ts';
import type { EndPoints } from './end-point.ts';
import type { ProbeChoice } from './probe-choice.ts';

export interface EndPointTests {
  /** For each refused end point whose test is due, sends one record. Returns the time of the next test. Times are monotonic. */
  sendDue(now: number): number;
}

export function openEndPointTests({
  endPoints,
  choose,
  canSend,
  send,
  leave,
  onEnd,
  onFault,
}: {
  readonly endPoints: Pick<EndPoints, 'takeDue' | 'nextTryAt'>;
  readonly choose: ProbeChoice['ofEndPoint'];
  /** Whether a record may be sent. Called after a record was chosen, because the lane may have stopped during the choice. */
  readonly canSend: () => boolean;
  /** Sends a record. `tests` is the end point that the record tests; the sender must end the test after the answer. */
  readonly send: (record: WaitingRecord, how: { isRetry: false; isProbe: false; tests?: EndPoint }) => void;
  /** Drops a record from memory. The record then waits until its end point is valid again. */
  readonly leave: (record: WaitingRecord) => void;
  /** Called when a test has ended because no record could be sent for it. */
  readonly onEnd: (endPoint: EndPoint) => void;
  readonly onFault: (error: unknown) => void;
}): EndPointTests {
  async function test(endPoint: EndPoint, place: number): Promise<void> {
    const record = await choose(endPoint, place).catch(onFault);
    if (record?.body !== undefined && canSend())
      return send(record, { isRetry: false, isProbe: false, tests: endPoint });
    // A damaged record is never sent, so it cannot test the end point. `send` holds it, and the next test chooses another
    // record.
    if (record !== undefined && record.body === undefined) send(record, { isRetry: false, isProbe: false });
    else if (record !== undefined) leave(record);
    onEnd(endPoint);
  }

  return {
    sendDue(now) {
      for (let due = endPoints.takeDue(now); due !== undefined; due = endPoints.takeDue(now))
        void test(due.endPoint, due.place);
      return endPoints.nextTryAt();
    },
  };
}
