// How the store and its machine are.

/** Why the store takes no records at present: a code a till is answered with, and a sentence for the shopkeeper. */
export interface StoreTrouble {
  readonly code: 'store_full' | 'store_unavailable';
  readonly hint: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** What is true of the machine that the gateway runs on. */
export interface MachineState {
  /** The disk that the data are on; null where the system does not tell. */
  readonly disk: DiskState | null;
  /** Null while nothing shows that the machine's clock is wrong. */
  readonly clock: ClockFault | null;
  /** The newest damage to the write-ahead log, until somebody has moved its copies away; null where there is none. */
  readonly walDamage: WalDamage | null;
  /** Records whose bytes on disk are no longer those that came; null where none is known. */
  readonly damaged: RecordDamage | null;
  /** Null where no index is known to be damaged. */
  readonly indexFault: IndexDamage | null;
}

/** A scrub found that an index is damaged: a sale that is sent again may be taken for a new one. */
export interface IndexDamage {
  /** Epoch milliseconds. */
  readonly foundAt: number;
  readonly detail: string;
}

export interface RecordDamage {
  readonly count: number;
  /** The first of them; epoch milliseconds. */
  readonly foundAt: number;
  /** The first 20. */
  readonly recordIds: readonly number[];
}

/**
 * `repaired`: all of it. `salvaged`: all but `missingRecords`. `lost`: nothing after the damage. `cut_off`: the last write is
 * incomplete, as after a power cut: no till was told that these sales were kept. If the disk is damaged, that is not certain.
 */
export const WAL_DAMAGE_KINDS = ['repaired', 'salvaged', 'lost', 'cut_off'] as const;

/** Whether sales that were acknowledged could not be kept. */
export function hasLostSales({ kind, missingRecords }: WalDamage): boolean {
  return kind === 'lost' || (kind === 'salvaged' && missingRecords !== 0);
}

/** The write-ahead log holds the last sales until they are copied into the database. A start found it damaged. */
export interface WalDamage {
  readonly kind: (typeof WAL_DAMAGE_KINDS)[number];
  /** Epoch milliseconds. */
  readonly foundAt: number;
  /** The folder of the copies, in the data directory. */
  readonly folder: string;
  /** Acknowledged records that could not be kept whole; null where their number is not known. */
  readonly missingRecords: number | null;
}

export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** How long the free space lasts, by the records of the last week; null where none came. */
  readonly daysLeft: number | null;
  /** Whether there is time, but somebody should free some space. */
  readonly isLow: boolean;
}

/** Days that the disk lasts are told up to this number; more say nothing. */
export const MAX_TOLD_DISK_DAYS = 366;

/** The machine's clock shows a time that has passed: `earliest` is when this program was built, or the newest record arrived. */
export interface ClockFault {
  readonly code: 'before_build' | 'before_newest';
  /** What the clock shows, in epoch milliseconds. */
  readonly now: number;
  readonly earliest: number;
}

/** GET /health of the console: 200, or 503 while no records are taken. It takes no session and answers this machine alone. */
export interface HealthView {
  readonly trouble: StoreTrouble | null;
  /** Calls that were refused and are not in the refusal log yet. */
  readonly unwrittenRefusals: number;
  readonly machine: MachineState;
}

/** This machine slept: no till could send, and nothing could leave; epoch milliseconds. */
export interface Sleep {
  readonly from: number;
  readonly to: number;
}
