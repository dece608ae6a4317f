// The state of one call in the api listener, and the dependencies of the handlers that take records.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Trials } from '../certify/trial.ts';
import type { Key } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import type { ReadBody } from './body.ts';

export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The request target exactly as sent. `req.url` may differ, because the routes need a normalised target. */
  readonly url: string;
  /** The base address that the caller used. Undefined if it is not an address of this machine. */
  readonly address?: string | undefined;
  /** The key of the caller, once it is known. */
  key?: Key;
  /** Whether `key` is valid for this call. */
  isAdmitted?: boolean;
  /** The body. Undefined until it is complete. */
  body?: Buffer;
}

/** The dependencies of the handlers that take records. */
export interface Intake {
  readonly store: Store;
  readonly via: Via;
  readonly readBody: ReadBody;
  readonly trials: Trials;
}
