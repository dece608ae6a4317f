// The headline of Today, and whether it is safe to switch off. Pure: other modules choose the words.

import type { Cause } from '../../server/contract/codes.ts';
import type { LaneView } from '../../server/contract/lanes.ts';
import { type ClockFault, type DiskState, hasLostSales, type StoreTrouble } from '../../server/contract/machine.ts';
import type { OverviewView } from '../../server/contract/overview.ts';

/**
 * A text key and its numbers. `sales`, `waiting` and `delivered` are counts of sales, `records` of records. Times are epoch
 * milliseconds.
 */
export type Headline =
  | { readonly kind: 'trouble'; readonly since: number; readonly code: StoreTrouble['code'] }
  /** The machine's clock is wrong, so no statement about today is reliable. */
  | { readonly kind: 'clock'; readonly fault: ClockFault }
  /** For a week after damaged records were found, the headline makes no other claim. */
  | { readonly kind: 'damaged'; readonly records: number }
  | { readonly kind: 'first' }
  | { readonly kind: 'none' }
  | { readonly kind: 'noUpstream'; readonly sales: number }
  | {
      readonly kind: 'lineDown' | 'refusedUs' | 'paused';
      readonly since: number;
      readonly waiting: number;
      readonly cause: Cause | null;
    }
  | { readonly kind: 'allUpstream'; readonly sales: number }
  /** The other sales have no upstream: perhaps only one interface has one, or somebody has removed it. */
  | { readonly kind: 'someWithoutUpstream'; readonly sales: number; readonly delivered: number }
  /** No sale is waiting, but some of today's sales are held or set aside. */
  | { readonly kind: 'someUpstream'; readonly sales: number; readonly delivered: number }
  | { readonly kind: 'onTheirWay'; readonly sales: number; readonly delivered: number; readonly waiting: number };

/** The headline. `lane` is the lane in the worst state. */
export function headlineOf(overview: OverviewView, lane: LaneView | undefined): Headline {
  const { trouble, machine, lastRecord, records, deliveries, total } = overview;
  if (trouble !== null) return { kind: 'trouble', since: trouble.since, code: trouble.code };
  if (machine.clock !== null) return { kind: 'clock', fault: machine.clock };
  if (isNewDamage(overview)) return { kind: 'damaged', records: machine.damaged?.count ?? 0 };
  if (lastRecord === null) return { kind: 'first' };
  const sales = records.NEW;
  if (lane !== undefined && lane.url !== null && lane.state !== 'running') {
    const kind = lane.state === 'line down' ? 'lineDown' : lane.state === 'refused' ? 'refusedUs' : 'paused';
    return { kind, since: lane.since ?? overview.now, waiting: total.waiting, cause: lane.cause };
  }
  if (sales === 0) return { kind: 'none' };
  const { waiting, delivered } = deliveries;
  if ((lane === undefined || lane.url === null) && delivered < sales)
    return delivered === 0 ? { kind: 'noUpstream', sales } : { kind: 'someWithoutUpstream', sales, delivered };
  if (waiting > 0) return { kind: 'onTheirWay', sales, delivered, waiting };
  return delivered < sales ? { kind: 'someUpstream', sales, delivered } : { kind: 'allUpstream', sales };
}

/** The disk, if it is low but not full. */
export function lowDiskOf({ machine: { disk } }: OverviewView): DiskState | undefined {
  return disk?.isLow === true ? disk : undefined;
}

const NEW_DAMAGE_MS = 7 * 86_400_000;

/**
 * True if the damage was found less than a week ago. Then the headline reports it; older damage is reported below the headline.
 */
function isNewDamage({ machine: { damaged }, now }: OverviewView): boolean {
  return damaged !== null && now - damaged.foundAt < NEW_DAMAGE_MS;
}

function salvagedKind(missing: number | null): 'salvaged' | 'salvagedAll' | 'salvagedSome' {
  if (missing === null) return 'salvagedSome';
  return missing === 0 ? 'salvagedAll' : 'salvaged';
}

/**
 * The damage to the write-ahead log that the gateway found at a start. It is shown as long as the copies of that log exist.
 * `missing` is the number of lost sales.
 */
export function walDamageOf({ machine: { walDamage } }: OverviewView) {
  if (walDamage === null) return undefined;
  const { foundAt, folder, missingRecords } = walDamage;
  const kind = walDamage.kind === 'salvaged' ? salvagedKind(missingRecords) : walDamage.kind;
  const tone: 'bad' | 'differs' = hasLostSales(walDamage) ? 'bad' : 'differs';
  return { kind, foundAt, folder, missing: missingRecords ?? 0, tone };
}

export type Safety =
  /** Safe to switch off now: no sale is waiting to be sent. */
  | { readonly kind: 'now' }
  | { readonly kind: 'soon'; readonly ms: number }
  /** Safe to switch off: waiting sales continue after a restart. */
  | { readonly kind: 'kept' };

/** Whether it is safe to switch off. Undefined if the store has trouble, and for a week after damaged records were found. */
export function safetyOf(overview: OverviewView): Safety | undefined {
  const { total, lanes, trouble } = overview;
  if (trouble !== null || isNewDamage(overview)) return undefined;
  if (total.waiting === 0) return { kind: 'now' };
  const perSecond = lanes.reduce((sum, lane) => sum + (lane.state === 'running' ? lane.perSecond : 0), 0);
  return perSecond > 0 ? { kind: 'soon', ms: (total.waiting / perSecond) * 1000 } : { kind: 'kept' };
}
