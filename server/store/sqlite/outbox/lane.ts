// Stores lanes: the upstream of one journal and interface, what people want (such as a pause), and the last report of the
// gateway. Any process may write what people want; the gateway reads it.

import { causeOf, formatCause, parseCause } from '../../../cause.ts';
import type { Interface, LaneState, Mode } from '../../../contract/codes.ts';
import type { LaneStatus, LaneName, LaneSettings, LaneNote } from '../../outbox/ledger.ts';
import { assertOneRow, type Connection, withoutTraces } from '../engine/database.ts';
import type { Seal } from '../engine/seal.ts';
import { isInState } from './delivery-state.ts';
import { listEndPoints } from './end-point.ts';
import { noteOutage } from './outage.ts';
import { findOpenRestore, findRestoreTime } from './restore.ts';

interface SettingsRow extends Omit<
  LaneSettings,
  'upstream' | 'isKeyUnreadable' | 'isPaused' | 'isRestored' | 'senders' | 'endPoints'
> {
  readonly url: string | null;
  readonly token: string | null;
  readonly pausedAt: number | null;
  readonly senders: string;
}

const FROM_LANES = `
  FROM lanes JOIN journals ON journals.id = lanes.journal_id JOIN administrations ON administrations.id = administration_id`;

/**
 * Lists every lane in the order administration, mode, interface. `isRestored` says whether the data were restored, and nobody
 * has confirmed it.
 */
export function listLaneSettings(db: Connection, seal: Seal, isRestored: boolean): LaneSettings[] {
  return db
    .prepare<[], SettingsRow>(`
    SELECT lanes.id, journal_id AS journalId, administrations.name AS administration, mode, interface, url, token, token_digest AS tokenDigest, paused_at AS pausedAt,
      tried_at AS triedAt, senders, upstream_sets AS upstreamSetCount, released_sets AS releasedForSet, asks_up_to AS asksUpTo ${FROM_LANES} ORDER BY administration, mode, interface`)
    .all()
    .map(({ url, token: kept, pausedAt, senders, ...lane }) => {
      const token = kept === null ? undefined : seal.unseal(kept);
      return {
        ...lane,
        senders: JSON.parse(senders) as string[],
        upstream: url === null || token === undefined ? null : { url, token },
        isKeyUnreadable: kept !== null && token === undefined,
        isPaused: pausedAt !== null,
        isRestored,
        endPoints: lane.interface === 'earlier' ? listEndPoints(db, lane.id) : [],
      };
    });
}

/**
 * Encrypts the upstream keys that another process or an earlier version has stored in plain text. The database then
 * contains no plain text, but the WAL contains it until the WAL is emptied. Returns whether there were any plain keys.
 */
export function sealTokens(db: Connection, seal: Seal): boolean {
  const open = db
    .prepare<[], { id: number; token: string }>('SELECT id, token FROM lanes WHERE token IS NOT NULL')
    .all()
    .filter(({ token }) => seal.seal(token) !== token);
  if (open.length === 0) return false;
  const update = db.prepare('UPDATE lanes SET token = ? WHERE id = ? AND token = ?');
  const sealAll = db.transaction(() => {
    for (const { id, token } of open) update.run(seal.seal(token), id, token);
  });
  withoutTraces(db, () => sealAll.immediate());
  return true;
}

/** Stores the ids of the gateways that the records of a lane passed through before this gateway. */
export function noteSenders(db: Connection, journalId: number, by: Interface, senders: readonly string[]): void {
  assertOneRow(
    db
      .prepare('UPDATE lanes SET senders = ? WHERE journal_id = ? AND interface = ?')
      .run(JSON.stringify(senders), journalId, by),
  );
}

/** Stores that the upstream was asked for the records of a restored backup. */
export function noteAsked(db: Connection, laneId: number): void {
  assertOneRow(db.prepare('UPDATE lanes SET asks_up_to = NULL WHERE id = ?').run(laneId));
}

/** Stores that the held records of a lane were released after its upstream was set for the n-th time (`upstreamSetCount`). */
export function noteReleased(db: Connection, laneId: number, upstreamSetCount: number): void {
  assertOneRow(db.prepare('UPDATE lanes SET released_sets = ? WHERE id = ?').run(upstreamSetCount, laneId));
}

export function findLaneId(db: Connection, { administration, mode, interface: by }: LaneName): number | undefined {
  return db
    .prepare<[string, Mode, Interface], number>(`
    SELECT lanes.id ${FROM_LANES} WHERE administrations.name = ? AND mode = ? AND interface = ?`)
    .pluck()
    .get(administration, mode, by);
}

/** Stores what the gateway reports of a lane, and the beginning or end of an outage. Throws if the lane does not exist. */
export function noteLane(db: Connection, laneId: number, note: LaneNote): void {
  const { state, cause, since, perSecond } = note;
  db.transaction(() => {
    const hasUpstream = db
      .prepare<unknown[], 0 | 1>(`
      UPDATE lanes SET state = ?, cause = ?, since = ?, per_second = ? WHERE id = ? RETURNING url IS NOT NULL`)
      .pluck()
      .get(state, cause && formatCause(cause), since, perSecond, laneId);
    if (hasUpstream === undefined) throw new Error(`there is no lane ${laneId}`);
    noteOutage(db, laneId, state === 'running' || hasUpstream === 0 ? undefined : { state, cause }, since);
  }).immediate();
}

/** Exported for the test that asserts the query plan. */
export const LANE_STATUS_SQL = `
  SELECT lanes.id, journal_id AS journalId, administrations.name AS administration, mode, interface, url, paused_at IS NOT NULL AS isPaused,
    asks_up_to IS NOT NULL AS isAsking, state, cause, since,
    coalesce(per_second, 0) AS perSecond, delivered_at AS deliveredAt, waiting, delivered, held, set_aside AS setAside,
    (SELECT received_at FROM records WHERE records.id =
      (SELECT min(record_id) FROM deliveries WHERE lane_id = lanes.id AND ${isInState('waiting')})) AS oldestWaitingAt
  ${FROM_LANES} ORDER BY administration, mode, interface`;

interface StatusRow extends Omit<LaneStatus, 'state' | 'cause'> {
  readonly state: LaneState | null;
  readonly cause: string | null;
  readonly isPaused: 0 | 1;
  readonly isAsking: 0 | 1;
}

/** Lists every lane with its condition. The last report counts only while a gateway is running (`isRunning`). */
export function listLaneStatus(db: Connection, isRunning: boolean): LaneStatus[] {
  const restore = findOpenRestore(db) === null ? undefined : { at: findRestoreTime(db) };
  return db
    .prepare<[], StatusRow>(LANE_STATUS_SQL)
    .all()
    .map(({ isPaused, isAsking, ...row }) => ({
      ...row,
      ...whatIsTrueOf({ ...row, isPaused, isAsking }, isRunning, restore),
    }));
}

function whatIsTrueOf(
  { url, isPaused, isAsking, state, cause, since, perSecond }: StatusRow,
  isRunning: boolean,
  restore: { readonly at: number | null } | undefined,
): Pick<LaneStatus, 'state' | 'cause' | 'since' | 'perSecond'> {
  if (url === null) return { state: 'paused', cause: causeOf('no_upstream'), since, perSecond: 0 };
  // The stored time of the lane is from before the restore.
  if (restore !== undefined) return { state: 'paused', cause: causeOf('restored'), since: restore.at, perSecond: 0 };
  if (isPaused === 1) return { state: 'paused', cause: causeOf('paused'), since, perSecond: 0 };
  // Without a running gateway, the last report is outdated, and the time of the change is unknown.
  if (!isRunning) return { state: 'paused', cause: causeOf('not_running'), since: null, perSecond: 0 };
  if (isAsking === 1) return { state: 'paused', cause: causeOf('asking'), since, perSecond: 0 };
  return { state: state ?? 'running', cause: parseCause(cause), since, perSecond };
}
