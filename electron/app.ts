// The desktop app: what happens when. Electron itself is passed in, so that all of it runs in tests beside a real gateway.

import { join } from 'node:path';

import type { App } from 'electron';

import { answerCalls } from './calls.ts';
import { type FirewallParts, openFirewallOffer } from './firewall.ts';
import { type GatewayOptions, type GatewayProcess, type GatewayState, startGateway } from './gateway-process.ts';
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
import { sayCount, wordsOf } from './words.ts';

/** What of Electron and of this machine the app stands on. */
export interface DesktopParts
  extends
    Pick<GatewayOptions, 'fork' | 'entry' | 'dataDir' | 'readSealKey' | 'findProxy' | 'now' | 'after'>,
    Pick<WakefulnessParts, 'power' | 'stayAwake'> {
  readonly app: Pick<
    App,
    'quit' | 'exit' | 'on' | 'getVersion' | 'getLocale' | 'requestSingleInstanceLock' | 'releaseSingleInstanceLock'
  >;
  /** Started by the machine and not by a person. */
  readonly startsInTray: boolean;
  readonly ipc: Parameters<typeof answerCalls>[0];
  readonly openWindow: (parts: Pick<WindowOptions, 'createLink' | 'isQuitting' | 'onSessionEnd'>) => AppWindow;
  readonly openTray: (parts: Omit<TrayOptions, 'create' | 'makeMenu'>) => TrayShow;
  readonly startAtLogin: StartAtLogin;
  readonly memory: Memory;
  readonly updates: Pick<UpdateParts, 'updater' | 'isReplaceable' | 'previous'>;
  readonly firewall: Pick<FirewallParts, 'platform' | 'executable' | 'systemRoot' | 'run'>;
  /** Has the app started again once it has ended. */
  readonly relaunch: () => void;
  /** Resolves with what was wrong; empty where nothing was. */
  readonly openPath: (path: string) => Promise<string>;
  readonly notify: (text: string) => void;
  /** On the disk of a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
  readonly ask: Ask;
  readonly call: typeof fetch;
  readonly onFault: (doing: string, error: unknown) => void;
}

/** Between two looks at how the shop stands. */
export const LOOK_MS = 10_000;
/** Tills that sold within it are open. */
const OPEN_MS = 60 * 60_000;

/** To be called once Electron is ready. Undefined where another instance runs, which shows its window instead. */
export function openDesktop(parts: DesktopParts): { readonly gateway: GatewayProcess } | undefined {
  const { app, memory, now, after, onFault } = parts;
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return undefined;
  }
  const words = wordsOf(app.getLocale());
  const givenDataDir = parts.dataDir ?? memory.get().givenDataDir;
  if (memory.get().givenDataDir !== undefined) remember({ givenDataDir: undefined });
  let dataDir = givenDataDir ?? memory.get().dataDir;
  let isQuitting = false;
  let hasStopped = false;
  let isAsking = false;
  let isWindowWanted = !parts.startsInTray;
  let hasKeyring = false;
  /** That it ends is told once, until it has run again. */
  let isFailureNews = true;
  let shop: Shop | 'no answer' | undefined;
  /** NEW records that were only on this disk at the last look; undefined before the first. */
  let onlyHere: number | undefined;
  /** Epoch milliseconds. */
  let lastSaleAt = 0;
  let callOffLook = (): void => {};

  const gateway = startGateway({
    ...parts,
    dataDir: givenDataDir,
    async readSealKey() {
      const key = await parts.readSealKey();
      hasKeyring = key !== null;
      return key;
    },
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
    stopForExit,
    startAgain() {
      parts.relaunch();
      app.exit(0);
    },
    end: () => app.exit(0),
    onNotBegun: () => parts.notify(words.versionFailed),
    now,
    after,
    onFault,
  });
  const versions = openVersionQuestions(updates, questions, words);
  const offerFirewallRule = openFirewallOffer({
    ...parts.firewall,
    words,
    ask: parts.ask,
    isAsked: () => memory.get().isFirewallAsked === true,
    setAsked: () => remember({ isFirewallAsked: true }),
  });
  const window = parts.openWindow({
    createLink: () => gateway.createLink(),
    isQuitting: () => isQuitting,
    onSessionEnd,
  });
  const showInTray = parts.openTray({
    words,
    onOpen: show,
    onRestart: () => attempt('restart the gateway', gateway.restart()),
    onUpdate: () => attempt('update', versions.update()),
    onGoBack: () => attempt('go back', versions.goBack()),
    onQuit: () => attempt('quit', quit()),
  });
  const notifyNew = openNotices(parts.notify);

  /** A disk that takes nothing must not keep the app from running. */
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

  /** Without a gateway there is no console to show: why that is, in its own last words. */
  function show(): void {
    const state = gateway.state();
    if (state.kind === 'running')
      window.show().catch((error: unknown) => {
        onFault('open the window', error);
        attempt('say why', questions.warn(words.noAnswer, error instanceof Error ? error.message : ''));
      });
    else isWindowWanted = true; // once it does
    if (state.kind === 'ended') attempt('say why', questions.warn(words.ended, state.lastWords));
  }

  function onGateway(state: GatewayState): void {
    if (state.kind === 'running') {
      isFailureNews = true;
      dataDir = state.ready.data;
      if (memory.get().dataDir !== dataDir) remember({ dataDir });
      attempt('offer a rule in the firewall', offerFirewallRule(state.ready.api));
      attempt('enter again', window.enterAgain());
      if (isWindowWanted) show();
      isWindowWanted = false;
    } else shop = undefined;
    if (state.kind === 'ended') {
      if (isFailureNews) parts.notify(words.gatewayFailed);
      isFailureNews = false;
      onFault('run the gateway', new Error(state.lastWords));
    }
    showStatus();
  }

  function showStatus(): void {
    showInTray(shopStatus(gateway.state(), shop, words), updates.choices());
  }

  async function look(): Promise<void> {
    if (gateway.state().kind !== 'running') return;
    const seen = await reader.read().catch((error: unknown) => {
      shop = gateway.state().kind === 'running' ? 'no answer' : undefined;
      showStatus();
      throw error;
    });
    shop = seen;
    ({ onlyHere } = shopStatus(gateway.state(), shop, words));
    showStatus();
    lastSaleAt = Math.max(0, ...seen.map(({ overview }) => overview.lastRecord?.receivedAt ?? 0));
    stayAwakeWhileOpen();
    const freeBytes = await parts.freeBytes(dataDir ?? '');
    const { update, isByItself } = updates.choices();
    const news = { shop: seen, freeBytes, update: isByItself ? undefined : update, now: now() };
    notifyNew(listNotices(news, words, app.getLocale()));
  }

  function stayAwakeWhileOpen(): void {
    wakefulness.set(now() - lastSaleAt < OPEN_MS);
  }

  function lookOn(): void {
    stayAwakeWhileOpen();
    attempt('look for an update', updates.look()); // which may take as long as a backup does
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

  /** Asks only when something would be worse for it: sales that are only here, tills that are open, or nobody knows. */
  async function isSureToQuit(): Promise<boolean> {
    await look().catch((error: unknown) => onFault('look at the shop', error));
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
    app.exit(0);
  }

  /** Nobody is asked. macOS and Linux wait until we have ended; Windows tells the window, where there is one, and does not. */
  function onSessionEnd(event?: { preventDefault(): void }): void {
    event?.preventDefault();
    attempt('end', end());
  }

  async function openDataFolder(): Promise<void> {
    const fault = await parts.openPath(dataDir ?? '');
    if (fault !== '') throw new Error(fault);
  }

  const view = () => ({
    version: app.getVersion(),
    startsAtLogin: parts.startAtLogin.get(),
    dataDir: dataDir ?? '',
    hasKeyring,
  });
  answerCalls(
    parts.ipc,
    {
      getView: () => Promise.resolve(view()),
      setStartAtLogin(isOn) {
        parts.startAtLogin.set(isOn);
        return Promise.resolve(view());
      },
      openDataFolder,
      restartGateway: () => gateway.restart(),
      quit: () => quit(),
    },
    (sender, url) => window.isOwn(sender, url),
  );

  app.on('second-instance', (_event, args) => {
    if (!args.includes(IN_TRAY)) show(); // the machine has started it again
  });
  app.on('activate', show);
  app.on('window-all-closed', () => {}); // it stays in the tray
  app.on('before-quit', (event) => {
    if (hasStopped) return;
    event.preventDefault(); // also while the gateway ends
    attempt('quit', quit());
  });
  parts.power.on('shutdown', onSessionEnd);
  parts.power.on('resume', () => attempt('look at the shop', look()));
  showStatus();
  lookOn();
  return { gateway };
}
