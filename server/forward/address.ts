// Which upstream addresses and keys are taken. Only a manager sets them, and what is plainly a mistake is refused here:
// a test journal must never reach production, nor a key cross a network readable.

import { type Interface, KEY_PREFIXES, type Mode, TEST_HOST_PREFIX } from '../contract.ts';
import { OperatorError, UsageError } from '../errors.ts';
import type { LaneSettings, Upstream } from '../store/lane.ts';

/** An upstream as it was typed in. */
export interface UpstreamInput extends Upstream {
  /** The option that the key came by, as messages name it. */
  readonly tokenOption: string;
  readonly mode: Mode;
  readonly interface: Interface;
  /** Take plain http beyond this machine. */
  readonly plainHttp: boolean;
}

/** Throws a UsageError that says what is wrong and how to mend it. */
export function parseUpstream(input: UpstreamInput): Upstream {
  const { url: text, token, plainHttp } = input;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('--url takes a base address that begins with https://, such as https://api.example.com.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--url must not hold a name or password; the key goes to --token-file or --token.');
  }
  if (/[?#]/.test(url.href)) {
    throw new UsageError('--url takes the base address alone, without anything after ? or #.');
  }
  if (/\/(raw_transactions|v1)\/*$/.test(url.pathname)) {
    throw new UsageError('--url takes the base address; the gateway adds version and resource itself.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !plainHttp) {
    throw new UsageError(
      'Plain http would send the key readable. Use https://, or add --plain-http if the way is safe.',
    );
  }
  assertMode(url, input);
  return { url: url.href.replace(/\/$/, ''), token };
}

function assertMode(url: URL, { token, tokenOption, mode, interface: by }: UpstreamInput): void {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new UsageError(`${tokenOption} takes a key without spaces or line ends.`);
  }
  const contradicting: Mode = mode === 'production' ? 'test' : 'production';
  if (token.startsWith(KEY_PREFIXES[contradicting])) {
    throw new UsageError(`${tokenOption} was given a ${contradicting} key, but --mode says ${mode}.`);
  }
  if (by === 'current') return;
  const isTestAddress =
    url.hostname.startsWith(`${TEST_HOST_PREFIX}.`) || url.pathname.startsWith(`/c/${TEST_HOST_PREFIX}/`);
  if (isTestAddress !== (mode === 'test')) {
    throw new UsageError(
      `--url is ${isTestAddress ? 'a test' : 'not a test'} address, but --mode says ${mode}: test addresses of the earlier interface begin with ${TEST_HOST_PREFIX}.`,
    );
  }
}

/**
 * Throws an OperatorError that names the lane, not the key, when one of the other mode has this key: the upstream tells
 * modes apart by nothing else, so one of the two would reach what it must not.
 */
export function assertKeyOfMode(
  { token, tokenOption, mode }: Pick<UpstreamInput, 'token' | 'tokenOption' | 'mode'>,
  lanes: readonly Pick<LaneSettings, 'administration' | 'mode' | 'interface' | 'upstream'>[],
): void {
  const other = lanes.find((lane) => lane.mode !== mode && lane.upstream?.token === token);
  if (other === undefined) return;
  throw new OperatorError(
    `${tokenOption} was given the key of ${other.administration} (${other.mode}, ${other.interface}); production and test need a key each.`,
  );
}

/** 127.0.0.0/8, ::1 and their name. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
