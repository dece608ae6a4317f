// The header that lists the gateways through which a record has come.

import { expect, test } from 'vitest';

import type { Interface } from '../../server/contract/codes.ts';
import { openVia } from '../../server/via.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

/** The header of a gateway with two lanes. `kept` are the ids of senders that the gateway has stored. */
function open(name: string, kept: string[] = []) {
  const lanes: { journalId: number; interface: Interface; senders: readonly string[] }[] = [
    { journalId: 1, interface: 'current', senders: kept },
    { journalId: 1, interface: 'earlier', senders: [] },
  ];
  let writes = 0;
  const time = startVirtualTime();
  const via = openVia(
    {
      identity: () => Buffer.from(name),
      lanes: () => lanes,
      async noteSenders(journalId, by, senders) {
        writes += 1;
        await new Promise((resolve) => setImmediate(resolve)); // so that other ids can arrive in between
        const lane = lanes.find((each) => each.journalId === journalId && each.interface === by)!;
        lane.senders = senders;
      },
    },
    time.monotonic,
  );
  const headerOf = (journalId: number, by: Interface): string =>
    via.headerOf(lanes.find((lane) => lane.journalId === journalId && lane.interface === by)?.senders ?? []);
  return { ...via, headerOf, writes: () => writes, time };
}
const idOf = (name: string): string => open(name).headerOf(1, 'current');

test('an id is the same at every start on the same data, differs for other data, and is not the secret', () => {
  expect(idOf('a')).toBe(idOf('a'));
  expect(idOf('a')).not.toBe(idOf('b'));
  expect(idOf('a')).toMatch(/^[\w-]{16}$/);
});

test('a gateway knows its own id, alone or among others', () => {
  const via = open('a');
  expect(via.isOwn(undefined)).toBe(false);
  expect(via.isOwn(idOf('b'))).toBe(false);
  expect(via.isOwn(idOf('a'))).toBe(true);
  expect(via.isOwn(`${idOf('a')}, ${idOf('b')}`)).toBe(true);
  expect(via.isOwn(`${idOf('b')} ,${idOf('a')},x`)).toBe(true);
  expect(via.isOwn(`${idOf('a')}x`)).toBe(false);
});

test('a forwarded record names the gateways it came through, then this one', async () => {
  const via = open('c');
  await via.note(1, 'current', `${idOf('a')}, ${idOf('b')}`);
  await via.note(1, 'current', undefined);
  await via.note(1, 'current', idOf('b'));
  expect(via.headerOf(1, 'current')).toBe([idOf('a'), idOf('b'), idOf('c')].join(', '));
  expect(via.headerOf(1, 'earlier')).toBe(idOf('c'));
  expect(via.headerOf(2, 'current')).toBe(idOf('c'));
});

test.each(['', ' ', ',,', 'x', 'x'.repeat(10_000), 'a"b,<script>', 'AAAAAAAAAAAAAAA\u00e4'])(
  'an invalid id is neither stored nor passed on: %j',
  async (header) => {
    const via = open('a');
    expect(via.isOwn(header)).toBe(false);
    await via.note(1, 'current', header);
    expect(via.headerOf(1, 'current')).toBe(idOf('a'));
  },
);

test('each of a hundred gateways is stored once, however many records it sends', async () => {
  const via = open('office');
  for (let record = 0; record < 1000; record++) await via.note(1, 'current', idOf(`store ${record % 100}`));
  expect(via.writes()).toBe(100);
  expect(via.headerOf(1, 'current').split(', ')).toHaveLength(101);
});

test('ids that arrive together are stored together, and none is lost', async () => {
  const via = open('office');
  await Promise.all(Array.from({ length: 50 }, (_, store) => via.note(1, 'current', idOf(`store ${store}`))));
  expect(via.writes()).toBeLessThanOrEqual(2);
  expect(via.headerOf(1, 'current').split(', ')).toHaveLength(51);
});

test('of more than 400 ids the newest are named, the header stays below 8 KiB, and at most one write a minute follows', async () => {
  const via = open('office');
  const round = async (): Promise<void> => {
    for (let store = 1; store <= 450; store++) await via.note(1, 'current', idOf(`store ${store}`));
  };
  for (let i = 0; i < 3; i++) await round();
  expect(via.writes()).toBe(401);
  via.time.jump(60_000);
  for (let i = 0; i < 3; i++) await round();
  expect(via.writes()).toBe(402);
  const header = via.headerOf(1, 'current');
  expect(header.split(', ')).toHaveLength(401);
  expect(header.length).toBeLessThan(8 * 1024);
  expect(header.split(', ').slice(-1)).toEqual([idOf('office')]);
});

test('a failed write rejects all waiting calls, and the next write tries again', async () => {
  let fails = true;
  const kept: string[][] = [];
  const via = openVia({
    identity: () => Buffer.from('office'),
    lanes: () => [{ journalId: 1, interface: 'current', senders: [] }],
    noteSenders: (_journalId, _by, senders) => {
      if (fails) return Promise.reject(new Error('the disk is full'));
      return Promise.resolve(void kept.push([...senders]));
    },
  });
  await expect(via.note(1, 'current', idOf('a'))).rejects.toThrow('the disk is full');
  fails = false;
  await via.note(1, 'current', idOf('a'));
  expect(kept).toEqual([[idOf('a')]]);
});

test('in a row of any length, the first gateway recognises its own record', async () => {
  const gateways = Array.from({ length: 5 }, (_, i) => open(`gateway ${i}`));
  let header: string | undefined;
  for (const gateway of gateways) {
    expect(gateway.isOwn(header)).toBe(false);
    await gateway.note(1, 'current', header);
    header = gateway.headerOf(1, 'current');
  }
  expect(gateways.map((gateway) => gateway.isOwn(header))).toEqual(Array(5).fill(true));
});

test('a new id is stored once, and known at the next start', async () => {
  const via = open('b');
  for (let call = 0; call < 3; call++) await via.note(1, 'current', idOf('a'));
  expect(via.writes()).toBe(1);
  const again = open('b', [idOf('a')]);
  expect(again.headerOf(1, 'current')).toBe(`${idOf('a')}, ${idOf('b')}`);
  expect(again.headerOf(1, 'earlier')).toBe(idOf('b'));
});
