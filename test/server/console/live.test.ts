// Live changes: how open windows are told what has changed. In virtual time, a burst of changes is reported at most four times
// a second. Tests on a real gateway check when the streams of events end.

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openLive } from '../../../server/console/live.ts';
import type { LiveChange } from '../../../server/contract/setup.ts';
import { ConsoleError } from '../../../server/errors.ts';
import { enter, type Window } from '../../support/console.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const MINE = { person: 'mine', ended: new AbortController().signal };
const sessionOf = (person: number) => ({ ...MINE, person: String(person) });

/** A fake window that reads its messages or leaves them unread. */
class TestWindow extends EventEmitter {
  text = '';
  isOpen = true;
  isReading = true;
  get writableLength(): number {
    return this.isReading ? 0 : this.text.length;
  }
  writeHead(): void {}
  write(piece: string): boolean {
    this.text += piece;
    return true;
  }
  end(): void {
    this.isOpen = false;
    this.emit('close');
  }
  destroy(): void {
    this.end();
  }
  changes(): LiveChange[] {
    return [...this.text.matchAll(/event: change\ndata: (.*)\n\n/g)].map(
      ([, data]) => JSON.parse(data ?? '') as LiveChange,
    );
  }
  response(): ServerResponse {
    return this as unknown as ServerResponse;
  }
}

function openFollowed(ended = MINE.ended) {
  const clock = startVirtualTime();
  const live = openLive(clock);
  const window = new TestWindow();
  live.follow(window.response(), { ...MINE, ended });
  return { clock, live, window };
}

describe('a window gets', () => {
  test('everything at first, because something may have changed before it could listen', () => {
    const { window } = openFollowed();
    expect(window.changes()).toEqual([
      { subjects: ['records', 'lanes', 'setup', 'refusals', 'trouble', 'days', 'certify', 'todo'] },
    ]);
    expect(window.text).toMatch(/^retry: \d+\n\n/);
  });

  test('a change at once, and the following ones together a quarter of a second later', () => {
    const { clock, live, window } = openFollowed();
    live.note('records');
    clock.jump(0);
    live.note('records');
    live.note('lanes');
    live.note('lanes');
    live.note('records');
    clock.jump(249);
    expect(window.changes()).toHaveLength(2);
    clock.jump(1);
    expect(window.changes().slice(1)).toEqual([{ subjects: ['records'] }, { subjects: ['records', 'lanes'] }]);
    clock.jump(10_000);
    expect(window.changes()).toHaveLength(3);
  });

  test('at most forty-two messages for ten seconds with five thousand records each', () => {
    const { clock, live, window } = openFollowed();
    const before = window.changes().length;
    for (let n = 0; n < 50_000; n++) {
      live.note('records');
      live.note('lanes');
      clock.jump(0.2);
    }
    clock.jump(250);
    const changes = window.changes().slice(before);
    expect(changes.length).toBeGreaterThan(35);
    expect(changes.length).toBeLessThanOrEqual(42);
  });

  test('a message every fifteen seconds, so that neither end gives up the connection', () => {
    const { clock, window } = openFollowed();
    clock.jump(60_000);
    expect(window.text.match(/event: alive\n/g)).toHaveLength(4);
  });

  test('nothing more once it has closed or the session has ended', () => {
    const stop = new AbortController();
    const { clock, live, window } = openFollowed(stop.signal);
    stop.abort();
    expect(window.isOpen).toBe(false);
    const before = window.text;
    live.note('records');
    clock.jump(60_000);
    expect(window.text).toBe(before);
  });

  test('a window of an ended session gets nothing at all', () => {
    const { window } = openFollowed(AbortSignal.abort());
    expect([window.isOpen, window.text]).toEqual([false, '']);
  });

  test('a window that reads nothing is dropped, and the others continue', () => {
    const { clock, live, window } = openFollowed();
    const other = new TestWindow();
    live.follow(other.response(), MINE);
    window.isReading = false;
    for (let i = 0; i < 2000; i++) {
      live.note('records');
      clock.jump(250);
    }
    expect([window.isOpen, other.isOpen]).toEqual([false, true]);
    expect(window.text.length).toBeLessThan(100_000);
  });

  test('at most sixty-four windows get changes; a closed window makes room', () => {
    const { live, window } = openFollowed();
    for (let i = 1; i < 64; i++) live.follow(new TestWindow().response(), sessionOf(i));
    const late = new TestWindow();
    expect(() => live.follow(late.response(), sessionOf(64))).toThrow(ConsoleError);
    window.end();
    live.follow(late.response(), sessionOf(64));
    expect(late.changes()).toHaveLength(1);
  });

  test('at most sixteen windows of a person get changes; others have their own limit, and a closed window makes room', () => {
    const { live, window } = openFollowed();
    for (let i = 1; i < 16; i++) live.follow(new TestWindow().response(), MINE);
    const late = new TestWindow();
    expect(() => live.follow(late.response(), MINE)).toThrow(ConsoleError);
    live.follow(new TestWindow().response(), sessionOf(1));
    window.end();
    live.follow(late.response(), MINE);
    expect(late.changes()).toHaveLength(1);
  });

  test('nothing is stored and no timer is set while no window is open', () => {
    const clock = startVirtualTime();
    const live = openLive(clock);
    live.note('records');
    live.note('lanes');
    let isTimerSet = false;
    void clock.waitForTimers(1).then(() => (isTimerSet = true));
    clock.jump(60_000);
    expect(isTimerSet).toBe(false);
  });
});

describe('through a gateway', () => {
  /** Follows a stream of events. `seen.text` collects the events; `closed` resolves when the stream ends. */
  async function follow({ cookie, url }: Window) {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const response = await fetch(url('/api/live'), { headers: { cookie }, signal: stop.signal });
    const seen = { status: response.status, type: response.headers.get('content-type'), text: '' };
    const closed = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) seen.text += decoder.decode(piece as Uint8Array);
    })();
    closed.catch(() => {});
    return { seen, closed };
  }
  const told = (seen: { text: string }, subject: string): boolean =>
    seen.text
      .split('\n\n')
      .slice(2) // the first message names all subjects
      .some((event) => event.includes(`"${subject}"`));

  test('a record, a refusal, a lane and a key are each reported', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { seen } = await follow(await enter(gateway));
    expect([seen.status, seen.type]).toEqual([200, 'text/event-stream']);
    const { secret, administration, mode } = gateway.production;
    await expect.poll(() => seen.text).toContain('event: change');
    const before = seen.text.length;
    await postBody(gateway.apiUrl, secret, bodyOf());
    await expect.poll(() => seen.text.slice(before)).toContain('"records"');
    await postBody(gateway.apiUrl, 'prod_unknown', bodyOf());
    await expect.poll(() => told(seen, 'refusals')).toBe(true);
    await gateway.makeKey();
    await expect.poll(() => told(seen, 'setup')).toBe(true);
    await gateway.store.outbox.performAct({ administration, mode, interface: 'current' }, { kind: 'pause' }, 'test');
    await expect.poll(() => told(seen, 'lanes')).toBe(true);
  });

  test('the stream is not closed as an unused connection', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { seen } = await follow(await enter(gateway));
    await expect.poll(() => seen.text).toContain('event: change');
    const { hostname, port } = new URL(gateway.consoleUrl);
    let closed = 0;
    for (let n = 0; n < 130; n++) {
      const idle = connect(Number(port), hostname);
      idle.on('error', () => {}).once('close', () => (closed += 1));
      onTestFinished(() => void idle.destroy());
    }
    await expect.poll(() => closed).toBeGreaterThanOrEqual(3);
    await gateway.makeKey();
    await expect.poll(() => told(seen, 'setup')).toBe(true);
  });

  test('the stream ends at sign-out', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const window = await enter(gateway);
    const { closed } = await follow(window);
    await window.send('DELETE', '/api/session');
    await expect(closed).resolves.toBeUndefined();
  });

  test('the stream ends when the gateway closes, which does not wait for it', async () => {
    const gateway = await openTestGateway();
    const { closed } = await follow(await enter(gateway));
    await gateway.close();
    await expect(closed).resolves.toBeUndefined();
  });
});
