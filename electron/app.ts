// The desktop app: what happens when. Electron itself is passed in, so that all of it runs in tests beside a real gateway.

import { join } from 'node:path';

import type { App, MessageBoxOptions, PowerMonitor, PowerSaveBlocker } from 'electron';

import { answerCalls } from './calls.ts';
import type { DesktopView } from './desktop-api.ts';
import { type FirewallParts, openFirewallOffer } from './firewall.ts';
import { type GatewayProcess, type GatewayState, startGateway } from './gateway-process.ts';
import { IN_TRAY, type StartAtLogin } from './login.ts';
import type { Memory } from './memory.ts';
import { listNotices, openNotices } from './notices.ts';
import { type Outlook, openShopReader, outlookOf, type Shop } from './outlook.ts';
import type { openTray } from './tray.ts';
import { openUpdates, type UpdateParts } from './updates.ts';
import type { AppWindow, openWindow } from './window.ts';
import { say, sayCount, wordsOf } from './words.ts';

/** What of Electron and of this machine the app stands on. */
export interface DesktopParts {
  readonly app: Pick<
    App,
    'quit' | 'exit' | 'on' | 'getVersion' | 'getLocale' | 'requestSingleInstanceLock' | 'releaseSingleInstanceLock'
  >;
  readonly fork: Parameters<typeof startGateway>[0]['fork'];
  readonly entry: string;
  readonly dataDir: string | undefined;
  readonly readSealKey: () => Promise<string | null>;
  readonly findProxy: Parameters<typeof startGateway>[0]['findProxy'];
  /** Started by the machine and not by a person. */
  readonly startsInTray: boolean;
  readonly ipc: Parameters<typeof answerCalls>[0];
  readonly openWindow: (
    parts: Pick<Parameters<typeof openWindow>[0], 'createLink' | 'isQuitting' | 'onSessionEnd'>,
  ) => AppWindow;
  readonly openTray: (
    parts: Pick<Parameters<typeof openTray>[0], 'words' | 'onOpen' | 'onRestart' | 'onUpdate' | 'onGoBack' | 'onQuit'>,
  ) => ReturnType<typeof openTray>;
  readonly startAtLogin: StartAtLogin;
  readonly memory: Memory;
  readonly updates: Pick<UpdateParts, 'updater' | 'isOwner' | 'previous'>;
  readonly firewall: Pick<FirewallParts, 'platform' | 'executable' | 'systemRoot' | 'run'>;
  /** Has the app started again once it has ended. */
  readonly relaunch: () => void;
  readonly openPath: (path: string) => Promise<unknown>;
  readonly notify: (text: string) => void;
  /** On the disk of a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
  /** Resolves with the number of the button that was pressed. */
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
  readonly power: Pick<PowerMonitor, 'on'>;
  readonly stayAwake: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  readonly call: typeof fetch;
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
  readonly onFault: (doing: string, error: unknown) => void;
}

/** Between two looks at how the shop stands. */
const LOOK_MS = 10_000;
/** Tills that sold within it are open, and the machine does not fall asleep. */
const OPEN_MS = 60 * 60_000;

/** Of a nap no till takes notice. */
const SHORTEST_SLEEP_MS = 60_000;

/** To be called once Electron is ready. Undefined where another instance runs, which shows its window instead. */
export function openDesktop(parts: DesktopParts): { readonly gateway: GatewayProcess } | undefined {
  const { app, memory, now, after, onFault } = parts;
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return undefined;
  }
  const words = wordsOf(app.getLocale());
  let isQuitting = false;
  let isAsking = false;
  let dataDir = parts.dataDir ?? '';
  let shop: Shop | undefined;
  let awake: number | undefined;
  let isWindowWanted = !parts.startsInTray;
  /** NEW records that were only on this disk at the last look. */
  let onlyHere = 0;
  let asleepSince: number | undefined;
  let hasSealKey = false;
  let callOffLook = (): void => {};

  const sealKey = parts.readSealKey();
  const gateway = startGateway({
    fork: parts.fork,
    entry: parts.entry,
    dataDir: parts.dataDir,
    sealKey,
    findProxy: parts.findProxy,
    now,
    after,
    onState: (state) => setImmediate(() => onGateway(state)), // `gateway` is there by then
  });
  void sealKey.then((key) => (hasSealKey = key !== null));
  const window = parts.openWindow({
    createLink: () => gateway.createLink(),
    isQuitting: () => isQuitting,
    onSessionEnd,
  });
  const tell = parts.openTray({
    words,
    onOpen: show,
    onRestart: () => attempt('restart the gateway', gateway.restart()),
    onUpdate: () => attempt('update', changeVersion('update')),
    onGoBack: () => attempt('go back', changeVersion('go back')),
    onQuit: () => void quit(),
  });
  const updates = openUpdates({
    ...parts.updates,
    memory,
    version: app.getVersion(),
    isQuiet: () => reader.isQuiet(),
    backUp: (file) => gateway.backUp(file),
    backupFolder: () => join(dataDir, 'backups'),
    letGo,
    startAgain() {
      parts.relaunch();
      app.exit(0);
    },
    end: () => app.exit(0),
    now,
    after,
    onFault,
  });
  const offerFirewallRule = openFirewallOffer({
    ...parts.firewall,
    words,
    ask: parts.ask,
    isAsked: () => memory.get().isFirewallAsked === true,
    setAsked: () => memory.set({ isFirewallAsked: true }),
  });
  const tellNews = openNotices(parts.notify);
  const reader = openShopReader(() => gateway.createLink(), parts.call);

  function attempt(doing: string, done: Promise<unknown>): void {
    done.catch((error: unknown) => onFault(doing, error));
  }

  /** Without a gateway there is no console to show: why that is, in its own last words. */
  function show(): void {
    const state = gateway.state();
    if (state.kind === 'running') attempt('open the window', window.show());
    else isWindowWanted = true; // once it does
    if (state.kind !== 'ended') return;
    const { lastWords: detail } = state;
    attempt('say why', parts.ask({ type: 'warning', message: words.ended, detail, buttons: [words.close] }));
  }

  let wasRunning = false;
  function onGateway(state: GatewayState): void {
    if (state.kind !== 'running') shop = undefined;
    if (state.kind === 'ended' && wasRunning) parts.notify(words.gatewayFailed);
    if (state.kind === 'ended') onFault('run the gateway', new Error(state.lastWords));
    if (state.kind === 'running') {
      dataDir = state.ready.data;
      attempt('offer a rule in the firewall', offerFirewallRule(state.ready.api));
      attempt('enter again', window.enterAgain());
      if (isWindowWanted) show();
      isWindowWanted = false;
    }
    wasRunning = state.kind === 'running' || (wasRunning && state.kind === 'starting');
    showState();
  }

  function outlook(): Outlook {
    return outlookOf(gateway.state(), shop, words);
  }
  function showState(): void {
    tell(outlook(), updates.choices());
  }

  async function look(): Promise<void> {
    if (gateway.state().kind !== 'running') return;
    shop = await reader.read();
    ({ onlyHere } = outlook());
    showState();
    const freeBytes = await parts.freeBytes(dataDir);
    const { update, isByItself } = updates.choices();
    const waiting = isByItself ? undefined : update;
    tellNews(listNotices({ shop, freeBytes, update: waiting, now: now() }, words, app.getLocale()));
    const isOpen = shop.some(({ overview }) => now() - (overview.lastRecord?.receivedAt ?? 0) < OPEN_MS);
    if (isOpen) awake ??= parts.stayAwake.start('prevent-app-suspension');
    else if (awake !== undefined) {
      parts.stayAwake.stop(awake);
      awake = undefined;
    }
  }
  function lookOn(): void {
    attempt('look for an update', updates.look()); // which may take as long as a backup does
    look()
      .catch((error: unknown) => onFault('look at the shop', error))
      .finally(() => {
        if (!isQuitting) callOffLook = after(LOOK_MS, lookOn);
      });
  }

  /** Asks only when something would be worse for it: sales that are only here, or tills that are open. */
  async function quit(): Promise<void> {
    if (isQuitting || isAsking) return;
    isAsking = true;
    const isSure = await askToQuit().finally(() => (isAsking = false));
    if (isSure) await end();
  }

  async function askToQuit(): Promise<boolean> {
    await look().catch((error: unknown) => onFault('look at the shop', error));
    if (onlyHere === 0 && awake === undefined) return true;
    const detail = [words.quitMeans, ...(onlyHere > 0 ? [sayCount(words.quitOnlyHere, onlyHere)] : [])].join('\n');
    return isAgreed({ message: words.quitTitle, detail }, words.quit);
  }

  /** Ends the gateway, and whatever else keeps the app from ending. */
  async function letGo(): Promise<void> {
    isQuitting = true;
    callOffLook();
    await gateway.stop();
    app.releaseSingleInstanceLock();
  }

  /** It waits for us on macOS and Linux; on Windows the window is told. */
  function onSessionEnd(event?: { preventDefault(): void }): void {
    event?.preventDefault();
    void end();
  }

  async function end(): Promise<void> {
    await letGo();
    app.exit(0);
  }

  /** To the newer version or the one before, once somebody says so. */
  async function changeVersion(how: 'update' | 'go back'): Promise<void> {
    const { update, isByItself, previous } = updates.choices();
    const [version = '', title, button] =
      how === 'update' ? [update, words.updateTitle, words.doUpdate] : [previous, words.goBackTitle, words.doGoBack];
    const detail = [words.versionMeans, ...(how === 'update' && isByItself ? [words.updateByItself] : [])].join('\n');
    const message = say(title, { version });
    if (!(await isAgreed({ message, detail }, button))) return;
    const told = (problem: string, more = ''): Promise<unknown> =>
      parts.ask({ type: 'warning', message: problem, detail: more, buttons: [words.close] });
    try {
      if (how === 'update') await updates.update();
      else if (!(await updates.goBack())) await told(say(words.cannotGoBack, { version }));
    } catch (error) {
      await told(words.versionFailed, error instanceof Error ? error.message : String(error));
    }
  }

  async function isAgreed(question: Pick<MessageBoxOptions, 'message' | 'detail'>, button: string): Promise<boolean> {
    const buttons = [button, words.cancel];
    return (await parts.ask({ ...question, type: 'question', buttons, defaultId: 1, cancelId: 1 })) === 0;
  }

  function view(): DesktopView {
    return { version: app.getVersion(), startsAtLogin: parts.startAtLogin.get(), dataDir, isSealed: hasSealKey };
  }

  answerCalls(
    parts.ipc,
    {
      getView: () => Promise.resolve(view()),
      setStartAtLogin(isOn) {
        parts.startAtLogin.set(isOn);
        return Promise.resolve(view());
      },
      openDataFolder: async () => void (await parts.openPath(dataDir)),
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
    if (isQuitting) return;
    event.preventDefault();
    void quit();
  });
  // The system ends its session: it does not wait for an answer.
  parts.power.on('shutdown', onSessionEnd);
  parts.power.on('suspend', () => (asleepSince = now()));
  parts.power.on('resume', () => {
    const sleep = { from: asleepSince ?? now(), to: now() };
    asleepSince = undefined;
    if (sleep.to - sleep.from >= SHORTEST_SLEEP_MS) gateway.noteSleep(sleep);
    attempt('look at the shop', look());
  });
  lookOn();
  return { gateway };
}
