// Restores a backup at the request of a manager: checks a copy while tills sell, then asks for a restart on the restored data.
// Does one restore at a time. Until the restart, the data stay as they are.

import { join } from 'node:path';

import {
  type LastRestore,
  MAX_ASKED_AT_ONCE,
  type RestorableView,
  type RestoreState,
  type RestoreView,
  type UpstreamSince,
} from './contract/restores.ts';
import type { Clock } from './lib/clock.ts';
import { mapFew } from './lib/map-few.ts';
import type { OutboxLedger, Upstream } from './store/outbox/ledger.ts';
import type { Range } from './store/records/ledger.ts';
import type {
  BackupUpstream,
  CheckRefusal,
  ChosenBackup,
  RestoreLedger,
  RestoreOrder,
} from './store/restores/ledger.ts';

export interface Restores {
  view(): RestoreView;
  list(): Promise<RestorableView>;
  /**
   * Takes the next part of a backup that a manager uploads. Resolves to false if a check or a restore is running, or if a part
   * before it is missing.
   */
  receive(offset: number, part: Uint8Array, total: number): Promise<boolean | CheckRefusal>;
  /** Begins the check of a file of the folder, or of the uploaded backup. Returns false if a check or a restore is running. */
  check(name: string, isUploaded: boolean): boolean;
  /** Ends a check, and forgets the checked or refused backup. Returns false if another call does so, or a restore is running. */
  cancel(): Promise<boolean>;
  /**
   * Begins to replace the data with the checked backup. `link` is the code of a one-time link into the restored gateway. Returns
   * false without a checked backup.
   */
  restore(order: RestoreOrder, link: string): boolean;
}

export interface RestoreParts {
  readonly store: {
    readonly restores: Pick<RestoreLedger, 'list' | 'receive' | 'check' | 'discard' | 'plan'>;
    readonly outbox: Pick<OutboxLedger, 'lanes'>;
  };
  readonly clock: Clock;
  /** The folder of backups. */
  readonly folder: string | undefined;
  readonly archiveFolder: string | undefined;
  /** Counts the sales of an upstream in a range. Resolves to undefined if the upstream does not tell. */
  readonly countUpstream: (upstream: Upstream, range: Range) => Promise<number | undefined>;
  /**
   * Runs `plan`, then restarts the gateway on the planned data. Rejects if `plan` does; nothing has changed then.
   */
  readonly restart: (plan: () => Promise<string>, link: string) => Promise<void>;
  /** The last restore of this process. */
  readonly last: LastRestore | null;
  readonly onFault: (error: unknown) => void;
}

export function openRestores(parts: RestoreParts): Restores {
  const { store, clock, folder, archiveFolder, countUpstream, restart, onFault } = parts;
  let { last } = parts;
  let state: RestoreState = { kind: 'none' };
  /** While a cancelled check ends, no other check begins: its copy would be deleted. */
  let isCancelling = false;
  const isBusy = (): boolean => isCancelling || state.kind === 'checking' || state.kind === 'restoring';

  function refuse(file: string, error: unknown): void {
    if (state.kind !== 'checking') return; // cancelled
    state = { kind: 'refused', file, fault: 'other', detail: detailOf(error) };
    onFault(error);
  }

  async function runCheck(file: string, backup: ChosenBackup): Promise<void> {
    const outcome = await store.restores.check(backup, archiveFolder, (progress) => {
      if (state.kind === 'checking') state = { kind: 'checking', file, progress };
    });
    if (state.kind !== 'checking') return; // cancelled
    if (outcome.kind === 'refused') return void (state = { ...outcome, file });
    const { content, since, upstreams: known } = outcome;
    const checked = { kind: 'checked', file, content, since, upstreams: null } as const;
    state = checked;
    const upstreams = await askUpstreams(content.madeAt ?? content.newestReceivedAt, known, () => state === checked);
    if (state === checked) state = { ...checked, upstreams };
  }

  /**
   * Asks each upstream of this gateway and of the backup how many sales it has from after the backup. Asks no more when `isWanted`
   * returns false.
   */
  async function askUpstreams(
    from: number | null,
    known: readonly BackupUpstream[],
    isWanted: () => boolean,
  ): Promise<UpstreamSince[]> {
    if (from === null) return [];
    const range = { from: Math.floor(from / 1000), to: Math.ceil(clock.now() / 1000) };
    const own = store.outbox.lanes().filter(({ upstream, interface: by }) => upstream !== null && by === 'current');
    // the address and key of this gateway are newer than those of the backup
    const others = known.filter(
      ({ administration, mode }) => !own.some((lane) => lane.administration === administration && lane.mode === mode),
    );
    return mapFew([...own, ...others], MAX_ASKED_AT_ONCE, async ({ administration, mode, upstream }) => {
      const records = upstream === null || !isWanted() ? undefined : await countUpstream(upstream, range);
      return { administration, mode, records: records ?? null, isKeySealed: upstream === null };
    });
  }

  return {
    view: () => ({ state, last }),
    async list() {
      if (folder === undefined) return { folder: null, backups: [], isReadable: true };
      try {
        return { folder, backups: await store.restores.list(folder), isReadable: true };
      } catch (error) {
        onFault(error);
        return { folder, backups: [], isReadable: false };
      }
    },
    async receive(offset, part, total) {
      if (isBusy()) return false;
      if (offset === 0) state = { kind: 'none' };
      return store.restores.receive(offset, part, total);
    },
    check(name, isUploaded) {
      if (isBusy() || (folder === undefined && !isUploaded)) return false;
      state = { kind: 'checking', file: name, progress: null };
      last = null;
      const backup: ChosenBackup = isUploaded
        ? { kind: 'arrived', name }
        : { kind: 'file', path: join(folder ?? '', name) };
      runCheck(name, backup).catch((error: unknown) => refuse(name, error));
      return true;
    },
    async cancel() {
      if (isCancelling || state.kind === 'restoring') return false;
      state = { kind: 'none' };
      isCancelling = true;
      try {
        await store.restores.discard();
      } finally {
        isCancelling = false;
      }
      return true;
    },
    restore(order, link) {
      if (state.kind !== 'checked') return false;
      state = { kind: 'restoring', file: state.file };
      restart(() => store.restores.plan(order), link).catch((error: unknown) => {
        state = { kind: 'none' };
        last = { kind: 'failed', detail: detailOf(error) };
        onFault(error);
      });
      return true;
    },
  };
}

function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
