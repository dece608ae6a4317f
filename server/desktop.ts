// The gateway's connection to the desktop app that started it. The app has the key that seals secrets, and knows the system's
// proxy. It tells the gateway when to stop, and when the machine was asleep.

import { z } from 'zod';

import type { DesktopMessage, GatewayMessage } from './contract/desktop.ts';
import type { Sleep } from './contract/machine.ts';
import { assertNever, OperatorError, UsageError } from './errors.ts';
import { SEAL_KEY_BYTES } from './store/data-directory.ts';

const MESSAGE: z.ZodType<DesktopMessage> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), sealKey: z.base64().nullable() }),
  z.object({ kind: z.literal('slept'), from: z.int(), to: z.int() }),
  z.object({ kind: z.literal('proxy'), id: z.int(), proxy: z.string().nullable() }),
  z.object({ kind: z.literal('listen') }),
  z.object({ kind: z.literal('link'), id: z.int() }),
  z.object({ kind: z.literal('stop') }),
]);

/**
 * Maximum time that the gateway waits for the app to find a proxy. Without an answer in this time, it sends records without a
 * proxy.
 */
const PROXY_TIMEOUT_MS = 2000;
/**
 * Maximum time that the gateway waits for the app's permission to listen. The app may be asking a person about the firewall,
 * and no till can connect until then.
 */
const LISTEN_TIMEOUT_MS = 60_000;

export interface Desktop {
  /** The key that seals secrets. Undefined if the system has no keyring. */
  readonly sealKey: Uint8Array | undefined;
  /** Resolves when the app wants the gateway to stop. */
  readonly stopped: Promise<void>;
  /** Resolves to the URL of the system's proxy for an address. Undefined if there is no proxy. */
  findProxy(url: string): Promise<string | undefined>;
  /**
   * Resolves when the app allows the gateway to listen, or after a minute. The app may first ask the person about the firewall.
   * The gateway must await this before it listens on the network.
   */
  waitToListen(): Promise<void>;
  /** Creates the links to the console that the app asks for. */
  serveLinks(create: () => string): void;
  /** Calls `noteSleep` each time the machine has slept. */
  watchSleep(noteSleep: (sleep: Sleep) => void): void;
}

/** The message port that Electron gives to a process that it started. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  postMessage(message: GatewayMessage): void;
}

/** The port to the app, if it started this process. */
const { parentPort: port } = process as { readonly parentPort?: ParentPort };

/** Sends a message to the app. Does nothing if no app started this process. */
export function tellDesktop(message: GatewayMessage): void {
  port?.postMessage(message);
}

/** The message to the app about why this process ends. */
export function failureOf(error: unknown): GatewayMessage {
  const fault = error instanceof OperatorError ? error.fault : error instanceof UsageError ? 'settings_wrong' : 'other';
  return { kind: 'failed', fault, message: error instanceof Error ? error.message : String(error) };
}

/** Waits for the app's first message. Undefined if no app started this process. */
export async function meetDesktop(): Promise<Desktop | undefined> {
  if (port === undefined) return undefined;
  const started = Promise.withResolvers<string | null>();
  const stopped = Promise.withResolvers<void>();
  const mayListen = Promise.withResolvers<void>();
  const asked = new Map<number, (proxy: string | undefined) => void>();
  let noteSleep = (_: Sleep): void => {};
  const createLink = Promise.withResolvers<() => string>();
  let lastId = 0;

  port.on('message', ({ data }) => {
    const message = MESSAGE.parse(data);
    switch (message.kind) {
      case 'start':
        return started.resolve(message.sealKey);
      case 'slept':
        return noteSleep({ from: message.from, to: message.to });
      case 'proxy':
        return asked.get(message.id)?.(message.proxy ?? undefined);
      case 'listen':
        return mayListen.resolve();
      case 'link':
        return void createLink.promise.then((create) => {
          port.postMessage({ kind: 'link', id: message.id, link: create() });
        });
      case 'stop':
        return stopped.resolve();
      default:
        return assertNever(message);
    }
  });
  const sealKey = await Promise.race([started.promise, stopped.promise]); // the app may send `stop` before `start`
  const key = typeof sealKey === 'string' ? Buffer.from(sealKey, 'base64') : undefined;
  if (key !== undefined && key.length !== SEAL_KEY_BYTES)
    throw new Error(`the key to seal with has ${key.length} bytes`);

  return {
    sealKey: key,
    stopped: stopped.promise,
    async findProxy(url) {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      asked.set(id, resolve);
      const giveUp = setTimeout(() => resolve(undefined), PROXY_TIMEOUT_MS);
      port.postMessage({ kind: 'proxy', id, url });
      const proxy = await promise;
      clearTimeout(giveUp);
      asked.delete(id);
      return proxy;
    },
    async waitToListen() {
      port.postMessage({ kind: 'listen' });
      const giveUp = setTimeout(() => mayListen.resolve(), LISTEN_TIMEOUT_MS);
      await Promise.race([mayListen.promise, stopped.promise]);
      clearTimeout(giveUp);
    },
    serveLinks: (create) => createLink.resolve(create),
    watchSleep: (listener) => void (noteSleep = listener),
  };
}
