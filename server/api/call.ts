// One call on its way through the api listener, and what has been found out about it so far.

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Key } from '../store/key.ts';

export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Whose call it is, as soon as that is known. */
  key?: Key;
  /** The whole body, once it has been read. */
  body?: Buffer;
}
