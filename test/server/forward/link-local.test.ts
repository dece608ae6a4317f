// Link-local addresses, which no upstream can have. Setting such an address gives a warning. The gateway does not connect to a
// host name that resolves to a link-local address (docs/security.md, promise S9).

import { describe, expect, onTestFinished, test } from 'vitest';

import { prepareConnections } from '../../../server/forward/connection.ts';
import { findLinkLocalWarning, type Resolve } from '../../../server/forward/link-local.ts';
import { prepareUpstreamCheck } from '../../../server/forward/upstream-check.ts';
import { prepareUpstreamClients } from '../../../server/forward/upstream-client.ts';
import { bodyOf } from '../../support/http-call.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const TOKEN = 'prod_canary0123456789';
const SETTINGS = { upstreamProxy: undefined, upstreamCa: undefined };

/** A fake name service that gives these answers in order and then repeats the last answer. */
function resolving(...answers: readonly (readonly string[])[]): Resolve {
  let asked = 0;
  return (_name, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(callback, null, found);
  };
}

async function post(url: string, resolve: Resolve) {
  const client = prepareUpstreamClients(prepareConnections(SETTINGS, undefined, resolve))();
  onTestFinished(() => client.close());
  const record = { recordId: 1, status: 'NEW', soldAt: 0, earlier: undefined, body: Buffer.from(bodyOf()) } as const;
  return client.send(record, { url, token: TOKEN, via: 'A'.repeat(16) }, new AbortController().signal);
}

async function openUpstream() {
  const standIn = await openStandIn({ script: 'accept' });
  onTestFinished(() => standIn.close());
  return { url: standIn.url.replace('127.0.0.1', 'upstream.example'), records: () => standIn.summary().records };
}

const FORMS = [
  '169.254.169.254',
  '169.254.0.1',
  '169.254.170.2',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '169.254.169.254.',
  '169。254。169。254',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '%31%36%39.254.169.254',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::169.254.169.254]',
  '[::ffff:0:169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
  '[fe80::1]',
  '[FE80::A9FE:A9FE]',
  '[febf::1]',
  '[fd00:ec2::254]',
  '[fd00:0ec2:0::23]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[64:ff9b::100.100.100.200]',
  '[2002:6464:64c8::1]',
  '[::168.63.129.16]',
  '[64:ff9b::192.0.0.192]',
];

describe('a numeric address', () => {
  test.each(FORMS)('is reported: %s', (host) => {
    expect(findLinkLocalWarning(`https://${host}/base`)).toMatch(/^\S+ is a link-local or metadata address: /);
  });

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.4',
    '169.253.255.255',
    '169.255.0.1',
    '100.100.100.201',
    '192.0.2.7',
    '[::1]',
    '[fd00::1]',
    '[fec0::1]',
    '[2001:db8::a9fe:a9fe]',
    '[::ffff:10.0.0.1]',
  ])('is not reported: %s', (host) => {
    expect(findLinkLocalWarning(`https://${host}`)).toBeUndefined();
  });
});

describe('a name', () => {
  test.each([
    ['169.254.169.254'],
    ['fe80::1%eth0'],
    ['::ffff:169.254.169.254'],
    ['64:ff9b::a9fe:a9fe'],
    ['169.254.169.254', 'fe80::1'],
  ])(
    'that leads to %s is refused on a connection and on a connection test, and nothing is sent there',
    async (...addresses) => {
      const upstream = await openUpstream();
      const resolve = resolving(addresses);
      const seen = addresses.join(', ');
      expect(await post(upstream.url, resolve)).toEqual({ kind: 'link-local', addresses: seen });
      const check = prepareUpstreamCheck(
        prepareConnections(SETTINGS, undefined, resolve),
        SETTINGS,
        undefined,
        resolve,
      );
      const { steps } = await check({ url: upstream.url, token: TOKEN }, 'current');
      expect(steps).toEqual([
        { step: 'name', isFine: false, finding: 'name_link_local', host: 'upstream.example', seen, code: null },
      ]);
      expect(upstream.records()).toBe(0);
    },
  );

  test('that resolves to a link-local address only on connection is refused', async () => {
    const upstream = await openUpstream();
    const resolve = resolving(['127.0.0.1'], ['169.254.169.254']);
    const check = prepareUpstreamCheck(prepareConnections(SETTINGS, undefined, resolve), SETTINGS, undefined, resolve);
    const { steps } = await check({ url: upstream.url, token: TOKEN }, 'current');
    expect(steps.at(-1)).toMatchObject({ step: 'connection', isFine: false, finding: 'name_link_local' });
    expect(upstream.records()).toBe(0);
  });

  test('that also resolves to another address is sent there', async () => {
    const upstream = await openUpstream();
    const resolve = resolving(['169.254.169.254', 'fe80::1', '127.0.0.1']);
    expect(await post(upstream.url, resolve)).toMatchObject({ kind: 'answered', status: 201 });
    expect(upstream.records()).toBe(1);
  });

  test.each(['127.0.0.1', '::ffff:127.0.0.1'])(
    'that leads to this machine or a private network is sent there: %s',
    async (address) => {
      const upstream = await openUpstream();
      expect(await post(upstream.url, resolving([address]))).toMatchObject({ kind: 'answered', status: 201 });
    },
  );

  test('that does not resolve is reported as unknown', async () => {
    const { url } = await openUpstream();
    const unknown = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    const resolve: Resolve = (_name, _options, callback) => void setImmediate(callback, unknown, []);
    expect(await post(url, resolve)).toEqual({ kind: 'unreachable', reason: 'ENOTFOUND' });
  });
});
