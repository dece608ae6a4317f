// Which destinations of alerts are accepted.

import { expect, test } from 'vitest';

import { findMailFault, readDestination } from '../../../server/alert/destination.ts';
import type { DestinationRequest } from '../../../server/contract/alerts.ts';

const TOKEN = '123456:ABCdefGHIjklMNOpqrsTUVwxyz';

test.each([
  [{ kind: 'email', address: ' mia@example.org ' }, 'mia@example.org'],
  [{ kind: 'slack', url: 'https://hooks.slack.com/services/T/B/secret' }, 'https://hooks.slack.com/…'],
  [{ kind: 'teams', url: 'https://x.logic.azure.com/workflows/1?sig=secret' }, 'https://x.logic.azure.com/…'],
  [{ kind: 'webhook', url: 'http://127.0.0.1:9/secret' }, 'http://127.0.0.1:9/…'],
  [{ kind: 'webhook', url: 'http://192.168.1.5/secret', plainHttp: true }, 'http://192.168.1.5/…'],
  [{ kind: 'telegram', token: TOKEN, chat: '-100123' }, '-100123'],
] as const satisfies readonly (readonly [DestinationRequest, string])[])('%j is shown as %s', (request, shown) => {
  expect(readDestination(request)).toMatchObject({ kind: 'fine', shown });
});

test.each([
  [{ kind: 'email', address: 'mia' }, 'address', 'email'],
  [{ kind: 'email', address: 'mia@example.org, ben@example.org' }, 'address', 'email'],
  [{ kind: 'email', address: 'mia@example.org\r\nBcc: ben@example.org' }, 'address', 'email'],
  [{ kind: 'slack', url: 'hooks.slack.com/x' }, 'url', 'address'],
  [{ kind: 'slack', url: 'ftp://hooks.slack.com/x' }, 'url', 'address'],
  [{ kind: 'slack', url: 'http://hooks.slack.com/x' }, 'url', 'plain_http'],
  [{ kind: 'slack', url: 'https://mia:pw@hooks.slack.com/x' }, 'url', 'password'],
  [{ kind: 'webhook', url: 'https://169.254.169.254/latest' }, 'url', 'link_local'],
  [{ kind: 'webhook', url: 'http://[fe80::1]/x', plainHttp: true }, 'url', 'link_local'],
  [{ kind: 'webhook', url: 'https://2852039166/', plainHttp: true }, 'url', 'link_local'],
  [{ kind: 'telegram', token: 'x', chat: '1' }, 'token', 'token'],
  [{ kind: 'telegram', token: `${TOKEN}/../x`, chat: '1' }, 'token', 'token'],
  [{ kind: 'telegram', token: TOKEN, chat: 'Mia' }, 'chat', 'chat'],
] as const satisfies readonly (readonly [DestinationRequest, string, string])[])(
  '%j is refused: %s, %s',
  (request, field, code) => {
    expect(readDestination(request)).toMatchObject({ kind: 'faulty', field, code });
  },
);

test('each webhook gets a signing key of its own', () => {
  const [one, other] = [1, 2].map(() => readDestination({ kind: 'webhook', url: 'https://example.org' }));
  expect(one).toMatchObject({ destination: { key: expect.stringMatching(/^whsec_.{44}$/) } });
  expect(one).not.toEqual(other);
});

test.each([
  ['mail.example.org', undefined],
  ['192.0.2.1', undefined],
  ['::1', undefined],
  ['mail.example.org:25', 'host'],
  ['mail/x', 'host'],
  ['169.254.1.1', 'link_local'],
  ['fe80::1', 'link_local'],
])('the mail server %s: %s', (host, code) => {
  expect(findMailFault({ host, port: 25, security: 'tls', user: '', from: 'shop@example.org' })?.code).toBe(code);
});
