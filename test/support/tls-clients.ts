// TLS clients that tills use. Each connects to 127.0.0.1 under the name of another host, and trusts only one authority.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { isIP, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity } from 'node:tls';
import { promisify } from 'node:util';

import { onTestFinished } from 'vitest';

export const ACCEPTED = 'accepted';

/** A server on 127.0.0.1, and the host that the client expects there. */
export interface TlsTarget {
  readonly host: string;
  readonly port: number;
}

export interface TlsClient {
  readonly name: string;
  /** Why this machine cannot run the client; undefined if it can. */
  readonly missing: string | undefined;
  /** Connects to each target, and returns ACCEPTED or the error's text for each. `authority` is a file in PEM. */
  connect(authority: string, targets: readonly TlsTarget[]): Promise<readonly string[]>;
}

const run = promisify(execFile);

/** Why openssl cannot be used; undefined if it can. LibreSSL, as on macOS, cannot be used, because its output differs. */
export const MISSING_OPENSSL = findMissing('openssl', 'version', 'OpenSSL 3');

export const TLS_CLIENTS: readonly TlsClient[] = [
  client('openssl -x509_strict', MISSING_OPENSSL, (authority, { host, port }) => {
    const check = isIP(host) === 0 ? '-verify_hostname' : '-verify_ip';
    const trust = ['-CAfile', authority, '-x509_strict', '-verify_return_error', check, host];
    return exec('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-brief', ...trust]);
  }),
  client('python', findMissing('python3', '--version'), (authority, { host, port }) =>
    exec('python3', ['-c', PYTHON, authority, host, String(port)]),
  ),
  client('curl', findMissing('curl', '--version'), (authority, { host, port }) => {
    const name = isIPv6(host) ? `[${host}]` : host;
    const to = `${name}:${port}:127.0.0.1:${port}`;
    return exec('curl', [
      '-sS',
      '--noproxy',
      '*',
      '--cacert',
      authority,
      '--connect-to',
      to,
      `https://${name}:${port}/`,
    ]);
  }),
  client('node', undefined, connectByNode),
  { name: 'java', missing: findMissing('java', '-version') ?? findMissing('keytool', '-help'), connect: connectByJava },
];

function client(
  name: string,
  missing: string | undefined,
  connect: (authority: string, target: TlsTarget) => Promise<string>,
): TlsClient {
  return {
    name,
    missing,
    connect: async (authority, targets) => Promise.all(targets.map(async (target) => connect(authority, target))),
  };
}

/** Why a command cannot be used; undefined if it can. The command must succeed, and its output must begin with `beginning`. */
function findMissing(command: string, option: string, beginning = ''): string | undefined {
  const { error, status, stdout } = spawnSync(command, [option], { encoding: 'utf8' });
  if (error === undefined && status === 0 && stdout.startsWith(beginning)) return undefined;
  return `not run: this machine has no ${beginning || command}`;
}

async function exec(command: string, args: readonly string[]): Promise<string> {
  const running = run(command, [...args]);
  running.child.stdin?.end(); // s_client would wait for input
  return running.then(
    () => ACCEPTED,
    (error: unknown) => (error as { stderr: string }).stderr || String(error),
  );
}

/** The strict checks have been the default since Python 3.13. */
const PYTHON = `
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
with socket.create_connection(("127.0.0.1", int(sys.argv[3]))) as plain:
    with context.wrap_socket(plain, server_hostname=sys.argv[2]):
        pass
`;

async function connectByNode(authority: string, { host, port }: TlsTarget): Promise<string> {
  return new Promise((resolve) => {
    get({
      host: '127.0.0.1',
      port,
      agent: false,
      ca: readFileSync(authority),
      servername: isIP(host) === 0 ? host : '',
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    })
      .on('response', (answer) => {
        answer.resume();
        resolve(ACCEPTED);
      })
      .on('error', (error) => resolve(String(error)));
  });
}

/** Starts Java once for all targets, because a start takes a second. `keytool` makes the trust store, as people do. */
async function connectByJava(authority: string, targets: readonly TlsTarget[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-java-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const trusted = join(folder, 'trusted.p12');
  const program = join(folder, 'Connect.java');
  writeFileSync(program, JAVA);
  const importing = ['-importcert', '-noprompt', '-alias', 'counterfoil', '-file', authority];
  await run('keytool', [...importing, '-keystore', trusted, '-storetype', 'PKCS12', '-storepass', 'changeit']);
  const trust = [`-Djavax.net.ssl.trustStore=${trusted}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
  const { stdout } = await run('java', [
    ...trust,
    program,
    ...targets.flatMap(({ host, port }) => [host, String(port)]),
  ]);
  return stdout.trimEnd().split('\n');
}

/** Connects like Java's HttpsURLConnection, but to 127.0.0.1. */
const JAVA = `
import java.net.Socket;
import javax.net.ssl.*;

public class Connect {
  public static void main(String[] args) throws Exception {
    for (int i = 0; i < args.length; i += 2) {
      int port = Integer.parseInt(args[i + 1]);
      try (Socket plain = new Socket("127.0.0.1", port);
           SSLSocket socket = (SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket(plain, args[i], port, true)) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        System.out.println("${ACCEPTED}");
      } catch (java.io.IOException error) {
        System.out.println(error.toString().replace('\\n', ' '));
      }
    }
  }
}
`;
