// The time budget for comparing resends. Keys take turns. A key that has used up its budget waits and does not delay other
// keys.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Comparison, Resend } from '../../../../../server/store/sqlite/engine/comparison-queue.ts';
import {
  openComparisonQueue,
  openComparisonsBySize,
} from '../../../../../server/store/sqlite/engine/comparison-queue.ts';
import { startVirtualTime } from '../../../../support/virtual-time.ts';

const SECOND = 1000;

/**
 * A queue for one fake thread that needs `costMs` for each comparison. The first byte of a resend's body is the resend's name.
 */
function openQueue({ costMs = 400, most = Infinity }: { costMs?: number; most?: number } = {}) {
  const time = startVirtualTime();
  const batches: { readonly at: number; readonly names: string }[] = [];
  const compare = async (resends: readonly Resend[]): Promise<readonly Comparison[]> => {
    const done = resends.slice(0, costMs > 10 ? 1 : most);
    batches.push({ at: time.monotonic(), names: done.map(({ body }) => String.fromCodePoint(body[0] ?? 0)).join('') });
    await new Promise<void>((resolve) => void time.after(costMs * done.length, resolve));
    return done.map(() => ({ kind: 'compared', differences: ['/object'], elapsedMs: costMs }));
  };
  const queue = openComparisonQueue(compare, time);
  const settled: string[] = [];
  return {
    ...queue,
    time,
    batches,
    settled,
    /** Adds a resend for each letter, without waiting for the comparisons. Lower and upper case stand for two keys. */
    add(names: string, bytes = 1): void {
      for (const name of names) {
        const body = new Uint8Array(bytes);
        body[0] = name.codePointAt(0) ?? 0;
        const keyId = name === name.toUpperCase() ? 2 : 1;
        queue.compare(keyId, { originalId: 1, originalBytes: 1, method: null, body }).then(
          () => settled.push(name),
          (error: unknown) => settled.push(`${name} ${String((error as { code?: unknown }).code)}`),
        );
      }
    },
    started: (): string => batches.map(({ names }) => names).join(' '),
  };
}

describe('keys take turns', () => {
  test('each key has one resend compared in turn, however many another key has waiting', async () => {
    const queue = openQueue({ costMs: 5, most: 1 });
    queue.add('abcdef');
    queue.add('XY');
    await queue.time.pass(SECOND);
    expect(queue.started()).toBe('a X b Y c d e f');
    expect(queue.settled).toEqual(['a', 'X', 'b', 'Y', 'c', 'd', 'e', 'f']);
  });

  test('small resends are sent together, and those that the thread had no time for are next', async () => {
    const queue = openQueue({ costMs: 1, most: 3 });
    queue.add('abcde');
    queue.add('XY');
    await queue.time.pass(SECOND);
    expect(queue.started()).toBe('a XbY cde');
  });

  test('no batch has more than 64 resends, or more than 128 KiB beyond the first', async () => {
    const many = openQueue({ costMs: 0 });
    many.add('a'.repeat(60) + 'b'.repeat(10));
    await many.time.pass(1);
    expect(many.batches.map(({ names }) => names.length)).toEqual([1, 64, 5]);
    const large = openQueue({ costMs: 0 });
    large.add('abcd', 100 * 1024);
    await large.time.pass(1);
    expect(large.started()).toBe('a b c d');
  });
});

describe('the budget of a key', () => {
  test('is a twentieth of the time, plus a tenth of a second in advance; meanwhile another key is served at once', async () => {
    const queue = openQueue({ costMs: 400 });
    queue.add('abc');
    await queue.time.pass(500);
    queue.add('X');
    await queue.time.pass(14 * SECOND);
    expect(queue.batches).toEqual([
      { at: 0, names: 'a' },
      { at: 500, names: 'X' },
      { at: 6000, names: 'b' },
      { at: 14_000, names: 'c' },
    ]);
  });

  test('is enough for a till whose resends are small', async () => {
    const queue = openQueue({ costMs: 0.05 });
    for (let i = 0; i < 20; i++) {
      queue.add('abcdefghij'.repeat(6));
      await queue.time.pass(SECOND / 20);
    }
    expect(queue.settled.length).toBe(1200);
  });

  test('ends a wait of 30 seconds with store_busy, and a refused resend is not compared later', async () => {
    const queue = openQueue({ costMs: 210 });
    queue.add('abcdefghijkl');
    await queue.time.pass(60 * SECOND);
    const refused = ['i', 'j', 'k', 'l'].map((name) => `${name} store_busy`);
    expect(queue.settled).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ...refused]);
    expect(queue.started()).toBe('a b c d e f g h');
  });
});

describe('a key whose queue is full', () => {
  test.each([
    ['64 resends', 64, 1],
    ['8 MiB', 8, 1024 * 1024],
  ])(
    'of %s accepts no further call until a comparison is done, while other keys are accepted at once',
    async (_name, count, bytes) => {
      const queue = openQueue({ costMs: 400 });
      queue.add('a'.repeat(count - 1), bytes);
      expect(queue.waitForRoom(1)).toBeUndefined();
      queue.add('a', bytes);
      const letIn: string[] = [];
      void queue.waitForRoom(1)?.then(() => letIn.push('call'));
      expect(queue.waitForRoom(2)).toBeUndefined();
      await queue.time.pass(399);
      expect(letIn).toEqual([]);
      await queue.time.pass(1);
      expect(letIn).toEqual(['call']);
      expect(queue.waitForRoom(1)).toBeUndefined();
    },
  );

  test('answers a call that has waited for 5 seconds with store_busy', async () => {
    const queue = openQueue({ costMs: 10_000 });
    queue.add('a'.repeat(64));
    const refused: unknown[] = [];
    queue.waitForRoom(1)?.catch((error: unknown) => refused.push(error));
    await queue.time.pass(5 * SECOND - 1);
    expect(refused).toEqual([]);
    await queue.time.pass(1);
    expect(refused).toMatchObject([{ code: 'store_busy' }]);
  });
});

describe('the waiting resends of all keys together have at most 64 MiB', () => {
  const MIB = 1024 * 1024;
  const resendOf = (bytes: number): Resend => ({
    originalId: 1,
    originalBytes: 1,
    method: null,
    body: new Uint8Array(bytes),
  });
  const refused = {
    code: 'store_busy',
    message: 'Too many changed resends wait to be compared; send this call again.',
  };

  test('a key without waiting resends still has room: the newest resend of the largest holder is refused', async () => {
    const queue = openQueue();
    queue.add('a'.repeat(40), MIB);
    queue.add('X'.repeat(23), MIB);
    const newest = queue.compare(1, resendOf(MIB));
    const innocent = queue.compare(3, resendOf(MIB));
    await expect(newest).rejects.toMatchObject(refused);
    expect(queue.settled).toEqual([]);
    await queue.time.pass(5 * SECOND);
    await expect(innocent).resolves.toEqual(['/object']);
  });

  test('a further resend of the largest holder is refused', async () => {
    const queue = openQueue();
    queue.add('a'.repeat(40), MIB);
    queue.add('X'.repeat(24), MIB);
    await expect(queue.compare(1, resendOf(1))).rejects.toMatchObject(refused);
    expect(queue.settled).toEqual([]);
  });
});

describe('by size', () => {
  /** Opens a queue with a thread for small and one for large resends. The thread for large resends never finishes. */
  function openSized() {
    const time = startVirtualTime();
    const started: string[] = [];
    const queue = openComparisonsBySize(
      {
        small: async (resends) => {
          started.push(...resends.map(({ originalId }) => `small ${originalId}`));
          return resends.map(() => ({ kind: 'compared', differences: [], elapsedMs: 0.1 }));
        },
        large: ([resend]) => {
          started.push(`large ${resend?.originalId}`);
          return new Promise(() => {});
        },
      },
      time,
    );
    onTestFinished(() => queue.close());
    const compare = (originalId: number, bytes: number, originalBytes: number): Promise<readonly string[]> =>
      queue.compare(1, { originalId, originalBytes, method: null, body: new Uint8Array(bytes) });
    return { queue, started, compare };
  }

  test('a small resend does not wait for a large one, not even of its own key', async () => {
    const { compare, started } = openSized();
    void compare(1, 16 * 1024 + 1, 10).catch(() => {});
    expect(await compare(2, 16 * 1024, 16 * 1024)).toEqual([]);
    expect(started).toEqual(['large 1', 'small 2']);
  });

  test('a small resend of a large original counts as large', async () => {
    const { compare, started } = openSized();
    void compare(1, 10, 16 * 1024 + 1).catch(() => {});
    expect(await compare(2, 10, 10)).toEqual([]);
    expect(started).toEqual(['large 1', 'small 2']);
  });

  test('a key with a full queue of either size accepts no further call', async () => {
    const { queue, compare } = openSized();
    for (let i = 0; i < 64; i++) void compare(i, 20_000, 1).catch(() => {});
    expect(queue.waitForRoom(2)).toBeUndefined();
    const refusal = queue.waitForRoom(1);
    expect(refusal).toBeDefined();
    refusal?.catch(() => {});
  });
});

test('closing it rejects waiting, running and later resends', async () => {
  const queue = openQueue();
  queue.add('abX');
  await queue.time.pass(1);
  queue.close();
  queue.add('c');
  await queue.time.pass(60 * SECOND);
  expect(queue.settled).toEqual(['a store_busy', 'b store_busy', 'X store_busy', 'c store_busy']);
  expect(queue.started()).toBe('a');
});

test('a failed thread rejects only its own resends', async () => {
  const time = startVirtualTime();
  let calls = 0;
  const queue = openComparisonQueue(async () => {
    calls += 1;
    if (calls === 1) throw new Error('the thread could not be started');
    return [{ kind: 'compared', differences: [], elapsedMs: 1 }];
  }, time);
  const resend = { originalId: 1, originalBytes: 1, method: null, body: new Uint8Array(1) };
  await expect(queue.compare(1, resend)).rejects.toMatchObject({ code: 'internal' });
  await expect(queue.compare(1, resend)).resolves.toEqual([]);
});
