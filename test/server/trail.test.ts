// Who has passed a record on, as gateways tell each other.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { openTrail } from '../../server/trail.ts';
import { temporaryFolder } from '../support/temp-store.ts';

/** Opens a trail in a folder of its own, unless one is given. */
const open = (name: string, dataDir = temporaryFolder()) =>
  openTrail(Buffer.from(name), dataDir, (error) => {
    throw error;
  });
const idOf = (name: string): string => openTrail(Buffer.from(name), '/nowhere', () => {}).headerOf(1, 'current');

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

test('what a lane forwards names those that its records came through, then the gateway itself', () => {
  const trail = open('c');
  trail.note(1, 'current', `${idOf('a')}, ${idOf('b')}`);
  trail.note(1, 'current', undefined);
  trail.note(1, 'current', idOf('b'));
  expect(trail.headerOf(1, 'current')).toBe([idOf('a'), idOf('b'), idOf('c')].join(', '));
  expect(trail.headerOf(1, 'earlier')).toBe(idOf('c'));
  expect(trail.headerOf(2, 'current')).toBe(idOf('c'));
});

test.each(['', ' ', ',,', 'x', 'x'.repeat(10_000), 'a"b,<script>', 'AAAAAAAAAAAAAAA\u00e4'])(
  'what is no id is neither taken for one nor passed on: %j',
  (header) => {
    const trail = open('a');
    expect(trail.isOwn(header)).toBe(false);
    trail.note(1, 'current', header);
    expect(trail.headerOf(1, 'current')).toBe(idOf('a'));
  },
);

test('of many gateways the newest are named, so that the header stays short', () => {
  const trail = open('office');
  for (let store = 1; store <= 500; store++) trail.note(1, 'current', idOf(`store ${store}`));
  trail.note(1, 'current', idOf('store 490'));
  const ids = trail.headerOf(1, 'current').split(', ');
  expect(ids).toHaveLength(17);
  expect(ids.slice(-3)).toEqual([idOf('store 500'), idOf('store 490'), idOf('office')]);
});

test('however many gateways are in a row, the first one knows that it comes back to it', () => {
  const gateways = Array.from({ length: 5 }, (_, i) => open(`gateway ${i}`));
  let header: string | undefined;
  for (const gateway of gateways) {
    expect(gateway.isOwn(header)).toBe(false);
    gateway.note(1, 'current', header);
    header = gateway.headerOf(1, 'current');
  }
  expect(gateways.map((gateway) => gateway.isOwn(header))).toEqual(Array(5).fill(true));
});

test('who sends to a lane is known after a restart', () => {
  const folder = temporaryFolder();
  const trail = open('b', folder);
  trail.note(1, 'current', idOf('a'));
  expect(open('b', folder).headerOf(1, 'current')).toBe(`${idOf('a')}, ${idOf('b')}`);
  expect(open('b', folder).headerOf(1, 'earlier')).toBe(idOf('b'));
});

test.each(['', '{', '[]', '{"1 current":["x"]}', '{"1 current":1}'])(
  'a file that cannot be read is written anew: %j',
  (content) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'trail.json'), content);
    const trail = open('b', folder);
    expect(trail.headerOf(1, 'current')).toBe(idOf('b'));
    trail.note(1, 'current', idOf('a'));
    expect(open('b', folder).headerOf(1, 'current')).toBe(`${idOf('a')}, ${idOf('b')}`);
  },
);

test('a disk that takes no writing is told of, and the trail goes on', () => {
  const faults: unknown[] = [];
  const trail = openTrail(Buffer.from('b'), join(temporaryFolder(), 'gone'), (error) => faults.push(error));
  trail.note(1, 'current', idOf('a'));
  expect(faults).toMatchObject([{ code: 'ENOENT' }]);
  expect(trail.headerOf(1, 'current')).toBe(`${idOf('a')}, ${idOf('b')}`);
});

test('a sender that names other gateways with every call costs one write a second', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  const trail = open('b', folder);
  const written = () => readFileSync(join(folder, 'trail.json'), 'utf8');
  for (let call = 0; call < 100; call++) trail.note(1, 'current', idOf(`gateway ${call}`));
  expect(written()).toBe(`${JSON.stringify({ '1 current': [idOf('gateway 0')] })}\n`);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(written()).toContain(idOf('gateway 99'));
  trail.note(1, 'current', idOf('gateway 99'));
  trail.note(1, 'current', undefined);
  expect(vi.getTimerCount()).toBe(0);
  expect(existsSync(join(folder, 'trail.json.new'))).toBe(false);
});
