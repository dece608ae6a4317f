// The dependencies of the console's routes, and the session of a call.

import type { Response } from 'express';

import type { Alerter } from '../alert/alerter.ts';
import type { Backups } from '../backups.ts';
import type { Certify } from '../certify/certify.ts';
import type { Interface, Mode } from '../contract/codes.ts';
import type { UpstreamCheck } from '../contract/lanes.ts';
import type { HealthView } from '../contract/machine.ts';
import type { NetworkTestView, NetworkView } from '../contract/network.ts';
import type { SettingView } from '../contract/setup.ts';
import { ConsoleError } from '../errors.ts';
import type { MetricsAccess } from '../http/metrics-access.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Days } from '../reconcile/days.ts';
import type { Restores } from '../restores.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Todo } from '../todo/todo.ts';
import type { Attempts } from './attempts.ts';
import type { EntranceNotes } from './entrance-notes.ts';
import type { Links } from './link.ts';
import type { Live } from './live.ts';
import type { IsOwnName } from './origin.ts';
import type { PasswordLinks } from './password-link.ts';
import type { TokenSignals } from './read-tokens.ts';
import type { Session, Sessions } from './session.ts';
import type { WaitingSamples } from './waiting-samples.ts';

/** Functions of the forwarder that the console uses. */
export interface UpstreamTools {
  /** Parses the input of the upstream form. Returns the upstream, or the first fault. */
  read(input: {
    readonly url: string;
    readonly token: string;
    readonly mode: Mode;
    readonly interface: Interface;
    readonly plainHttp: boolean;
  }):
    | { readonly kind: 'fine'; readonly upstream: Upstream }
    | { readonly kind: 'faulty'; readonly field: 'url' | 'token'; readonly code: string; readonly detail: string };
  /** Resolves to a sentence about the fault if the address is this gateway itself. Otherwise resolves to undefined. */
  findOwnAddressFault(url: string): Promise<string | undefined>;
  /** Tests the connection to an upstream. Never rejects. */
  check(upstream: Upstream, by: Interface): Promise<UpstreamCheck>;
}

/** Functions of the network part that the console uses. */
export interface NetworkTools {
  /** The present state. */
  view(): NetworkView;
  /** Resolves when the present settings are applied. The system may first ask a person about the firewall. */
  settle(): Promise<void>;
  /** Connects to every address as an outside till does. */
  test(): Promise<readonly NetworkTestView[]>;
}

export interface ConsoleParts {
  readonly store: Store;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether another machine may read the metrics. */
  readonly mayReadMetrics: MetricsAccess;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly notes: EntranceNotes;
  readonly links: Links;
  readonly passwordLinks: PasswordLinks;
  readonly tokenSignals: TokenSignals;
  readonly live: Live;
  readonly samples: WaitingSamples;
  readonly upstreams: UpstreamTools;
  readonly days: Days;
  readonly network: NetworkTools;
  readonly certify: Certify;
  readonly backups: Pick<Backups, 'state' | 'backUpNow'>;
  readonly restores: Restores;
  readonly alerter: Pick<Alerter, 'view' | 'test'>;
  readonly todo: Pick<Todo, 'list' | 'mark' | 'reopen' | 'noteSeen'>;
  readonly scheme: 'http' | 'https';
  readonly isOwnName: IsOwnName;
  /** Returns the health of the gateway and its machine. Works even if the disk fails. */
  readonly health: () => HealthView;
  /** The address for tills. It is known only after the gateway has begun to listen. */
  readonly apiUrl: () => string;
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** The folder of the built pages. */
  readonly rendererFolder: string;
}

const SESSION = 'session';

/** The session of a call, if it has one. */
export function findSessionOf(res: Response): Session | undefined {
  return res.locals[SESSION] as Session | undefined;
}

/** The session of a call that has passed the session check. */
export function sessionOf(res: Response): Session {
  return res.locals[SESSION] as Session;
}

/** Throws `manager_required` unless a manager makes the call. */
export function assertManager(res: Response): void {
  if (sessionOf(res).role === 'manager') return;
  throw new ConsoleError('manager_required', { detail: 'You can view everything. Only a manager can make changes.' });
}

export function letIn(res: Response, session: Session): void {
  res.locals[SESSION] = session;
}
