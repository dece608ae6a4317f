// Sends alerts to real SMTP and HTTP servers.

import { createHmac } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { describe, expect, onTestFinished, test } from 'vitest';

import { writeMessage } from '../../../server/alert/message.ts';
import { prepareSend } from '../../../server/alert/send.ts';
import type { AlertDestination, MailSettings } from '../../../server/contract/alerts.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import type { Resolve } from '../../../server/forward/link-local.ts';
import { openHttpSink, openMailSink } from '../../support/alert-sinks.ts';
import { makeCertificate, type TestCertificate } from '../../support/certificate.ts';

const NOW = Date.parse('2026-11-20T12:00Z');
const MESSAGE = writeMessage({
  id: 'msg_1',
  at: NOW,
  kind: 'alert',
  language: 'nl',
  timeZone: 'Europe/Amsterdam',
  tasks: [
    {
      id: 7,
      opening: 2,
      openedAt: NOW,
      administration: 'Bakkerij & <zoon>',
      fact: { kind: 'held', interface: 'current', records: 3 },
    },
  ],
});
const LINE =
  'Bakkerij & <zoon>: De centrale heeft 3 verkopen afgewezen; de gateway houdt ze vast. Lees de reden. Stuur ze daarna opnieuw of leg ze terzijde.';
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const resolveTo =
  (address: string): Resolve =>
  (_name, _options, callback) =>
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
const parts = {
  openDispatcher: prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined }),
  now: () => NOW,
};
const send = prepareSend(parts);
const mailAt = (port: number, more: Partial<MailSettings & { password: string }> = {}) => ({
  host: '127.0.0.1',
  port,
  security: 'none' as const,
  user: '',
  from: 'shop@example.org',
  password: null,
  ...more,
});
/** Adds a certificate to those that this process trusts, until the test ends. */
function trust({ cert }: TestCertificate): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}
const MIA = { kind: 'email', address: 'mia@example.org' } as const;

describe('by HTTP', () => {
  test('a webhook is signed with its id and time', async () => {
    const sink = await openHttpSink();
    const destination = { kind: 'webhook', url: `${sink.url}/hook?x=1`, key: KEY, plainHttp: true } as const;
    expect(await send(MESSAGE, destination, null)).toEqual({ fault: null });
    const [call] = sink.calls;
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = call?.headers ?? {};
    const hmac = createHmac('sha256', Buffer.alloc(32, 7)).update(`${String(id)}.${String(time)}.${call?.body}`);
    expect([call?.path, id, time, signature]).toEqual([
      '/hook?x=1',
      'msg_1',
      String(NOW / 1000),
      `v1,${hmac.digest('base64')}`,
    ]);
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'counterfoil.alert',
      timestamp: '2026-11-20T12:00:00.000Z',
      title: 'Counterfoil: 1 nieuwe taak',
      tasks: [
        {
          id: 7,
          opening: 2,
          kind: 'held',
          urgent: false,
          administration: 'Bakkerij & <zoon>',
          since: '2026-11-20T12:00:00.000Z',
          text: LINE,
        },
      ],
    });
  });

  test('Slack, Teams and Telegram get their own formats', async () => {
    const sink = await openHttpSink();
    const plain = { url: sink.url, plainHttp: true };
    const token = '123456:ABCdefGHIjklMNOpqrsTUVwxyz';
    const destinations: AlertDestination[] = [
      { kind: 'slack', ...plain },
      { kind: 'teams', ...plain },
      { kind: 'telegram', ...plain, token, chat: '-100' },
    ];
    for (const destination of destinations) expect(await send(MESSAGE, destination, null)).toEqual({ fault: null });
    const [slack, teams, telegram] = sink.calls.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const text = `Counterfoil: 1 nieuwe taak\n• ${LINE}`;
    const escaped = text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;');
    expect(slack).toEqual({ text: escaped });
    expect(teams).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { body: [{ text: 'Counterfoil: 1 nieuwe taak' }, { text: `• ${LINE}`, wrap: true }] },
        },
      ],
    });
    expect(telegram).toMatchObject({ chat_id: '-100', text });
    expect(sink.calls[2]?.path).toBe(`/bot${token}/sendMessage`);
  });

  const hook = (url: string): AlertDestination => ({ kind: 'slack', url, plainHttp: true });

  test.each([
    [404, {}, { fault: { code: 'rejected', detail: '404' } }],
    [429, { 'retry-after': '7' }, { fault: { code: 'rejected', detail: '429' }, afterMs: 7000 }],
    ['drop', {}, { fault: { code: 'no_answer', detail: expect.any(String) } }],
  ] as const)('after the answer %s %j, the fault is %j', async (script, headers, outcome) => {
    const sink = await openHttpSink();
    Object.assign(sink, { script, headers });
    expect(await send(MESSAGE, hook(sink.url), null)).toEqual(outcome);
  });

  test('a redirect is not followed', async () => {
    const [sink, other] = [await openHttpSink(), await openHttpSink()];
    Object.assign(sink, { script: 307, headers: { location: other.url } });
    expect(await send(MESSAGE, hook(sink.url), null)).toEqual({ fault: { code: 'moved', detail: '307' } });
    expect(other.calls).toEqual([]);
  });

  test('a name that leads to a link-local address gets nothing', async () => {
    const openDispatcher = prepareConnections(
      { upstreamProxy: undefined, upstreamCa: undefined },
      undefined,
      resolveTo('169.254.169.254'),
    );
    const outcome = await prepareSend({ ...parts, openDispatcher })(MESSAGE, hook('http://hook.example.org/'), null);
    expect(outcome).toMatchObject({ fault: { code: 'link_local' } });
  });

  test('a closed port is unreachable', async () => {
    expect(await send(MESSAGE, hook('http://127.0.0.1:1/'), null)).toEqual({
      fault: { code: 'unreachable', detail: 'ECONNREFUSED' },
    });
  });
});

describe('by e-mail', () => {
  test('a message arrives with a stable id, and logs in only with a user', async () => {
    const sink = await openMailSink();
    expect(await send(MESSAGE, MIA, mailAt(sink.port))).toEqual({ fault: null });
    expect(await send(MESSAGE, MIA, mailAt(sink.port, { user: 'shop', password: 'secret' }))).toEqual({ fault: null });
    expect(sink.logins).toEqual(['shop secret']);
    const [mail] = sink.mails;
    expect(mail).toMatchObject({ from: '<shop@example.org>', to: '<mia@example.org>' });
    expect(mail?.data).toContain('Message-ID: <msg_1@counterfoil.invalid>');
    expect(mail?.data).toContain('Subject: Counterfoil: 1 nieuwe taak');
    expect(mail?.data).toContain('Auto-Submitted: auto-generated');
  });

  test.each([
    ['login', { code: 'mail_login', detail: '535' }],
    ['refuse', { code: 'rejected', detail: '554' }],
    ['drop', { code: 'no_answer', detail: expect.any(String) }],
  ] as const)('a server that does %s: %j', async (script, fault) => {
    const sink = await openMailSink(script);
    const outcome = await send(MESSAGE, MIA, mailAt(sink.port, { user: 'shop', password: 'secret' }));
    expect(outcome).toEqual({ fault });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  test('a server without encryption gets nothing, unless that was chosen', async () => {
    const sink = await openMailSink();
    const server = mailAt(sink.port, { security: 'starttls', user: 'shop', password: 'secret' });
    expect(await send(MESSAGE, MIA, server)).toMatchObject({ fault: { code: 'mail_unencrypted' } });
    expect([sink.logins, sink.mails]).toEqual([[], []]);
  });

  describe.each(['tls', 'starttls'] as const)('with %s', (security) => {
    const HOST = 'mail.example.org';
    const sendTo = prepareSend({ ...parts, resolve: resolveTo('127.0.0.1') });
    const secret = { security, user: 'shop', password: 'secret' };

    test('a message and its login go to a server whose certificate proves the name', async () => {
      const certificate = makeCertificate({ hosts: [HOST] });
      trust(certificate);
      const sink = await openMailSink('accept', { security, certificate });
      expect(await sendTo(MESSAGE, MIA, mailAt(sink.port, { ...secret, host: HOST }))).toEqual({ fault: null });
      expect([sink.logins, sink.mails.length]).toEqual([['shop secret'], 1]);
    });

    test.each([
      ['of an unknown issuer', HOST, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['for another name', 'other.example.org', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])('a server with a certificate %s gets nothing, and the fault names the reason', async (_, host, detail) => {
      const certificate = makeCertificate({ hosts: [host] });
      if (host !== HOST) trust(certificate);
      const sink = await openMailSink('accept', { security, certificate });
      const outcome = await sendTo(MESSAGE, MIA, mailAt(sink.port, { ...secret, host: HOST }));
      expect(outcome).toEqual({ fault: { code: 'untrusted', detail } });
      expect([sink.logins, sink.mails]).toEqual([[], []]);
    });
  });

  test('TLS from the start to a port that begins without it names the encryption, not the certificate', async () => {
    const sink = await openMailSink();
    const outcome = await send(MESSAGE, MIA, mailAt(sink.port, { security: 'tls' }));
    expect(outcome).toEqual({ fault: { code: 'mail_unencrypted', detail: expect.stringMatching(/^ERR_SSL_/) } });
  });

  test('a closed port is unreachable', async () => {
    expect(await send(MESSAGE, MIA, mailAt(1))).toEqual({ fault: { code: 'unreachable', detail: 'ECONNREFUSED' } });
  });

  test('a name that leads to a link-local address gets nothing, and a missing server is named', async () => {
    const sender = prepareSend({ ...parts, resolve: resolveTo('fe80::1') });
    expect(await sender(MESSAGE, MIA, mailAt(25, { host: 'mail.example.org' }))).toMatchObject({
      fault: { code: 'link_local' },
    });
    expect(await send(MESSAGE, MIA, null)).toEqual({ fault: { code: 'mail_missing', detail: null } });
  });
});
