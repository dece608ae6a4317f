// What crosses a boundary: the words, the states and the error codes that tills, the console, the command line
// and the tests share. It imports nothing at run time, so that every part may import it.

export const MODES = ['production', 'test'] as const;
/** Production or test; follows from the key's prefix (specification 5.1). */
export type Mode = (typeof MODES)[number];

/** How a key of each mode begins (specification 5.1). */
export const KEY_PREFIXES: Record<Mode, string> = { production: 'prod_', test: 'test_' };

export const STATUSES = ['NEW', 'IGNORED', 'ERROR'] as const;
/** The classification of a record (specification 3); it never changes. */
export type Status = (typeof STATUSES)[number];

export const INTERFACES = ['current', 'earlier'] as const;
/** The interface generation a record came by (specification 1). */
export type Interface = (typeof INTERFACES)[number];

export const EARLIER_METHODS = ['GET', 'POST'] as const;
/** How a call of the earlier interface is made (specification 4.3 and 4.4). */
export type EarlierMethod = (typeof EARLIER_METHODS)[number];

export const KEY_INTERFACES = [...INTERFACES, 'both'] as const;
/** Which interface generation a key may speak. */
export type KeyInterface = (typeof KEY_INTERFACES)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'held', 'set aside'] as const;
/** How far a record has come on its way upstream. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const LANE_STATES = ['running', 'line down', 'refused', 'paused'] as const;
/** The forwarding of one journal's records of one interface. */
export type LaneState = (typeof LANE_STATES)[number];

/** Begins the test addresses of the earlier interface (specification 9). */
export const TEST_HOST_PREFIX = 'dev-plem';

/** Longest body of one call, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Deepest nesting of a member of the body; the member's own value is level 1. */
export const MAX_NESTING = 200;
/** Widest query window, in seconds (specification 8). */
export const MAX_WINDOW_SECONDS = 32 * 24 * 60 * 60;
/** Largest page of a query (specification 8). */
export const MAX_PAGE_SIZE = 500;

/** Every way a call can be refused: the stable code, its HTTP status and what a developer of a till should know. */
export const ERROR_CODES = {
  request_malformed: {
    status: 400,
    title: 'The request is not proper HTTP: repeated Host header, no version, or unreadable.',
  },
  json_malformed: { status: 400, title: 'The body is not JSON in UTF-8.' },
  bulk_unsupported: { status: 400, title: 'The body is an array; send one record per request.' },
  field_invalid: { status: 400, title: 'A field of the record is missing or not of the required form.' },
  end_point_invalid: { status: 400, title: 'The earlier interface has no such version or resource here.' },
  query_invalid: { status: 400, title: 'A query parameter is missing, unknown, repeated or not of the required form.' },
  range_invalid: { status: 400, title: 'The queried range is empty, reversed or longer than 32 days.' },
  cursor_invalid: { status: 400, title: 'The cursor was not issued for this query.' },
  key_missing: { status: 401, title: 'The key is missing: the token header, or Authorization: Bearer.' },
  key_repeated: { status: 401, title: 'The header with the key is sent more than once.' },
  key_unknown: { status: 401, title: 'The key is not known here.' },
  key_revoked: { status: 401, title: 'The key was revoked.' },
  key_wrong_kind: { status: 403, title: 'The key is for another interface.' },
  address_mismatch: { status: 403, title: 'The address is not that of the key’s administration and mode.' },
  prefetch_refused: { status: 403, title: 'The call is marked as a prefetch; a record is sent on purpose.' },
  not_found: { status: 404, title: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, title: 'The path does not take this method; see the Allow header.' },
  request_timeout: { status: 408, title: 'The request did not arrive completely in time.' },
  body_too_large: { status: 413, title: 'The body is larger than 1 MiB.' },
  media_type_unsupported: { status: 415, title: 'The Content-Type is not application/json.' },
  encoding_unsupported: { status: 415, title: 'The body has a Content-Encoding; send it uncompressed.' },
  expectation_unsupported: { status: 417, title: 'The Expect header asks for something other than 100-continue.' },
  query_busy: { status: 429, title: 'Another query of this administration and mode is running; one at a time.' },
  headers_too_large: { status: 431, title: 'The request headers are too large.' },
  internal: { status: 500, title: 'The gateway failed on this call. Nothing of it was kept.' },
  store_busy: {
    status: 503,
    title: 'The disk cannot take this at the moment. Nothing of the call was kept; send it again.',
  },
  store_full: { status: 503, title: 'The disk is full. Nothing of the call was kept; send it again later.' },
  store_unavailable: {
    status: 503,
    title: 'The store cannot be written. Nothing of the call was kept; send it again later.',
  },
  store_damaged: {
    status: 503,
    title: 'What the call is about is damaged on the disk. Nothing of the call was kept; send it again later.',
  },
  forwarding_loop: { status: 508, title: 'The record came from this gateway itself, whose upstream leads back to it.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One fault in a request. `pointer` is a JSON pointer into the body, or `/name` of a query parameter or header. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** Why the store takes no records at present: a code a till is answered with, and a sentence for the shopkeeper. */
export interface StoreTrouble {
  readonly code: 'store_full' | 'store_unavailable';
  readonly hint: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Counts of records by status. */
export type StatusCounts = Record<Status, number>;
