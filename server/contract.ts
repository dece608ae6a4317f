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
  'no_upstream',
  'key_sealed',
  'not_running',
  'damaged',
  'other',
] as const;
/** What is the matter with a lane, or with a record that is not taken. `other` is a sentence that an earlier version kept. */
export type CauseCode = (typeof CAUSE_CODES)[number];

export interface Cause {
  readonly code: CauseCode;
  /** An HTTP status, the code of an error, an address, how many records it is about, or the sentence; null where the code says it all. */
  readonly detail: string | null;
}

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

/** Characters of the name of an administration, a till or a user. */
export const LONGEST_NAME = 100;
/** Characters of a key that a till uses already: too long to be guessed, and short enough for a header. */
export const ADOPTED_KEY = { min: 13, max: 4096 };
/** Characters (code points) of a record's external_id. */
export const MAX_EXTERNAL_ID = 1024;
/** Characters of the reason why a record is set aside. */
export const LONGEST_REASON = 500;
/** So long a call that was not taken is in the refusal log. */
export const REFUSALS_KEPT_DAYS = 30;

/**
 * What a till may send that has one plain meaning and is accepted, but is not as the specification writes it: an upstream may be
 * stricter. The last three are forms of queries, which no upstream sees.
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
/** So long a till's page shows an unusual form after it was last sent. */
export const UNUSUAL_SHOWN_DAYS = 30;

/** How often an unusual form was sent. */
export interface UnusualFormView {
  readonly form: UnusualForm;
  readonly calls: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest, with letters and digits masked. */
  readonly example: string;
}

/** Every way a call can be refused: the stable code, its HTTP status and what a developer of a till should know. */
export const ERROR_CODES = {
  request_malformed: {
    status: 400,
    title: 'The request is not proper HTTP: repeated Host header, no version, or unreadable.',
  },
  https_required: { status: 400, title: 'Plain HTTP was spoken to a port that takes HTTPS.' },
  certificate_untrusted: {
    status: 400,
    title: 'The till does not trust the gateway’s certificate, so it sends nothing and gets no answer.',
  },
  handshake_failed: { status: 400, title: 'No secure connection came about, so there is no answer.' },
  json_malformed: { status: 400, title: 'The body is not JSON in UTF-8.' },
  bulk_unsupported: { status: 400, title: 'The body is an array; send one record per request.' },
  field_invalid: { status: 400, title: 'A field is missing, given twice or not of the required form.' },
  end_point_invalid: { status: 400, title: 'The earlier interface has no such version or resource here.' },
  query_invalid: { status: 400, title: 'A query parameter is missing, repeated or not of the required form.' },
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
  media_type_unsupported: {
    status: 415,
    title: 'The Content-Type is not application/json or application/…+json in UTF-8.',
  },
  encoding_unsupported: {
    status: 415,
    title: 'The body has a Content-Encoding other than identity; send it uncompressed.',
  },
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

/** What the console's API answers with besides, to people. */
export const CONSOLE_ERROR_CODES = {
  session_missing: { status: 401, title: 'Nobody is signed in, or not any more.' },
  sign_in_failed: { status: 401, title: 'The name and the password do not belong together.' },
  origin_refused: { status: 403, title: 'The call comes from another page, or by a name that is not the console’s.' },
  manager_required: { status: 403, title: 'This takes a manager.' },
  already_there: { status: 409, title: 'There is one already.' },
  day_changed: { status: 409, title: 'The store day is no longer as it was seen.' },
  day_not_over: { status: 409, title: 'The store day is not over yet.' },
  day_not_signed: { status: 409, title: 'The store day is not signed off.' },
  key_ended: { status: 409, title: 'The key is revoked, or was replaced already.' },
  sign_in_limited: { status: 429, title: 'Too many attempts to sign in; wait a while.' },
  export_limited: { status: 429, title: 'Too many exports are running; wait until one has ended.' },
  live_limited: { status: 429, title: 'Too many windows are open.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ConsoleErrorCode = keyof typeof CONSOLE_ERROR_CODES;

/** A call that was not taken, as both listeners answer it (RFC 9457). */
export interface ProblemView {
  readonly title: string;
  readonly status: number;
  /** What is wrong here and what to do about it. */
  readonly detail: string;
  readonly code: ErrorCode | ConsoleErrorCode;
  readonly errors?: readonly FieldError[];
}

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

/** What is true of the machine that the gateway runs on. */
export interface MachineView {
  /** The disk that the data are on; null where the system does not tell. */
  readonly disk: DiskView | null;
  /** Null while nothing shows that the machine's clock is wrong. */
  readonly clock: ClockFault | null;
  /** The newest damage to the write-ahead log, until somebody has moved its copies away; null where there is none. */
  readonly walDamage: WalDamageView | null;
  /** Records whose bytes on disk are no longer those that came; null where none is known. */
  readonly damaged: DamagedRecordsView | null;
  /** Null where no index is known to be damaged. */
  readonly indexFault: IndexFaultView | null;
}

/** A scrub found that an index is damaged: a sale that is sent again may be taken for a new one. */
export interface IndexFaultView {
  /** Epoch milliseconds. */
  readonly foundAt: number;
  readonly detail: string;
}

export interface DamagedRecordsView {
  readonly count: number;
  /** The first of them; epoch milliseconds. */
  readonly foundAt: number;
  /** The first 20. */
  readonly recordIds: readonly number[];
}

/**
 * `repaired`: all of it. `salvaged`: all but `missingRecords`. `lost`: nothing after the damage. `cut_off`: the last write is
 * incomplete, as after a power cut: no till was told that these sales were kept. If the disk is damaged, that is not certain.
 */
export const WAL_DAMAGE_KINDS = ['repaired', 'salvaged', 'lost', 'cut_off'] as const;

/** Whether sales that were acknowledged could not be kept. */
export function hasLostSales({ kind, missingRecords }: WalDamageView): boolean {
  return kind === 'lost' || (kind === 'salvaged' && missingRecords !== 0);
}

/** The write-ahead log holds the last sales until they are copied into the database. A start found it damaged. */
export interface WalDamageView {
  readonly kind: (typeof WAL_DAMAGE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly foundAt: number;
  /** The folder of the copies, in the data directory. */
  readonly folder: string;
  /** Acknowledged records that could not be kept whole; null where their number is not known. */
  readonly missingRecords: number | null;
}

export interface DiskView {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** How long the free space lasts, by the records of the last week; null where none came. */
  readonly daysLeft: number | null;
  /** Whether there is time, but somebody should free some space. */
  readonly isLow: boolean;
}

/** Days that the disk lasts are told up to this number; more say nothing. */
export const MAX_TOLD_DISK_DAYS = 366;

/** The machine's clock shows a time that has passed: `earliest` is when this program was built, or the newest record arrived. */
export interface ClockFault {
  readonly code: 'before_build' | 'before_newest';
  /** What the clock shows, in epoch milliseconds. */
  readonly now: number;
  readonly earliest: number;
}

/** GET /health of the console: 200, or 503 while no records are taken. It takes no session and answers this machine alone. */
export interface HealthView {
  readonly trouble: StoreTrouble | null;
  /** Calls that were refused and are not in the refusal log yet. */
  readonly unwrittenRefusals: number;
  readonly machine: MachineView;
}

/** Counts of records by status. */
export type StatusCounts = Record<Status, number>;

// ---- The console: what its API answers with. Times are epoch milliseconds, unless they say epoch seconds. ----

export const ROLES = ['clerk', 'manager'] as const;
/** A clerk looks, notes and exports; a manager also changes keys, lanes and settings. */
export type Role = (typeof ROLES)[number];

/** Who does something without a name of their own, as the log of acts has it: it says where from. */
export const ACTORS = {
  link: 'console',
  commandLine: 'command line',
  firstStart: 'first start',
  demo: 'demo',
  gateway: 'gateway',
  /** Nobody who has signed in. */
  unknown: 'somebody',
} as const;

/** GET /api/session */
export interface SessionView {
  /** As the log of acts will name them. */
  readonly actor: string;
  readonly role: Role;
  readonly version: string;
  /** Where tills send to, as this machine knows it. */
  readonly apiUrl: string;
}

/** POST /api/session */
export interface BegunSessionView extends SessionView {
  /** For the path of each call to come, /s/KEY/api/…, without which the session's cookie opens nothing. */
  readonly key: string;
}

/** GET /api/sessions: one's own, and those of all people for a manager; newest first. */
export interface SignedInView {
  readonly id: string;
  /** As the log of acts names them. */
  readonly actor: string;
  readonly role: Role;
  /** Where the browser was when it signed in. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Whether it is that of the call. */
  readonly isThis: boolean;
}

/** PUT /api/password */
export interface PasswordRequest {
  /** The one before. */
  readonly current: string;
  readonly password: string;
}

/** The address that a one-time link leads to ends with it and the session's key, which is not sent to any server. */
export const SESSION_HASH = '#session=';

/** GET /api/journals, in the order administration, mode. */
export interface JournalView {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
  /** IANA name; the zone that every time of this administration is shown in. */
  readonly timeZone: string;
  /** When a store day begins, in minutes after midnight; a whole quarter hour. */
  readonly dayStartsAt: number;
  readonly hasRecords: boolean;
}

/** A day in the store's zone, as a half-open range. */
export interface StoreDay {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Epoch seconds, as is `to`. */
  readonly from: number;
  readonly to: number;
}

/** GET /api/overview?journal=ID: what is true of today. */
export interface OverviewView {
  readonly now: number;
  readonly day: StoreDay;
  /** Records sold today. */
  readonly records: StatusCounts;
  /** How far the NEW ones of them have come. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Of all days: what is only here. */
  readonly total: Record<DeliveryState, number>;
  /** Calls that were refused since the day began. */
  readonly refused: number;
  /** The NEW record that was sold last, as far as clocks can be believed. */
  readonly lastRecord: { readonly receivedAt: number; readonly soldAt: number; readonly till: string } | null;
  /** Only those with records. */
  readonly quarters: readonly QuarterView[];
  /** Those with records today or a key that works, by label. */
  readonly tills: readonly TillToday[];
  readonly lanes: readonly LaneView[];
  /** When a lane was not running, as far as it touches today. */
  readonly outages: readonly OutageView[];
  /** Why no records are taken at present, if so. */
  readonly trouble: StoreTrouble | null;
  readonly machine: MachineView;
}

export interface QuarterView {
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: StatusCounts;
}

export interface TillToday {
  readonly id: number;
  readonly label: string;
  /** NEW ones sold today. */
  readonly records: number;
  /** The last call, of any day. */
  readonly lastAt: number | null;
  /** Between two records of today, on average, to the quarter hour that its sales begin and end in; null with fewer than three. */
  readonly usualGapMs: number | null;
  /** Null unless it has fallen silent. */
  readonly silence: Silence | null;
}

export interface OutageView {
  readonly laneId: number;
  readonly state: Exclude<LaneState, 'running'>;
  readonly cause: Cause | null;
  readonly from: number;
  /** Null while it lasts. */
  readonly to: number | null;
}

export interface LaneView {
  readonly id: number;
  readonly journalId: number;
  readonly interface: Interface;
  /** Null until an upstream is set; the key is never shown. */
  readonly url: string | null;
  readonly state: LaneState;
  /** What is the matter; null while all is well. */
  readonly cause: Cause | null;
  readonly since: number | null;
  readonly perSecond: number;
  readonly deliveredAt: number | null;
  readonly oldestWaitingAt: number | null;
  readonly deliveries: Record<DeliveryState, number>;
}

/**
 * Which records of a lane: one, those that a verdict found missing upstream, some (500 at the most), those sold in a range of
 * epoch seconds, those that are held, or all that the act can be about.
 */
export type RecordChoice =
  | { readonly kind: 'one'; readonly recordId: number }
  | { readonly kind: 'missing'; readonly verdictId: number }
  | { readonly kind: 'some'; readonly recordIds: readonly number[] }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'all' };

/** POST /api/lanes/ID/acts takes it. */
export type LaneActRequest =
  | { readonly kind: 'pause' | 'resume' | 'try now' }
  /** Held and set-aside records wait again; with `delivered`, delivered ones too, but never all of them. */
  | { readonly kind: 'send again'; readonly records: RecordChoice; readonly delivered?: boolean }
  /** Held records are kept and not sent; the reason has 1 to 500 characters. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

/** POST /api/lanes/ID/acts answers with it. */
export interface LaneActAnswer {
  /** How many an act about records was about. */
  readonly records: number;
}

/** PUT /api/lanes/ID/upstream takes it, and answers with the lane's LaneView. */
export interface UpstreamRequest {
  /** The base address. */
  readonly url: string;
  /** Our key there. The present one, where it is left out; that takes an address of the same origin. */
  readonly token?: string;
  /** Take plain http beyond this machine. */
  readonly plainHttp?: boolean;
}

/** POST /api/upstream-check takes it: what the lane has, or something else in its place before it is set. */
export interface UpstreamCheckRequest extends Partial<UpstreamRequest> {
  readonly laneId: number;
}

/** GET /api/lanes/ID/waiting: how many waited at the most in the minute from `at`, the oldest first. */
export interface WaitingSample {
  readonly at: number;
  readonly waiting: number;
}

/** What GET /api/records takes besides `journal`, all of it optional; the console's address bar holds the same. */
export interface RecordQuery {
  /** The beginning of an external_id; the list is then in the order of ids. */
  readonly id?: string;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly delivery?: DeliveryState;
  readonly type?: string;
  /** Of a till. */
  readonly till?: number;
  /** Sold at or after, and before; epoch seconds. */
  readonly from?: number;
  readonly to?: number;
  readonly order?: 'newest' | 'oldest';
  /** From the page before. */
  readonly cursor?: string;
  readonly limit?: number;
}

/** GET /api/records */
export interface RecordPage {
  /** Fewer than asked for, or none, do not mean the end: a search that takes long goes on with the next page. */
  readonly records: readonly RecordSummary[];
  /** Null at the end. */
  readonly next: string | null;
  /** How many there are in all; null where counting would take reading them, and after the first page. */
  readonly total: number | null;
}

/** A record as lists show it, without its body. */
export interface RecordSummary {
  readonly recordId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly interface: Interface;
  /** Of the end point, as is `method`; null on the current interface. */
  readonly version: string | null;
  readonly method: EarlierMethod | null;
  readonly status: Status;
  readonly originalId: number | null;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly receivedAt: number;
  readonly bytes: number;
  /** Whether the till's clock is far off, the record comes late, or the gateway's own clock was wrong; undefined when none. */
  readonly clock: ClockFlag | undefined;
  /** Null for a record that is not forwarded. */
  readonly delivery: Delivery | null;
}

export type ClockFlag = 'ahead' | 'late' | 'gateway';

/** How far a record has come on its way upstream. */
export interface Delivery {
  readonly state: DeliveryState;
  /** Answers that were about this record; the rest is of the last of them. */
  readonly attempts: number;
  readonly answeredAt: number | null;
  /** HTTP status. */
  readonly answerStatus: number | null;
  /** What a refusing answer said, in its own words. */
  readonly answer: string | null;
  /** Why it was not taken, where that is no answer about this very record. */
  readonly cause: Cause | null;
  /** What the upstream classified it as, where it says so: anything but NEW is a difference from here. */
  readonly upstreamStatus: Status | null;
  /** Why it was set aside. */
  readonly reason: string | null;
}

/** So many places in which a resent record differs are listed; what differs beyond them is not named. */
export const MOST_DIFFERENCES = 50;
export const MOST_REPEATS = 50;

/** GET /api/records/ID */
export interface RecordDetail {
  readonly record: RecordSummary;
  /** As received; bytes that are no UTF-8 are shown as U+FFFD. GET /api/records/ID/body has them as they are. */
  readonly body: string;
  /** Whether the bytes on disk, of the original too, are still those that came; where not, no differences are told. */
  readonly isIntact: boolean;
  /** Of a duplicate, the record it repeats, and where they differ (`MOST_DIFFERENCES` places). */
  readonly original: { readonly record: RecordSummary; readonly body: string } | null;
  readonly differences: readonly Difference[];
  /** Of an original, those that repeat it, the newest first (`MOST_REPEATS`). */
  readonly repeats: readonly RecordSummary[];
  readonly hasMoreRepeats: boolean;
}

/**
 * A place where a resent record differs from its original: a JSON pointer into the body or, on the earlier interface, into
 * its parameters. Values are JSON text as it was sent, null where there is none.
 */
export interface Difference {
  readonly pointer: string;
  readonly original: string | null;
  readonly resent: string | null;
}

// ---- Store days: what was sold, what is here, what is upstream, and the verdict. Dates are YYYY-MM-DD. ----

export const VERDICTS = ['complete', 'waiting', 'differs', 'cannot tell'] as const;
/** The result of reconciling a store day. */
export type Verdict = (typeof VERDICTS)[number];

export const CHECK_BASES = ['counts', 'ids'] as const;
/** What a check compared with the upstream: how many records, or every id. Equal counts can hide a swap. */
export type CheckBasis = (typeof CHECK_BASES)[number];

export const BASES = [...CHECK_BASES, 'answers'] as const;
/** What a verdict rests on. The earlier interface has no query, so its records rest on the answers to them. */
export type Basis = (typeof BASES)[number];

export const REASON_CODES = [
  // Waiting.
  'not_over',
  'on_the_way',
  'earlier_on_the_way',
  'settling',
  'not_seen_yet',
  'to_be_checked',
  'late_records',
  'sent_again',
  // Differs.
  'missing_upstream',
  'held',
  'set_aside',
  'earlier_held',
  'earlier_set_aside',
  'missing_here',
  'twice_upstream',
  'other_upstream',
  'declared_more',
  'declared_less',
  // Cannot tell.
  'damaged_here',
  'no_upstream',
  'earlier_no_upstream',
  'upstream_silent',
  'upstream_unreadable',
] as const;
/** Why a verdict is what it is; `earlier_…` is about the earlier interface. */
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Reason {
  readonly code: ReasonCode;
  /** Of records. */
  readonly count?: number;
  /** When it will be checked by itself. */
  readonly until?: number;
  /** Why the upstream does not answer, what is wrong with its answer, or why records do not get there. */
  readonly cause?: Cause;
}

export const NOTE_CODES = ['listed_twice', 'counted_twice', 'others_upstream'] as const;
/**
 * What a check found that is no difference: the same record listed more than once, records counted more often than listed because
 * they were sent more than once, and records of other senders.
 */
export type NoteCode = (typeof NOTE_CODES)[number];

export interface Note {
  readonly code: NoteCode;
  readonly count: number;
}

/** A store day at a glance. */
export interface DaySummary extends StoreDay {
  readonly verdict: Verdict;
  /** Reached before everything upstream can be seen there. */
  readonly isProvisional: boolean;
  /** The gravest first; none for a day that is complete. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
  /** What it rests on: `answers` where all of it came by the earlier interface; null where the upstream gave no answer. */
  readonly basis: Basis | null;
  /** NEW records of both interfaces. */
  readonly here: number;
  /** Of these, the records of the earlier interface. They can't be asked for upstream. */
  readonly earlier: number;
  /** Of these, the records that the upstream took, as its answers say. */
  readonly earlierTaken: number;
  /** Of both interfaces: counted at the last check, as is `checkedAt`, plus what the upstream took of the earlier one. */
  readonly upstream: number | null;
  readonly checkedAt: number | null;
  /** When every id was last compared. */
  readonly passedAt: number | null;
  readonly declared: number | null;
  /** What somebody signs who signs now: it stands as long as this does. */
  readonly signedFor: string;
  /** Null unless it is signed off. */
  readonly signOff: SignOff | null;
}

/** Whether all that differs is what other senders may have sent. */
export function isOnlyOfOthers({ reasons }: Pick<DaySummary, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => code === 'missing_here');
}

export interface SignOff {
  readonly at: number;
  readonly actor: string;
  /** Who signs. */
  readonly name: string;
  readonly note: string;
  /** What it was signed for is no longer so: records came late, or the verdict is another. */
  readonly isReopened: boolean;
}

/** GET /api/days?journal=ID&from=DATE&to=DATE, both included and 400 days at the most: in the order of time. */
export interface DaysView {
  readonly now: number;
  /** The present store day. */
  readonly today: string;
  /** Of the first sale there is, as far as clocks can be believed. */
  readonly first: string | null;
  readonly days: readonly DaySummary[];
  readonly checks: readonly CheckView[];
}

/** A check of some days, asked for by somebody or by the gateway itself; while it is underway. */
export interface CheckView {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
  readonly resend: boolean;
  readonly actor: string;
  readonly askedAt: number;
  /** The day it is at. */
  readonly next: string;
  /** Since when it waits for the upstream, and why. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
}

/** POST /api/checks takes it and answers with a CheckView. */
export interface CheckRequest {
  readonly journal: number;
  readonly from: string;
  readonly to: string;
  /** Compare every id and not only counts. */
  readonly byIds: boolean;
  /** Resend what is missing even before the settle time is over; that takes a manager. */
  readonly resend?: boolean;
}

export const FINDING_KINDS = ['missing upstream', 'missing here', 'twice upstream', 'other upstream'] as const;
/** What is the matter with a record behind a verdict; `other` is there with another type or time. */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** What there is of it here. */
  readonly record: { readonly recordId: number; readonly till: string; readonly delivery: DeliveryState | null } | null;
}

/** GET /api/days/DATE?journal=ID */
export interface DayView {
  readonly day: DaySummary;
  /** All records of the day, of both interfaces. */
  readonly records: StatusCounts;
  /** How far the NEW ones of both interfaces have come. */
  readonly deliveries: Record<DeliveryState, number>;
  /** The last answer to one of them. */
  readonly lastAnsweredAt: number | null;
  /** In the order interface, type, till. */
  readonly rows: readonly DayRow[];
  /** Of the last check (`MOST_LISTED` of each kind); how many there are is in the reasons, what is held or set aside apart. */
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredView[];
  /** Everything that happened to the verdict, the newest first. */
  readonly history: readonly DayEntry[];
  readonly outages: readonly OutageDiary[];
  readonly sleeps: readonly SleepView[];
  readonly checks: readonly CheckView[];
}

/** So many records behind a number are shown at once; an export has all of them. */
export const MOST_LISTED = 500;

export interface DayRow {
  readonly type: string;
  readonly tillId: number;
  readonly till: string;
  readonly interface: Interface;
  readonly here: number;
  readonly missingUpstream: number;
}

/** A declared total that is in force. */
export interface DeclaredView {
  readonly id: number;
  /** Null: of all types, of all tills. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly records: number;
  /** NEW records here of this type and till. */
  readonly here: number;
  readonly source: DeclaredSource;
  readonly actor: string;
  readonly at: number;
  /** Where ids were declared: those that are not here, and those that are here and were not declared (`MOST_LISTED`). */
  readonly ids: {
    readonly missing: readonly string[];
    readonly missingCount: number;
    readonly undeclared: readonly string[];
    readonly undeclaredCount: number;
  } | null;
}

export const DECLARED_SOURCES = ['typed', 'file', 'till'] as const;
export type DeclaredSource = (typeof DECLARED_SOURCES)[number];

export type DayEntry =
  | {
      readonly kind: 'verdict';
      readonly at: number;
      readonly verdict: Verdict;
      readonly isProvisional: boolean;
      readonly reasons: readonly Reason[];
      readonly basis: Basis | null;
      readonly here: number;
      readonly upstream: number | null;
      readonly declared: number | null;
    }
  | {
      readonly kind: 'signed off' | 'signature taken back';
      readonly at: number;
      readonly actor: string;
      readonly name: string;
      readonly note: string;
    };

/** This machine slept: no till could send, and nothing could leave; epoch milliseconds. */
export interface SleepView {
  readonly from: number;
  readonly to: number;
}

/** A time in which a lane was not running, and what it meant for the day. */
export interface OutageDiary extends OutageView {
  /** Records for this lane that arrived meanwhile. */
  readonly kept: number;
  /** When the last of them had been delivered; null while one is not. */
  readonly deliveredBy: number | null;
}

/** POST /api/sign-offs takes it: signs a day off, or takes the signature back. */
export interface SignOffRequest {
  readonly journal: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** `signedFor` of the day as it was seen; one that is no longer so is not signed off. */
  readonly signedFor: string;
  readonly name: string;
  readonly note: string;
}

/** PUT /api/declared-totals takes it: null takes a total back. Dates may be any. */
export interface DeclaredTotalRequest {
  readonly journal: number;
  readonly date: string;
  readonly type?: string;
  readonly tillId?: number;
  readonly records: number | null;
}

export const DECLARED_FAULT_CODES = [
  'nothing_there',
  'columns_unknown',
  'cells_wrong',
  'day_unreadable',
  'count_unreadable',
  'id_unreadable',
  'type_unreadable',
  'till_unknown',
  'repeated',
] as const;
/** What is wrong with a line of a file of declared totals. */
export type DeclaredFaultCode = (typeof DECLARED_FAULT_CODES)[number];

/** POST /api/declared-totals/import takes it: the text of a CSV. A trial keeps nothing. */
export interface DeclaredImportRequest {
  readonly journal: number;
  readonly text: string;
  readonly isTrial: boolean;
}

/** POST /api/declared-totals/import answers with it. With a fault nothing was kept. */
export interface DeclaredImport {
  /** How the file was understood: the headings of its columns, by what they hold; null where there is none. */
  readonly columns: Readonly<Record<'day' | 'count' | 'id' | 'type' | 'till', string | null>>;
  /** In the order of the days. */
  readonly totals: readonly (Pick<DeclaredView, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}

export const SURENESS = ['likely', 'almost certain'] as const;
/** How sure it is of what it has learned by itself. */
export type Sureness = (typeof SURENESS)[number];

/**
 * GET /api/days/DATE/gaps?journal=ID: numbers that were skipped in ids that count up, on the day or between it and a day
 * beside it. It never changes a verdict.
 */
export interface GapsView {
  readonly sequences: readonly SequenceView[];
  /** Whether there were too many records to look at all of them. */
  readonly isPartial: boolean;
}

/** Ids with the same beginning that count up, such as T3-000412. */
export interface SequenceView {
  readonly prefix: string;
  /** Labels of those that use it. */
  readonly tills: readonly string[];
  /** The lowest and the highest of the day; of the days around it where the day has none. */
  readonly first: string;
  readonly last: string;
  /** How many of them are here and of the day. */
  readonly here: number;
  readonly skipped: number;
  /** The first of them. */
  readonly gaps: readonly GapView[];
  readonly sureness: Sureness;
}

/** Skipped ids, both ends among them. */
export interface GapView {
  readonly from: string;
  readonly to: string;
  /** The two days they lie between; null where it is one day. */
  readonly between: readonly [string, string] | null;
}

/** A till that sells nothing at a time when it usually does. */
export interface Silence {
  /** The last call. */
  readonly since: number;
  readonly sureness: Sureness;
}

/** GET /api/refusals?journal=ID[&from=EPOCH SECONDS]: those of one cause together, the latest first. */
export interface RefusalGroup {
  readonly code: ErrorCode;
  /** The till whose key was used; null where the key is not known. */
  readonly till: string | null;
  readonly keyId: number | null;
  readonly address: string;
  readonly calls: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the latest. */
  readonly method: string;
  readonly path: string;
  readonly detail: string;
  readonly excerpt: string;
}

/** GET /api/tills?journal=ID */
export interface TillView {
  readonly id: number;
  readonly label: string;
  readonly keys: readonly KeyView[];
  /** NEW records of the last seven days, the oldest first. */
  readonly week: readonly number[];
  /** Of the last thirty days, by all its keys. */
  readonly unusualForms: readonly UnusualFormView[];
}

export interface KeyView {
  readonly id: number;
  readonly interface: KeyInterface;
  readonly isAdopted: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Until when it works beside the key that replaces it; null for a key that was not rotated. */
  readonly expiresAt: number | null;
  /** Since when it works no more. */
  readonly revokedAt: number | null;
}

/** POST /api/keys takes it; of a till, an administration or a mode that is new, the rest is made. */
export interface NewKeyRequest {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /** Where it is left out, both; of a key that is adopted without a prefix, the earlier one. */
  readonly interface?: KeyInterface;
  /** A key that the till uses already. */
  readonly adopt?: string;
}

/** POST /api/keys and /api/keys/ID/rotate answer with it: the only time the key is seen. */
export interface CreatedKey {
  readonly till: string;
  readonly key: KeyView;
  /** Null for a key that was adopted: the till has it. */
  readonly secret: string | null;
  readonly apiUrl: string;
}

/** POST /api/keys/ID/rotate takes it: how long the old key works on, at most thirty days. */
export interface RotateRequest {
  readonly graceHours: number;
}

export const CHECK_STEPS = ['name', 'connection', 'certificate', 'path', 'key'] as const;
/** What an upstream is tried for, in this order; plain http has no certificate, and an address in numbers no name. */
export type CheckStep = (typeof CHECK_STEPS)[number];

export const CHECK_FINDINGS = [
  'name_known',
  'name_unknown',
  'name_not_looked_up',
  'name_link_local',
  'proxy_known',
  'proxy_unknown',
  'proxy_not_looked_up',
  'answers',
  'nobody_listens',
  'no_answer',
  'no_way',
  'broke_off',
  'proxy_refuses',
  'proved',
  'expired',
  'for_another_name',
  'not_trusted',
  'no_https',
  'not_proved',
  'interface_found',
  'asks_for_key',
  'too_slow',
  'moved',
  'moved_to',
  'proxy_wants_password',
  'come_back',
  'trouble',
  'not_understood',
  'interface_elsewhere',
  'key_known',
  'key_refused',
] as const;
/** What a step of the check found; the console says it, and what to do where it is not fine. */
export type CheckFinding = (typeof CHECK_FINDINGS)[number];

/**
 * POST /api/upstream-check: one step after the other, until one fails. The earlier interface ends with the certificate: any
 * call with a key would leave a record.
 */
export interface UpstreamCheck {
  readonly steps: readonly {
    readonly step: CheckStep;
    readonly isFine: boolean;
    readonly finding: CheckFinding;
    /** The name or address that it is about. */
    readonly host: string;
    /** The addresses of a name, where it has moved to, or the protocol that was tried. */
    readonly seen: string | null;
    /** For whoever helps: an HTTP status or the code of an error; null where there is none. */
    readonly code: string | null;
  }[];
}

/** GET /api/acts, newest first. */
export interface ActView {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly act: string;
  /** What it was about, as far as it was about one; the same goes for the rest. */
  readonly administration: string | null;
  readonly mode: Mode | null;
  readonly interface: Interface | null;
  /** Never holds a key. */
  readonly detail: string;
}

/** POST /api/administrations answers with it, PATCH /api/administrations/NAME too; its journals are in GET /api/journals. */
export interface AdministrationView {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight; a whole quarter hour. */
  readonly dayStartsAt: number;
  /** How the earlier interface addresses it: parts of a domain name. */
  readonly customer: { readonly name: string; readonly id: string } | null;
  /** What it takes on the earlier interface. */
  readonly versions: readonly string[];
  readonly resources: readonly { readonly name: string; readonly idParameter: string }[];
  /** Which of its records are forwarded; NEW is always among them. */
  readonly forwarded: readonly Status[];
  /** Whether others send to the same administration upstream: then what only the upstream has is no difference. */
  readonly othersSend: boolean;
}

/** POST /api/administrations takes it; without a zone it has the machine's, and its day begins at midnight. */
export type NewAdministrationRequest = Pick<AdministrationView, 'name'> &
  Partial<Pick<AdministrationView, 'timeZone' | 'dayStartsAt'>>;

/** PATCH /api/administrations/NAME takes it: what is to be changed. */
export type AdministrationChangeRequest = Partial<AdministrationView>;

export const SETTING_SOURCES = ['flag', 'variable', 'file', 'default'] as const;
/** Where the value of a setting comes from. */
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** GET /api/settings: how the gateway runs, and what people have set up. */
export interface SettingsView {
  /** As they are in force since the gateway started; what is secret about them is masked. */
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** By name. */
  readonly administrations: readonly AdministrationView[];
  /** Who may sign in with a password, by name. */
  readonly users: readonly UserView[];
  /** The command that adds one. */
  readonly addUser: string;
}

export interface SettingView {
  /** As in the settings file. */
  readonly name: string;
  /** Null where it is not set. */
  readonly value: string | number | boolean | null;
  readonly source: SettingSource;
}

export interface UserView {
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
}

/** GET /api/entrance: how to get in; it takes no session. */
export interface EntranceView {
  /** Whether there is anybody who could sign in with a password. */
  readonly hasUsers: boolean;
  /** Whether this browser has a session that has not ended. */
  readonly isSignedIn: boolean;
  /** What prints a link that lets in, on the machine that the gateway runs on. */
  readonly command: string;
}

/** POST /api/session takes it, and answers with a BegunSessionView. */
export interface SignInRequest {
  readonly name: string;
  readonly password: string;
}

/** How often a window hears from the gateway at least, in milliseconds: an event `alive` where nothing has changed. */
export const LIVE_ALIVE_MS = 15_000;

/** GET /api/live sends it as `change`, four times a second at the most: what to look at again. */
export interface LiveChange {
  readonly subjects: readonly LiveSubject[];
}
export const LIVE_SUBJECTS = ['records', 'lanes', 'setup', 'refusals', 'trouble', 'days'] as const;
/** What may have changed; `setup` is what people set: keys, upstreams, stores, users. */
export type LiveSubject = (typeof LIVE_SUBJECTS)[number];

// ---- The desktop app, and the gateway that it runs. ----

/** Whether tills send nothing now, and by their habits will not for the next hour. */
export interface QuietView {
  readonly isQuiet: boolean;
}

/** What the app tells its gateway; `start` comes first. */
export type DesktopMessage =
  /** `sealKey` is 32 bytes in Base64; null where the system has no keyring. */
  | { readonly kind: 'start'; readonly sealKey: string | null }
  | ({ readonly kind: 'slept' } & SleepView)
  /** The answer to a question; null for no proxy. */
  | { readonly kind: 'proxy'; readonly id: number; readonly proxy: string | null }
  /** It may listen on the network. */
  | { readonly kind: 'listen' }
  /** Asks for a one-time link into the console. */
  | { readonly kind: 'link'; readonly id: number }
  | { readonly kind: 'stop' };

/** Why a gateway cannot start. */
export const START_FAULTS = [
  'port_used',
  'data_in_use',
  'data_damaged',
  'data_foreign',
  'data_newer',
  'disk_full',
  'data_unwritable',
  'settings_wrong',
  'other',
] as const;
export type StartFault = (typeof START_FAULTS)[number];

/** What the gateway tells the app. */
export type GatewayMessage =
  /** The absolute path of its data directory, before it opens anything there. */
  | { readonly kind: 'data'; readonly path: string }
  /** Asks for the proxy on the way to an address. */
  | { readonly kind: 'proxy'; readonly id: number; readonly url: string }
  /** Asks, once, whether it may listen on the network: the app talks to the firewall first. */
  | { readonly kind: 'listen' }
  /** The one-time link that was asked for; it was made in memory, so that a full disk keeps nobody out. */
  | { readonly kind: 'link'; readonly id: number; readonly link: string }
  /** It cannot start. `message` is a sentence that says what to do. */
  | { readonly kind: 'failed'; readonly fault: StartFault; readonly message: string };
