// What keeps the page in the app's window from being more than a page; docs/security.md has each rule by its name. Each is shown
// to be broken by what breaks it, and by nothing else, in a copy of the app that has the fault.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IpcMainInvokeEvent, WebPreferences } from 'electron';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { DESKTOP_CHANNEL } from '../../electron/desktop-api.ts';
import { copyApp, type RunningApp, runApp } from './app-copy.ts';

type Rule = (app: RunningApp) => boolean | Promise<boolean>;

const ELSEWHERE = ['https://example.com/', 'file:///etc/passwd', 'javascript:1', 'about:blank', 'no address'];

const prefers =
  <Name extends keyof WebPreferences>(name: Name, value: WebPreferences[Name]): Rule =>
  ({ window }) =>
    window.options.webPreferences?.[name] === value;
const PREFERENCES = {
  'the page runs apart from the preload': ['contextIsolation', true],
  'the page is in a sandbox': ['sandbox', true],
  'the page has no Node': ['nodeIntegration', false],
  'its workers have no Node': ['nodeIntegrationInWorker', false],
  'its frames have no Node': ['nodeIntegrationInSubFrames', false],
  'the page keeps to its origin': ['webSecurity', true],
  'insecure content does not run': ['allowRunningInsecureContent', false],
  'nothing experimental is on': ['experimentalFeatures', false],
  'there is no webview': ['webviewTag', false],
  'what is dropped on it is not opened': ['navigateOnDragDrop', false],
  'nothing is fetched to check what is written': ['spellcheck', false],
} as const satisfies Readonly<Record<string, readonly [keyof WebPreferences, boolean]>>;

/** Whether the page gets there. */
function goes({ window, ORIGIN }: RunningApp, event: string, url: string): boolean {
  let isPrevented = false;
  const address = url.replace('ORIGIN', ORIGIN);
  window.webContents.emit(event, { url: address, preventDefault: () => (isPrevented = true) });
  return !isPrevented;
}
const staysOn =
  (event: string): Rule =>
  (app) =>
    [...ELSEWHERE, 'ORIGIN.example.com/'].every((url) => !goes(app, event, url));

/** Of menus. */
const HARMLESS_ROLES: ReadonlySet<string> = new Set([
  'appMenu',
  'undo',
  'redo',
  'cut',
  'copy',
  'paste',
  'selectAll',
  'resetZoom',
  'zoomIn',
  'zoomOut',
  'minimize',
  'close',
]);
const PERMISSIONS = ['media', 'geolocation', 'notifications', 'openExternal', 'fileSystem', 'clipboard-read'] as const;

function has({ permissions }: RunningApp, permission: string): boolean | undefined {
  return permissions.check?.(null, permission as never, '', {} as never);
}
function getsByAsking({ permissions }: RunningApp, permission: string): boolean | undefined {
  const answer = vi.fn<(isAllowed: boolean) => void>();
  permissions.request?.(null as never, permission as never, answer, {} as never);
  return answer.mock.lastCall?.[0];
}

/** A call as the own page makes it, but for `more` of its frame. */
function own({ window, ORIGIN }: RunningApp, more: object = {}): Partial<IpcMainInvokeEvent> {
  const frame = { url: `${ORIGIN}/settings`, parent: null, ...more };
  return { sender: window.webContents, senderFrame: frame } as never;
}
const refuses =
  (...calls: readonly unknown[][]): Rule =>
  async (app) => {
    for (const call of calls) if ((await app.call(own(app), ...call)) !== 'refused') return false;
    return true;
  };

const RULES = {
  ...(Object.fromEntries(
    Object.entries(PREFERENCES).map(([rule, [name, value]]) => [rule, prefers(name, value)]),
  ) as Record<keyof typeof PREFERENCES, Rule>),
  'the page asks for nothing else, and its preload is the app’s': ({ window, folder }) => {
    const { preload, ...asked } = window.options.webPreferences ?? {};
    const known = new Set<string>(Object.values(PREFERENCES).map(([name]) => name));
    return preload === join(folder, 'preload/preload.cjs') && new Set(Object.keys(asked)).isSubsetOf(known);
  },
  'every window is in a sandbox, whatever it says of itself': ({ calls }) => {
    const names = calls.map(([name]) => name);
    return names.includes('enableSandbox') && names.indexOf('enableSandbox') < names.indexOf('ready');
  },
  'no menu reloads the page or looks into it': ({ calls }) => {
    type Item = { readonly role?: string; readonly submenu?: readonly Item[] };
    const menus = calls.find(([name]) => name === 'setApplicationMenu')?.[1] as readonly Item[] | undefined;
    const roles = menus?.flatMap((menu) => [menu, ...(menu.submenu ?? [])]).flatMap(({ role }) => role ?? []);
    return roles !== undefined && roles.every((role) => HARMLESS_ROLES.has(role));
  },
  'the page goes nowhere': staysOn('will-navigate'),
  'the page is sent nowhere': staysOn('will-redirect'),
  'its frames go nowhere': staysOn('will-frame-navigate'),
  'the page goes about its own gateway': (app) =>
    ['will-navigate', 'will-redirect', 'will-frame-navigate'].every((event) => goes(app, event, 'ORIGIN/records')),
  'no webview is attached': (app) => !goes(app, 'will-attach-webview', 'ORIGIN/'),
  'the page opens no window': ({ window, ORIGIN }) =>
    [...ELSEWHERE, `${ORIGIN}/records`].every(
      (url) => window.webContents.openHandler?.({ url } as never).action === 'deny',
    ),
  'the page gets no permission that it asks for': (app) =>
    PERMISSIONS.every((permission) => getsByAsking(app, permission) === false),
  'the page has no permission': (app) => PERMISSIONS.every((permission) => has(app, permission) === false),
  'the page copies when somebody clicks': (app) =>
    has(app, 'clipboard-sanitized-write') === true && getsByAsking(app, 'clipboard-sanitized-write') === true,
  'the page gets no device': ({ permissions }) => permissions.device?.({} as never) === false,
  'the page has five calls and nothing else': ({ exposed, calls }) => {
    const api = exposed.get('desktop') as Readonly<Record<string, (arg: unknown) => unknown>>;
    const names = ['getView', 'quit', 'restartGateway', 'setStartAtLogin', 'showFiles'];
    const [, channel] = (api['getView']?.(true), calls.findLast(([name]) => name === 'invoke') ?? []);
    const isAll = exposed.size === 1 && Object.keys(api).toSorted().join() === names.join();
    return isAll && channel === DESKTOP_CHANNEL;
  },
  'there is one channel': ({ handlers }) => [...handlers.keys()].join() === DESKTOP_CHANNEL,
  'the own page’s calls are answered': async (app) => (await app.call(own(app), 'getView')) === 'answered',
  'another page’s are refused': async (app) =>
    (await app.call(own(app, { url: 'https://example.com/' }), 'getView')) === 'refused',
  'those of a page that has no address yet are refused': ({ tooEarly }) => tooEarly === 'refused',
  'those of a frame within are refused': async (app) =>
    (await app.call(own(app, { parent: {} }), 'getView')) === 'refused',
  'those of a frame that is gone are refused': async (app) =>
    (await app.call({ ...own(app), senderFrame: null }, 'getView')) === 'refused',
  'another window’s are refused': async (app) =>
    (await app.call({ ...own(app), sender: {} as never }, 'getView')) === 'refused',
  'what takes nothing is refused with something': refuses(['getView', 1], ['quit', undefined]),
  'what takes yes or no is refused with anything else': refuses(
    ['setStartAtLogin'],
    ['setStartAtLogin', 'yes'],
    ['setStartAtLogin', true, true],
  ),
  'what takes the name of files is refused with anything else': refuses(
    ['showFiles'],
    ['showFiles', '/etc'],
    ['showFiles', 'logs', 'data'],
  ),
  'a call that there is not is refused': refuses(['toString'], ['constructor'], ['__proto__'], [undefined], []),
} satisfies Readonly<Record<string, Rule>>;
type RuleName = keyof typeof RULES;
const NAMES = Object.keys(RULES) as RuleName[];

/** A text, what is there instead, and what that breaks. */
type Planted = readonly [text: string, instead: string, ...breaks: RuleName[]];
const FAULTS: Readonly<Record<string, readonly Planted[]>> = {
  'window.ts': [
    ...Object.entries(PREFERENCES).map(([rule, [name, value]]): Planted => [
      `${name}: ${value},`,
      `${name}: ${!value},`,
      rule as RuleName,
    ]),
    ['sandbox: true,', '', 'the page is in a sandbox'],
    ['sandbox: true,', 'sandbox: true, plugins: true,', 'the page asks for nothing else, and its preload is the app’s'],
    [
      'preload: options.preload',
      "preload: '/elsewhere.cjs'",
      'the page asks for nothing else, and its preload is the app’s',
    ],
    ["contents.on('will-navigate'", "contents.on('no-event'", 'the page goes nowhere'],
    ["contents.on('will-redirect'", "contents.on('no-event'", 'the page is sent nowhere'],
    ["contents.on('will-frame-navigate'", "contents.on('no-event'", 'its frames go nowhere'],
    [
      'lockIn(made.webContents, ',
      '((..._: unknown[]) => {})(made.webContents, ',
      'the page goes nowhere',
      'the page is sent nowhere',
      'its frames go nowhere',
      'no webview is attached',
      'the page opens no window',
    ],
    [
      'if (!isOwnPage(url)) event',
      'if (isOwnPage(url)) event',
      'the page goes nowhere',
      'the page is sent nowhere',
      'its frames go nowhere',
      'the page goes about its own gateway',
    ],
    [
      'URL.parse(url)?.origin === content.origin',
      'url.startsWith(content.origin)',
      'the page goes nowhere',
      'the page is sent nowhere',
      'its frames go nowhere',
    ],
    ['content.origin !== undefined && URL', 'URL', 'those of a page that has no address yet are refused'],
    ["contents.on('will-attach-webview', (event) => event.preventDefault())", '', 'no webview is attached'],
    ["action: 'deny'", "action: 'allow'", 'the page opens no window'],
    ['answer(isCopying(permission))', 'answer(true)', 'the page gets no permission that it asks for'],
    ['permission) => isCopying(permission)', 'permission) => true', 'the page has no permission'],
    [
      "permission === 'clipboard-sanitized-write'",
      "permission.startsWith('clipboard')",
      'the page gets no permission that it asks for',
      'the page has no permission',
    ],
    ['answer(isCopying(permission))', 'answer(false)', 'the page copies when somebody clicks'],
    ['permission) => isCopying(permission)', 'permission) => false', 'the page copies when somebody clicks'],
    ['setDevicePermissionHandler(() => false)', 'setDevicePermissionHandler(() => true)', 'the page gets no device'],
    ['sender === window?.webContents && isOwnPage(url)', 'isOwnPage(url)', 'another window’s are refused'],
    [
      'sender === window?.webContents && isOwnPage(url)',
      'sender === window?.webContents',
      'another page’s are refused',
      'those of a page that has no address yet are refused',
    ],
  ],
  'calls.ts': [
    [
      'senderFrame === null || senderFrame.parent !== null || !isOwn(sender, senderFrame.url)',
      'senderFrame !== null && (senderFrame.parent !== null || !isOwn(sender, senderFrame.url))',
      'those of a frame that is gone are refused',
    ],
    ['senderFrame.parent !== null || ', '', 'those of a frame within are refused'],
    [
      '!isOwn(sender, senderFrame.url)',
      'false',
      'another page’s are refused',
      'another window’s are refused',
      'those of a page that has no address yet are refused',
    ],
    ['args.length > 0', 'false', 'what takes nothing is refused with something'],
    ["typeof isOn !== 'boolean' || ", '', 'what takes yes or no is refused with anything else'],
    [
      "typeof isOn !== 'boolean' || more.length > 0",
      "typeof isOn !== 'boolean'",
      'what takes yes or no is refused with anything else',
    ],
    [
      'what === undefined || more.length > 0',
      'what === undefined',
      'what takes the name of files is refused with anything else',
    ],
    ['what === undefined || ', '', 'what takes the name of files is refused with anything else'],
    ["throw new Error('There is no such call.')", 'return undefined', 'a call that there is not is refused'],
    ["case 'getView':", '', 'the own page’s calls are answered'],
    [
      'ipc.handle(DESKTOP_CHANNEL',
      "ipc.handle('another', () => {});\n  ipc.handle(DESKTOP_CHANNEL",
      'there is one channel',
    ],
  ],
  'app.ts': [
    [
      'window.isOwn(sender, url)',
      'window !== undefined || [sender, url]',
      'another page’s are refused',
      'another window’s are refused',
      'those of a page that has no address yet are refused',
    ],
  ],
  'main.ts': [
    ['app.enableSandbox();', '', 'every window is in a sandbox, whatever it says of itself'],
    [
      'denyPermissions(session.defaultSession);',
      '',
      'the page gets no permission that it asks for',
      'the page has no permission',
      'the page copies when somebody clicks',
      'the page gets no device',
    ],
    ['Menu.setApplicationMenu(', '((_: unknown) => {})(', 'no menu reloads the page or looks into it'],
  ],
  'menu.ts': [
    ["role: 'resetZoom'", "role: 'reload'", 'no menu reloads the page or looks into it'],
    ["role: 'minimize'", "role: 'toggleDevTools'", 'no menu reloads the page or looks into it'],
  ],
  'preload.ts': [
    ["('desktop', api)", "('desktop', { ...api, send: call })", 'the page has five calls and nothing else'],
    [
      "('desktop', api)",
      "('desktop', api);\ncontextBridge.exposeInMainWorld('ipc', ipcRenderer)",
      'the page has five calls and nothing else',
    ],
  ],
};

async function listBroken(app: RunningApp): Promise<RuleName[]> {
  const broken: RuleName[] = [];
  for (const name of NAMES) if (!(await RULES[name](app))) broken.push(name);
  return broken;
}

let app: RunningApp;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-app-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder); // a fault may well start it with the machine
  app = await runApp(copyApp(undefined, folder));
  return async () => {
    vi.unstubAllEnvs();
    await app.end();
    rmSync(folder, { recursive: true });
  };
});

test.each(NAMES)('%s', async (name) => {
  expect(await RULES[name](app)).toBe(true);
});

describe('a planted fault breaks exactly its rules:', () => {
  test.each(
    Object.entries(FAULTS).flatMap(([file, faults]) =>
      faults.map(
        ([text, instead, ...breaks]) => [`${file}: ${text} → ${instead}`, { file, text, instead }, breaks] as const,
      ),
    ),
  )('%s', async (_, fault, breaks) => {
    const faulty = await runApp(copyApp(fault));
    onTestFinished(() => faulty.end());
    expect((await listBroken(faulty)).toSorted()).toEqual(breaks.toSorted());
  });
});

test('every rule is broken by some fault', () => {
  const broken = new Set(Object.values(FAULTS).flatMap((faults) => faults.flatMap(([, , ...breaks]) => breaks)));
  expect(NAMES.filter((name) => !broken.has(name))).toEqual([]);
});

test('docs/security.md has every rule', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  expect(NAMES.filter((name) => !page.includes(name))).toEqual([]);
});

test('a fault whose text is not in the sources, or twice, is none', () => {
  for (const text of ['sandbox: perhaps', 'contents.on('])
    expect(() => copyApp({ file: 'window.ts', text, instead: '' })).toThrow('electron/window.ts has this');
});
