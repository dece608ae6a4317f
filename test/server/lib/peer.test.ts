// Whether the other end of a connection is another machine.

import { expect, test } from 'vitest';

import { isOtherMachine } from '../../../server/lib/peer.ts';

test.each([
  ['another machine', '192.168.1.20', '192.168.1.5', true],
  ['another machine by IPv6', 'fd00::20', 'fd00::5', true],
  ['another machine, by IPv4 in IPv6', '::ffff:192.168.1.20', '::ffff:192.168.1.5', true],
  ['this machine', '127.0.0.1', '127.0.0.1', false],
  ['this machine by another loopback address', '127.0.0.2', '127.0.0.1', false],
  ['this machine by IPv6', '::1', '::1', false],
  ['this machine, by IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:127.0.0.1', false],
  ['this machine by its address in the network', '192.168.1.5', '192.168.1.5', false],
  ['a connection that has ended', undefined, undefined, false],
])('%s', (_who, remoteAddress, localAddress, isOther) => {
  expect(isOtherMachine({ remoteAddress, localAddress })).toBe(isOther);
});
