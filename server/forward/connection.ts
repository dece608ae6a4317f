// Opens connections to an upstream. They use the proxy from the settings or the system, and trust the certificates from the
// settings. Also classifies the errors of these connections.

import { readFileSync } from 'node:fs';

import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';

import type { Config } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { guardAnswers } from './answer-guard.ts';
import type { Failure } from './answer.ts';
import { LinkLocalError, prepareLookup, resolveHere } from './link-local.ts';
import { type FindProxy, SystemProxyDispatcher } from './system-proxy.ts';

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Maximum time between two bytes of an answer. */
  readonly answerTimeoutMs: number;
  /**
   * Maximum bytes of the body of an answer. The gateway destroys the connection if the whole answer has more than twice this
   * number.
   */
  readonly maxAnswerBytes: number;
}

/** Opens a dispatcher, which the caller must destroy. */
export type OpenDispatcher = (limits: ConnectionLimits) => Dispatcher;

/**
 * Prepares connections. If the settings name no proxy, asks `findProxy`. A proxy resolves host names itself. Without a proxy,
 * `resolve` resolves the name for each connection. Throws an OperatorError if the file of trusted certificates cannot be read.
 */
export function prepareConnections(
  { upstreamProxy, upstreamCa: caFile }: Pick<Config, 'upstreamProxy' | 'upstreamCa'>,
  findProxy?: FindProxy,
  resolve = resolveHere,
): OpenDispatcher {
  const lookup = prepareLookup(resolve);
  const trusted = caFile !== undefined && { ca: readCertificates(caFile) };
  return ({ connections, connectTimeoutMs, answerTimeoutMs, maxAnswerBytes }) => {
    const options = {
      allowH2: false,
      connections,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
    };
    const tls = { timeout: connectTimeoutMs, ...trusted };
    // A proxy agent makes its connectors itself, so the limit on answers is added in its pools.
    const openGuardedPool = (origin: URL, { connect, ...more }: Pool.Options): Dispatcher =>
      new Pool(origin, {
        ...more,
        ...(typeof connect === 'function' && { connect: guardAnswers(connect, maxAnswerBytes) }),
      });
    const openThrough = (proxy: string | undefined): Dispatcher =>
      proxy === undefined
        ? new Agent({
            ...options,
            connect: guardAnswers(buildConnector({ ...tls, lookup, allowH2: false }), maxAnswerBytes),
          })
        : new ProxyAgent({ ...options, uri: proxy, requestTls: tls, proxyTls: tls, factory: openGuardedPool });
    if (upstreamProxy !== undefined || findProxy === undefined) return openThrough(upstreamProxy);
    return new SystemProxyDispatcher(findProxy, openThrough);
  };
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
]);
const UNTRUSTED = /^(ERR_TLS|ERR_SSL|UND_ERR_PRX_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;

/**
 * Classifies an error by its code. An unknown error counts as `unanswered`, because the record may have arrived at the
 * upstream.
 */
export function failureOf(error: unknown): Failure {
  const proxyStatus = proxyStatusOf(error);
  if (proxyStatus !== undefined) {
    // Any other status means that the proxy did not reach the upstream.
    if (PROXY_REFUSES.has(proxyStatus)) return { kind: 'proxy refused', status: proxyStatus };
    return { kind: 'unreachable', reason: `proxy ${proxyStatus}` };
  }
  if (error instanceof LinkLocalError) return { kind: 'link-local', addresses: error.addresses };
  const code = codeOf(error);
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', reason: code };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', reason: code };
  return { kind: 'unanswered', reason: code };
}

const PROXY_REFUSES = new Set([401, 403, 407]);

/**
 * The status of a proxy that refused a tunnel; undefined for any other error. undici reports the status only in the message.
 */
function proxyStatusOf(error: unknown): number | undefined {
  const [, status] = (error instanceof Error && /^Proxy response \((\d{3})\)/.exec(error.message)) || [];
  return status === undefined ? undefined : Number(status);
}

/** The code of an error or of its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorError(`The trusted certificates in ${path} cannot be read. Check --upstream-ca.`, {
      cause: error,
    });
  }
}
