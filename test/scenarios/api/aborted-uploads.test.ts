// An aborted upload releases the memory that was counted for it, however it ends.

import { afterAll, expect, test } from 'vitest';

import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openRawConnection } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

const HEAD = `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\n`;
const NEARLY_ALL = 'x'.repeat(1024 * 1024 - 1);

test.each<[string, string, (connection: Awaited<ReturnType<typeof openRawConnection>>) => void]>([
  ['is half-closed', `${HEAD}Content-Length: 1048576\r\n\r\n${NEARLY_ALL}`, (connection) => connection.end()],
  ['is closed', `${HEAD}Content-Length: 1048576\r\n\r\n${NEARLY_ALL}`, (connection) => connection.destroy()],
  [
    'has a bad chunk',
    `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffff\r\n${NEARLY_ALL}\r\n`,
    (connection) => connection.send('zz\r\n'),
  ],
])('a sale is accepted after a hundred megabytes of uploads, each of which %s', async (_name, upload, abort) => {
  for (let round = 0; round < 5; round++) {
    const connections = await Promise.all(Array.from({ length: 20 }, () => openRawConnection(gateway.apiUrl)));
    for (const connection of connections) {
      connection.send(upload);
      abort(connection);
    }
    await Promise.all(connections.map((connection) => connection.rest()));
  }
  const large = bodyOf({ object: `{"text":"${'x'.repeat(500_000)}"}`, external_id: _name });
  expect((await postBody(gateway.apiUrl, gateway.test.secret, large)).status).toBe(201);
});

test('a megabyte in chunks of one byte is answered and stored like any other', async () => {
  const body = bodyOf({ external_id: 'crumbs', object: `{"text":"${'x'.repeat(100_000)}"}` });
  const connection = await openRawConnection(gateway.apiUrl);
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('');
  connection.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  expect((await connection.next())?.status).toBe(201);
  connection.destroy();
});
