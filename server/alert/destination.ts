// Checks the destination that a manager enters for alerts, by the same rules as the address of an upstream. HTTPS is required
// unless the manager allows plain HTTP. User names, passwords and link-local addresses are refused. Pure.

import { randomBytes } from 'node:crypto';

import type { AlertDestination, DestinationRequest, MailSettings } from '../contract/alerts.ts';
import { findLinkLocalHost } from '../forward/link-local.ts';
import { hostOfUrl, inUrl, isLoopback } from '../lib/host.ts';

const TELEGRAM_URL = 'https://api.telegram.org';

export type DestinationReading =
  | { readonly kind: 'fine'; readonly destination: AlertDestination; readonly shown: string }
  | Fault;

interface Fault {
  readonly kind: 'faulty';
  readonly field: 'url' | 'address' | 'token' | 'chat' | 'host' | 'security' | 'from';
  readonly code: string;
  readonly detail: string;
}

/** Returns the destination, or its first fault and how to fix it. For a webhook, makes a new signing key. */
export function readDestination(request: DestinationRequest): DestinationReading {
  switch (request.kind) {
    case 'email': {
      const address = request.address.trim();
      const fault = findAddressFault(address, 'address');
      return fault ?? { kind: 'fine', destination: { kind: 'email', address }, shown: address };
    }
    case 'webhook':
    case 'slack':
    case 'teams': {
      const { kind, plainHttp = false } = request;
      const url = readUrl(request.url, plainHttp);
      if ('kind' in url) return url;
      const destination = { url: url.href, plainHttp };
      return {
        kind: 'fine',
        destination: kind === 'webhook' ? { kind, ...destination, key: makeSigningKey() } : { kind, ...destination },
        shown: `${url.origin}/…`, // hides the path, because it is a secret
      };
    }
    case 'telegram': {
      const { plainHttp = false } = request;
      const [token, chat] = [request.token.trim(), request.chat.trim()];
      const url = readUrl(request.url ?? TELEGRAM_URL, plainHttp);
      if ('kind' in url) return url;
      if (!/^\d+:[\w-]{20,}$/.test(token))
        return faulty('token', 'token', 'must be a token of a bot, such as 123456:ABC…, which @BotFather gives');
      if (!/^(-?\d{1,20}|@\w{5,32})$/.test(chat))
        return faulty('chat', 'chat', 'must be the number of a chat, or the @name of a channel');
      const base = url.href.replace(/\/$/, '');
      return { kind: 'fine', destination: { kind: 'telegram', url: base, token, chat, plainHttp }, shown: chat };
    }
  }
}

/**
 * Returns the first fault in the settings of a mail server. The security `none` is allowed, although all data is then sent
 * unencrypted.
 */
export function findMailFault({ host, from }: MailSettings): Fault | undefined {
  const isHost = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(host) || isIpv6(host);
  if (!isHost || host.length > 253)
    return faulty('host', 'host', 'must be the name or the address of a mail server, such as mail.example.org');
  const linkLocal = findLinkLocalHost(new URL(`http://${inUrl(host)}`));
  if (linkLocal !== undefined) return faulty('host', 'link_local', `must not be the link-local address ${linkLocal}`);
  return findAddressFault(from, 'from');
}

function isIpv6(host: string): boolean {
  return host.includes(':') && URL.canParse(`http://[${host}]`);
}

/** Allows only one address without a display name. Any other text could add headers or recipients to the e-mail. */
function findAddressFault(address: string, field: 'address' | 'from'): Fault | undefined {
  const isFine =
    address.length <= 254 && /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+\.[^\s@,;:<>()[\]"\\.]+$/.test(address);
  return isFine ? undefined : faulty(field, 'email', 'must be one e-mail address, such as mia@example.org');
}

function readUrl(text: string, plainHttp: boolean): URL | Fault {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > 2000)
    return faulty('url', 'address', 'must be an address that begins with https://');
  if (url.username !== '' || url.password !== '')
    return faulty('url', 'password', 'must not have a name or password in it');
  if (url.hash !== '') return faulty('url', 'query', 'must not have a # in it');
  if (url.protocol === 'http:' && !plainHttp && !isLoopback(hostOfUrl(url.href)))
    return faulty('url', 'plain_http', 'uses plain HTTP, which is unencrypted. Use https://, or allow plain HTTP');
  const host = findLinkLocalHost(url);
  return host === undefined ? url : faulty('url', 'link_local', `must not be the link-local address ${host}`);
}

function faulty(field: Fault['field'], code: string, detail: string): Fault {
  return { kind: 'faulty', field, code, detail };
}

/** A key in the form of standardwebhooks.com. */
function makeSigningKey(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
