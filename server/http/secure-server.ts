// HTTPS for a listener. A connection counts towards the limits as soon as it is open, before the handshake. If the handshake
// fails, the connection is closed and logged with its reason. If a client asks for a name that is not in the certificate, and
// leaves without a call, this is also logged. A renewed certificate needs no restart.

import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

import type { ErrorCode } from '../contract/codes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Certificate, contextOptions, type ServedCertificate, watchCertificate } from './certificate.ts';
import { rawProblem } from './problem.ts';

/** Maximum time from the opening of a connection to the end of the handshake. */
const HANDSHAKE_MS = 5000;
/** Maximum time that a sender of plain HTTP has to read its answer. */
const MAX_FAREWELL_MS = 1000;

/** The certificate that all listeners share. After a renewal, all of them use the new certificate. */
export interface SharedCertificate {
  inUse(): ServedCertificate;
  /** Calls `listener` with each renewed certificate. */
  onReplaced(listener: (certificate: ServedCertificate) => void): void;
  /** Stops watching for renewals. */
  close(): void;
}

export function shareCertificate(
  first: Certificate,
  { log, metrics }: { readonly log: Log; readonly metrics: Pick<Metrics, 'addGauge'> },
): SharedCertificate {
  const listeners: ((certificate: ServedCertificate) => void)[] = [];
  const watch = watchCertificate(first, {
    log,
    use(certificate) {
      for (const listener of listeners) listener(certificate);
    },
  });
  metrics.addGauge(
    'counterfoil_tls_certificate_expires_at_seconds',
    'When the certificate in use expires, in seconds since 1970.',
    () => watch.inUse().expiresAt.getTime() / 1000,
  );
  return { inUse: watch.inUse, onReplaced: (listener) => void listeners.push(listener), close: watch.close };
}

/** The detail of a handshake that did not finish in time, or did not begin. */
export const HANDSHAKE_TOO_SLOW = 'The TLS handshake took too long, so the connection was closed.';
/** The text for a sender of HTTP at a port that requires HTTPS. */
export const HTTPS_REQUIRED = 'This port speaks HTTPS: the address must begin with https://, not http://.';

/**
 * Logs a connection without a call: the handshake failed, or the till left after it. The caller answers and closes the
 * connection.
 */
export type NoteFailedHandshake = (code: ErrorCode, socket: Duplex, detail: string) => void;

export interface SecureServer {
  readonly server: Server;
  /** Returns the TCP connection that carries a TLS connection. */
  carrierOf(secure: Socket): Socket;
  /** Closes the connections whose handshake is not finished. They have no call. */
  close(): void;
}

/** Builds the server; the caller makes it listen. */
export function openSecureServer(
  options: ServerOptions,
  certificate: SharedCertificate,
  noteFailedHandshake: NoteFailedHandshake,
): SecureServer {
  const server = createServer({
    ...options,
    ...contextOptions(certificate.inUse()),
    handshakeTimeout: HANDSHAKE_MS,
    // Node accepts HTTP/1.0 over TLS, but does not offer it during the handshake (ALPN).
    ALPNProtocols: ['http/1.1', 'http/1.0'],
  });
  let shown = new X509Certificate(certificate.inUse().cert);
  certificate.onReplaced((next) => {
    server.setSecureContext(contextOptions(next));
    shown = new X509Certificate(next.cert);
  });

  /**
   * The name that the client asked for, if the certificate does not contain it; otherwise undefined. A client that connects to
   * an IP address sends no name.
   */
  function findWrongName({ servername }: TLSSocket): string | undefined {
    if (typeof servername !== 'string' || servername === '' || shown.checkHost(servername) !== undefined)
      return undefined;
    return servername.replace(/[^\w.-]/g, '?');
  }

  /**
   * Connections whose client asked for a name that is not in the certificate, until their first call. Many such clients leave
   * after the handshake, without an error message.
   */
  const wrong = new WeakSet<Socket>();
  function watchName(secure: TLSSocket): void {
    const name = findWrongName(secure);
    if (name === undefined) return;
    wrong.add(secure);
    secure.once(
      'close',
      () => wrong.has(secure) && noteFailedHandshake('name_not_certified', secure, explainName(name)),
    );
  }
  const noteCall = ({ socket }: IncomingMessage): void => void wrong.delete(socket);
  server.on('request', noteCall).on('checkContinue', noteCall).on('checkExpectation', noteCall);

  /**
   * TCP connections during their handshake. The key consists of the addresses and ports of both sides, because nothing else
   * links a TLS connection to its TCP connection.
   */
  const underway = new Map<string, Socket>();
  const carriers = new WeakMap<Socket, Socket>();
  server.on('connection', (carrier: Socket) => {
    const ends = endsOf(carrier);
    underway.set(ends, carrier);
    carrier.once('close', () => underway.get(ends) === carrier && underway.delete(ends));
  });
  server.on('secureConnection', (secure: TLSSocket) => {
    const ends = endsOf(secure);
    const carrier = underway.get(ends);
    if (carrier !== undefined) carriers.set(secure, carrier);
    underway.delete(ends);
    // Set only after the handshake, because a half-closed connection cannot finish a handshake.
    secure.allowHalfOpen = true;
    watchName(secure);
  });

  // These listeners of Node would turn a TLS error into a clientError, and answer it in plain HTTP.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: TlsError, secure: TLSSocket) => {
    const failure = explain(error, findWrongName(secure));
    if (failure === undefined) return void secure.destroy();
    const { code, detail } = failure;
    noteFailedHandshake(code, secure.remoteAddress === undefined ? belowOf(secure) : secure, detail);
    const carrier = underway.get(endsOf(secure));
    if (error.code !== SPOKE_HTTP || carrier === undefined) return void secure.destroy();
    carrier.end(rawProblem(code, detail)); // safe, because TLS writes nothing more on this connection
    setTimeout(() => secure.destroy(), MAX_FAREWELL_MS).unref();
  });

  return {
    server,
    carrierOf: (secure) => carriers.get(secure) ?? secure,
    close() {
      for (const carrier of underway.values()) carrier.destroy();
    },
  };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/**
 * Returns the TCP connection below a TLS connection. After a reset, only the TCP connection knows the client's address. Node
 * has no public property for it.
 */
function belowOf(secure: TLSSocket): Duplex {
  return (secure as TLSSocket & { readonly _parent?: Socket })._parent ?? secure;
}

/** An error of OpenSSL. `reason` is in words; `code` is in capitals. */
type TlsError = Error & { readonly code?: string; readonly reason?: string };

const SPOKE_HTTP = 'ERR_SSL_HTTP_REQUEST';

/** The text for a till that left because the certificate does not contain the name that it called. */
function explainName(name: string): string {
  return `The till called the name ${name}, which is not in the certificate. Enter an address at the till that is in it.`;
}

/**
 * The reason of a failed handshake, for the person who connects tills. Undefined if the client only closed the connection.
 * `wrongName` is the name that the client asked for, if the certificate does not contain it.
 */
function explain(
  { code = '', reason, message }: TlsError,
  wrongName: string | undefined,
): { readonly code: ErrorCode; readonly detail: string } | undefined {
  const isLeft = code === 'ECONNRESET';
  if (wrongName !== undefined && (isLeft || REFUSED_CERTIFICATE.test(code)))
    return { code: 'name_not_certified', detail: explainName(wrongName) };
  if (isLeft) return undefined;
  if (code === SPOKE_HTTP)
    return {
      code: 'https_required',
      detail: HTTPS_REQUIRED,
    };
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT')
    return {
      code: 'request_timeout',
      detail: HANDSHAKE_TOO_SLOW,
    };
  const known = KNOWN_REASONS.find(([pattern]) => pattern.test(code));
  const [, why, refusedAs = 'handshake_failed'] = known ?? [undefined, reason ?? message];
  return { code: refusedAs, detail: `The TLS handshake failed: ${why}.` };
}

const REFUSED_CERTIFICATE =
  /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_UNKNOWN)$/;

const KNOWN_REASONS: readonly (readonly [pattern: RegExp, why: string, refusedAs?: ErrorCode])[] = [
  [REFUSED_CERTIFICATE, 'the till does not trust the certificate', 'certificate_untrusted'],
  [
    /ALERT_CERTIFICATE_EXPIRED$/,
    "the till says that the certificate has expired; check its date and the till's clock",
    'certificate_untrusted',
  ],
  [/UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|ALERT_PROTOCOL_VERSION/, 'the till does not support TLS 1.2 or newer'],
  [/NO_SHARED|NO_SUITABLE|ALERT_HANDSHAKE_FAILURE/, 'the till and the gateway support no common encryption'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|BAD_RECORD_TYPE/, 'the till sent something other than TLS'],
];
