// The gateway's own certificate: when it is replaced, and that no call fails during the replacement.

import { once } from 'node:events';
import { Agent, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';

import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openSecureServer } from '../../../server/http/secure-server.ts';
import { type AuthorityParts, openAuthority } from '../../../server/network/authority.ts';
import {
  type OwnCertificate,
  type OwnCertificateParts,
  openOwnCertificate,
} from '../../../server/network/own-certificate.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';
import { DAY, MINUTE, startVirtualTime, type VirtualTime } from '../../support/virtual-time.ts';

/** Longer than the interval at which the certificate is checked, but shorter than two intervals. */
const A_CHECK = 1.5 * MINUTE;

/** Sets the clock forward without running the checks in between, then waits until one check has ended. */
async function nextCheck(time: VirtualTime, forwardMs = 0): Promise<void> {
  time.setWallClock(time.now() + forwardMs);
  await time.pass(A_CHECK);
  await time.waitForTimers(1); // waits until the timer of the following check is set
}

interface Site {
  readonly own: OwnCertificate;
  readonly time: VirtualTime;
  readonly lines: string[];
  /** What the next check finds. */
  readonly now: { hosts: readonly string[]; baseDomain: string; isClockRight: boolean; fault: Error | undefined };
  /** Fingerprints given to the server. */
  readonly served: string[];
}

async function openSite(time = startVirtualTime(), parts: Partial<AuthorityParts> = {}): Promise<Site> {
  const dataDir = temporaryFolder();
  const { network } = await openTemporaryStore({ dataDir, now: time.now });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const now: Site['now'] = { hosts: ['counterfoil.local'], baseDomain: '', isClockRight: true, fault: undefined };
  const isClockRight = (): boolean => now.isClockRight;
  const authority: OwnCertificateParts['authority'] = async () => {
    if (now.fault !== undefined) throw now.fault;
    const { baseDomain } = now;
    const given = { network, dataDir, hosts: ['till-pc'], baseDomain, actor: 'gateway', log, builtAt: 0, ...parts };
    return openAuthority({ ...given, now: time.now(), isClockRight: isClockRight() });
  };
  const own = await openOwnCertificate({
    authority: async () => time.track(authority()),
    listHosts: () => now.hosts,
    clock: time,
    isClockRight,
    log,
  });
  onTestFinished(() => own.close());
  const served: string[] = [];
  own.onReplaced(({ fingerprint }) => {
    expect(own.inUse().fingerprint).toBe(fingerprint);
    served.push(fingerprint);
  });
  return { own, time, lines, now, served };
}

describe('the certificate', () => {
  test('is renewed 30 days before its end, and not earlier', async () => {
    const { own, time, served } = await openSite();
    const first = own.inUse();
    await nextCheck(time, 60 * DAY - 2 * A_CHECK);
    expect(own.inUse()).toBe(first);
    await nextCheck(time, A_CHECK);
    const second = own.inUse();
    expect(served).toEqual([second.fingerprint]);
    expect(second.expiresAt.getTime() - time.now()).toBeGreaterThan(89 * DAY);
    for (let days = 0; days < 300; days += 10) await nextCheck(time, 10 * DAY);
    expect(served).toHaveLength(1 + 5);
  });

  test('is made again when the hosts change, at once after `refresh` and else at the next check', async () => {
    const { own, time, now, served } = await openSite();
    await own.refresh();
    expect(served).toEqual([]);
    now.hosts = ['counterfoil-2.local', '192.168.1.20', '8.8.8.8'];
    await own.refresh();
    expect(own.leaf().names).toEqual(['counterfoil-2.local', '192.168.1.20', 'localhost', '127.0.0.1', '::1']);
    expect(own.leaf().leftOut).toEqual(['8.8.8.8']);
    now.hosts = ['192.168.1.21'];
    await nextCheck(time);
    expect(own.leaf().names).toContain('192.168.1.21');
    expect(served).toHaveLength(2);
  });

  test('is made again when the authority changes', async () => {
    const { own, now, served } = await openSite();
    const before = own.authority();
    now.baseDomain = 'gateway.example.com';
    now.hosts = ['*.7.gateway.example.com'];
    await own.refresh();
    expect(own.authority().fingerprint).not.toBe(before.fingerprint);
    expect(own.leaf().names).toContain('*.7.gateway.example.com');
    expect(served).toEqual([own.inUse().fingerprint]);
  });

  test('follows the last of several calls of `refresh` at the same time', async () => {
    const { own, now, served } = await openSite();
    const calls = ['a.local', 'b.local', 'c.local'].map(async (host) => {
      now.hosts = [host];
      await own.refresh();
    });
    await Promise.all(calls);
    expect(own.leaf().names[0]).toBe('c.local');
    expect(served.length).toBeLessThanOrEqual(2);
  });

  test('stays in use when a renewal fails, which is logged once', async () => {
    const { own, time, now, lines, served } = await openSite();
    now.fault = new Error('the disk is full');
    await expect(own.refresh()).rejects.toThrow('the disk is full');
    for (let checks = 0; checks < 10; checks += 1) await nextCheck(time);
    expect(lines.filter((line) => line.includes('cannot renew the certificate'))).toHaveLength(1);
    expect(served).toEqual([]);
    now.fault = undefined;
    now.hosts = ['b.local'];
    await nextCheck(time);
    expect(own.leaf().names[0]).toBe('b.local');
  });

  test('is not made again after `close`', async () => {
    const { own, time, now, served } = await openSite();
    now.hosts = ['b.local'];
    const underway = own.refresh();
    own.close();
    await underway;
    await time.pass(A_CHECK);
    expect(served).toEqual([]);
    expect(time.countTimers()).toBe(0);
  });
});

describe('a wrong clock', () => {
  test('makes a certificate that lasts longer, until the clock is right', async () => {
    const time = startVirtualTime(1000);
    const built = Date.UTC(2026, 10, 22);
    const { own, now, served } = await openSite(time, { builtAt: built });
    now.isClockRight = false;
    await own.refresh();
    const [first, authority] = [own.inUse(), own.authority()];
    expect(first.validFrom.getTime()).toBe(built - DAY);
    expect(first.expiresAt.getTime()).toBe(built + 820 * DAY);
    await nextCheck(time, 100 * DAY);
    time.setWallClock(built + 200 * DAY);
    now.isClockRight = true;
    await nextCheck(time);
    expect(own.authority().fingerprint).toBe(authority.fingerprint);
    expect(own.inUse().expiresAt.getTime()).toBeGreaterThan(time.now() + 80 * DAY);
    expect(served.length).toBeLessThanOrEqual(2);
  });

  test('that was ahead makes neither the authority nor the certificate useless', async () => {
    const time = startVirtualTime(Date.UTC(2044, 0, 1));
    const { own, now } = await openSite(time);
    const ahead = own.authority();
    time.setWallClock(Date.UTC(2027, 0, 1));
    now.isClockRight = false; // it is not yet known which of the two times is right
    await nextCheck(time);
    expect(own.authority().fingerprint).toBe(ahead.fingerprint);
    now.isClockRight = true;
    await nextCheck(time);
    expect(own.authority().fingerprint).not.toBe(ahead.fingerprint);
    expect(own.inUse().validFrom.getTime()).toBeLessThan(time.now());
    expect(own.inUse().expiresAt.getTime()).toBeLessThan(time.now() + 91 * DAY);
  });
});

describe('a server', () => {
  /** Serves the certificate, and counts connections. The clients check dates by the real clock. */
  async function serve(own: OwnCertificate): Promise<{ port: number; faults: string[] }> {
    const faults: string[] = [];
    const { server } = openSecureServer({}, own, (code, socket, detail) => {
      faults.push(`${code}: ${detail}`);
      socket.destroy();
    });
    server.on('request', (_, answer) => answer.end('ok'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, faults };
  }

  /** Calls once, and returns the fingerprint of the certificate. */
  async function call(own: OwnCertificate, port: number, agent: Agent | false): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { host: 'localhost', port, agent, ca: own.authority().certificate, family: 4 };
      get(options, (answer) => {
        const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate() as DetailedPeerCertificate;
        answer
          .resume()
          .on('end', () => resolve(fingerprint256))
          .on('error', reject);
      }).on('error', reject);
    });
  }

  test('presents the renewed certificate, and no call fails meanwhile', async () => {
    const time = startVirtualTime(Date.now() - 60 * DAY);
    const { own } = await openSite(time);
    const { port, faults } = await serve(own);
    const first = own.inUse().fingerprint;
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    let isOver = false;
    const seenBy = async (agent: Agent | false): Promise<Set<string>> => {
      const seen = new Set<string>();
      do seen.add(await call(own, port, agent));
      while (!isOver);
      return seen;
    };
    const load = [...agents, false as const, false as const].map(seenBy);
    await Promise.all(agents.map(async (agent) => call(own, port, agent)));
    await nextCheck(time, 60 * DAY); // now it is 30 days before the certificate ends
    const second = own.inUse().fingerprint;
    expect(second).not.toBe(first);
    await Promise.all([false as const, ...agents].map(async (agent) => call(own, port, agent)));
    isOver = true;
    const seen = await Promise.all(load);
    expect(seen.slice(0, agents.length)).toEqual(agents.map(() => new Set([first]))); // kept their connections
    for (const each of seen.slice(agents.length)) expect([...each]).toEqual([first, second]);
    expect(await call(own, port, false)).toBe(second);
    expect(faults).toEqual([]);
    for (const agent of agents) agent.destroy();
  });

  test.each([
    ['TLSv1', 'refused'],
    ['TLSv1.1', 'refused'],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const)('answers %s with %s', async (version, result) => {
    const { own } = await openSite(startVirtualTime(Date.now()));
    const { port, faults } = await serve(own);
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: own.authority().certificate,
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT@SECLEVEL=0', // otherwise the client would refuse old TLS versions before the server does
    });
    const reached = await new Promise<string>((resolve) => {
      socket.once('secureConnect', () => resolve(socket.getProtocol() ?? ''));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    socket.destroy();
    expect(reached).toMatch(result === 'refused' ? /ALERT_PROTOCOL_VERSION/ : result);
    expect(faults).toEqual(result === 'refused' ? [expect.stringContaining('does not support TLS 1.2 or newer')] : []);
  });
});
