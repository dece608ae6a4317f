// The certificate that the gateway's own authority issues for all names and addresses of this machine. It is never stored: a
// new one is made at each start and after each change of the hosts. A server uses it for new connections; running calls
// continue.

import type { ServedCertificate } from '../http/certificate.ts';
import type { SharedCertificate } from '../http/secure-server.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import { type Authority, type Leaf, RENEWAL_MS } from './authority.ts';

/** Polling interval for dates, hosts and the authority. It is short, so that a corrected clock is noticed soon. */
const CHECK_MS = 60_000;

export interface OwnCertificate extends SharedCertificate {
  /** The authority that issued the certificate in use. */
  authority(): Authority;
  /** The certificate in use. Also says which names it contains and which hosts are left out. */
  leaf(): Leaf;
  /**
   * Makes a new certificate if the hosts or the authority have changed, or if the present one expires soon. If that fails,
   * rejects, and the present certificate stays in use. Calls at the same time share the work.
   */
  refresh(): Promise<void>;
}

export interface OwnCertificateParts {
  /** Returns the authority to use. It may make a new one. */
  readonly authority: () => Promise<Authority>;
  /** Returns the names and addresses of this machine, in the order for the certificate. The mDNS name comes first. */
  readonly listHosts: () => readonly string[] | Promise<readonly string[]>;
  readonly clock: Clock;
  /** Whether the machine's clock is known to be right. */
  readonly isClockRight?: () => boolean;
  readonly log: Log;
}

/** The certificate in use, and the data that it was made from. */
interface InUse {
  readonly authority: Authority;
  readonly leaf: Leaf;
  readonly served: ServedCertificate;
  readonly wanted: string;
  readonly isClockRight: boolean;
}

/** Opens the module and makes the first certificate. Rejects if that fails. */
export async function openOwnCertificate(parts: OwnCertificateParts): Promise<OwnCertificate> {
  const { clock, log } = parts;
  const listeners: ((certificate: ServedCertificate) => void)[] = [];
  let inUse = await make(parts, undefined);
  let renewal: Promise<void> | undefined;
  let isAskedAgain = false;
  let lastFault: string | undefined;
  let isClosed = false;

  async function renew(): Promise<void> {
    do {
      isAskedAgain = false;
      const next = await make(parts, inUse);
      if (next === inUse || isClosed) continue;
      inUse = next; // must be set before the listeners are called, because they read it
      for (const listener of listeners) listener(next.served);
      const { names, leftOut, fingerprint, expiresAt } = next.leaf;
      log.info(
        { names, left_out: leftOut, fingerprint, expires_at: new Date(expiresAt) },
        'a new certificate is in use',
      );
    } while (isAskedAgain && !isClosed);
  }

  async function refresh(): Promise<void> {
    isAskedAgain = true;
    renewal ??= renew().finally(() => (renewal = undefined));
    return renewal;
  }

  function check(): void {
    refresh()
      .then(
        () => (lastFault = undefined),
        (error: unknown) => {
          if (String(error) !== lastFault)
            log.error({ err: error }, 'cannot renew the certificate; the old one stays in use');
          lastFault = String(error);
        },
      )
      .finally(() => {
        if (!isClosed) cancel = clock.after(CHECK_MS, check);
      });
  }

  let cancel = clock.after(CHECK_MS, check);
  return {
    inUse: () => inUse.served,
    onReplaced: (listener) => void listeners.push(listener),
    authority: () => inUse.authority,
    leaf: () => inUse.leaf,
    refresh,
    close() {
      isClosed = true;
      cancel();
    },
  };
}

/** Makes a certificate. If `present` can stay in use, returns `present` instead. */
async function make(
  { authority: openAuthority, listHosts, clock, isClockRight: askClock = () => true }: OwnCertificateParts,
  present: InUse | undefined,
): Promise<InUse> {
  const authority = await openAuthority();
  const hosts = await listHosts();
  const wanted = [authority.fingerprint, ...hosts].join(' ');
  const now = clock.now();
  const isClockRight = askClock();
  if (present?.wanted === wanted && isGoodAt(present, now, isClockRight)) return present;
  const leaf = await authority.issue(hosts, now, isClockRight);
  const served = {
    cert: Buffer.from(leaf.cert),
    key: Buffer.from(leaf.key),
    validFrom: new Date(leaf.validFrom),
    expiresAt: new Date(leaf.expiresAt),
    fingerprint: leaf.fingerprint,
  };
  return { authority, leaf, served, wanted, isClockRight };
}

function isGoodAt({ leaf, isClockRight: wasClockRight }: InUse, now: number, isClockRight: boolean): boolean {
  if (leaf.expiresAt - now <= RENEWAL_MS) return false;
  // With a wrong clock, it cannot be checked whether the certificate is already valid.
  return !isClockRight || (wasClockRight && leaf.validFrom <= now);
}
