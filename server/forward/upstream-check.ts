// Tries an upstream as a person wants to know it: is the name known, does somebody answer, can they be trusted, is it the
// interface, do they know our key. It goes the way that records go and asks for a count; nothing is posted.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

import type { Dispatcher } from 'undici';

import type { Config } from '../config.ts';
import type { CheckStep, Interface, UpstreamCheck } from '../contract.ts';
import { assertNever } from '../errors.ts';
import { formatInstant } from '../instant.ts';
import type { Upstream } from '../store/lane.ts';
import { failureOf, type OpenDispatcher } from './connection.ts';

const TIMEOUT_MS = 5000;
/** Nor may it all take longer, however slowly somebody answers. */
const LONGEST_MS = 15_000;
/** A count with what belongs to it is a few hundred bytes. */
const MOST_ANSWER_BYTES = 64 * 1024;

export type CheckUpstream = (upstream: Upstream, by: Interface) => Promise<UpstreamCheck>;

/** The tried function never throws; it takes twenty seconds at the most. */
export function prepareUpstreamCheck(
  openDispatcher: OpenDispatcher,
  { upstreamProxy: proxy }: Pick<Config, 'upstreamProxy'>,
): CheckUpstream {
  return async (upstream, by) => {
    const notes = openNotes();
    const isKnown = await checkName(new URL(proxy ?? upstream.url).hostname, proxy !== undefined, notes);
    if (!isKnown) return { steps: notes.steps };
    const dispatcher = openDispatcher({ connections: 1, connectTimeoutMs: TIMEOUT_MS, answerTimeoutMs: TIMEOUT_MS });
    try {
      const answer = await ask(dispatcher, upstream, by);
      noteReached(new URL(upstream.url), notes);
      if (by === 'current') judgeAnswer(answer, upstream, notes);
    } catch (error) {
      judgeFailure(error, new URL(upstream.url), notes);
    } finally {
      await dispatcher.destroy();
    }
    return { steps: notes.steps };
  };
}

interface Notes {
  readonly steps: UpstreamCheck['steps'][number][];
  fine(step: CheckStep, detail: string, code?: string | number): void;
  failed(step: CheckStep, detail: string, code?: string | number): void;
}

function openNotes(): Notes {
  const steps: Notes['steps'] = [];
  const add =
    (isFine: boolean) =>
    (step: CheckStep, detail: string, code?: string | number): void =>
      void steps.push({ step, isFine, detail, code: code === undefined ? null : String(code) });
  return { steps, fine: add(true), failed: add(false) };
}

/** Whether somebody has this name. */
async function checkName(hostname: string, isProxy: boolean, notes: Notes): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const whose = isProxy ? `the proxy ${host}` : host;
  if (isIP(host) !== 0) {
    notes.fine('name', `${isProxy ? 'The proxy is' : 'It is'} an address, ${host}, which needs no name to be known.`);
    return true;
  }
  try {
    const addresses = await withinTime(lookup(host, { all: true }));
    notes.fine('name', `The name of ${whose} is known: ${addresses.map(({ address }) => address).join(', ')}.`);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail =
      code === 'ENOTFOUND'
        ? `Nobody is known by the name of ${whose}. Check how it is written.`
        : `The name of ${whose} cannot be looked up at present. Check that this machine is online.`;
    notes.failed('name', detail, code);
    return false;
  }
}

function withinTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(Object.assign(new Error('too slow'), { code: 'ETIMEOUT' })), TIMEOUT_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

interface CheckAnswer {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
}

/** Asks for the count of the present second or, on the earlier interface, whether anybody is there at all. */
async function ask(dispatcher: Dispatcher, { url, token }: Upstream, by: Interface): Promise<CheckAnswer> {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const second = Math.floor(Date.now() / 1000);
  const query = new URLSearchParams({
    timestamp_gte: formatInstant(second),
    timestamp_lt: formatInstant(second + 1),
    expand: 'none',
  });
  const agent = { 'user-agent': 'counterfoil' };
  const question =
    by === 'current'
      ? ({
          method: 'GET',
          path: `${base}/v1/raw_transactions?${query.toString()}`,
          headers: { ...agent, token },
        } as const)
      : ({ method: 'HEAD', path: `${base}/`, headers: agent } as const);
  const signal = AbortSignal.timeout(LONGEST_MS);
  const { statusCode, headers, body } = await dispatcher.request({ origin, ...question, signal });
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_ANSWER_BYTES) break;
  }
  const [location] = [headers['location']].flat();
  return { status: statusCode, text: Buffer.concat(pieces).toString('utf8'), location };
}

function noteReached({ protocol, host }: URL, notes: Notes): void {
  notes.fine('connection', `${host} answers.`);
  if (protocol === 'https:') notes.fine('certificate', `${host} has proved who it is.`);
}

/** No answer: how far it came can be told by the code. */
function judgeFailure(error: unknown, url: URL, notes: Notes): void {
  const { protocol, host } = url;
  const failure = failureOf(error);
  switch (failure.kind) {
    case 'unreachable':
      return notes.failed('connection', explainUnreachable(host, failure.reason), failure.reason);
    case 'untrusted':
      notes.fine('connection', `${host} answers.`);
      return notes.failed('certificate', explainUntrusted(host, failure.reason), failure.reason);
    case 'unanswered':
      if (failure.reason === 'UND_ERR_ABORTED') {
        const detail = 'The proxy on the way does not let us through. Check its address.';
        return notes.failed('connection', detail, failure.reason);
      }
      if (!/^(UND_ERR_(HEADERS|BODY)_TIMEOUT|TimeoutError)$/.test(failure.reason)) {
        const how = protocol === 'https:' ? 'https' : 'http';
        const detail = `${host} broke the connection off. Check that it speaks ${how} at this port.`;
        return notes.failed('connection', detail, failure.reason);
      }
      noteReached(url, notes);
      return notes.failed('path', `${host} does not answer within five seconds. Try again later.`, failure.reason);
    case 'answered':
      throw new Error('a failure cannot be an answer');
    default:
      return assertNever(failure);
  }
}

function explainUnreachable(host: string, code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} is there, but nobody listens at this port. Check the port.`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${host} does not answer within five seconds. Check the address, and the firewall on the way.`;
    default:
      return `There is no way to ${host} at present. Check the line.`;
  }
}

function explainUntrusted(host: string, code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired. Its owner must renew it.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${host} shows a certificate for another name. Check the address.`;
  if (/SELF_SIGNED|UNABLE_TO_|ISSUER/.test(code)) {
    return `Nobody we trust has signed the certificate of ${host}. Name its authority with upstreamCa in the settings.`;
  }
  if (/^(ERR_SSL|EPROTO)/.test(code)) return `What answers at ${host} does not speak https. Check address and port.`;
  return `${host} could not prove who it is. Check the address.`;
}

/** Who answers: the interface, and does it know the key? */
function judgeAnswer({ status, text, location }: CheckAnswer, { url }: Upstream, notes: Notes): void {
  const failed = (step: CheckStep, detail: string): void => notes.failed(step, detail, status);
  if (status === 200 && isCount(text)) {
    notes.fine('path', 'It is the interface that records are sent to.', status);
    return notes.fine('key', 'The upstream knows the key.', status);
  }
  if (status === 401 || status === 403) {
    notes.fine('path', 'Somebody who asks for a key answers at this path.', status);
    return failed('key', 'The upstream refuses the key. Check that it is whole, and meant for this address.');
  }
  if (status >= 300 && status < 400) {
    const to = location === undefined ? null : URL.parse(location, url);
    return failed('path', `It has moved${to === null ? '' : `, to ${to.origin}`}. Check the address.`);
  }
  if (status === 407) return failed('path', 'The proxy on the way wants a password. Check its address.');
  if (status === 429) return failed('path', 'The upstream asks us to come back later. Try again in a minute.');
  if (status >= 500) return failed('path', 'The upstream has trouble of its own. Try again later.');
  if (status === 400 || status === 422) {
    return failed(
      'path',
      'The upstream does not understand the question. Its address may still be right: send a record.',
    );
  }
  failed('path', 'Somebody answers, but the interface is not at this path. Check the address.');
}

function isCount(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'raw_transaction_count' in value;
  } catch {
    return false;
  }
}
