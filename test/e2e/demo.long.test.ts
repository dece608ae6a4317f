// The demo as a new user sees it: sales are forwarded, wait during an outage, and are forwarded afterwards. No files or
// processes remain.

import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { exitOf, spawnCommand } from '../support/gateway-process.ts';

function startDemo(...args: string[]) {
  const child = spawnCommand(['serve', '--demo', ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: exitOf(child), stderr: text(child.stderr) };
}

/** Reads the counts in a status line of the demo. */
function readCounts(line: string) {
  const counts = /(\d+) sales? here, (\d+) forwarded, (\d+) waiting; line (up|down) since /.exec(line);
  if (counts === null) return undefined;
  const [sales = 0, forwarded = 0, waiting = 0] = counts.slice(1, 4).map(Number);
  return { sales, forwarded, waiting, line: counts[4] };
}
type Counts = NonNullable<ReturnType<typeof readCounts>>;

test('sales are forwarded, wait during an outage and are sent afterwards; the demo leaves no file and no open port', async () => {
  const { child, exited, stderr } = startDemo('accept for 6s, down for 2s, repeat');
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const stages: ((counts: Counts) => boolean)[] = [
    ({ line, forwarded }) => line === 'up' && forwarded > 0,
    ({ line, waiting }) => line === 'down' && waiting > 0,
    ({ line, sales, forwarded }) => line === 'up' && forwarded === sales,
  ];
  for await (const line of reader) {
    lines.push(line);
    const counts = readCounts(line);
    if (counts === undefined) continue;
    expect(counts.forwarded + counts.waiting).toBe(counts.sales);
    if (stages[0]?.(counts) === true) stages.shift();
    if (stages.length === 0) break;
  }
  expect(stages, lines.join('\n')).toEqual([]);

  const printed = lines.join('\n');
  const [dataDir = ''] = /(?<=data {9})\S+(?= \(removed)/.exec(printed) ?? [];
  const addresses = [...printed.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([address]) => address);
  expect(addresses.length).toBe(5);
  expect(existsSync(dataDir)).toBe(true);
  const status = spawnCommand(['status', '--data', dataDir, '--json']);
  expect(JSON.parse(await text(status.stdout))).toMatchObject({
    journals: [{ administration: 'Demo', mode: 'test' }],
  });

  child.kill('SIGINT');
  child.kill('SIGINT'); // a second Ctrl-C, as an impatient user presses it
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(await stderr).toBe('');
  expect(existsSync(dataDir)).toBe(false);
  for (const address of addresses) await expect(fetch(address)).rejects.toThrow('fetch failed');
});

test('with --json it prints only its ready line', async () => {
  const { child, exited } = startDemo('--json');
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (part) => resolve(String(part))));
  const rest = text(child.stdout);
  const ready = JSON.parse(line) as { api: string; data: string; upstream: string };
  expect(ready).toMatchObject({ ready: true, console: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) });
  expect((await fetch(`${ready.api}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(await rest).toBe('');
  expect(existsSync(ready.data)).toBe(false);
});

test.each<[name: string, args: string[], said: string]>([
  ['a data directory', ['--data', 'somewhere'], 'leave out --data'],
  ['another address', ['--host', '0.0.0.0'], 'leave out --host'],
  ['a proxy', ['--upstream-proxy', 'http://127.0.0.1:1'], 'leave out --upstream-proxy'],
  ['an unknown script', ['hnag'], '--demo is "hnag"'],
  ['an invalid port', ['--port', 'x'], '--port is "x"'],
])('%s is refused', async (_, args, said) => {
  const { exited, stderr } = startDemo(...args);
  expect(await exited).toEqual({ code: 2, signal: null });
  expect(await stderr).toContain(said);
});
