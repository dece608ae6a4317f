// The archive: files outside the database with the bodies of old records.

/** Why an archive file cannot be read. `unreadable`: the file system reports an error. */
export const ARCHIVE_FAULTS = ['missing', 'unreadable', 'damaged'] as const;

export type ArchiveFault = (typeof ARCHIVE_FAULTS)[number];

/** An archive file that cannot be read, by its name. */
export interface ArchiveFileFault {
  readonly file: string;
  readonly fault: ArchiveFault;
}

/** Why no bodies can be archived. `full`: the disk has too little free space, so that tills keep enough of it. */
export const ARCHIVE_FAILURES = ['full', 'unwritten'] as const;

/** The archive and its last run. Times are epoch milliseconds. */
export interface ArchiveSummary {
  /** The setting archiveMonths; null while no bodies are archived. Files may exist from earlier. */
  readonly months: number | null;
  /** The folder for new files. */
  readonly folder: string;
  readonly files: number;
  /** Number of store days with bodies in files. */
  readonly days: number;
  /** Number of records whose bodies are in files. */
  readonly records: number;
  /** The uncompressed size of these bodies. */
  readonly bodyBytes: number;
  readonly fileBytes: number;
  /** The files that cannot be read. Null if all can. */
  readonly fault: ArchiveProblem | null;
  /** When all days that were due had been archived for the last time. Null before the first time. */
  readonly endedAt: number | null;
  /** Why the last attempt to archive failed, and when the first failed attempt was. Null after a good attempt. */
  readonly failure: ArchiveFailure | null;
}

export interface ArchiveProblem {
  readonly fault: ArchiveFault;
  /** The name of the first of these files. */
  readonly file: string;
  readonly files: number;
  readonly records: number;
  readonly since: number;
}

export interface ArchiveFailure {
  readonly fault: (typeof ARCHIVE_FAILURES)[number];
  readonly detail: string;
  readonly since: number;
}
