// What a new authority may issue for: the hosts of a local network, the machine's own names and the base domain. A constraint also
// permits all names below its name (RFC 5280, 4.2.1.10), so a name below which anyone may have a host never becomes one.

import { isPermitted, type NameConstraints, parseHost, parseNetwork, withoutWildcard } from './name-constraints.ts';

/** Networks that no host of the internet uses. */
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
/** Without a leading dot: RFC 5280 has it only for URIs, and some verifiers reject the whole certificate for it. */
const LOCAL_NAMES = ['local', 'localhost'];

/**
 * The constraints of an authority that may also issue for these names and all names below them. Leaves out addresses, invalid
 * names and names below which anyone may have a host.
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

/** Whether an authority can permit this name at all. */
export async function isPermittable(name: string): Promise<boolean> {
  const host = parseHost(name);
  return host !== undefined && isPermitted(await localConstraints([name]), host);
}

/**
 * Returns the function that says whether anyone may have a host below a name, as below haus, co.uk or github.io: the public suffix
 * list has the name. The list needs several megabytes of memory, so it is loaded when it is needed.
 */
async function loadSharedNames(): Promise<(name: string) => boolean> {
  const { parse } = await import('tldts');
  return (name) => {
    const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
    const isListed = publicSuffix === name && (isIcann === true || isPrivate === true); // the list's last rule fits any other name
    return (isListed && name !== HOME_DOMAIN) || US_SCHOOLS.test(name);
  };
}

/** For the networks of homes (RFC 8375). The list has it, because everybody uses it. */
const HOME_DOMAIN = 'home.arpa';
/** As in k12.ma.us: many schools have hosts below it. The list lacks some of these names. */
const US_SCHOOLS = /^([a-z]+\.)?k12\.[a-z]{2}\.us$/;
