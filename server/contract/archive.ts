// The archive: files outside the database with the bodies of old records.

/** Why an archive file cannot be read. `unreadable`: the file system reports an error. */
export const ARCHIVE_FAULTS = ['missing', 'unreadable', 'damaged'] as const;

export type ArchiveFault = (typeof ARCHIVE_FAULTS)[number];

/** What the archive contains. */
export interface ArchiveSummary {
  /** The folder for new files. */
  readonly folder: string;
  readonly files: number;
  /** Number of records whose bodies are in files. */
  readonly records: number;
  /** The size of these bodies before they were archived. */
  readonly bodyBytes: number;
  readonly fileBytes: number;
  /** The files that cannot be read. Null if all can. */
  readonly fault: ArchiveProblem | null;
}

/** The archive as people see it. Times are epoch milliseconds. */
export interface ArchiveView extends ArchiveSummary {
  /** The setting archiveMonths; null while no bodies are archived. Files may exist from earlier. */
  readonly months: number | null;
  /** Why the last attempt to archive failed, and when the first failed attempt was. Null after a good attempt. */
  readonly failure: { readonly detail: string; readonly since: number } | null;
}

export interface ArchiveProblem {
  readonly fault: ArchiveFault;
  /** The name of the first of these files. */
  readonly file: string;
  readonly files: number;
  readonly records: number;
  readonly since: number;
}
