// If a till is configured with the console's port, the answer tells it the right address.

import { expect, onTestFinished, test } from 'vitest';

import { bodyOf, call } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

async function openGateway() {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

test.each<[name: string, path: string, method: string]>([
  ['a sale', '/v1/raw_transactions', 'POST'],
  ['a sale at the other path', '/api/v1/raw_transactions', 'POST'],
  ['a query', '/v1/raw_transactions?count=true', 'GET'],
  ['a sale of the earlier interface', '/v1/transaction', 'POST'],
  ['a declared total', '/ext/v1/day_totals', 'POST'],
])('%s at the console’s port gets a problem answer that names the right address', async (_name, path, method) => {
  const { consoleUrl, apiUrl, test: key } = await openGateway();
  const headers = { token: key.secret, 'content-type': 'application/json' };
  const body = method === 'POST' ? bodyOf() : undefined;
  const answer = await call(consoleUrl + path, { method, headers, body });
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.json()).toMatchObject({
    status: 404,
    code: 'not_found',
    detail: `This is the console. Tills send to ${apiUrl}${path.replace(/\?.*/, '')}.`,
  });
});

test('a call of an unknown path names the address of the till API', async () => {
  const { consoleUrl, apiUrl } = await openGateway();
  const answer = await call(`${consoleUrl}/nowhere`);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.json()).toMatchObject({ status: 404, detail: `This is the console. Tills send to ${apiUrl}.` });
});

test('a page that comes by another name learns no address', async () => {
  const { consoleUrl, apiUrl } = await openGateway();
  const answer = await call(`${consoleUrl}/v1/raw_transactions`, { headers: { host: 'evil.example' } });
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.json()).toMatchObject({ detail: 'This is the console. Tills send to the other port of this machine.' });
  expect(answer.text).not.toContain(apiUrl);
});

test('another name of the console is refused without a wrong address', async () => {
  const { consoleUrl } = await openGateway();
  const answer = await call(`${consoleUrl}/`, { headers: { host: 'evil.example' } });
  expect(answer.text).toBe(
    'The console does not answer at this address. Open the address that counterfoil console prints.',
  );
});
