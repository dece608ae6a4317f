// The health of the store, and of the machine that the gateway runs on.

/** The reason why the store accepts no records now. Tills get `code`. `hint` is a sentence for the shop. */
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
  /** The fault of the machine's clock. Null if no fault has been found. */
  readonly clock: ClockFault | null;
  /**
   * The newest damage to the write-ahead log. Null if there is none. Also null after a person has moved the copies of the
   * damaged log away.
   */
  readonly walDamage: WalDamage | null;
  /** Records whose bytes have changed on the disk; null if none is known. */
  readonly damaged: RecordDamage | null;
  /** The damaged index. Null if none is known. */
  readonly indexFault: IndexDamage | null;
}

/** A damaged index, which a scrub has found. If a till sends a sale again, the gateway may store it as a new sale. */
export interface IndexDamage {
  /** Epoch milliseconds. */
  readonly foundAt: number;
  readonly detail: string;
}

export interface RecordDamage {
  readonly count: number;
  /** When the first damaged record was found, in epoch milliseconds. */
  readonly foundAt: number;
  /** When the newest damaged record was found, in epoch milliseconds. */
  readonly lastFoundAt: number;
  /** The ids of the first 20 damaged records. */
  readonly recordIds: readonly number[];
}

/**
 * `repaired`: no record is lost. `salvaged`: all records except `missingRecords` were saved. `lost`: the records after the
 * damage could not be saved. `cut_off`: the last write is incomplete, as after a power cut. Normally, no till had got an answer
 * for the sales of that write. On a damaged disk, a till may have got one.
 */
export const WAL_DAMAGE_KINDS = ['repaired', 'salvaged', 'lost', 'cut_off'] as const;

/** Whether sales are lost that the gateway had confirmed to a till. */
export function hasLostSales({ kind, missingRecords }: WalDamage): boolean {
  return kind === 'lost' || (kind === 'salvaged' && missingRecords !== 0);
}

/**
 * Damage to the write-ahead log that the gateway found when it started. The log holds the latest sales until they are copied
 * into the database.
 */
export interface WalDamage {
  readonly kind: (typeof WAL_DAMAGE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly foundAt: number;
  /** The folder in the data directory that holds copies of the damaged log. */
  readonly folder: string;
  /** Number of confirmed records that were lost or damaged. Null if the number is unknown. */
  readonly missingRecords: number | null;
}

export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /**
   * Number of days until the disk is full, if records come as fast as in the last week. Null if no record arrived in that week.
   */
  readonly daysLeft: number | null;
  /** True if a person should free space on the disk soon. */
  readonly isLow: boolean;
}

/** If `daysLeft` is larger than this, texts do not mention it. */
export const MAX_TOLD_DISK_DAYS = 366;

/**
 * The machine's clock shows a time before `earliest`, so it is wrong. `earliest` is the build time of this program
 * (`before_build`), or the arrival of the newest record (`before_newest`).
 */
export interface ClockFault {
  readonly code: 'before_build' | 'before_newest';
  /** The time on the clock, in epoch milliseconds. */
  readonly now: number;
  readonly earliest: number;
}

/** The health of a gateway and its machine. */
export interface HealthView {
  readonly trouble: StoreTrouble | null;
  /** Number of refused calls that are not in the refusal log yet. */
  readonly unwrittenRefusals: number;
  readonly machine: MachineState;
}

/**
 * Answer of GET /health of the console. The status is 200, or 503 while the gateway accepts no records. The call needs no
 * session, but only this machine gets an answer.
 */
export interface HealthAnswer extends HealthView {
  /** The version of the gateway's program. */
  readonly version: string;
}

/**
 * A period in which this machine was asleep, in epoch milliseconds. In this period, no till could send, and the gateway
 * forwarded nothing.
 */
export interface Sleep {
  readonly from: number;
  readonly to: number;
}
