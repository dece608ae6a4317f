import type * as Electron from 'electron';

/** The argument of a scenario. */
export interface Rig {
  readonly electron: typeof Electron;
  readonly log: (...what: unknown[]) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** The folder for pictures. */
  readonly out: string;
}

export type Scenario = (rig: Rig) => Promise<void>;
