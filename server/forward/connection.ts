// How an upstream is reached: through the proxy of the settings, or of the system, trusting the certificates it was told to trust.
// And what it means when that fails.

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
  /** Without a byte for so long, nothing more is to be expected. */
  readonly answerTimeoutMs: number;
  /** Longest body of an answer. Far beyond it, the connection is destroyed. */
  readonly maxAnswerBytes: number;
}

/** The caller destroys it. */
export type OpenDispatcher = (limits: ConnectionLimits) => Dispatcher;

/**
 * `findProxy` is asked where the settings name no proxy. What goes through a proxy is looked up there; else `resolve` looks up each
 * name for each connection. Throws an OperatorError when the certificates to trust cannot be read.
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
    // A proxy agent makes its own connectors.
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

/** Errors are told apart by their code; of one that is not known the record may have arrived. */
export function failureOf(error: unknown): Failure {
  const proxyStatus = proxyStatusOf(error);
  if (proxyStatus !== undefined) {
    // Any other answer says that it did not get there either.
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

/** What a proxy answered that was asked for a tunnel; undici tells it in words alone. */
function proxyStatusOf(error: unknown): number | undefined {
  const [, status] = (error instanceof Error && /^Proxy response \((\d{3})\)/.exec(error.message)) || [];
  return status === undefined ? undefined : Number(status);
}

/** The code of an error or of what caused it. */
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
    throw new OperatorError(`The certificates to trust, ${path}, cannot be read.`, { cause: error });
  }
}
