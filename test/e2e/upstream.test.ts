// The stand-in upstream on the command line.

import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { exitOf, spawnProgram } from '../support/gateway-process.ts';
import { bodyOf, postBody } from '../support/http-call.ts';

function start(...args: string[]) {
  const child = spawnProgram('test/support/upstream.ts', args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: exitOf(child), stdout: text(child.stdout), stderr: text(child.stderr) };
}

test('it prints its address, follows its script, and prints a summary at its end', async () => {
  const { child, exited, stdout } = start('--port', '0', '--script', '500, accept', '--latency', '1', '--json');
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (part) => resolve(String(part))));
  const { url } = JSON.parse(line) as { url: string };
  const body = bodyOf();
  expect((await postBody(url, 'prod_x', body)).status).toBe(500);
  expect((await postBody(url, 'prod_x', body)).status).toBe(201);
  child.kill('SIGINT');
  expect(await exited).toEqual({ code: 0, signal: null });
  const [ready, summary] = (await stdout)
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as unknown);
  expect(ready).toEqual({ ready: true, url });
  expect(summary).toMatchObject({ attempts: 2, records: 1, behaviours: { '500': 1, accept: 1 } });
});

test('the summary is in words, and only the given tokens are accepted', async () => {
  const { child, exited, stdout } = start('--port', '0', '--token', 'prod_a', '--token', 'test_b');
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (part) => resolve(String(part))));
  const url = /http:\S+:\d+/.exec(line)?.[0] ?? '';
  const body = bodyOf();
  const statuses = [];
  for (const key of ['prod_a', 'test_b', 'prod_c']) statuses.push((await postBody(url, key, body)).status);
  expect(statuses).toEqual([201, 201, 401]);
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(await stdout).toContain(`In effect  2 records
Taken      NEW 2 · IGNORED 0 · ERROR 0
Calls      all 3 · queries 0 · invalid 1
Answered   accept 2`);
});

test('a resource may have its own id parameter', async () => {
  const { child } = start('--port', '0', '--resources', 'refund:refundid,cancellations', '--json');
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (part) => resolve(String(part))));
  const { url } = JSON.parse(line) as { url: string };
  const send = async (path: string): Promise<number> =>
    (await fetch(`${url}/c/dev-plem/bakery/1207/v1/${path}`, { headers: { authorization: 'Bearer test_any' } })).status;
  expect(await send('refund?refundid=1')).toBe(200);
  expect(await send('refund?transactionid=1')).toBe(400);
  expect(await send('cancellations?transactionid=1')).toBe(200);
});

test.each<[name: string, args: string[], code: number, said: string]>([
  ['a wrong script', ['--script', '500, hnag'], 2, '"hnag" is no behaviour'],
  ['an invalid port', ['--port', '70000'], 2, 'from 0 to 65535'],
  ['a wrong resource', ['--resources', 'refund:'], 2, 'refund:refundid,transaction'],
  ['an unknown option', ['--prot', '1'], 2, '--prot'],
])('%s is an error that names it', async (_, args, code, said) => {
  const { exited, stderr } = start(...args);
  expect((await exited).code).toBe(code);
  expect(await stderr).toContain(said);
});

test('--help explains scripts', async () => {
  const { exited, stdout } = start('--help');
  expect((await exited).code).toBe(0);
  expect(await stdout).toContain('id=POISON-*: 500');
});
