// Parses the target of a request line (RFC 9112, 3.2) into the form that Express can route. Express would pass a target without
// a leading slash, or with a fragment, to `url.parse`. `url.parse` may throw, and makes Node print a warning.

export interface Target {
  /** The host of an absolute target. It replaces the Host header (RFC 9112, 3.2.2). Undefined if the target is only a path. */
  readonly host: string | undefined;
  /** Path and query, beginning with a slash. */
  readonly url: string;
}

const ABSOLUTE = /^\w+:\/\/([^/?#]*)(.*)$/s;
/** Matches a host name or an IP address in brackets. Does not check port and user name. */
const IS_HOST = /^([^[\]]+|\[[\da-f:.]+\](:\d*)?)$/i;

/** A path that no route has. */
const NOWHERE = '/*';

/** Parses a target. Never throws: for an invalid target, `url` is a path that no route has. */
export function readTarget(target: string): Target {
  if (target.startsWith('/') && !target.includes('#')) return { host: undefined, url: target };
  const [, host = '', rest = ''] = ABSOLUTE.exec(target) ?? [];
  const isAbsolute = IS_HOST.test(host);
  const [url = ''] = (isAbsolute ? rest : target).split('#', 1);
  if (!isAbsolute) return { host: undefined, url: url.startsWith('/') ? url : NOWHERE };
  return { host, url: url.startsWith('/') ? url : `/${url}` };
}
