// The target of a request line (RFC 9112, 3.2), in the form that Express routes. What has no slash at its beginning, or a fragment,
// Express hands to `url.parse`, which Node warns about on standard error, and which may throw.

export interface Target {
  /** The host of an absolute target, which counts in place of the Host header (RFC 9112, 3.2.2). */
  readonly host: string | undefined;
  /** Path and query, beginning with a slash. */
  readonly url: string;
}

const ABSOLUTE = /^\w+:\/\/([^/?#]*)(.*)$/s;
/** Of a port or user name, nothing is said here. */
const IS_HOST = /^([^[\]]+|\[[\da-f:.]+\](:\d*)?)$/i;

/** Where nothing is. */
const NOWHERE = '/*';

/** Never throws: what is no target leads nowhere. */
export function readTarget(target: string): Target {
  if (target.startsWith('/') && !target.includes('#')) return { host: undefined, url: target };
  const [, host = '', rest = ''] = ABSOLUTE.exec(target) ?? [];
  const isAbsolute = IS_HOST.test(host);
  const [url = ''] = (isAbsolute ? rest : target).split('#', 1);
  if (!isAbsolute) return { host: undefined, url: url.startsWith('/') ? url : NOWHERE };
  return { host, url: url.startsWith('/') ? url : `/${url}` };
}
