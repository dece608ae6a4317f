// The messages between the desktop app and the gateway that it runs.

import type { Sleep } from './machine.ts';

/**
 * Whether no till sends now, and probably none will send in the next hour. The gateway estimates this from the habits of the
 * tills.
 */
export interface QuietView {
  readonly isQuiet: boolean;
}

/** Messages from the app to its gateway; `start` is the first. */
export type DesktopMessage =
  /** `sealKey` is 32 bytes in Base64; null where the system has no keyring. */
  | { readonly kind: 'start'; readonly sealKey: string | null }
  | ({ readonly kind: 'slept' } & Sleep)
  /** Answers the gateway's `proxy` message that has the same `id`. If `proxy` is null, the gateway connects without a proxy. */
  | { readonly kind: 'proxy'; readonly id: number; readonly proxy: string | null }
  /** Allows the gateway to listen on the network. */
  | { readonly kind: 'listen' }
  /** Asks for a one-time link into the console. */
  | { readonly kind: 'link'; readonly id: number }
  | { readonly kind: 'stop' };

/** Why a gateway cannot start. */
export const START_FAULTS = [
  'port_used',
  'data_in_use',
  'data_damaged',
  'data_foreign',
  'data_newer',
  'disk_full',
  'data_unwritable',
  'settings_wrong',
  'other',
] as const;

export type StartFault = (typeof START_FAULTS)[number];

/** Messages from the gateway to the app. */
export type GatewayMessage =
  /** The absolute path of the data directory. It is sent before the gateway opens a file in this directory. */
  | { readonly kind: 'data'; readonly path: string }
  /** Asks the app which proxy to use for an address. */
  | { readonly kind: 'proxy'; readonly id: number; readonly url: string }
  /**
   * Asks for permission to listen on the network. It is sent only once. Before the app answers, it may ask the person about the
   * firewall.
   */
  | { readonly kind: 'listen' }
  /** The answer to a `link` message of the app. The link is kept in memory, so it works even if the disk is full. */
  | { readonly kind: 'link'; readonly id: number; readonly link: string }
  /** The gateway cannot start. `message` says what to do. */
  | { readonly kind: 'failed'; readonly fault: StartFault; readonly message: string };
