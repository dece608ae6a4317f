// Who has passed a record on, as gateways tell each other.

import { expect, test } from 'vitest';

import type { Interface } from '../../server/contract.ts';
import { openTrail } from '../../server/trail.ts';

/** The trail of a gateway with two lanes, and what it has kept. */
function open(name: string, kept: string[] = []) {
  const lanes: { journalId: number; interface: Interface; senders: readonly string[] }[] = [
    { journalId: 1, interface: 'current', senders: kept },
    { journalId: 1, interface: 'earlier', senders: [] },
  ];
  let writes = 0;
  const trail = openTrail(Buffer.from(name), {
    lanes: () => lanes,
    noteSenders(journalId, by, senders) {
      writes += 1;
      const lane = lanes.find((each) => each.journalId === journalId && each.interface === by)!;
      lane.senders = senders;
      return Promise.resolve();
    },
  });
  const headerOf = (journalId: number, by: Interface): string =>
    trail.headerOf(lanes.find((lane) => lane.journalId === journalId && lane.interface === by)?.senders ?? []);
  return { ...trail, headerOf, writes: () => writes };
}
const idOf = (name: string): string => open(name).headerOf(1, 'current');

test('an id is the same at every start on the same data, another for other data, and not the secret', () => {
  expect(idOf('a')).toBe(idOf('a'));
  expect(idOf('a')).not.toBe(idOf('b'));
  expect(idOf('a')).toMatch(/^[\w-]{16}$/);
});

test('a gateway knows its own id, alone or among others', () => {
  const trail = open('a');
  expect(trail.isOwn(undefined)).toBe(false);
  expect(trail.isOwn(idOf('b'))).toBe(false);
  expect(trail.isOwn(idOf('a'))).toBe(true);
  expect(trail.isOwn(`${idOf('a')}, ${idOf('b')}`)).toBe(true);
  expect(trail.isOwn(`${idOf('b')} ,${idOf('a')},x`)).toBe(true);
  expect(trail.isOwn(`${idOf('a')}x`)).toBe(false);
});

test('what a lane forwards names those that its records came through, then the gateway itself', async () => {
  const trail = open('c');
  await trail.note(1, 'current', `${idOf('a')}, ${idOf('b')}`);
  await trail.note(1, 'current', undefined);
  await trail.note(1, 'current', idOf('b'));
  expect(trail.headerOf(1, 'current')).toBe([idOf('a'), idOf('b'), idOf('c')].join(', '));
  expect(trail.headerOf(1, 'earlier')).toBe(idOf('c'));
  expect(trail.headerOf(2, 'current')).toBe(idOf('c'));
});

test.each(['', ' ', ',,', 'x', 'x'.repeat(10_000), 'a"b,<script>', 'AAAAAAAAAAAAAAA\u00e4'])(
  'what is no id is neither taken for one nor passed on: %j',
  async (header) => {
    const trail = open('a');
    expect(trail.isOwn(header)).toBe(false);
    await trail.note(1, 'current', header);
    expect(trail.headerOf(1, 'current')).toBe(idOf('a'));
  },
);

test('of many gateways the newest are named, so that the header stays short', async () => {
  const trail = open('office');
  for (let store = 1; store <= 500; store++) await trail.note(1, 'current', idOf(`store ${store}`));
  const ids = trail.headerOf(1, 'current').split(', ');
  expect(ids).toHaveLength(17);
  expect(ids.slice(-3)).toEqual([idOf('store 499'), idOf('store 500'), idOf('office')]);
});

test('however many gateways are in a row, the first one knows that it comes back to it', async () => {
  const gateways = Array.from({ length: 5 }, (_, i) => open(`gateway ${i}`));
  let header: string | undefined;
  for (const gateway of gateways) {
    expect(gateway.isOwn(header)).toBe(false);
    await gateway.note(1, 'current', header);
    header = gateway.headerOf(1, 'current');
  }
  expect(gateways.map((gateway) => gateway.isOwn(header))).toEqual(Array(5).fill(true));
});

test('what is new is kept, once, and known at the next start', async () => {
  const trail = open('b');
  for (let call = 0; call < 3; call++) await trail.note(1, 'current', idOf('a'));
  expect(trail.writes()).toBe(1);
  const again = open('b', [idOf('a')]);
  expect(again.headerOf(1, 'current')).toBe(`${idOf('a')}, ${idOf('b')}`);
  expect(again.headerOf(1, 'earlier')).toBe(idOf('b'));
});
