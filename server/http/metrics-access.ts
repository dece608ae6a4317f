// Decides who may read the metrics besides this machine: the networks and the token of the settings. If both are set, a caller
// needs both. Without either, no other machine may read them. Without a token, the Host of the call must be an address or a name
// of this machine. Otherwise a page of another site could read the metrics through a browser on a machine of the list: it would
// let its own host name point to the gateway (DNS rebinding).

import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

import type { Config } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { findNetwork } from '../lib/network.ts';

/** Whether a call may read the metrics because of the settings. */
export type MetricsAccess = (req: Pick<IncomingMessage, 'socket' | 'headersDistinct'>) => boolean;

/** A shorter token could be guessed. */
const MIN_TOKEN_LENGTH = 16;
/** An IPv4 address as a socket for IPv6 shows it. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** A host name or address with an optional port. */
const HOST = /^([a-z\d.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * `isOwnHost` says whether a name belongs to this machine. Throws an OperatorError if the file of the token cannot be used. A
 * changed file counts from the next start on.
 */
export function openMetricsAccess(
  { metricsFrom = '', metricsTokenFile }: Pick<Config, 'metricsFrom' | 'metricsTokenFile'>,
  isOwnHost: (host: string) => boolean = () => false,
): MetricsAccess {
  const token = metricsTokenFile === undefined ? undefined : readToken(metricsTokenFile);
  const networks = metricsFrom.split(',').flatMap((text) => findNetwork(text) ?? []);
  if (token === undefined && networks.length === 0) return () => false;
  const allowed = new BlockList();
  for (const { address, prefix, family } of networks) allowed.addSubnet(address, prefix, family);
  return ({ socket, headersDistinct }) => {
    const address = (socket.remoteAddress ?? '').replace(MAPPED, '');
    const isAllowed = networks.length === 0 || allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
    if (token !== undefined) return isAllowed && isEqual(bearerOf(headersDistinct['authorization']), token);
    const name = nameOf(headersDistinct['host']);
    return isAllowed && (isIP(name) !== 0 || name === 'localhost' || isOwnHost(name));
  };
}

/** The name or address in the Host header; empty without exactly one valid header. */
function nameOf(headers: readonly string[] = []): string {
  const [, host = ''] = (headers.length === 1 && HOST.exec(headers[0] ?? '')) || [];
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

function readToken(path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file of the token for metrics, ${path}, cannot be read (${code}). Correct metricsTokenFile, or make the file.`,
      { cause: error, fault: 'settings_wrong' },
    );
  }
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= MIN_TOKEN_LENGTH) return token;
  throw new OperatorError(
    `The file of the token for metrics, ${path}, must have one token of at least ${MIN_TOKEN_LENGTH} letters, digits or signs, such as the output of: openssl rand -hex 32`,
    { fault: 'settings_wrong' },
  );
}

/** The token of a Bearer header; empty without exactly one such header. */
function bearerOf(headers: readonly string[] = []): string {
  return headers.length === 1 ? (/^Bearer +([^ ]+) *$/i.exec(headers[0] ?? '')?.[1] ?? '') : '';
}

/** Compares in constant time. */
function isEqual(given: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}
