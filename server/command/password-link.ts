// Makes a link with which a user chooses a password. Only the running gateway can make one, because it keeps these links in its
// memory. So the command enters the console with a one-time link, like a manager on this machine.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { SESSION_HASH } from '../contract/setup.ts';
import { LINK_MS, linkInto, readListening } from '../listening.ts';
import type { Store } from '../store/store.ts';
import { readGateway } from './health.ts';

const TIMEOUT_MS = 10_000;
const answer = z.object({ path: z.string() });

/**
 * Makes a password link for a user; an earlier password and an earlier link of the user end. Resolves to undefined if no gateway
 * runs, or if it does not answer.
 */
export async function makePasswordLink(store: Store, dataDir: string, name: string): Promise<string | undefined> {
  const gateway = await readGateway(dataDir);
  const consoleUrl = readListening(dataDir)?.consoleUrl;
  if (gateway.kind !== 'running' || consoleUrl == null) return undefined;
  const code = await store.people.createLink(Date.now() + LINK_MS);
  try {
    return consoleUrl + (await askForPath(gateway.url, code, name));
  } catch {
    return undefined;
  }
}

/** Signs in, makes the link, and signs out. Returns the path of the link. */
async function askForPath(url: string, code: string, name: string): Promise<string> {
  const entered = await call('GET', linkInto(url, code));
  const [, key = ''] = new RegExp(`${SESSION_HASH}([\\w-]+)`).exec(entered.body) ?? [];
  const cookie = entered.cookies.map((each) => each.split(';')[0]).join('; ');
  const send = (method: string, path: string): Promise<Answer> =>
    call(method, `${url}/s/${key}/api${path}`, { cookie, origin: url });
  try {
    const { body } = await send('POST', `/users/${encodeURIComponent(name)}/reset`);
    return answer.parse(JSON.parse(body)).path;
  } finally {
    await send('DELETE', '/session');
  }
}

interface Answer {
  readonly body: string;
  /** The values of the headers Set-Cookie. */
  readonly cookies: readonly string[];
}

/** Calls the console on this machine, which answers by plain HTTP there. */
function call(method: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
    request(url, options, (response) => {
      const cookies = response.headers['set-cookie'] ?? [];
      text(response).then((body) => resolve({ body, cookies }), reject);
    })
      .on('error', reject)
      .end();
  });
}
