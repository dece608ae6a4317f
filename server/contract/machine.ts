// The health of the store and its machine.

/** Why the store accepts no records now. Tills get the code; `hint` is a sentence for the shop. */
export interface StoreTrouble {
  readonly code: 'store_full' | 'store_unavailable';
  readonly hint: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The state of the machine that the gateway runs on. */
export interface MachineState {
  /** The disk with the data; null if the system does not report it. */
  readonly disk: DiskState | null;
  /** Null while nothing shows that the machine's clock is wrong. */
  readonly clock: ClockFault | null;
  /**
   * The newest damage to the write-ahead log. Null without damage, and after a person has moved the copies of the damaged log away.
   */
  readonly walDamage: WalDamage | null;
  /** Records whose bytes have changed on the disk; null if none is known. */
  readonly damaged: RecordDamage | null;
  /** Null if no index is known to be damaged. */
  readonly indexFault: IndexDamage | null;
}

/** A scrub found a damaged index. With it, a sale that is sent again may count as a new sale. */
export interface IndexDamage {
  /** Epoch milliseconds. */
  readonly foundAt: number;
  readonly detail: string;
}

export interface RecordDamage {
  readonly count: number;
  /** When the first damaged record was found, in epoch milliseconds. */
  readonly foundAt: number;
  /** The ids of the first 20 damaged records. */
  readonly recordIds: readonly number[];
}

/**
 * `repaired`: no record is lost. `salvaged`: all records except `missingRecords` were saved. `lost`: no record after the damage
 * was saved. `cut_off`: the last write is incomplete, as after a power cut. No till got an answer for the sales of that write,
 * unless the disk is damaged.
 */
export const WAL_DAMAGE_KINDS = ['repaired', 'salvaged', 'lost', 'cut_off'] as const;

/** Whether acknowledged sales are lost. */
export function hasLostSales({ kind, missingRecords }: WalDamage): boolean {
  return kind === 'lost' || (kind === 'salvaged' && missingRecords !== 0);
}

/** Damage to the write-ahead log, found at a start. The log holds the last sales until they are copied into the database. */
export interface WalDamage {
  readonly kind: (typeof WAL_DAMAGE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly foundAt: number;
  /** The folder of the copies, in the data directory. */
  readonly folder: string;
  /** Acknowledged records that were lost or damaged; null if their number is unknown. */
  readonly missingRecords: number | null;
}

export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** How many days the free space lasts at the rate of the last week; null if no record arrived in that week. */
  readonly daysLeft: number | null;
  /** True if a person should free space on the disk soon. */
  readonly isLow: boolean;
}

/** Texts do not mention a `daysLeft` above this number. */
export const MAX_TOLD_DISK_DAYS = 366;

/** The machine's clock is behind `earliest`: the build time of this program, or the arrival of the newest record. */
export interface ClockFault {
  readonly code: 'before_build' | 'before_newest';
  /** The time on the clock, in epoch milliseconds. */
  readonly now: number;
  readonly earliest: number;
}

/** GET /health of the console: 200, or 503 while no records are accepted. Needs no session; only this machine gets an answer. */
export interface HealthView {
  readonly trouble: StoreTrouble | null;
  /** Refused calls that are not in the refusal log yet. */
  readonly unwrittenRefusals: number;
  readonly machine: MachineState;
}

/** A sleep of this machine, in epoch milliseconds. During it no till could send, and nothing was forwarded. */
export interface Sleep {
  readonly from: number;
  readonly to: number;
}
