// Writes sign-ins, sign-outs and refusals into the log of acts. If writing fails, people can still sign in. If a person at one
// address gets the same refusal several times, it is logged once in 15 minutes. For one person, at most 100 refusals are logged
// in an hour. All people without a session count as one person, so their refusals never crowd out those of a signed-in person.

import type { NotedAct } from '../contract/acts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import type { SetupLedger } from '../store/setup/ledger.ts';

const SAME_REFUSAL_MS = 15 * 60_000;
const REFUSALS_WITHIN_MS = 60 * 60_000;
/** Maximum refusals of one actor in the log within REFUSALS_WITHIN_MS. */
const MAX_REFUSALS = 100;
const MAX_PATH_LENGTH = 100;

export type EntranceAct =
  | { readonly kind: 'sign in'; readonly by: 'link' | 'password' }
  | { readonly kind: 'sign out' | 'sign out everywhere' };

export type EntranceRefusal =
  | { readonly kind: 'refuse link' | 'refuse sign-in' }
  | Omit<Extract<NotedAct, { readonly kind: 'refuse call' }>, 'address'>;

export interface EntranceNotes {
  note(act: EntranceAct, actor: string, address: string): void;
  refused(refusal: EntranceRefusal, actor: string, address: string): void;
}

export function openEntranceNotes(setup: Pick<SetupLedger, 'noteAct'>, clock: Clock, log: Log): EntranceNotes {
  /** The refusals that were logged in the last hour, oldest first. */
  const noted: { readonly actor: string; readonly of: string; readonly at: number }[] = [];

  function write(act: NotedAct, actor: string): void {
    setup
      .noteAct({ act }, actor)
      .catch((err: unknown) => log.warn({ err, act: act.kind }, 'an act could not be noted'));
  }

  return {
    note(act, actor, address) {
      write(act.kind === 'sign in' ? { ...act, address: plain(address) } : act, actor);
    },
    refused(refusal, actor, address) {
      const now = clock.monotonic();
      const isOld = (at: number): boolean => now - at >= REFUSALS_WITHIN_MS;
      while (noted[0] !== undefined && isOld(noted[0].at)) noted.shift();
      const code = refusal.kind === 'refuse call' ? refusal.code : '';
      const of = JSON.stringify([refusal.kind, code, address]);
      const ofActor = noted.filter((each) => each.actor === actor);
      const isKnown = ofActor.some((each) => each.of === of && now - each.at < SAME_REFUSAL_MS);
      if (isKnown || ofActor.length >= MAX_REFUSALS) return;
      noted.push({ actor, of, at: now });
      const said = refusal.kind === 'refuse call' ? { ...refusal, path: shown(refusal.path) } : refusal;
      write({ ...said, address: plain(address) }, actor);
    },
  };
}

/** Returns an IPv4 address in its usual form, without the IPv6 prefix ::ffff:. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Hides names and keys in a path: leaves out each part of the path that contains a capital, _ or %. */
function shown(path: string): string {
  const parts = path.slice(0, MAX_PATH_LENGTH).split('/');
  return parts.map((part) => (/^[a-z\d.-]*$/.test(part) ? part : '…')).join('/');
}
