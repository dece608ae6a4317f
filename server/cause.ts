// The reason why a lane or a record makes no progress. This module converts a reason to and from the form in the database. It
// also has the English sentences for commands and the log file. The console has its own sentence for each code, in the user's
// language.

import { CAUSE_CODES, type Cause, type CauseCode } from './contract/codes.ts';
import { PROGRAM } from './program.ts';

/**
 * The prefix of a stored cause. Without the prefix, the text in this column is a sentence of an earlier version, or an
 * upstream's answer.
 */
const MARK = 'cause:';

export function causeOf(code: CauseCode, detail: string | number | null = null): Cause {
  return { code, detail: detail === null ? null : String(detail) };
}

export function isSameCause(one: Cause | null, other: Cause | null): boolean {
  return one?.code === other?.code && one?.detail === other?.detail;
}

/** Returns the form in the database, such as `cause:trouble 500`. A sentence that an earlier version stored stays unchanged. */
export function formatCause({ code, detail }: Cause): string {
  if (code === 'other') return detail ?? '';
  return detail === null ? `${MARK}${code}` : `${MARK}${code} ${detail}`;
}

/** Reads the stored form; undefined for any other text, such as an upstream's answer. */
export function findCause(text: string): Cause | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const [name = '', ...rest] = text.slice(MARK.length).split(' ');
  const code = CAUSE_CODES.find((each) => each === name);
  return code && { code, detail: rest.length === 0 ? null : rest.join(' ') };
}

/** Reads a column that holds only causes. A sentence that an earlier version stored gets the code `other`. */
export function parseCause(text: string | null): Cause | null {
  return text === null ? null : (findCause(text) ?? causeOf('other', text));
}

const SENTENCES: Record<CauseCode, (detail: string) => string> = {
  unreachable: (code) => `The upstream cannot be reached (${code}).`,
  untrusted: (code) => `The connection to the upstream is not secure (${code}). Check its address and certificate.`,
  link_local: (addresses) =>
    `The upstream's name points to ${addresses}, a link-local or metadata address. Nothing is sent there. Check its address.`,
  unanswered: (code) => `The upstream does not answer (${code}).`,
  web_page: () => 'A web page answers instead of the upstream. Check address and network.',
  moved: (status) => `The upstream redirects to another address (${status}). Check the address.`,
  key_refused: (status) => `The upstream refuses our key (${status}). Set a new one.`,
  proxy_refused: (status) => `The proxy refuses our connection (${status}). Check its address.`,
  nothing_taken: (status) => `The upstream accepts no sales from us now (${status}). Ask its operator for the reason.`,
  nothing_there: (status) => `The upstream says that this address does not exist (${status}). Check it.`,
  end_point_refused: (address) => `The upstream says that ${address} is not a valid address (400). Check it.`,
  leads_back: (status) => `The upstream address leads back to this gateway (${status}). Correct the address.`,
  cut_short: (status) => `The upstream did not receive the whole record in time (${status}).`,
  slow_down: (status) => `The upstream asks us to slow down (${status}).`,
  come_back: (status) => `The upstream asks us to come back later (${status}).`,
  trouble: (status) => `The upstream reports a fault on its side (${status}).`,
  not_understood: (status) => `The upstream's answer is not readable${status === '' ? '' : ` (${status})`}.`,
  answer_too_long: (status) =>
    `The upstream's answer is too long${status === '' ? '' : ` (${status})`}. Check its address.`,
  question_refused: (status) => `The upstream does not tell us which sales it has (${status}).`,
  numbers_disagree: (numbers) => `The upstream's count and its list do not match (${numbers}).`,
  passed_over: (count) =>
    `The upstream does not accept ${count === '1' ? '1 record' : `${count} records`}, but accepts other records; retried automatically.`,
  paused: () => 'Someone paused forwarding.',
  restored: () =>
    'The data were restored from a backup. Stop the gateway that made the backup, then give this gateway a new identity.',
  asking: () =>
    'The gateway asks the upstream which restored sales it already has, and sends the others after that. To send without asking, resume forwarding.',
  no_upstream: () => 'No upstream address is set.',
  key_sealed: () =>
    'The upstream key cannot be read: the system keyring is locked or has changed. Unlock it and restart the gateway, or set the key again.',
  not_running: () => 'The gateway is not running.',
  damaged: () => 'The stored record is damaged: it has changed on this disk.',
  other: (sentence) => sentence,
};
/** The options to show with a command. Each begins with a space, or is empty. */
export interface ShownOptions {
  /** The data directory. */
  readonly data: string;
  /** The lane. Only commands about a lane accept these options. */
  readonly lane: string;
}

const SET_UPSTREAM = 'upstream set --url URL --token-file FILE';
/** The command that removes the cause, by code. Every command but `restore` is about one lane. */
const COMMANDS: Partial<Record<CauseCode, string>> = {
  paused: 'upstream resume',
  restored: 'restore --new-identity',
  asking: 'upstream resume',
  no_upstream: SET_UPSTREAM,
  end_point_refused: SET_UPSTREAM,
  key_sealed: SET_UPSTREAM,
};

export function causeSentence({ code, detail }: Cause): string {
  return SENTENCES[code](detail ?? '');
}

/** Like `causeSentence`, with the command that fixes the cause. */
export function causeWithCommand(cause: Cause, { data, lane }: ShownOptions): string {
  const command = COMMANDS[cause.code];
  const sentence = causeSentence(cause);
  if (command === undefined) return sentence;
  const options = cause.code === 'restored' ? data : `${data}${lane}`;
  return `${sentence.replace(/\.$/, '')}: ${PROGRAM} ${command}${options}.`;
}
