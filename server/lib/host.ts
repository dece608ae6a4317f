// A host is a name or an IP address. This module converts hosts between the forms in URLs, certificates and DNS. It also tells
// whether a host is public.

import { BlockList, isIP, isIPv4 } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach a host: localhost, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? host.toLowerCase() === 'localhost' : LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an IP address is not public: private, loopback, link-local or unique-local. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && PRIVATE.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Whether an IPv4 address is in the range that customers of a carrier or a VPN share (RFC 6598). */
export function isSharedAddress(address: string): boolean {
  return /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address);
}

/** Returns a host in the form that URLs need: an IPv6 address gets brackets. */
export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The host of a URL, without the brackets of IPv6; empty if the text is no URL. */
export function hostOfUrl(url: string): string {
  return (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '');
}

/** Returns a name in lower case, or an IPv6 address in its short form, such as fd00::2. */
export function canonicalHost(host: string): string {
  return isIP(host) === 6 ? hostOfUrl(`http://[${host}]`) : host.toLowerCase();
}

/** The bytes of an IP address without a zone: 4 for IPv4, 16 for IPv6. */
export function bytesOfAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = [], tail = []] = canonicalHost(address)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
