// Updates: checks for a newer version and installs it when tills are quiet. First backs up the data and stores the current
// version, so that the user can go back. electron-updater handles publishing, staging and signatures.

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { AppUpdater } from 'electron-updater';

import type { Backup } from './gateway-process.ts';
import type { AppLog } from './log.ts';
import type { Memory, PreviousProgram } from './memory.ts';
import type { PreviousVersion } from './previous-version.ts';

export interface UpdateParts {
  /** electron-updater. Undefined if this version cannot update itself: a checkout, or an installation by a package manager. */
  readonly updater:
    | Pick<
        AppUpdater,
        | 'autoDownload'
        | 'autoInstallOnAppQuit'
        | 'logger'
        | 'on'
        | 'checkForUpdates'
        | 'downloadUpdate'
        | 'quitAndInstall'
      >
    | undefined;
  /** macOS only: hands the download to Squirrel, which verifies it. After that, Squirrel only has to replace the app. */
  readonly stage: (() => Promise<void>) | undefined;
  readonly log: AppLog;
  /** The running version. */
  readonly version: string;
  /** Whether the running version can be replaced without a password. */
  readonly isReplaceable: () => Promise<boolean>;
  /** The data directory from the app's command line, for the next version. */
  readonly givenDataDir: string | undefined;
  readonly previous: PreviousVersion;
  readonly memory: Memory;
  /** Whether no till is sending now, and tills usually stay quiet for a while at this time. */
  readonly isQuiet: () => Promise<boolean>;
  /** Copies the data to a new file. */
  readonly backUp: (file: string) => Promise<Backup>;
  /** Folder of the backups. */
  readonly backupFolder: () => string;
  /** Whether the app is exiting. The user may quit the app during an update. */
  readonly isEnding: () => boolean;
  /** Ends the gateway and everything else that would block the app's exit. */
  readonly stopForExit: () => Promise<void>;
  /** Restarts the app without a change of version. */
  readonly startAgain: () => void;
  readonly end: () => void;
  /** Called at the app's start if the last update did not begin. The same version runs again. */
  readonly onNotBegun: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
  readonly onFault: (doing: string, error: unknown) => void;
}

/** The versions that the user can install. Both are undefined while a version is being installed. */
export interface VersionChoices {
  /** The newer version. */
  readonly update: string | undefined;
  /** Whether the newer version is installed automatically when tills are quiet. */
  readonly isByItself: boolean;
  /** The previous version. */
  readonly previous: string | undefined;
}

export interface Updates {
  choices(): VersionChoices;
  /** Runs the steps that are due. Call it often. */
  look(): Promise<void>;
  /** Installs the newer version now, even while tills are sending. Rejects without any change if it fails. */
  update(): Promise<void>;
  /**
   * Installs the previous version. Resolves to false, without a change, if that version cannot read the data.
   */
  goBack(): Promise<boolean>;
}

const HOUR_MS = 60 * 60_000;
/** Polling interval for a newer version. */
const CHECK_MS = 6 * HOUR_MS;
/** Interval at which the app checks whether tills are quiet. */
const QUIET_MS = 5 * 60_000;
/** Pause after a failed installation. */
const RETRY_MS = 6 * HOUR_MS;
/** Time-out for the start of an update. */
const START_TIMEOUT_MS = 2 * 60_000;

export function openUpdates(parts: UpdateParts): Updates {
  const { updater, memory, log, now, after, onFault } = parts;
  let found: { readonly version: string; readonly isByItself: boolean } | undefined;
  let isDownloaded = false;
  let isBusy = false;
  let nextCheckAt = 0;
  let nextTryAt = 0;
  const { pending } = memory.get();
  if (pending !== undefined) settle(pending).catch((error: unknown) => onFault('remember how an update ended', error));
  if (updater !== undefined) {
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false; // a user who switches the machine off does not want to wait for an update
    updater.logger = parts.log;
    // without a listener, Node would throw the error; the failed call rejects with this error anyway
    updater.on('error', () => {});
  }

  /**
   * Stores the result of an update at the next start. `before` is the version that ran when the update began. If another
   * version runs now, the update succeeded, and `before` becomes the previous version.
   */
  async function settle(before: PreviousProgram): Promise<void> {
    const hasBegun = before.version !== parts.version;
    if (!hasBegun) parts.onNotBegun();
    log.info(`update: version ${parts.version} runs${hasBegun ? `, ${before.version} before it` : ' still'}`);
    memory.set({ pending: undefined, ...(hasBegun && { previous: before }) });
    if (hasBegun) await parts.previous.forgetOthers(before.version);
  }

  /**
   * Checks for a newer version. Skips a version that the user went back from. A version that was tried before is installed
   * only when the user asks for it.
   */
  async function check(): Promise<void> {
    const result = await updater?.checkForUpdates();
    const version = result?.isUpdateAvailable === true ? result.updateInfo.version : undefined;
    if (version === found?.version) return;
    isDownloaded = false;
    found =
      version === undefined || version === memory.get().refused
        ? undefined
        : { version, isByItself: version !== memory.get().tried && (await parts.isReplaceable()) };
  }

  /** Copies the data to a file with this name. An older copy with the same name is replaced. */
  async function backUp(name: string): Promise<Backup> {
    const file = join(parts.backupFolder(), name);
    const fresh = `${file}.new`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(fresh, { force: true });
    const backup = await parts.backUp(fresh);
    await rename(fresh, file);
    return backup;
  }

  async function download(): Promise<void> {
    if (!isDownloaded) await updater?.downloadUpdate();
    isDownloaded = true;
  }

  /** Installs the newer version. Tills can send until this function calls `stopForExit`. */
  async function install(isStillGood: () => Promise<boolean>): Promise<void> {
    if (updater === undefined) return;
    await download();
    const { programSchema: schema } = await backUp('before-update.db');
    const { version, givenDataDir } = parts;
    const path = await parts.previous.keep(version);
    const running = path === undefined ? undefined : { version, schema, path };
    const remember = (): void => memory.set({ pending: running, tried: found?.version, givenDataDir });
    if (parts.stage !== undefined) {
      remember(); // from here on, Squirrel installs the update at the next start, even if the steps below fail
      await parts.stage();
    }
    if (!(await isStillGood()) || parts.isEnding()) return;
    remember();
    log.info(`update: version ${found?.version} takes the place of ${version}`);
    await parts.stopForExit();
    after(START_TIMEOUT_MS, parts.startAgain);
    updater.quitAndInstall(true, true);
  }

  /** Runs an operation. Rejects if another one still runs. */
  async function oneAtATime<T>(act: () => Promise<T>): Promise<T> {
    if (isBusy) throw new Error('Another version is being put in place.');
    isBusy = true;
    return act().finally(() => (isBusy = false));
  }

  return {
    choices() {
      return {
        update: isBusy ? undefined : found?.version,
        isByItself: found?.isByItself ?? false,
        previous: isBusy ? undefined : memory.get().previous?.version,
      };
    },
    async look() {
      if (updater === undefined || isBusy) return;
      if (now() >= nextCheckAt) {
        nextCheckAt = now() + CHECK_MS;
        await check().catch((error: unknown) => onFault('look for a newer version', error));
      }
      if (found?.isByItself !== true || now() < nextTryAt) return;
      nextTryAt = now() + QUIET_MS;
      if (!(await parts.isQuiet())) return;
      await oneAtATime(() => install(parts.isQuiet)).catch((error: unknown) => {
        nextTryAt = now() + RETRY_MS;
        onFault('put a newer version in place', error);
      });
    },
    update: () => oneAtATime(() => install(() => Promise.resolve(true))),
    goBack: () =>
      oneAtATime(async () => {
        const { previous } = memory.get();
        if (previous === undefined) return false;
        await parts.previous.assertKept(previous.path);
        const { oldestProgram } = await backUp('before-going-back.db');
        if (oldestProgram > previous.schema) return false;
        await parts.stopForExit();
        try {
          memory.set({ givenDataDir: parts.givenDataDir });
          await parts.previous.goBack(previous.path);
          memory.set({ previous: undefined, refused: parts.version });
          parts.end();
        } catch (error) {
          onFault('go back to the version before', error);
          parts.startAgain();
        }
        return true;
      }),
  };
}
