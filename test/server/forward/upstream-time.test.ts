// The gateway reads the time in an upstream's answers only while another part of the gateway listens for the time. It ignores
// the answers of an upstream on this machine.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { prepareConnections } from '../../../server/forward/connection.ts';
import { listenForTime } from '../../../server/forward/upstream-time.ts';

const DATE = 'Mon, 23 Nov 2026 12:00:00 GMT';

/** Opens an upstream that answers with these headers, and returns a function that calls it. */
async function openUpstream(headers: Record<string, string>) {
  const server = createServer((_req, res) => {
    res.sendDate = false;
    res.writeHead(200, headers).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const limits = { connections: 1, connectTimeoutMs: 5000, answerTimeoutMs: 5000, maxAnswerBytes: 64 * 1024 };
  const dispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined })(limits);
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (): Promise<void> => {
    const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
    await body.text();
  };
}

function hear(isElsewhere?: () => boolean) {
  const heard: number[] = [];
  const stop = listenForTime((epochMs) => void heard.push(epochMs), isElsewhere);
  onTestFinished(stop);
  return { heard, stop };
}

test('the Date of each answer is passed on until the listener stops', async () => {
  const ask = await openUpstream({ date: DATE });
  const { heard, stop } = hear(() => true);
  await ask();
  await ask();
  stop();
  await ask();
  expect(heard).toEqual([Date.parse(DATE), Date.parse(DATE)]);
});

test('an upstream on this machine is no evidence: it shows the same clock', async () => {
  const ask = await openUpstream({ date: DATE });
  const { heard } = hear();
  await ask();
  expect(heard).toEqual([]);
});

test.each([
  ['no Date', {}],
  ['an invalid Date', { date: 'yesterday' }],
  ['the word Date in the value of another header', { 'x-name': 'date', 'x-more': DATE }],
])('an answer with %s is ignored', async (_what, headers) => {
  const ask = await openUpstream(headers);
  const { heard } = hear(() => true);
  await ask();
  expect(heard).toEqual([]);
});
