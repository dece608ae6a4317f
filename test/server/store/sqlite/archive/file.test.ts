// The format of archive files, with random bodies and with every kind of damage.

import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createArchiveFile, readBlock, readBlocks } from '../../../../../server/store/sqlite/archive/file.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

type Bodies = ReadonlyMap<number, Buffer>;

function write(bodies: Bodies): string {
  const path = join(temporaryFolder(), 'a.archive');
  const writer = createArchiveFile(path);
  for (const [id, body] of bodies) writer.add(id, body);
  expect(writer.end()).toBe(statSync(path).size);
  writer.close();
  return path;
}

function readAll(path: string): Map<number, Buffer> {
  return new Map(
    [...readBlocks(path)].flatMap(({ bodies }) => [...bodies].map(([id, body]) => [id, Buffer.from(body)])),
  );
}

/** Bodies of all sizes up to 1 MiB, of random bytes and of text, with large ids. */
function randomBodies(): Bodies {
  const sizes = [
    0,
    1,
    156,
    32 * 1024 - 1,
    32 * 1024,
    1024 * 1024,
    ...Array.from({ length: 100 }, () => randomInt(2000)),
  ];
  let id = randomInt(2 ** 40);
  return new Map(
    sizes.map((size) => {
      id += randomInt(1, 3);
      return [id, size % 2 === 0 ? randomBytes(size) : Buffer.from('{"total":"12.50"}'.repeat(size).slice(0, size))];
    }),
  );
}

test('any bodies come back byte for byte, from the whole file and from each block alone', () => {
  for (let round = 0; round < 3; round++) {
    const bodies = randomBodies();
    const path = write(bodies);
    expect(readAll(path)).toEqual(bodies);
    for (const { offset, bytes } of readBlocks(path))
      for (const [id, body] of readBlock(path, { offset, bytes }).bodies)
        expect(Buffer.compare(body, bodies.get(id) ?? Buffer.alloc(0))).toBe(0);
  }
});

test('one record of a large file is read from a small part of it', () => {
  const bodies = new Map(Array.from({ length: 5000 }, (_, n) => [n + 1, randomBytes(200)]));
  const path = write(bodies);
  const blocks = [...readBlocks(path)];
  expect(blocks.length).toBeGreaterThan(25);
  expect(Math.max(...blocks.map(({ bytes }) => bytes))).toBeLessThan(statSync(path).size / 20);
});

test('every flipped bit is found', () => {
  const path = write(
    new Map(Array.from({ length: 40 }, (_, n) => [n + 1, Buffer.from(`{"id":"T-${n}","total":"${n}.50"}`)])),
  );
  const whole = readFileSync(path);
  for (let at = 0; at < whole.byteLength; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << randomInt(8));
    writeFileSync(path, damaged);
    expect(() => readAll(path), `byte ${at}`).toThrow(path);
  }
});

test('a file that lost its end is damaged, wherever it was cut inside a block', () => {
  const path = write(new Map([[1, randomBytes(500)]]));
  const [block] = readBlocks(path);
  if (block === undefined) throw new Error('the file has no block');
  for (let size = block.offset + block.bytes - 1; size > block.offset; size -= 7) {
    truncateSync(path, size);
    expect(() => readAll(path)).toThrow('is damaged');
    expect(() => readBlock(path, block)).toThrow('is damaged');
  }
});

test('a file is never overwritten', () => {
  const path = write(new Map([[1, Buffer.from('x')]]));
  expect(() => createArchiveFile(path)).toThrow('EEXIST');
});
