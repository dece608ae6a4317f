// A newer version: looked for now and then, got and put in place when tills are quiet, with the data backed up before and the
// version that ran kept, so that it can be gone back to. What is published, staged and signed is electron-updater's business.

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { AppUpdater } from 'electron-updater';

import type { Backup } from './gateway-process.ts';
import type { AppLog } from './log.ts';
import type { Memory, PreviousProgram } from './memory.ts';
import type { PreviousVersion } from './previous-version.ts';

export interface UpdateParts {
  /** Undefined where this version is not one that updates itself: a checkout, or what a package manager has installed. */
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
  /** macOS only: hands the download to Squirrel, which verifies it. Only the replacement is left then. */
  readonly stage: (() => Promise<void>) | undefined;
  readonly log: AppLog;
  /** The version that runs. */
  readonly version: string;
  /** Whether it can be replaced without somebody who gives a password. */
  readonly isReplaceable: () => Promise<boolean>;
  /** The data directory that the app was given when it was started, for the version that takes its place. */
  readonly givenDataDir: string | undefined;
  readonly previous: PreviousVersion;
  readonly memory: Memory;
  /** Whether tills are quiet, and will be for a while. */
  readonly isQuiet: () => Promise<boolean>;
  /** Copies the data to a file that is not there yet. */
  readonly backUp: (file: string) => Promise<Backup>;
  /** Where copies of the data are kept. */
  readonly backupFolder: () => string;
  /** Whether somebody has quit the app meanwhile. */
  readonly isEnding: () => boolean;
  /** Ends the gateway, and everything that would keep the app from ending. */
  readonly stopForExit: () => Promise<void>;
  /** Ends the app and starts it again, as it is. */
  readonly startAgain: () => void;
  readonly end: () => void;
  /** Told at the start after an update that did not begin. */
  readonly onNotBegun: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
  readonly onFault: (doing: string, error: unknown) => void;
}

/** What there is to choose; versions as people write them. Nothing while one is being put in place. */
export interface VersionChoices {
  /** Newer than the one that runs. */
  readonly update: string | undefined;
  /** Whether it is put in place by itself, when tills are quiet. */
  readonly isByItself: boolean;
  /** The one before. */
  readonly previous: string | undefined;
}

export interface Updates {
  choices(): VersionChoices;
  /** To be called often: does what is due. */
  look(): Promise<void>;
  /** Puts the newer version in place now, whoever sends. Rejects when it cannot be; then everything is as it was. */
  update(): Promise<void>;
  /**
   * Puts the version before in place. Resolves to false, with everything as it was, when the data are in a form that it does not
   * know.
   */
  goBack(): Promise<boolean>;
}

const HOUR_MS = 60 * 60_000;
/** Between two looks for a newer version. */
const CHECK_MS = 6 * HOUR_MS;
/** Between two looks at whether it is quiet. */
const QUIET_MS = 5 * 60_000;
/** After an update that could not be put in place. */
const RETRY_MS = 6 * HOUR_MS;
/** An update that is not under way by then will not be. */
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
    updater.autoInstallOnAppQuit = false; // somebody who switches the machine off wants it off
    updater.logger = parts.log;
    updater.on('error', () => {}); // whatever was called rejects with it
  }

  /** After an update began: the version that ran then is the one before, unless it runs still. */
  async function settle(before: PreviousProgram): Promise<void> {
    const hasBegun = before.version !== parts.version;
    if (!hasBegun) parts.onNotBegun();
    log.info(`update: version ${parts.version} runs${hasBegun ? `, ${before.version} before it` : ' still'}`);
    memory.set({ pending: undefined, ...(hasBegun && { previous: before }) });
    if (hasBegun) await parts.previous.forgetOthers(before.version);
  }

  /** Looks for a newer version. One that was gone back from is none, and one that did not begin waits for somebody. */
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

  /** Of each name the newest is kept. */
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

  /** Nothing before `stopForExit` keeps a till waiting. */
  async function install(isStillGood: () => Promise<boolean>): Promise<void> {
    if (updater === undefined) return;
    await download();
    const { programSchema: schema } = await backUp('before-update.db');
    const { version, givenDataDir } = parts;
    const path = await parts.previous.keep(version);
    const running = path === undefined ? undefined : { version, schema, path };
    const remember = (): void => memory.set({ pending: running, tried: found?.version, givenDataDir });
    if (parts.stage !== undefined) {
      remember(); // a staged update is installed at the next start, whatever happens here
      await parts.stage();
    }
    if (!(await isStillGood()) || parts.isEnding()) return;
    remember();
    log.info(`update: version ${found?.version} takes the place of ${version}`);
    await parts.stopForExit();
    after(START_TIMEOUT_MS, parts.startAgain);
    updater.quitAndInstall(true, true);
  }

  /** One thing at a time. */
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
