// Checks who owns the data directory. A symbolic link of another user is refused, because that user could redirect what the
// gateway writes. Links of this user or of root are followed, because shops keep data on other disks. Owners and modes only
// cause warnings, because container volumes and network drives set them automatically. Windows has no such owners and modes.

import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { OperatorError } from '../../../errors.ts';
import { describeUser, sudoAs, userName } from '../../../lib/permission.ts';

/** Files that the gateway opens by name. SQLite's files have additional checks. */
const OPENED =
  /^(counterfoil\.|owner\.lock|listening\.json|network\.json|announced-name|ca\.pem|settings\.json|disk\.reserve|logs$)/;
const ROOT = 0;

/**
 * Throws an OperatorError if a folder is a broken link. Also throws one if the folder, or a file in it that the gateway opens,
 * is a symbolic link of another user. A missing or unreadable folder is not a fault here.
 */
export function assertOwnLinks(folder: string): void {
  const link = findLink(folder);
  if (link !== undefined) {
    if (isOthers(link.uid)) throw refused(folder, link.uid, 'Name the folder itself with --data.');
    if (!existsSync(folder)) {
      throw new OperatorError(
        `${folder} is a symbolic link to ${readlinkSync(folder)}, which does not exist. Make that folder, or name another with --data. Nothing was changed.`,
        { fault: 'data_unwritable' },
      );
    }
  }
  for (const path of listOpened(folder)) {
    const uid = findLink(path)?.uid;
    if (uid !== undefined && isOthers(uid)) throw refused(path, uid, 'Delete it, then start again.');
  }
}

/** Who runs the gateway. */
interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Lists which other users can change a data directory. Each text has a sentence or two, and says what to do. Empty if the
 * directory does not exist.
 */
export function listDirectoryFaults(dataDir: string, me = findIdentity()): string[] {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (me === undefined || found === undefined) return [];
  const { uid, gid, mode } = found;
  const faults: string[] = [];
  const owner = describeUser(uid);
  if (uid !== me.uid && me.uid === ROOT) {
    faults.push(
      `${dataDir} belongs to ${owner}, but root runs the gateway. That user can replace its files, and cannot open files that root creates. Run it as that user: put “${sudoAs(uid)}” in front of the command.`,
    );
  } else if (uid !== me.uid && uid !== ROOT) {
    faults.push(
      `${dataDir} belongs to ${owner}, who can replace its files. Take it over: sudo chown -R ${userName()} "${dataDir}"`,
    );
  }
  const who =
    (mode & 0o002) !== 0 ? 'Every user of this machine' : (mode & 0o020) !== 0 && gid !== me.gid && 'Its group';
  if (who !== false) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    faults.push(`${who} can change files in ${dataDir} (mode ${octal}). Close it to others: chmod 700 "${dataDir}"`);
  }
  return faults;
}

function findIdentity(): Identity | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function isOthers(uid: number): boolean {
  const me = process.getuid?.();
  return me !== undefined && uid !== me && uid !== ROOT;
}

function refused(path: string, uid: number, todo: string): OperatorError {
  return new OperatorError(
    `${path} is a symbolic link of ${describeUser(uid)}, who could change where it leads. ${todo} Nothing was changed.`,
    { fault: 'data_unwritable' },
  );
}

function findLink(path: string): { readonly uid: number } | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? found : undefined;
  } catch {
    return undefined; // opening the file later reports the reason
  }
}

function listOpened(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => OPENED.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
