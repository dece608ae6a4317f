// Connects to the gateway as a till on another machine would. Tests in this order: the name, the connection, the certificate,
// the name in the certificate, its dates, and the answer. The firewall of this machine does not filter calls of this machine.
// So a success does not prove that the firewall lets tills connect.

import { X509Certificate } from 'node:crypto';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { isIP, connect as openSocket, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as openTls, getCACertificates, rootCertificates, type TLSSocket } from 'node:tls';

import type { NetworkTestStep, NetworkTestView, NetworkView } from '../contract/network.ts';
import { hostOfUrl, isLoopback } from '../lib/host.ts';
import type { Resolve } from '../lib/own-address.ts';
import { TimeoutError, withinTime } from '../lib/time-out.ts';
import { judgeCertificate } from './seen-certificate.ts';

const STEP_TIMEOUT_MS = 3000;
/** Maximum bytes of an answer. The gateway's answer has only 15 bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface OutsideTestOptions {
  /**
   * The shop's own certificate file (PEM). The test trusts self-signed certificates in it, because tills must trust them too.
   */
  readonly shopFile?: string | undefined;
  readonly resolve?: Resolve;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly stepTimeoutMs?: number;
}

/**
 * Tests base addresses, such as https://192.168.1.20:7410, in parallel. Returns the results in the order of `addresses`.
 * `authority` is the only trusted certificate (PEM). If it is undefined, the test trusts this machine's root certificates and
 * `shopFile`. Never rejects.
 */
export async function testNetwork(
  addresses: readonly string[],
  authority: string | undefined,
  { shopFile, resolve = resolveOutside, now = Date.now, stepTimeoutMs = STEP_TIMEOUT_MS }: OutsideTestOptions = {},
): Promise<NetworkTestView[]> {
  const trust = { authority, ca: authority === undefined ? [...machineRoots(), ...selfSigned(shopFile)] : authority };
  return Promise.all(
    addresses.map(async (address) => {
      try {
        await testAddress(targetOf(address, stepTimeoutMs), trust, resolve, now());
        return { address, fault: null };
      } catch (error) {
        if (error instanceof Fault) return { address, fault: { step: error.step, detail: error.message } };
        const detail = `The test of ${address} failed: ${reasonOf(error)}. Test again.`;
        return { address, fault: { step: 'answer', detail } };
      }
    }),
  );
}

/** The addresses to test: all addresses for tills, and one with the name announced by mDNS. */
export function listTestAddresses({ addresses, announcement }: NetworkView): string[] {
  const [first] = addresses;
  if (first === undefined || announcement.state !== 'on') return [...addresses];
  const named = new URL(first);
  named.hostname = announcement.name;
  return [...new Set([...addresses, named.origin])];
}

/** The failure of a test step. Its message is for people. */
class Fault extends Error {
  readonly step: NetworkTestStep;

  constructor(step: NetworkTestStep, detail: string) {
    super(detail);
    this.step = step;
  }
}

interface Target {
  readonly isHttps: boolean;
  /** The host; an IPv6 address has no brackets here. */
  readonly host: string;
  readonly port: number;
  /** The host and port as a URL contains them. */
  readonly place: string;
  readonly stepTimeoutMs: number;
}

interface Trust {
  readonly authority: string | undefined;
  readonly ca: string | string[];
}

function targetOf(address: string, stepTimeoutMs: number): Target {
  const { protocol, hostname } = new URL(address);
  const port = portOfUrl(address);
  const place = `${hostname}:${port}`;
  return { isHttps: protocol === 'https:', host: hostOfUrl(address), port, place, stepTimeoutMs };
}

/** Returns the port of a URL. Without an explicit port, returns the default port of the protocol. */
export function portOfUrl(address: string): number {
  const { port, protocol } = new URL(address);
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

async function testAddress(target: Target, trust: Trust, resolve: Resolve, now: number): Promise<void> {
  const ip = await resolveHost(target, resolve);
  const socket = await connectTo(target, ip);
  try {
    if (!target.isHttps) return await askHealth(target, socket);
    const secured = await secure(target, socket, trust.ca);
    checkCertificate(target, secured, trust, now);
    await askHealth(target, secured);
  } finally {
    socket.destroy();
  }
}

/** Returns an address for the host name. Skips loopback addresses: on a till, they would mean the till itself. */
async function resolveHost({ host, stepTimeoutMs }: Target, resolve: Resolve): Promise<string> {
  if (isIP(host) !== 0) return host;
  const found = await withinTime(resolve(host), stepTimeoutMs).catch((error: unknown) => {
    throw new Fault(
      'resolve',
      error instanceof TimeoutError ? slowNameSentence(host, stepTimeoutMs) : unknownNameSentence(host),
    );
  });
  const [first] = found;
  const outside = found.find((address) => !isLoopback(address));
  if (first === undefined) throw new Fault('resolve', unknownNameSentence(host));
  if (outside === undefined)
    throw new Fault(
      'resolve',
      `The name ${host} leads only to ${first}, which is each machine itself. Add its address to the DNS of your network, or give tills an address with numbers.`,
    );
  return outside;
}

function unknownNameSentence(host: string): string {
  return host.endsWith('.local')
    ? `The name ${host} is not found from here. Perhaps this machine cannot look up names by mDNS: try the name on a till. Otherwise give tills an address with numbers.`
    : `The name ${host} is not found. Add it to the DNS of your network, or give tills an address with numbers.`;
}

function slowNameSentence(host: string, ms: number): string {
  return `Nothing answered within ${secondsOf(ms)} which address ${host} has. Check the DNS of your network, or give tills an address with numbers.`;
}

async function connectTo({ place, port, stepTimeoutMs }: Target, ip: string): Promise<Socket> {
  const socket = openSocket({ host: ip, port });
  socket.on('error', () => {}); // errors are ignored here, because the running step reports them
  try {
    await withinTime(once(socket, 'connect'), stepTimeoutMs);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof TimeoutError)
      throw new Fault(
        'connect',
        `${place} does not answer within ${secondsOf(stepTimeoutMs)}. A firewall probably blocks it. ${firewallSentence(port)}`,
      );
    throw new Fault('connect', connectSentence(place, port, codeOf(error)));
  }
}

function connectSentence(place: string, port: number, code: string | undefined): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `No program listens at ${place}. Check that the gateway runs and that the network is open.`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'ETIMEDOUT':
      return `${place} cannot be reached (${code}). Check the cable or Wi-Fi of this machine, then its firewall. ${firewallSentence(port)}`;
    case 'EACCES':
    case 'EPERM':
      return `This machine does not allow connections to ${place} (${code}). ${firewallSentence(port)}`;
    default:
      return `${place} does not accept the connection (${code ?? 'no reason given'}). Check that the gateway runs, then the firewall. ${firewallSentence(port)}`;
  }
}

/** A sentence that says how to open a port in this system's firewall. */
export function firewallSentence(port: number, platform: NodeJS.Platform = process.platform): string {
  switch (platform) {
    case 'win32':
      return `Allow the port as administrator: netsh advfirewall firewall add rule name=Counterfoil dir=in action=allow protocol=TCP localport=${port}`;
    case 'darwin':
      return 'Allow incoming connections for Counterfoil in System Settings, Network, Firewall.';
    default:
      return `Allow the port: sudo ufw allow ${port}/tcp, or sudo firewall-cmd --permanent --add-port=${port}/tcp && sudo firewall-cmd --reload`;
  }
}

/**
 * Completes the TLS handshake even with a bad certificate, because the later steps check the certificate and report each fault.
 */
async function secure({ host, place, stepTimeoutMs }: Target, socket: Socket, ca: Trust['ca']): Promise<TLSSocket> {
  const secured = openTls({
    socket,
    ca,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined, // with this check, a wrong name would hide that the certificate has expired
    ...(isIP(host) === 0 && { servername: host }),
  });
  secured.on('error', () => {});
  try {
    await withinTime(once(secured, 'secureConnect'), stepTimeoutMs);
    return secured;
  } catch (error) {
    const how = error instanceof TimeoutError ? `not within ${secondsOf(stepTimeoutMs)}` : reasonOf(error);
    throw new Fault(
      'certificate',
      `The program at ${place} does not answer by HTTPS (${how}). Perhaps it is not the gateway: stop that program, or give the gateway another port with --port.`,
    );
  }
}

function checkCertificate({ host, place }: Target, secured: TLSSocket, { authority }: Trust, now: number): void {
  const certificate = secured.getPeerX509Certificate();
  if (certificate === undefined) throw new Fault('certificate', `${place} has no certificate. Restart the gateway.`);
  const error = secured.authorizationError as unknown as string | Error | null;
  const chainFault = error instanceof Error ? codeOf(error) : error;
  const fault = judgeCertificate({ certificate, chainFault, host, place }, authority, now);
  if (fault !== undefined) throw new Fault(fault.step, fault.detail);
}

async function askHealth({ isHttps, place, stepTimeoutMs }: Target, socket: Socket): Promise<void> {
  const asked = request({ method: 'GET', path: '/healthz', headers: { host: place }, createConnection: () => socket });
  asked.on('error', () => {});
  const elsewhere = 'Perhaps another program uses this port: stop it, or give the gateway another port with --port.';
  const answer = (async () => {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      if ((size += piece.length) > MAX_ANSWER_BYTES) response.destroy(new Error('it is too long'));
    });
    return { status: response.statusCode, body: await text(response) };
  })();
  asked.end();
  const { status, body } = await withinTime(answer, stepTimeoutMs).catch((error: unknown) => {
    const how = error instanceof TimeoutError ? `within ${secondsOf(stepTimeoutMs)}` : `(${reasonOf(error)})`;
    throw new Fault('answer', `${place} accepts connections, but gives no answer ${how}. ${elsewhere}`);
  });
  if (!isHttps && body.includes('"https_required"'))
    throw new Fault('answer', `${place} refuses HTTP from other machines. Give tills an address with https.`);
  if (status !== 200 || body !== '{"status":"ok"}')
    throw new Fault('answer', `${place} does not answer as a gateway does (status ${status}). ${elsewhere}`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error));
}

function secondsOf(ms: number): string {
  const seconds = ms / 1000;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** The root certificates that programs on this machine trust. */
function machineRoots(): string[] {
  return [...rootCertificates, ...getCACertificates('system'), ...getCACertificates('extra')];
}

/** Returns the self-signed certificates of a PEM file. Skips blocks that are not a valid certificate. */
function selfSigned(file = ''): string[] {
  const blocks = file.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => {
    try {
      const certificate = new X509Certificate(block);
      return certificate.checkIssued(certificate);
    } catch {
      return false;
    }
  });
}

/** Looks up a name as another machine would. If this machine's hosts file gives only a loopback address, asks DNS instead. */
async function resolveOutside(name: string): Promise<readonly string[]> {
  const here = (await lookup(name, { all: true })).map(({ address }) => address);
  if (here.some((address) => !isLoopback(address))) return here;
  const inDns = await new Resolver({ timeout: STEP_TIMEOUT_MS / 2, tries: 1 }).resolve4(name).catch(() => []);
  return inDns.length > 0 ? inDns : here;
}
