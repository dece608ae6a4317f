// The functions that the api listener calls for a key in certification. For every other key, `find` returns undefined.

import type { ServerResponse } from 'node:http';

import type { EarlierMethod } from '../contract/codes.ts';
import type { GatewayError } from '../errors.ts';
import type { Outcome } from '../store/records/ledger.ts';

/** Finds the trial of a key. If no run is active, this costs only one comparison. */
export interface Trials {
  find(keyId: number): Trial | undefined;
  /** The monotonic time in milliseconds, which `begunAt` of a sale also uses. */
  monotonic(): number;
  /** Whether a step has injected this refusal. Such a refusal is evidence, not a problem of the shop. */
  isInjected(refusal: GatewayError): boolean;
}

export interface Trial {
  /** Call it for a valid sale before it is stored. Throws the active step's refusal if the step injects one. */
  receive(sale: SentSale): ReceivedSale;
  /** Call it before a query. Throws the active step's refusal if the step injects one. */
  receiveQuery(): void;
  /** Whether `limitPage` needs the number of records in the range. */
  readonly isPaging: boolean;
  /** The page size for a range with `count` records: small enough that the till gets at least two pages. */
  limitPage(count: number, limit: number): number;
  noteQuery(query: AnsweredQuery): void;
  /** Call it for each refused call of the key, unless a step injected the refusal. `detail` must not contain a key. */
  noteRefusal(refusal: { readonly status: number; readonly code: string; readonly detail: string }): void;
}

/** A sale as sent. */
export interface SentSale {
  readonly externalId: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** Time when all headers of the call had arrived, on the clock of `Trials.monotonic`. */
  readonly begunAt: number;
  /** The HTTP method on the earlier interface. Null on the current interface. */
  readonly method: EarlierMethod | null;
  /** The body of the call. For a GET, the query string. */
  readonly body: Uint8Array;
}

export interface ReceivedSale {
  /**
   * Call it after the sale is stored. Resolves to true when the answer may be sent, and to false after the trial has closed the
   * connection.
   */
  hold(res: ServerResponse, outcome: Outcome): Promise<boolean>;
}

export interface AnsweredQuery {
  readonly cursor: string | undefined;
  readonly nextCursor: string | null;
  readonly isExpanded: boolean;
  readonly records: number;
  /** Number of records in the range. */
  readonly count: number;
}

/** Trials without any certification, for a gateway or a test that does not certify tills. */
export const NO_TRIALS: Trials = { find: () => undefined, monotonic: () => 0, isInjected: () => false };
