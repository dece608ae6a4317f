// Restores a backup while the gateway runs, on SQLite.

import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';

import type { CheckProgress } from '../../../contract/restores.ts';
import type { RestoreLedger } from '../../restores/ledger.ts';
import { isSameFile } from '../backups/backup-file.ts';
import type { EngineParts } from '../engine/parts.ts';
import type { RestorerOperations } from '../engine/restorer.ts';
import { openLazyThread } from '../engine/thread.ts';

const RESTORER_MEMORY_MIB = 256;

export function openRestoreLedger({
  reader,
  reading,
  now,
  dataDir,
}: EngineParts & { readonly dataDir: string }): RestoreLedger {
  const restorer = openLazyThread<RestorerOperations>('restorer', { dataDir }, RESTORER_MEMORY_MIB);
  return {
    async list(folder) {
      const rows = await reading(reader.call('listBackupFiles', []));
      const files = await (await restorer.get()).call('list', [folder]);
      return files
        .map(({ name, bytes, modifiedAt }) => {
          const row = rows.find((each) => each.path === join(folder, name) && isSameFile(each, { bytes, modifiedAt }));
          return {
            name,
            at: row?.begunAt ?? modifiedAt,
            bytes,
            records: row?.records ?? null,
            isChecked: row !== undefined,
          };
        })
        .toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
    },
    receive: async (offset, part, total) => (await restorer.get()).call('receive', [offset, part, total]),
    async check(backup, archiveFolder, onProgress) {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (progress: CheckProgress) => onProgress(progress));
      try {
        const checked = await (await restorer.get()).call('check', [backup, archiveFolder, port2], [port2]);
        if (checked.kind === 'refused') return checked;
        const { content, newest, upstreams } = checked;
        return { kind: 'sound', content, since: await reading(reader.call('countSince', [newest])), upstreams };
      } finally {
        port1.close();
      }
    },
    async discard() {
      await restorer.close(); // nothing else interrupts a check
      await (await restorer.get()).call('discardAll', []);
    },
    plan: async (order) => (await restorer.get()).call('plan', [order, now()]),
    close: restorer.close,
  };
}
