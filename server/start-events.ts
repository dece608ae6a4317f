// Logs and tells what the start does with the data before tills can send: it reads a copy completely, updates data of an earlier
// version, or carries out a restore.

import type { Log } from './log.ts';
import { removeNetworkFile } from './network/network-file.ts';
import type { StoreEvents } from './store/store.ts';

/** `tell` gets one or two sentences for a person. */
export function openStartEvents(
  dataDir: string,
  log: Log,
  tell: (sentence: string, isSerious: boolean) => void,
): Pick<StoreEvents, 'onExamination' | 'onUpdate' | 'onUpdateBackup' | 'onRestore'> {
  return {
    onExamination() {
      removeNetworkFile(dataDir, log);
      log.info('the data are a copy, were moved here or come from an earlier version: they are read completely first');
      tell(
        `The data in ${dataDir} are a copy, were moved here or come from an earlier version. The gateway first reads all of them. Tills can send after that.`,
        false,
      );
    },
    onUpdate(step, steps) {
      if (step > 0) return log.info({ step, steps }, 'the data are being updated');
      removeNetworkFile(dataDir, log);
      log.info('the data come from an earlier version: they are backed up and updated first');
      tell(
        `The data in ${dataDir} come from an earlier version. The gateway first makes a backup and updates them. Tills can send after that.`,
        false,
      );
    },
    onUpdateBackup(backup) {
      if (backup.kind === 'made') log.info({ path: backup.path }, 'the data were backed up before the update');
      else {
        log.warn({ err: backup.cause }, 'the data were updated without a backup');
        tell('The data were updated without a backup, because it could not be made. The log has the reason.', true);
      }
    },
    onRestore(settled) {
      if (settled.kind === 'completed') {
        const { asidePath } = settled;
        log.warn({ asidePath }, 'restored data are in use');
        tell(`The data were restored. The previous data are in ${asidePath}.`, false);
      } else {
        log.warn({ err: settled.cause }, 'a restore was interrupted');
        tell('A restore was interrupted before it changed the data. Run it again.', true);
      }
    },
  };
}
