// Decides what is open to other machines. A start setting always decides. Where there is none, people choose in the console or
// by command. Pure.

import type { Config } from '../config.ts';
import type { NetworkInterface, NetworkSettings } from '../contract/network.ts';
import { isLoopback } from '../lib/host.ts';
import type { OwnInterface } from './addresses.ts';

/** What the start settings decide. People cannot change it while the gateway runs. */
export interface FixedOpening {
  /** The names of the start settings that override people's choices. */
  readonly by: readonly string[];
  readonly isTillsOpen: boolean;
  readonly isConsoleOpen: boolean;
  /** Whether the gateway uses only HTTP. It does so if something else, such as a proxy, protects the connections of tills. */
  readonly isPlainOnly: boolean;
}

export function readFixedOpening(config: Config): FixedOpening {
  const { settings = [], host, consoleHost, tls, allowsPlainHttp } = config;
  const given = new Set(settings.filter(({ source }) => source !== 'default').map(({ name }) => name));
  const isTillsOpen = !isLoopback(host);
  const isConsoleOpen = !isLoopback(consoleHost);
  return {
    by: [
      ...(given.has('host') || isTillsOpen ? ['host'] : []),
      ...(given.has('consoleHost') || isConsoleOpen ? ['consoleHost'] : []),
    ],
    isTillsOpen,
    isConsoleOpen,
    isPlainOnly: isTillsOpen && tls === undefined && allowsPlainHttp === true,
  };
}

export interface Opening {
  readonly interfaces: readonly NetworkInterface[];
  /** The addresses to open in addition to the one from the start settings. */
  readonly hosts: readonly string[];
  /** Whether people chose to open the console at these addresses, in addition to the port for tills. */
  readonly wantsConsole: boolean;
  /** Whether other machines may use plain HTTP at these addresses. */
  readonly allowsPlainHttp: boolean;
  /** Whether tills or browsers on other machines need HTTPS. */
  readonly needsHttps: boolean;
}

export function decideOpening(
  settings: NetworkSettings,
  fixed: FixedOpening,
  interfaces: readonly OwnInterface[],
): Opening {
  const isTillsFixed = fixed.by.includes('host');
  const isOpen = settings.isOpen && !isTillsFixed;
  const chosen = isTillsFixed ? null : settings.interfaces;
  const used = interfaces.filter(({ name, isVirtual }) => chosen?.includes(name) ?? !isVirtual);
  return {
    interfaces: interfaces.map((each) => ({
      ...each,
      isUsed: fixed.isTillsOpen || (isOpen && used.includes(each)),
    })),
    hosts: isOpen ? used.flatMap(({ addresses }) => addresses) : [],
    wantsConsole: isOpen && settings.isConsoleOpen && !fixed.by.includes('consoleHost'),
    allowsPlainHttp: isOpen && settings.allowsPlainHttp,
    needsHttps: isOpen || (fixed.isTillsOpen && !fixed.isPlainOnly) || fixed.isConsoleOpen,
  };
}
