// While the answer to a call is being made, later bytes of the same call turn out to be invalid. The call gets one answer, and
// the log file shows no error.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { call, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { openRawConnection } from '../../support/raw-call.ts';

const gateway = await openTestGateway();
afterAll(() => gateway.close());

test.each(['/openapi.json', '/docs', `/v1/raw_transactions?${rangeParameters()}`])(
  'a bad chunk behind GET %s gets one 400 and no error in the log',
  async (target) => {
    const connection = await openRawConnection(gateway.apiUrl);
    const head = `GET ${target} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    connection.send(`${head}what\r\n`);
    expect((await connection.rest()).map(({ status }) => status)).toEqual([400]);
    await call(gateway.apiUrl + target, { headers: { token: gateway.test.secret } }); // by now the answer to the first call has been made
    expect(readFileSync(join(gateway.dataDir, 'logs', 'counterfoil.log'), 'utf8')).not.toContain('HEADERS_SENT');
  },
);
