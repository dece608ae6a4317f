// The rules that restrict the page in the app's window. docs/security.md lists each rule by its name. Faults planted in a copy
// of the app prove the rules: each fault breaks exactly its rules.

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
  'the page is isolated from the preload': ['contextIsolation', true],
  'the page has a sandbox': ['sandbox', true],
  'the page has no Node': ['nodeIntegration', false],
  'its workers have no Node': ['nodeIntegrationInWorker', false],
  'its frames have no Node': ['nodeIntegrationInSubFrames', false],
  'the same-origin policy is on': ['webSecurity', true],
  'insecure content does not run': ['allowRunningInsecureContent', false],
  'experimental features are off': ['experimentalFeatures', false],
  'there is no webview': ['webviewTag', false],
  'a dropped file or link is not opened': ['navigateOnDragDrop', false],
  'the spelling check, which downloads files, is off': ['spellcheck', false],
} as const satisfies Readonly<Record<string, readonly [keyof WebPreferences, boolean]>>;

/** Whether the window lets its page navigate to `url`. */
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

/** Harmless roles of menu items. */
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

/** A call from the app's own page. `more` overrides properties of its frame. */
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
  'every preference is on the list, and the preload is the app’s': ({ window, folder }) => {
    const { preload, ...asked } = window.options.webPreferences ?? {};
    const known = new Set<string>(Object.values(PREFERENCES).map(([name]) => name));
    return preload === join(folder, 'preload/preload.cjs') && new Set(Object.keys(asked)).isSubsetOf(known);
  },
  'every window has a sandbox, whatever its preferences': ({ calls }) => {
    const names = calls.map(([name]) => name);
    return names.includes('enableSandbox') && names.indexOf('enableSandbox') < names.indexOf('ready');
  },
  'no menu reloads or inspects the page': ({ calls }) => {
    type Item = { readonly role?: string; readonly submenu?: readonly Item[] };
    const menus = calls.find(([name]) => name === 'setApplicationMenu')?.[1] as readonly Item[] | undefined;
    const roles = menus?.flatMap((menu) => [menu, ...(menu.submenu ?? [])]).flatMap(({ role }) => role ?? []);
    return roles !== undefined && roles.every((role) => HARMLESS_ROLES.has(role));
  },
  'the page cannot navigate away': staysOn('will-navigate'),
  'the page cannot be redirected away': staysOn('will-redirect'),
  'its frames cannot navigate away': staysOn('will-frame-navigate'),
  'the page can navigate within its own gateway': (app) =>
    ['will-navigate', 'will-redirect', 'will-frame-navigate'].every((event) => goes(app, event, 'ORIGIN/records')),
  'no webview can be attached': (app) => !goes(app, 'will-attach-webview', 'ORIGIN/'),
  'the page cannot open a window': ({ window, ORIGIN }) =>
    [...ELSEWHERE, `${ORIGIN}/records`].every(
      (url) => window.webContents.openHandler?.({ url } as never).action === 'deny',
    ),
  'every permission request is denied': (app) =>
    PERMISSIONS.every((permission) => getsByAsking(app, permission) === false),
  'the page has no permission': (app) => PERMISSIONS.every((permission) => has(app, permission) === false),
  'a click may copy text': (app) =>
    has(app, 'clipboard-sanitized-write') === true && getsByAsking(app, 'clipboard-sanitized-write') === true,
  'the page gets no access to a device': ({ permissions }) => permissions.device?.({} as never) === false,
  'the page has five calls and nothing else': ({ exposed, calls }) => {
    const api = exposed.get('desktop') as Readonly<Record<string, (arg: unknown) => unknown>>;
    const names = ['getView', 'quit', 'restartGateway', 'setStartAtLogin', 'showFiles'];
    const [, channel] = (api['getView']?.(true), calls.findLast(([name]) => name === 'invoke') ?? []);
    const isAll = exposed.size === 1 && Object.keys(api).toSorted().join() === names.join();
    return isAll && channel === DESKTOP_CHANNEL;
  },
  'there is one channel': ({ handlers }) => [...handlers.keys()].join() === DESKTOP_CHANNEL,
  'calls of the app’s own page are answered': async (app) => (await app.call(own(app), 'getView')) === 'answered',
  'calls of another page are refused': async (app) =>
    (await app.call(own(app, { url: 'https://example.com/' }), 'getView')) === 'refused',
  'calls of a page without an address are refused': ({ tooEarly }) => tooEarly === 'refused',
  'calls of a frame inside the page are refused': async (app) =>
    (await app.call(own(app, { parent: {} }), 'getView')) === 'refused',
  'calls of a removed frame are refused': async (app) =>
    (await app.call({ ...own(app), senderFrame: null }, 'getView')) === 'refused',
  'calls of another window are refused': async (app) =>
    (await app.call({ ...own(app), sender: {} as never }, 'getView')) === 'refused',
  'a call without parameters is refused with an argument': refuses(['getView', 1], ['quit', undefined]),
  'a call with a boolean parameter is refused with any other argument': refuses(
    ['setStartAtLogin'],
    ['setStartAtLogin', 'yes'],
    ['setStartAtLogin', true, true],
  ),
  'a call with a kind of files is refused with any other argument': refuses(
    ['showFiles'],
    ['showFiles', '/etc'],
    ['showFiles', 'logs', 'data'],
  ),
  'an unknown call is refused': refuses(['toString'], ['constructor'], ['__proto__'], [undefined], []),
} satisfies Readonly<Record<string, Rule>>;
type RuleName = keyof typeof RULES;
const NAMES = Object.keys(RULES) as RuleName[];

/** A text in the sources, its replacement, and the rules that it breaks. */
type Planted = readonly [text: string, instead: string, ...breaks: RuleName[]];
const FAULTS: Readonly<Record<string, readonly Planted[]>> = {
  'window.ts': [
    ...Object.entries(PREFERENCES).map(([rule, [name, value]]): Planted => [
      `${name}: ${value},`,
      `${name}: ${!value},`,
      rule as RuleName,
    ]),
    ['sandbox: true,', '', 'the page has a sandbox'],
    [
      'sandbox: true,',
      'sandbox: true, plugins: true,',
      'every preference is on the list, and the preload is the app’s',
    ],
    [
      'preload: options.preload',
      "preload: '/elsewhere.cjs'",
      'every preference is on the list, and the preload is the app’s',
    ],
    ["contents.on('will-navigate'", "contents.on('no-event'", 'the page cannot navigate away'],
    ["contents.on('will-redirect'", "contents.on('no-event'", 'the page cannot be redirected away'],
    ["contents.on('will-frame-navigate'", "contents.on('no-event'", 'its frames cannot navigate away'],
    [
      'lockIn(made.webContents, ',
      '((..._: unknown[]) => {})(made.webContents, ',
      'the page cannot navigate away',
      'the page cannot be redirected away',
      'its frames cannot navigate away',
      'no webview can be attached',
      'the page cannot open a window',
    ],
    [
      'if (!isOwnPage(url)) event',
      'if (isOwnPage(url)) event',
      'the page cannot navigate away',
      'the page cannot be redirected away',
      'its frames cannot navigate away',
      'the page can navigate within its own gateway',
    ],
    [
      'URL.parse(url)?.origin === content.origin',
      'url.startsWith(content.origin)',
      'the page cannot navigate away',
      'the page cannot be redirected away',
      'its frames cannot navigate away',
    ],
    ['content.origin !== undefined && URL', 'URL', 'calls of a page without an address are refused'],
    ["contents.on('will-attach-webview', (event) => event.preventDefault())", '', 'no webview can be attached'],
    ["action: 'deny'", "action: 'allow'", 'the page cannot open a window'],
    ['answer(isCopying(permission))', 'answer(true)', 'every permission request is denied'],
    ['permission) => isCopying(permission)', 'permission) => true', 'the page has no permission'],
    [
      "permission === 'clipboard-sanitized-write'",
      "permission.startsWith('clipboard')",
      'every permission request is denied',
      'the page has no permission',
    ],
    ['answer(isCopying(permission))', 'answer(false)', 'a click may copy text'],
    ['permission) => isCopying(permission)', 'permission) => false', 'a click may copy text'],
    [
      'setDevicePermissionHandler(() => false)',
      'setDevicePermissionHandler(() => true)',
      'the page gets no access to a device',
    ],
    ['sender === window?.webContents && isOwnPage(url)', 'isOwnPage(url)', 'calls of another window are refused'],
    [
      'sender === window?.webContents && isOwnPage(url)',
      'sender === window?.webContents',
      'calls of another page are refused',
      'calls of a page without an address are refused',
    ],
  ],
  'calls.ts': [
    [
      'senderFrame === null || senderFrame.parent !== null || !isOwn(sender, senderFrame.url)',
      'senderFrame !== null && (senderFrame.parent !== null || !isOwn(sender, senderFrame.url))',
      'calls of a removed frame are refused',
    ],
    ['senderFrame.parent !== null || ', '', 'calls of a frame inside the page are refused'],
    [
      '!isOwn(sender, senderFrame.url)',
      'false',
      'calls of another page are refused',
      'calls of another window are refused',
      'calls of a page without an address are refused',
    ],
    ['args.length > 0', 'false', 'a call without parameters is refused with an argument'],
    ["typeof isOn !== 'boolean' || ", '', 'a call with a boolean parameter is refused with any other argument'],
    [
      "typeof isOn !== 'boolean' || more.length > 0",
      "typeof isOn !== 'boolean'",
      'a call with a boolean parameter is refused with any other argument',
    ],
    [
      'what === undefined || more.length > 0',
      'what === undefined',
      'a call with a kind of files is refused with any other argument',
    ],
    ['what === undefined || ', '', 'a call with a kind of files is refused with any other argument'],
    ["throw new Error('There is no such call.')", 'return undefined', 'an unknown call is refused'],
    ["case 'getView':", '', 'calls of the app’s own page are answered'],
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
      'calls of another page are refused',
      'calls of another window are refused',
      'calls of a page without an address are refused',
    ],
  ],
  'main.ts': [
    ['app.enableSandbox();', '', 'every window has a sandbox, whatever its preferences'],
    [
      'denyPermissions(session.defaultSession);',
      '',
      'every permission request is denied',
      'the page has no permission',
      'a click may copy text',
      'the page gets no access to a device',
    ],
    ['Menu.setApplicationMenu(', '((_: unknown) => {})(', 'no menu reloads or inspects the page'],
  ],
  'menu.ts': [
    ["role: 'resetZoom'", "role: 'reload'", 'no menu reloads or inspects the page'],
    ["role: 'minimize'", "role: 'toggleDevTools'", 'no menu reloads or inspects the page'],
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
  vi.stubEnv('XDG_CONFIG_HOME', folder); // some faults enable the start at login, which writes a file into this folder
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

test('a fault whose text is missing or repeated in the sources is an error', () => {
  for (const text of ['sandbox: perhaps', 'contents.on('])
    expect(() => copyApp({ file: 'window.ts', text, instead: '' })).toThrow('electron/window.ts has this');
});
