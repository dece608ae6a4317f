// What the console's routes work with.

import type { Response } from 'express';

import type { Interface, Mode } from '../contract/codes.ts';
import type { UpstreamCheck } from '../contract/lanes.ts';
import type { HealthView } from '../contract/machine.ts';
import type { SettingView } from '../contract/setup.ts';
import { ConsoleError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Days } from '../reconcile/days.ts';
import type { Upstream } from '../store/outbox/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Attempts } from './attempts.ts';
import type { EntranceNotes } from './entrance-notes.ts';
import type { Links } from './link.ts';
import type { Live } from './live.ts';
import type { IsOwnName } from './origin.ts';
import type { Session, Sessions } from './session.ts';
import type { WaitingSamples } from './waiting-samples.ts';

/** What another part of the gateway does for the console. */
export interface UpstreamTools {
  /** Reads an upstream as it was filled in, or says what is wrong first. */
  read(input: {
    readonly url: string;
    readonly token: string;
    readonly mode: Mode;
    readonly interface: Interface;
    readonly plainHttp: boolean;
  }):
    | { readonly kind: 'fine'; readonly upstream: Upstream }
    | { readonly kind: 'faulty'; readonly field: 'url' | 'token'; readonly code: string; readonly detail: string };
  /** Says what is wrong when an address is this gateway itself. */
  findOwnAddressFault(url: string): Promise<string | undefined>;
  /** Tries it; never throws. */
  check(upstream: Upstream, by: Interface): Promise<UpstreamCheck>;
}

export interface ConsoleParts {
  readonly store: Store;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly notes: EntranceNotes;
  readonly links: Links;
  readonly live: Live;
  readonly samples: WaitingSamples;
  readonly upstreams: UpstreamTools;
  readonly days: Days;
  readonly scheme: 'http' | 'https';
  readonly isOwnName: IsOwnName;
  /** How the gateway and its machine are; at hand whatever the disk does. */
  readonly health: () => HealthView;
  /** Where tills send to; known once the gateway listens. */
  readonly apiUrl: () => string;
  readonly settings: readonly SettingView[];
  readonly dataDir: string;
  /** Of the pages as they were built. */
  readonly rendererFolder: string;
}

const SESSION = 'session';

/** The session of a call, which may not have been let in. */
export function findSessionOf(res: Response): Session | undefined {
  return res.locals[SESSION] as Session | undefined;
}

/** The session of a call that was let in. */
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
