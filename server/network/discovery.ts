// Announces the gateway's name in the local network by mDNS: counterfoil.local, and the service _counterfoil._tcp for programs.
// If another machine has this name, tries counterfoil-2.local, and so on. Announces only addresses at which the gateway
// listens, each on its own interface. A fault only changes the state, and never stops the gateway.

import { networkInterfaces } from 'node:os';

import type { AnnouncementState } from '../contract/network.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import { type Link, openLink } from './mdns-link.ts';
import { addressBytes } from './mdns-records.ts';

const DEFAULT_NAME = 'counterfoil.local';
const MDNS_PORT = 5353;
/** Pause before the next attempt after a fault. */
const RETRY_MS = 60_000;
/** Delay before a retry if another machine is asking for the same name at the same time. */
const CONTEST_PAUSE_MS = 1000;
/** Maximum number of names to try before a pause. Otherwise a machine that claims every name would keep the gateway busy. */
const MAX_NAMES = 20;
/** If no other machine uses the gateway's name for this time, the number of taken names is set back to 0. */
const UNDISPUTED_MS = 600_000;

export interface DiscoveryParts {
  /** The name to try first, such as the one that was used last. Default: counterfoil.local. */
  readonly name?: string;
  readonly port: number;
  /** The addresses at which the gateway listens for tills on other machines. */
  addresses(): readonly string[];
  readonly scheme: 'http' | 'https';
  readonly log: Log;
  /** Called after each change of the state. */
  readonly onChange?: (state: AnnouncementState) => void;
  readonly clock?: Clock;
  /** The UDP port of mDNS; only tests change it. */
  readonly mdnsPort?: number;
}

export interface Discovery {
  /** The present state. It is `off` until the first attempt to announce a name has succeeded or failed. */
  state(): AnnouncementState;
  /** Reads the addresses again. If they have changed, announces the new ones. */
  update(): void;
  /** Ends the announcement, and tells other machines that it has ended. It is safe to call this twice. */
  close(): Promise<void>;
}

/** Starts the announcement in the background. Never throws. */
export function openDiscovery({
  name = DEFAULT_NAME,
  port,
  addresses,
  scheme,
  log,
  onChange = () => {},
  clock = machineClock,
  mdnsPort = MDNS_PORT,
}: DiscoveryParts): Discovery {
  let state: AnnouncementState = { state: 'off' };
  const { base } = splitName(name);
  let { number } = splitName(name);
  /** The number of names in a row that other machines already used. */
  let taken = 0;
  let plan: readonly LinkPlan[] = [];
  let links: readonly OpenLink[] = [];
  /**
   * The addresses of the previous plan. A packet with one of these addresses may still arrive, and was also sent by this
   * gateway.
   */
  let formerOwn = new Set<string>();
  let isClosed = false;
  let round = new AbortController();
  /** This signal is aborted when the last interface has failed. Its reason is the error of that interface. */
  let loss = new AbortController();
  const ended = run();

  async function run(): Promise<void> {
    while (!isClosed) {
      round = new AbortController();
      loss = new AbortController();
      const { signal } = round;
      try {
        await openLinks();
        const host = await claimName(signal);
        if (host === undefined) continue;
        change({ state: 'on', name: host });
        const cancel = clock.after(UNDISPUTED_MS, () => (taken = 0));
        await untilAborted(AbortSignal.any([signal, loss.signal]));
        cancel();
        loss.signal.throwIfAborted();
      } catch (error) {
        if (signal.aborted) continue;
        if (change({ state: 'failed', detail: explain(error) }))
          log.warn({ err: error }, 'the name of the gateway is not announced by mDNS');
        await pause(RETRY_MS, signal);
      } finally {
        await closeLinks();
      }
    }
    state = { state: 'off' };
  }

  async function openLinks(): Promise<void> {
    const next = planLinks(addresses());
    formerOwn = ownAddresses(plan);
    plan = next;
    if (next.length === 0) throw new DiscoveryFault(NO_ADDRESS);
    const opened = await Promise.allSettled(next.map(open));
    links = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = opened.find((result) => result.status === 'rejected');
    if (links.length === 0) throw failed?.reason;
    if (failed !== undefined) log.warn({ err: failed.reason }, 'a network interface does not support mDNS');
  }

  async function open({ at, addresses: announced }: LinkPlan): Promise<OpenLink> {
    const link = await openLink({
      at,
      mdnsPort,
      clock,
      readOwn,
      onConflict,
      onFault: (error) => void drop(opened, error),
    });
    const opened = { link, addresses: announced };
    return opened;
  }

  /** Stops using a failed interface. The other interfaces continue. */
  async function drop(failed: OpenLink, error: unknown): Promise<void> {
    if (!links.includes(failed)) return;
    links = links.filter((link) => link !== failed);
    if (links.length === 0) loss.abort(error);
    else log.warn({ err: error }, 'a network interface does not support mDNS');
    await failed.link.close();
  }

  function onConflict(): void {
    if (state.state === 'on') log.warn({ name: state.name }, 'another machine uses the name of this gateway');
    round.abort(); // ends this round; the next one asks for the name again, as RFC 6762, section 9, requires
  }

  /** Finds and announces a free name, and returns it. Returns undefined if the round was aborted. */
  async function claimName(signal: AbortSignal): Promise<string | undefined> {
    while (taken < MAX_NAMES) {
      const host = joinName(base, number);
      const results = await onEachLink(async ({ link, addresses: own }) =>
        link.probe({ host, addresses: own, port, scheme }),
      );
      if (signal.aborted) return undefined;
      if (results.includes('taken')) {
        log.info({ name: host }, 'another machine has this name, so the next one is tried');
        number += 1;
        taken += 1;
      } else if (results.includes('contested')) {
        await pause(CONTEST_PAUSE_MS, signal);
        if (signal.aborted) return undefined;
      } else {
        await onEachLink(async ({ link, addresses: own }) => link.announce({ host, addresses: own, port, scheme }));
        return host;
      }
    }
    taken = 0;
    number = splitName(name).number;
    throw new DiscoveryFault(`Other machines use ${MAX_NAMES} names from ${joinName(base, number)} on. ${INSTEAD}`);
  }

  /** Does the work on each link, and stops using the links on which it fails. Rejects if no link is left. */
  async function onEachLink<Result>(work: (link: OpenLink) => Promise<Result>): Promise<readonly Result[]> {
    const done = await Promise.all(
      links.map((link) =>
        work(link).then(
          (result) => [result],
          async (error: unknown) => {
            await drop(link, error);
            return [];
          },
        ),
      ),
    );
    loss.signal.throwIfAborted();
    return done.flat();
  }

  /**
   * Returns a function that says whether an address belongs to this machine. The function reads the interfaces at most once,
   * because reading is slow, and a packet may have thousands of addresses.
   */
  function readOwn(): (address: string) => boolean {
    const planned = ownAddresses(plan).union(formerOwn);
    let all: ReadonlySet<string> | undefined;
    return (address) => {
      const bytes = addressBytes(address);
      return planned.has(bytes) || (all ??= machineAddresses()).has(bytes);
    };
  }

  async function closeLinks(): Promise<void> {
    const open = links;
    links = [];
    await Promise.all(open.map(({ link }) => link.close()));
  }

  /** Returns whether the state has changed. */
  function change(next: AnnouncementState): boolean {
    if (isClosed || JSON.stringify(next) === JSON.stringify(state)) return false;
    state = next;
    if (state.state === 'on') log.info({ name: state.name }, 'the name of the gateway is announced by mDNS');
    onChange(state);
    return true;
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const cancel = clock.after(ms, () => over.abort());
    await untilAborted(AbortSignal.any([signal, over.signal]));
    cancel();
  }

  return {
    state: () => state,
    update() {
      if (JSON.stringify(planLinks(addresses())) !== JSON.stringify(plan)) round.abort();
    },
    async close() {
      isClosed = true;
      round.abort();
      await ended;
    },
  };
}

/** What to announce on one interface. `at` is the interface's IPv4 address. */
interface LinkPlan {
  readonly at: string;
  readonly addresses: readonly string[];
}

interface OpenLink {
  readonly link: Link;
  readonly addresses: readonly string[];
}

/** A fault with a sentence for people. */
class DiscoveryFault extends Error {}

const INSTEAD = 'Tills can use an address of this machine instead of the name.';
const NO_ADDRESS =
  'This machine has no IPv4 address at which tills on other machines can reach it. Connect it to the network.';

/**
 * Groups the gateway's addresses by interface. Leaves out an interface without an IPv4 address, because mDNS questions arrive
 * by IPv4.
 */
function planLinks(listened: readonly string[]): readonly LinkPlan[] {
  const wanted = new Set(listened.map(addressBytes));
  return Object.values(networkInterfaces()).flatMap((list = []) => {
    const own = list.map(({ address }) => address).filter((address) => wanted.has(addressBytes(address)));
    const at = list.find(({ family }) => family === 'IPv4')?.address;
    const announced = own.filter((address) => !address.toLowerCase().startsWith('fe80:'));
    return at === undefined || announced.length === 0 ? [] : [{ at, addresses: announced }];
  });
}

function ownAddresses(plan: readonly LinkPlan[]): Set<string> {
  return new Set(plan.flatMap(({ addresses }) => addresses).map(addressBytes));
}

function machineAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => addressBytes(address))),
  );
}

/** Splits "counterfoil-2.local" into "counterfoil" and 2. A name without a number has the number 1. */
function splitName(name: string): { readonly base: string; readonly number: number } {
  const label = name.replace(/\.local\.?$/i, '');
  const [, base = label, digits = '1'] = /^(.+)-([2-9]|[1-9]\d{1,3})$/.exec(label) ?? [];
  return { base, number: Number(digits) };
}

function joinName(base: string, number: number): string {
  return number === 1 ? `${base}.local` : `${base}-${number}.local`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function explain(error: unknown): string {
  if (error instanceof DiscoveryFault) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return `Another program keeps UDP port 5353 for itself, so the name cannot be announced. Close that program. ${INSTEAD}`;
    case 'EACCES':
    case 'EPERM':
      return `The system refused UDP port 5353, so the name cannot be announced. Allow the port in its firewall. ${INSTEAD}`;
    default:
      return `The network does not support multicast, so the name cannot be announced (${code === '' ? String(error) : code}). ${INSTEAD}`;
  }
}
