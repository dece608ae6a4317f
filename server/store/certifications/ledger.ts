// Certifications: the reports of runs in which an integrator tested a till.

import type { CertificationReport, Certification } from '../../contract/certify.ts';

export interface CertificationLedger {
  /** Stores a new run and returns its id. */
  begin(report: CertificationReport): Promise<number>;
  /** Replaces the report of a run. Changes nothing after the run has ended. */
  save(id: number, report: CertificationReport): Promise<void>;
  /** Stores the last report of a run, and adds an act of `report.by` to the log of acts. A second call changes nothing. */
  end(id: number, report: CertificationReport): Promise<void>;
  /** Returns the report of a run; undefined if the id is unknown or the report is damaged. */
  get(id: number): Promise<Certification | undefined>;
  /** Lists runs, newest first. Leaves out a run whose report is damaged. */
  list(query: CertificationQuery): Promise<Certification[]>;
}

export interface CertificationQuery {
  readonly journalId?: number | undefined;
  /** Whether to list only runs that have not ended. */
  readonly isRunning?: boolean | undefined;
  readonly limit: number;
}
