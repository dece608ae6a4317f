// The desktop app, and the gateway that it runs.

import type { Sleep } from './machine.ts';

/** Whether tills send nothing now, and by their habits will not for the next hour. */
export interface QuietView {
  readonly isQuiet: boolean;
}

/** What the app tells its gateway; `start` comes first. */
export type DesktopMessage =
  /** `sealKey` is 32 bytes in Base64; null where the system has no keyring. */
  | { readonly kind: 'start'; readonly sealKey: string | null }
  | ({ readonly kind: 'slept' } & Sleep)
  /** The answer to a question; null for no proxy. */
  | { readonly kind: 'proxy'; readonly id: number; readonly proxy: string | null }
  /** It may listen on the network. */
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

/** What the gateway tells the app. */
export type GatewayMessage =
  /** The absolute path of its data directory, before it opens anything there. */
  | { readonly kind: 'data'; readonly path: string }
  /** Asks for the proxy on the way to an address. */
  | { readonly kind: 'proxy'; readonly id: number; readonly url: string }
  /** Asks, once, whether it may listen on the network: the app talks to the firewall first. */
  | { readonly kind: 'listen' }
  /** The one-time link that was asked for; it was made in memory, so that a full disk keeps nobody out. */
  | { readonly kind: 'link'; readonly id: number; readonly link: string }
  /** It cannot start. `message` is a sentence that says what to do. */
  | { readonly kind: 'failed'; readonly fault: StartFault; readonly message: string };
