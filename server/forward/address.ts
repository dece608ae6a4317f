// Checks the address and the key of an upstream that a manager sets. Refuses dangerous mistakes: test records must never reach
// a production upstream, and a key must never cross a network unencrypted.

import { type Interface, KEY_PREFIXES, type Mode, TEST_HOST_PREFIX } from '../contract/codes.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { hostOfUrl, isLoopback } from '../lib/host.ts';
import type { LaneSettings, Upstream } from '../store/outbox/ledger.ts';
import { digestSecret } from '../store/setup/key-secret.ts';
import { findLinkLocalHost } from './link-local.ts';

/** An upstream as a person typed it. */
export interface UpstreamInput extends Upstream {
  readonly mode: Mode;
  readonly interface: Interface;
  /** True to allow plain HTTP to another machine. */
  readonly plainHttp: boolean;
  /** True to allow a link-local address; the caller warns about it. */
  readonly linkLocal: boolean;
}

/** The names that people see for the fields: option names on the command line, or labels on a screen. */
export type FieldNames = Readonly<Record<'url' | 'token' | 'mode' | 'plainHttp', string>>;

export type UpstreamReading =
  | { readonly kind: 'fine'; readonly upstream: Upstream }
  | { readonly kind: 'faulty'; readonly field: 'url' | 'token'; readonly code: string; readonly detail: string };

/**
 * Reads an upstream from the command line and checks it. `tokenOption` is the name of the option with the key. Throws a
 * UsageError that says what is wrong.
 */
export function parseUpstream({
  tokenOption,
  ...given
}: Omit<UpstreamInput, 'linkLocal'> & { readonly tokenOption: string }): Upstream {
  const input = { ...given, linkLocal: true };
  const names = { url: '--url', token: tokenOption, mode: '--mode', plainHttp: '--plain-http' };
  const reading = readUpstream(input, names, []); // without lanes: `assertKeyOfMode` checks them later, when the store is open
  if (reading.kind === 'faulty') throw new UsageError(reading.detail);
  return reading.upstream;
}

/** The fields of a lane that tell whether it already uses a key, and in which mode. */
type KeyedLane = Pick<LaneSettings, 'administration' | 'mode' | 'interface' | 'tokenDigest'>;

/**
 * Reads and checks an upstream. If it is not valid, returns its first fault and how to fix it. The text never contains the key.
 * `lanes` are all lanes of the gateway.
 */
export function readUpstream(input: UpstreamInput, names: FieldNames, lanes: readonly KeyedLane[]): UpstreamReading {
  const url = URL.parse(input.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const detail = `${names.url} must be a base address that begins with https://, such as https://api.example.com.`;
    return { kind: 'faulty', field: 'url', code: 'address', detail };
  }
  const fault =
    findUrlFault(url, input, names) ??
    findTokenFault(input, names) ??
    findModeFault(url, input, names) ??
    findOtherModeFault(input, names.token, lanes);
  if (fault !== undefined) return { kind: 'faulty', ...fault };
  return { kind: 'fine', upstream: { url: url.href.replace(/\/$/, ''), token: input.token } };
}

type Fault = Omit<Extract<UpstreamReading, { kind: 'faulty' }>, 'kind'>;

function findUrlFault(url: URL, { plainHttp, linkLocal }: UpstreamInput, names: FieldNames): Fault | undefined {
  const fault = (code: string, detail: string): Fault => ({ field: 'url', code, detail });
  if (url.username !== '' || url.password !== '') {
    return fault('password', `${names.url} must not have a name or password in it; the key goes to ${names.token}.`);
  }
  if (/[?#]/.test(url.href)) {
    return fault('query', `${names.url} must be the base address only, without ? or #.`);
  }
  if (/\/(raw_transactions|v1)\/*$/.test(url.pathname)) {
    return fault('path', `${names.url} must be the base address only; the gateway adds the version and the resource.`);
  }
  if (url.protocol === 'http:' && !isLoopback(hostOfUrl(url.href)) && !plainHttp) {
    return fault(
      'plain_http',
      `Plain http sends the key unencrypted. Use https://, or add ${names.plainHttp} on a safe network.`,
    );
  }
  const host = linkLocal ? undefined : findLinkLocalHost(url);
  if (host !== undefined) {
    return fault('link_local', `${host} is a link-local or metadata address. Only the command line accepts one.`);
  }
  return undefined;
}

function findTokenFault({ token, mode }: UpstreamInput, names: FieldNames): Fault | undefined {
  const fault = (code: string, detail: string): Fault => ({ field: 'token', code, detail });
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    return fault(
      'key',
      `${names.token} must be a key of 1 to 4096 visible ASCII characters, without spaces or line ends.`,
    );
  }
  const contradicting: Mode = mode === 'production' ? 'test' : 'production';
  if (token.startsWith(KEY_PREFIXES[contradicting])) {
    return fault('mode', `${names.token} has a ${contradicting} key, but ${names.mode} is ${mode}.`);
  }
  return undefined;
}

function findModeFault(url: URL, { mode, interface: by }: UpstreamInput, names: FieldNames): Fault | undefined {
  if (by === 'current') return undefined;
  const isTestAddress =
    url.hostname.startsWith(`${TEST_HOST_PREFIX}.`) || url.pathname.startsWith(`/c/${TEST_HOST_PREFIX}/`);
  if (isTestAddress === (mode === 'test')) return undefined;
  const detail = isTestAddress
    ? `${names.url} is a test address, but ${names.mode} is ${mode}. Remove ${TEST_HOST_PREFIX} from the address.`
    : `${names.url} is not a test address, but ${names.mode} is ${mode}. On the earlier interface, a test address is https://HOST/c/${TEST_HOST_PREFIX}/CUSTOMER/ID or https://${TEST_HOST_PREFIX}.CUSTOMER.ID.DOMAIN, such as ${url.origin}/c/${TEST_HOST_PREFIX}/bakery/1207.`;
  return { field: 'url', code: isTestAddress ? 'test_address' : 'no_test_address', detail };
}

/**
 * Throws an OperatorError if a lane of the other mode has this key. The message names the lane, not the key. The upstream knows
 * the mode only from the key. With one key for both modes, test records would reach production.
 */
export function assertKeyOfMode(
  { tokenOption, ...input }: Pick<UpstreamInput, 'token' | 'mode'> & { readonly tokenOption: string },
  lanes: readonly KeyedLane[],
): void {
  const fault = findOtherModeFault(input, tokenOption, lanes);
  if (fault !== undefined) throw new OperatorError(fault.detail);
}

function findOtherModeFault(
  { token, mode }: Pick<UpstreamInput, 'token' | 'mode'>,
  name: string,
  lanes: readonly KeyedLane[],
): Fault | undefined {
  const digest = digestSecret(token);
  const other = lanes.find((lane) => lane.mode !== mode && lane.tokenDigest === digest);
  if (other === undefined) return undefined;
  return {
    field: 'token',
    code: 'other_mode',
    detail: `${name} has the key of ${other.administration} (${other.mode}, ${other.interface}). Use different keys for production and test.`,
  };
}
