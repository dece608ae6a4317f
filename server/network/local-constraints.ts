// The constraints of a new authority: the hosts of a local network, the machine's own names and the base domain. A constraint
// also permits all names below it (RFC 5280, 4.2.1.10). Anyone may register a host below a public suffix such as co.uk. So a
// public suffix is never a constraint.

import { isPermitted, type NameConstraints, parseHost, parseNetwork, withoutWildcard } from './name-constraints.ts';

/** Private networks, which are not used on the internet. */
const LOCAL_NETWORKS = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];
/**
 * The names have no leading dot. RFC 5280 allows a leading dot only for URIs, and some verifiers reject a certificate with a
 * dot here.
 */
const LOCAL_NAMES = ['local', 'localhost'];

/**
 * Returns the constraints of an authority for these names and all names below them. Leaves out addresses, invalid names, and
 * public suffixes such as co.uk.
 */
export async function localConstraints(names: readonly string[]): Promise<NameConstraints> {
  const isShared = await loadSharedNames();
  const own = names
    .map(parseHost)
    .filter((host) => host?.kind === 'dns')
    .map(({ text }) => withoutWildcard(text))
    .filter((name) => !isShared(name));
  const all = [...new Set([...LOCAL_NAMES, ...own])];
  return {
    networks: LOCAL_NETWORKS.map(parseNetwork),
    names: all.filter((name) => !all.some((above) => name.endsWith(`.${above}`))),
  };
}

/** Whether any authority can permit this name. */
export async function isPermittable(name: string): Promise<boolean> {
  const host = parseHost(name);
  return host !== undefined && isPermitted(await localConstraints([name]), host);
}

/**
 * Returns a function that says whether anyone may register a host below a name. This is true for public suffixes, such as haus,
 * co.uk or github.io. Uses the public suffix list, which is loaded only when needed, because it takes several megabytes of
 * memory.
 */
async function loadSharedNames(): Promise<(name: string) => boolean> {
  const { parse } = await import('tldts');
  return (name) => {
    const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
    // The last rule of the list matches any name. For this rule, both flags are false.
    const isListed = publicSuffix === name && (isIcann === true || isPrivate === true);
    return (isListed && name !== HOME_DOMAIN) || US_SCHOOLS.test(name);
  };
}

/**
 * The domain for home networks (RFC 8375). It is an exception: the list contains it, although it never exists on the internet.
 */
const HOME_DOMAIN = 'home.arpa';
/** Matches names such as k12.ma.us, below which many schools have hosts. The list does not contain all of these names. */
const US_SCHOOLS = /^([a-z]+\.)?k12\.[a-z]{2}\.us$/;
