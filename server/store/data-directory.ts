// Operations on a data directory or a backup that do not open the store.

export { SEAL_KEY_BYTES } from './sqlite/engine/seal.ts';
export { ARCHIVE_FOLDER } from './sqlite/archive/body.ts';
export { damageAdvice, databasePath } from './sqlite/engine/database.ts';
export { type Backup, backUp } from './sqlite/files/backup.ts';
export { listDirectoryFaults } from './sqlite/files/data-directory.ts';
export { isOwned } from './sqlite/files/lock.ts';
export { prepareFolder } from './sqlite/files/preparation.ts';
export { judgeDisk, readSpace } from './sqlite/files/disk.ts';
export { placeSettings, readSettingsFile } from './sqlite/files/carried-settings.ts';
export { planReturn } from './sqlite/files/replacement.ts';
export { restoreBackup, type Restored, type RestoreProgress } from './sqlite/files/restore.ts';
export { roomNeeded } from './sqlite/files/reserve.ts';
export { salvage, type Salvaged, type SalvageProgress } from './sqlite/salvage/salvage.ts';
export { checkFile } from './sqlite/integrity/check-file.ts';
export { isUnexaminedCopy } from './sqlite/integrity/known-file.ts';
