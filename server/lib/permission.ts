// Explains missing file permissions. The text names the owner of the file, and says what to do. On Windows, it names no owner.

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const { R_OK, W_OK, X_OK } = constants;

/** Whether a file system error means missing permission. */
export function isForbidden(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/**
 * Explains why this user may not use a data directory or one of its `files`. The text names the owner, and says what to do.
 * Undefined if no permission is missing.
 */
export function explainForbidden(dataDir: string, files: readonly string[]): string | undefined {
  if (process.getuid === undefined) return undefined;
  const directory = resolve(dataDir);
  const { path: found, isClosed } = nearest(directory);
  const me = userName();
  if (isClosed || (found === directory && isDenied(directory, R_OK | X_OK)))
    return `${found} belongs to ${ownerOf(found)}, and ${me} may not open it. ${advice(found)}`;
  if (found !== directory)
    return isDenied(found, W_OK | X_OK)
      ? `${directory} cannot be made: ${found} belongs to ${ownerOf(found)}, and ${me} may not write to it. Choose another data directory with --data.`
      : undefined;
  if (isDenied(directory, W_OK))
    return `${directory} belongs to ${ownerOf(directory)}, and ${me} may not write to it. ${advice(directory)}`;
  const file = files.map((name) => join(directory, name)).find((path) => isDenied(path, R_OK | W_OK));
  if (file === undefined) return undefined;
  const todo = isMine(file)
    ? `Give yourself the permission back with: chmod u+rw "${file}"`
    : `Give it back with: sudo chown ${me} "${file}"`;
  return `${file} belongs to ${ownerOf(file)}, and ${me} may not write to it. ${todo}`;
}

/** Returns a sentence that says that this user may not write to the folder, and who owns the folder. */
export function explainUnwritable(folder: string): string {
  const owner = process.getuid === undefined ? '' : `: it belongs to ${ownerOf(nearest(folder).path)}`;
  return `${userName()} may not write to the folder ${folder}${owner}.`;
}

/**
 * Returns the path if this user can reach it. Otherwise returns the nearest folder above it that this user can reach.
 * `isClosed` is true if this user may not look into that folder.
 */
function nearest(path: string): { readonly path: string; readonly isClosed: boolean } {
  let isClosed = false;
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      statSync(at);
      return { path: at, isClosed };
    } catch (error) {
      isClosed = isForbidden(error);
      if (at === dirname(at)) return { path: at, isClosed };
    }
  }
}

function isDenied(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    return isForbidden(error);
  }
}

function advice(path: string): string {
  if (isMine(path)) return `Give yourself the permission back with: chmod u+rwx "${path}"`;
  const { uid } = statSync(path);
  return `Put “${sudoAs(uid)}” in front of the command.`;
}

/** The beginning of a command that runs as another user. */
export function sudoAs(uid: number): string {
  return `sudo -u ${nameOf(uid) ?? `#${uid}`}`;
}

function isMine(path: string): boolean {
  return statSync(path).uid === process.getuid?.();
}

function ownerOf(path: string): string {
  return describeUser(statSync(path).uid);
}

/** Returns text such as "the user counterfoil". If the name is unknown, uses the user's number. */
export function describeUser(uid: number): string {
  return `the user ${nameOf(uid) ?? `with the number ${uid}`}`;
}

/** The name of this process's user. */
export function userName(): string {
  const uid = process.getuid?.();
  return (uid === undefined ? undefined : nameOf(uid)) ?? userInfo().username;
}

/** The name of a user, from /etc/passwd. Node knows only the name of its own user. */
function nameOf(uid: number): string | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.split(':')[2] === String(uid));
    return line?.split(':')[0];
  } catch {
    return undefined;
  }
}
