// Statuses, states, codes and limits of the interface, the store and the console.

export const MODES = ['production', 'test'] as const;

/** Production or test. The prefix of the key decides which one (docs/interface.md#keys). */
export type Mode = (typeof MODES)[number];

/** The prefix of a key, by mode (docs/interface.md#keys). */
export const KEY_PREFIXES: Record<Mode, string> = { production: 'prod_', test: 'test_' };

export const STATUSES = ['NEW', 'IGNORED', 'ERROR'] as const;

/** The classification of a record (docs/interface.md#statuses); it never changes. */
export type Status = (typeof STATUSES)[number];

export const INTERFACES = ['current', 'earlier'] as const;

/** The interface that a till used to send a record (docs/interface.md). */
export type Interface = (typeof INTERFACES)[number];

export const EARLIER_METHODS = ['GET', 'POST'] as const;

/** The HTTP methods of the earlier interface (docs/interface.md#earlier-interface). */
export type EarlierMethod = (typeof EARLIER_METHODS)[number];

export const KEY_INTERFACES = [...INTERFACES, 'both'] as const;

/** The interfaces that a key is valid for. */
export type KeyInterface = (typeof KEY_INTERFACES)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'held', 'set aside'] as const;

/** The forwarding state of a record. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const LANE_STATES = ['running', 'line down', 'refused', 'paused'] as const;

/** The state of a lane. */
export type LaneState = (typeof LANE_STATES)[number];

export const CAUSE_CODES = [
  'unreachable',
  'untrusted',
  'link_local',
  'unanswered',
  'web_page',
  'moved',
  'key_refused',
  'proxy_refused',
  'nothing_taken',
  'nothing_there',
  'end_point_refused',
  'leads_back',
  'cut_short',
  'slow_down',
  'come_back',
  'trouble',
  'not_understood',
  'answer_too_long',
  'question_refused',
  'numbers_disagree',
  'passed_over',
  'paused',
  'restored',
  'asking',
  'no_upstream',
  'key_sealed',
  'not_running',
  'damaged',
  'other',
] as const;

/**
 * The reason why a lane does not run, or why the upstream did not accept a record. With the code `other`, the detail is a
 * sentence that an earlier version stored without a code.
 */
export type CauseCode = (typeof CAUSE_CODES)[number];

export interface Cause {
  readonly code: CauseCode;
  /**
   * A detail whose meaning depends on the code: an HTTP status, an error code, an address, a number of records, or a sentence.
   * Null if the code needs no detail.
   */
  readonly detail: string | null;
}

/** The prefix of hosts for test mode on the earlier interface (docs/interface.md#addresses). */
export const TEST_HOST_PREFIX = 'dev-plem';

/** Maximum body of one call, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Maximum levels of nesting in a body. Members of the body's object are at level 1. */
export const MAX_NESTING = 200;

/** Maximum length of the time range of a query, in seconds (docs/interface.md#limits). */
export const MAX_WINDOW_SECONDS = 32 * 24 * 60 * 60;

/** Maximum records on one page of a query (docs/interface.md#limits). */
export const MAX_PAGE_SIZE = 500;

/** Maximum characters of the name of an administration, a till or a user. */
export const MAX_NAME_LENGTH = 100;

/**
 * Minimum and maximum characters of an adopted key. The minimum makes the key hard to guess; the maximum lets it fit into a
 * header.
 */
export const ADOPTED_KEY = { min: 13, max: 4096 };

/** Maximum characters (code points) of a record's external_id. */
export const MAX_EXTERNAL_ID = 1024;

/** Maximum characters of the reason to set a record aside. */
export const MAX_REASON_LENGTH = 500;

/** How many days the refusal log keeps a refusal. */
export const REFUSALS_KEPT_DAYS = 30;

/**
 * Unusual forms of calls. The gateway accepts them because their meaning is clear, but a stricter upstream may reject them
 * (docs/interface.md#other-accepted-forms). The last three are forms of queries. An upstream never sees these, because the
 * gateway does not forward queries.
 */
export const UNUSUAL_FORMS = [
  'timestamp_fraction',
  'timestamp_offset',
  'long_id',
  'content_type',
  'content_encoding',
  'byte_order_mark',
  'get_body',
  'query_bound',
  'query_empty',
  'query_unknown',
] as const;

export type UnusualForm = (typeof UNUSUAL_FORMS)[number];

/** For this number of days after a till last used an unusual form, the console shows the form. */
export const UNUSUAL_SHOWN_DAYS = 30;

/** An unusual form of calls (see `UNUSUAL_FORMS`), and the number of calls with this form. */
export interface UnusualFormCount {
  readonly form: UnusualForm;
  readonly calls: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest example, with letters and digits masked. */
  readonly example: string;
}

/** Every reason to refuse a call of a till: the stable code, its HTTP status, and a title for the till's developer. */
export const ERROR_CODES = {
  request_malformed: {
    status: 400,
    title: 'The request is not valid HTTP: repeated Host header, no version, or unreadable.',
  },
  https_required: { status: 400, title: 'The call uses HTTP, but this port accepts only HTTPS.' },
  certificate_untrusted: {
    status: 400,
    title: 'The till does not trust the gateway’s certificate, so it sent no call and got no answer.',
  },
  name_not_certified: {
    status: 400,
    title: 'The till called a name that is not in the gateway’s certificate, and sent no call.',
  },
  handshake_failed: { status: 400, title: 'The TLS handshake failed, so there is no answer.' },
  json_malformed: { status: 400, title: 'The body is not JSON in UTF-8.' },
  bulk_unsupported: { status: 400, title: 'The body is an array; send one record per request.' },
  field_invalid: { status: 400, title: 'A field is missing, repeated or has the wrong form.' },
  end_point_invalid: { status: 400, title: 'The earlier interface does not accept this version or resource here.' },
  query_invalid: { status: 400, title: 'A query parameter is missing, repeated or has the wrong form.' },
  range_invalid: { status: 400, title: 'The queried range is empty, reversed or longer than 32 days.' },
  cursor_invalid: { status: 400, title: 'The cursor was not issued for this query.' },
  key_missing: { status: 401, title: 'The key is missing. Send it in the token header, or as Authorization: Bearer.' },
  key_repeated: { status: 401, title: 'The header with the key is sent more than once.' },
  key_unknown: { status: 401, title: 'The gateway does not know this key.' },
  key_revoked: { status: 401, title: 'The key was revoked.' },
  key_wrong_kind: { status: 403, title: 'The key is for another interface.' },
  address_mismatch: { status: 403, title: 'The address belongs to another administration or mode than the key.' },
  prefetch_refused: { status: 403, title: 'The call is marked as a prefetch, which may not send a record.' },
  not_found: { status: 404, title: 'This path does not exist.' },
  method_not_allowed: { status: 405, title: 'The path does not accept this method; see the Allow header.' },
  request_timeout: { status: 408, title: 'The request did not arrive completely in time.' },
  body_too_large: { status: 413, title: 'The body is larger than 1 MiB.' },
  media_type_unsupported: {
    status: 415,
    title: 'The Content-Type is not application/json or application/…+json in UTF-8.',
  },
  encoding_unsupported: {
    status: 415,
    title: 'The body has a Content-Encoding other than identity; send it uncompressed.',
  },
  expectation_unsupported: { status: 417, title: 'The Expect header asks for something other than 100-continue.' },
  query_busy: {
    status: 429,
    title: 'Another query of this administration and mode is running. Only one may run at a time.',
  },
  headers_too_large: { status: 431, title: 'The request headers are too large.' },
  internal: { status: 500, title: 'The gateway failed on this call and stored nothing.' },
  store_busy: {
    status: 503,
    title: 'The disk is too busy. The gateway stored nothing of this call; send the call again.',
  },
  store_full: {
    status: 503,
    title: 'The disk is full. The gateway stored nothing of this call; send the call again later.',
  },
  store_unavailable: {
    status: 503,
    title: 'The gateway cannot write to its store. It stored nothing of this call; send the call again later.',
  },
  store_damaged: {
    status: 503,
    title:
      'The stored data for this call are damaged. The gateway stored nothing of this call; send the call again later.',
  },
  forwarding_loop: {
    status: 508,
    title: 'This gateway sent the record itself: its upstream address leads back to it.',
  },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The error codes that only the console's API has. */
export const CONSOLE_ERROR_CODES = {
  session_missing: { status: 401, title: 'Nobody is signed in, or the session has ended.' },
  sign_in_failed: { status: 401, title: 'The name or the password is wrong.' },
  password_link_used: { status: 401, title: 'The link for a new password was used, replaced or has expired.' },
  origin_refused: {
    status: 403,
    title: 'The call comes from another page, or uses a host name that is not the console’s.',
  },
  manager_required: { status: 403, title: 'Only a manager can do this.' },
  read_only: { status: 403, title: 'A token can only read.' },
  last_manager: { status: 409, title: 'After this change, there would be no manager with a password.' },
  already_there: { status: 409, title: 'An entry with this name or key already exists.' },
  day_changed: { status: 409, title: 'The store day has changed since it was opened.' },
  day_not_over: { status: 409, title: 'The store day has not ended yet.' },
  day_not_signed: { status: 409, title: 'The store day is not signed off.' },
  task_changed: { status: 409, title: 'The task has changed since it was shown.' },
  network_fixed: { status: 409, title: 'This cannot be changed here, because a setting of the gateway decides it.' },
  users_missing: { status: 409, title: 'Before this change, add a user with a password.' },
  certify_production: { status: 409, title: 'A till is certified with a test key, not with a production key.' },
  restore_running: { status: 409, title: 'A restore is running.' },
  run_over: { status: 409, title: 'The certification has ended.' },
  key_ended: { status: 409, title: 'The key was already revoked or replaced.' },
  sign_in_limited: { status: 429, title: 'Too many attempts to sign in. Wait, then try again.' },
  export_limited: { status: 429, title: 'Too many exports are running. Wait until one has finished.' },
  live_limited: { status: 429, title: 'Too many windows are open.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ConsoleErrorCode = keyof typeof CONSOLE_ERROR_CODES;

/** The answer to a refused call (RFC 9457), for tills and for the console. */
export interface ProblemView {
  readonly title: string;
  readonly status: number;
  /** Says what is wrong and what to do. */
  readonly detail: string;
  readonly code: ErrorCode | ConsoleErrorCode;
  readonly errors?: readonly FieldError[];
}

/** One fault in a request. For the body, `pointer` is a JSON pointer. For a query parameter or header, it is `/name`. */
export interface FieldError extends FieldFault {
  readonly detail: string;
}

/** A fault without its English text. */
export interface FieldFault {
  readonly pointer: string;
  readonly code: string;
}

/** The codes of faults in calls of tills. */
export const CALL_FAULTS = [
  'required',
  'repeated',
  'type',
  'invalid_union',
  'json',
  'value',
  'unknown',
  'format',
  'invalid_format',
  'length',
  'characters',
  'external_id',
  'range',
  'too_small',
  'too_big',
  'encoding',
  'nesting',
  'decimal',
  'count',
  'body',
  'query',
] as const;

export type CallFault = (typeof CALL_FAULTS)[number];

/** Maximum faults that the refusal log keeps of one call. */
export const MAX_KEPT_FAULTS = 5;

export type StatusCounts = Record<Status, number>;

export const ROLES = ['clerk', 'manager'] as const;

/** A clerk reads, works on store days and exports. A manager also changes keys, lanes and settings. */
export type Role = (typeof ROLES)[number];

/** The names in the log of acts of actors that are not users. Each key says where the act came from. */
export const ACTORS = {
  link: 'console',
  commandLine: 'command line',
  firstStart: 'first start',
  demo: 'demo',
  gateway: 'gateway',
  /** A person without a session. */
  unknown: 'somebody',
} as const;
