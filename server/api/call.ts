// One call on its way through the api listener, what has been found out about it so far, and what a record is taken with.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Key } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Via } from '../via.ts';
import type { ReadBody } from './body.ts';

export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The target as it was sent; that of `req` is the one that is routed. */
  readonly url: string;
  /** Whose call it is, as soon as that is known. */
  key?: Key;
  /** Whether that key is valid for it. */
  isAdmitted?: boolean;
  /** The whole body, once it has been read. */
  body?: Buffer;
}

/** What the handlers that take records share. */
export interface Intake {
  readonly store: Store;
  readonly via: Via;
  readonly readBody: ReadBody;
}
