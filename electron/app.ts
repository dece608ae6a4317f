// The desktop app: its events and their order. Electron is a parameter, so tests run the whole app with a real gateway.

import { dirname, join } from 'node:path';

import type { App } from 'electron';

import { answerCalls } from './calls.ts';
import type { DesktopView, ShownFiles } from './desktop-api.ts';
import { gatherDiagnostics } from './diagnostics.ts';
import { type FailureAct, failurePage } from './failure-page.ts';
import { openFailures } from './failure.ts';
import { type FirewallParts, openFirewallOffer } from './firewall.ts';
import { type GatewayOptions, type GatewayProcess, type GatewayState, startGateway } from './gateway-process.ts';
import type { AppLog } from './log.ts';
import type { Memory } from './memory.ts';
import { listNotices, openNotices } from './notices.ts';
import { type Ask, openQuestions } from './questions.ts';
import { openShopReader, type Shop, shopStatus } from './shop.ts';
import { IN_TRAY, type StartAtLogin } from './start-at-login.ts';
import type { TrayOptions, TrayShow } from './tray.ts';
import { openUpdates, type UpdateParts } from './updates.ts';
import { openVersionQuestions } from './version-questions.ts';
import { openWakefulness, type WakefulnessParts } from './wakefulness.ts';
import type { AppWindow, WindowOptions } from './window.ts';
import { sayCount, type Words } from './words.ts';

/** The dependencies of the app: functions of Electron and of this machine. */
export interface DesktopParts
  extends
    Pick<GatewayOptions, 'fork' | 'entry' | 'dataDir' | 'readSealKey' | 'findProxy' | 'now' | 'after'>,
    Pick<WakefulnessParts, 'power' | 'stayAwake'> {
  readonly app: Pick<App, 'quit' | 'exit' | 'on' | 'getVersion' | 'releaseSingleInstanceLock'>;
  readonly words: Words;
  /** BCP 47 tag for times and dates, such as en-GB. */
  readonly locale: string;
  /** Whether the system started the app at login, rather than a person. */
  readonly startsInTray: boolean;
  readonly ipc: Parameters<typeof answerCalls>[0];
  readonly openWindow: (
    parts: Pick<WindowOptions, 'createLink' | 'isQuitting' | 'onHide' | 'onFailureAct' | 'onSessionEnd' | 'onFault'>,
  ) => AppWindow;
  readonly openTray: (parts: Omit<TrayOptions, 'create' | 'icon' | 'makeMenu'>) => TrayShow;
  readonly startAtLogin: StartAtLogin;
  readonly memory: Memory;
  readonly updates: Pick<UpdateParts, 'updater' | 'stage' | 'isReplaceable' | 'previous'>;
  readonly firewall: Pick<FirewallParts, 'platform' | 'executable' | 'systemRoot' | 'run'>;
  /** Starts the app again after its exit. If `isShown` is true, the app shows its window; otherwise it starts in the tray. */
  readonly relaunch: (isShown?: boolean) => void;
  /** Opens a file or folder. Resolves with the error message; empty on success. */
  readonly openPath: (path: string) => Promise<string>;
  /** Asks for a file, saves the text there and shows the file. Also resolves if the user cancels. */
  readonly saveText: (name: string, text: string) => Promise<void>;
  readonly notify: (text: string, onClick: () => void) => void;
  readonly ask: Ask;
  readonly call: typeof fetch;
  readonly log: AppLog;
  /** The file that `log` writes to. */
  readonly logFile: string;
  /** Version numbers for diagnostics, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface Desktop {
  readonly gateway: GatewayProcess;
  /** Ends the gateway and then the app, without asking the user. */
  end(): Promise<void>;
}

/** Interval at which the app asks its gateway for the shop's state. */
export const LOOK_MS = 10_000;
/** Tills count as in use for this time after the last sale. */
const OPEN_MS = 60 * 60_000;
/**
 * Consecutive unanswered polls: the number before a notification (one minute), and the number before a restart (three minutes).
 * A poll without an answer takes about 15 s.
 */
const SILENT_LOOKS_TOLD = 4;
const SILENT_LOOKS_ENDED = 12;
/** Minimum time between two notifications that the gateway stopped. */
const CRASH_NOTICE_MS = 10 * 60_000;

/** Starts the app. Call this when Electron is ready, and only if no other instance of the app runs. */
export function openDesktop(parts: DesktopParts): Desktop {
  const { app, words, locale, memory, log, now, after } = parts;
  const givenDataDir = parts.dataDir ?? memory.get().givenDataDir;
  if (memory.get().givenDataDir !== undefined) remember({ givenDataDir: undefined });
  let dataDir = givenDataDir ?? memory.get().dataDir;
  let isQuitting = false;
  let hasStopped = false;
  let isAsking = false;
  let isWindowWanted = !parts.startsInTray;
  let hasKeyring = false;
  let shop: Shop | 'no answer' | undefined;
  /** Number of NEW records at the last poll that the upstream does not have yet; undefined before the first poll. */
  let onlyHere: number | undefined;
  /** Epoch milliseconds. */
  let lastSaleAt = 0;
  let crashToldAt = -Infinity;
  let savingDiagnostics: Promise<void> | undefined;
  /** Consecutive polls that a running gateway did not answer. */
  let silentLooks = 0;
  let looking: Promise<void> | undefined;
  /** Whether the user started the app again while it was exiting. */
  let isStartWanted = false;
  let callOffLook = (): void => {};

  const failures = openFailures(now);
  const offerFirewallRule = openFirewallOffer({
    ...parts.firewall,
    words,
    ask: parts.ask,
    isAsked: () => memory.get().isFirewallAsked === true,
    setAsked: () => remember({ isFirewallAsked: true }),
  });
  const gateway = startGateway({
    ...parts,
    dataDir: givenDataDir,
    async readSealKey() {
      const key = await parts.readSealKey();
      hasKeyring = key !== null;
      log.info(
        `keyring: ${hasKeyring ? 'open; keys upstream are sealed with it' : 'none that opens; keys upstream are not sealed'}`,
      );
      return key;
    },
    beforeListening: offerFirewallRule,
    onDataDir: (path) => void (dataDir = path),
    onState: onGateway,
  });
  const reader = openShopReader(() => gateway.createLink(), parts.call);
  const questions = openQuestions(parts.ask, words);
  const wakefulness = openWakefulness({ ...parts, noteSleep: (sleep) => gateway.noteSleep(sleep) });
  const updates = openUpdates({
    ...parts.updates,
    memory,
    givenDataDir,
    version: app.getVersion(),
    isQuiet: () => reader.isQuiet(),
    backUp: (file) => gateway.backUp(file),
    backupFolder() {
      if (dataDir === undefined) throw new Error('No gateway has run yet.');
      return join(dataDir, 'backups');
    },
    isEnding: () => isQuitting,
    stopForExit,
    startAgain() {
      parts.relaunch();
      app.exit(0);
    },
    end: () => app.exit(0),
    onNotBegun: () => parts.notify(words.versionFailed, () => show()),
    log,
    now,
    after,
    onFault,
  });
  const versions = openVersionQuestions(updates, questions, words);
  const window = parts.openWindow({
    createLink: () => gateway.createLink(),
    isQuitting: () => isQuitting,
    onHide,
    onFailureAct,
    onSessionEnd,
    onFault,
  });
  const showInTray = parts.openTray({
    words,
    onOpen: () => show(),
    onRestart: () => attempt('restart the gateway', gateway.restart()),
    onOpenLogs: () => attempt('open the logs', showFiles('logs')),
    onSaveDiagnostics: () => attempt('save diagnostics', showFiles('diagnostics')),
    onUpdate: () => attempt('update', versions.update()),
    onGoBack: () => attempt('go back', versions.goBack()),
    onQuit: () => attempt('quit', quit()),
  });
  const notifyNew = openNotices(({ text, path }) => parts.notify(text, () => show(path)));

  function onFault(doing: string, error: unknown): void {
    log.error(`could not ${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  /**
   * Stores values for the next start of the app. A failure is only logged, because the app must also run on a disk that is not
   * writable.
   */
  function remember(more: Parameters<Memory['set']>[0]): void {
    try {
      memory.set(more);
    } catch (error) {
      onFault('remember', error);
    }
  }

  function attempt(doing: string, done: Promise<unknown>): void {
    done.catch((error: unknown) => onFault(doing, error));
  }

  /** Shows the console, at the screen `path` if it is given. If the gateway does not run, shows the failure page. */
  function show(path?: string): void {
    if (gateway.state().kind === 'running')
      window.show(path).catch((error: unknown) => {
        onFault('open the window', error);
        attempt('say why', questions.warn(words.noAnswer, error instanceof Error ? error.message : ''));
      });
    else if (failures.current() === undefined) isWindowWanted = true; // remembers to open the window when the gateway runs
    else showFailure(true);
  }

  function showFailure(isShown: boolean): void {
    const failure = failures.current();
    if (failure === undefined) return;
    const page = failurePage(failure, now(), words, locale);
    attempt('show why the gateway cannot start', window.showFailure(page, isShown));
  }

  function onGateway(state: GatewayState): void {
    log.info(`gateway: ${describe(state)}`);
    if (state.kind === 'running') onRunning(state.ready.data);
    else shop = undefined;
    if (state.kind === 'ended') onEnded(state);
    showStatus();
  }

  function onRunning(folder: string): void {
    failures.clear();
    silentLooks = 0;
    dataDir = folder;
    if (memory.get().dataDir !== folder) remember({ dataDir: folder });
    if (isWindowWanted) show();
    else attempt('sign in again', window.signInAgain());
    isWindowWanted = false;
  }

  function onEnded(state: GatewayState & { kind: 'ended' }): void {
    const act = failures.note(state);
    if (state.hasRun && now() - crashToldAt > CRASH_NOTICE_MS) {
      crashToldAt = now();
      parts.notify(words.gatewayFailed, () => show());
    }
    if (act !== 'nothing') showFailure(act === 'open');
  }

  function showStatus(): void {
    showInTray(shopStatus(gateway.state(), shop, words), updates.choices());
  }

  /** Polls the shop's state, one poll at a time. Several failed polls at the same time would count as a long silence. */
  function look(): Promise<void> {
    looking ??= readShop().finally(() => (looking = undefined));
    return looking;
  }

  async function readShop(): Promise<void> {
    const asked = gateway.state();
    if (asked.kind !== 'running') return;
    const seen = await reader.read().catch((error: unknown) => {
      // A missing answer counts only if the polled gateway still runs. During the poll, another gateway may have started.
      shop = gateway.state() === asked ? 'no answer' : undefined;
      showStatus();
      if (shop === 'no answer') onSilence();
      throw error;
    });
    silentLooks = 0;
    shop = seen;
    ({ onlyHere } = shopStatus(gateway.state(), shop, words));
    showStatus();
    lastSaleAt = Math.max(0, ...seen.map(({ overview }) => overview.lastRecord?.receivedAt ?? 0));
    stayAwakeWhileOpen();
    const { update, isByItself } = updates.choices();
    const news = { shop: seen, update: isByItself ? undefined : update, now: now() };
    notifyNew(listNotices(news, words, locale));
  }

  /** Reports a gateway that hangs, then restarts it. No sale is lost: every confirmed sale is on disk. */
  function onSilence(): void {
    silentLooks += 1;
    if (silentLooks === SILENT_LOOKS_TOLD) parts.notify(words.noAnswer, () => show());
    if (silentLooks !== SILENT_LOOKS_ENDED || isQuitting) return;
    log.warn('gateway: does not answer and is restarted');
    attempt('restart the gateway that does not answer', gateway.restart());
  }

  function stayAwakeWhileOpen(): void {
    wakefulness.set(now() - lastSaleAt < OPEN_MS);
  }

  function lookOn(): void {
    stayAwakeWhileOpen();
    attempt('look for an update', updates.look()); // not awaited, because an update begins with a backup, which may take long
    look()
      .catch((error: unknown) => onFault('look at the shop', error))
      .finally(() => {
        if (!isQuitting) callOffLook = after(LOOK_MS, lookOn);
      });
  }

  async function quit(): Promise<void> {
    if (isQuitting || isAsking) return;
    isAsking = true;
    const isSure = await isSureToQuit().finally(() => (isAsking = false));
    if (isSure) await end();
  }

  /** Asks the user to confirm quitting, but only if sales are unsent, tills are open, or the gateway does not answer. */
  async function isSureToQuit(): Promise<boolean> {
    // Polls once more, because a poll in flight may have missed the newest sale.
    await readShop().catch((error: unknown) => onFault('look at the shop', error));
    if (onlyHere === 0 && !wakefulness.isKeptAwake() && shop !== 'no answer') return true;
    const detail = [
      words.quitMeans,
      ...(onlyHere !== undefined && onlyHere > 0 ? [sayCount(words.quitOnlyHere, onlyHere)] : []),
    ].join('\n');
    return questions.isAgreed(words.quitTitle, detail, words.quit);
  }

  async function stopForExit(): Promise<void> {
    isQuitting = true;
    callOffLook();
    await gateway.stop();
    hasStopped = true;
    app.releaseSingleInstanceLock();
  }

  async function end(): Promise<void> {
    await stopForExit();
    log.info('ended');
    if (isStartWanted) parts.relaunch(true);
    app.exit(0);
  }

  /**
   * Ends the app without a question when the user logs out or shuts down. macOS and Linux wait for the app's exit; Windows does
   * not.
   */
  function onSessionEnd(event?: { preventDefault(): void }): void {
    event?.preventDefault();
    attempt('end', end());
  }

  /** Tells the user once that the gateway still runs: users may think that closing the window ends it. */
  function onHide(): void {
    if (memory.get().isCloseNoticeShown === true) return;
    parts.notify(words.keepsRunning, () => show());
    remember({ isCloseNoticeShown: true });
  }

  function onFailureAct(act: FailureAct): void {
    const acts: Record<FailureAct, () => Promise<void>> = {
      'try-again'() {
        failures.noteTry();
        return gateway.restart();
      },
      'open-data': () => showFiles('data'),
      'open-logs': () => showFiles('logs'),
      'save-diagnostics': () => showFiles('diagnostics'),
      quit,
    };
    acts[act]().catch((error: unknown) => {
      onFault(act, error);
      attempt('say why', questions.warn(words.actFailed, error instanceof Error ? error.message : ''));
    });
  }

  async function showFiles(what: ShownFiles): Promise<void> {
    if (what === 'diagnostics')
      return (savingDiagnostics ??= saveDiagnostics().finally(() => (savingDiagnostics = undefined)));
    const fault = await parts.openPath(what === 'logs' ? dirname(parts.logFile) : (dataDir ?? ''));
    if (fault !== '') throw new Error(fault);
  }

  async function saveDiagnostics(): Promise<void> {
    const text = await gatherDiagnostics({
      versions: { Counterfoil: app.getVersion(), ...parts.versions },
      gateway: describe(gateway.state()),
      ask: (args) => gateway.ask(args),
      logs: { 'Log of the app': parts.logFile, 'Log of the gateway': join(dataDir ?? '', 'logs/counterfoil.log') },
      now,
    });
    const day = new Date(now()).toISOString().slice(0, 10);
    await parts.saveText(`counterfoil-diagnostics-${day}.txt`, text).catch(async (error: unknown) => {
      await questions.warn(words.diagnosticsFailed, error instanceof Error ? error.message : '');
    });
  }

  const view = (): DesktopView => {
    const { update, isByItself } = updates.choices();
    return {
      version: app.getVersion(),
      startsAtLogin: parts.startAtLogin.get(),
      canStartAtLogin: parts.startAtLogin.isPossible,
      dataDir: dataDir ?? '',
      hasKeyring,
      looksForUpdates: parts.updates.updater !== undefined,
      update: update === undefined ? null : { version: update, isAutomatic: isByItself },
    };
  };
  answerCalls(
    parts.ipc,
    {
      getView: () => Promise.resolve(view()),
      setStartAtLogin(isOn) {
        parts.startAtLogin.set(isOn);
        return Promise.resolve(view());
      },
      showFiles,
      restartGateway: () => gateway.restart(),
      quit: () => quit(),
    },
    (sender, url) => window.isOwn(sender, url),
  );

  app.on('second-instance', (_event, args) => {
    if (args.includes(IN_TRAY)) return; // the system started the app at login, so nobody wants the window
    if (isQuitting) isStartWanted = true;
    else show();
  });
  app.on('activate', () => show());
  app.on('window-all-closed', () => {}); // without this handler, Electron would quit; the app must stay in the tray
  app.on('before-quit', (event) => {
    if (hasStopped) return;
    event.preventDefault(); // delays the quit, because the gateway must stop first
    attempt('quit', quit());
  });
  parts.power.on('shutdown', onSessionEnd);
  parts.power.on('resume', () => attempt('look at the shop', look()));
  if (parts.startsInTray) window.prepare();
  showStatus();
  lookOn();
  return { gateway, end };
}

/** The gateway's state in words, for the app's log file and for diagnostics. */
function describe(state: GatewayState): string {
  if (state.kind === 'running')
    return `running; tills at ${state.ready.api}, console at ${state.ready.console}, data in ${state.ready.data}`;
  if (state.kind !== 'ended') return state.kind;
  const when = state.hasRun ? 'unasked' : 'before it was ready';
  return `ended ${when} (${state.fault}): ${state.message || 'no last words'}`;
}
