import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { loadConfig } from '../../server/config.ts';
import { UsageError } from '../../server/errors.ts';
import { temporaryFolder } from '../support/temp-store.ts';

function folderWith(settings: unknown): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'settings.json'), typeof settings === 'string' ? settings : JSON.stringify(settings));
  return folder;
}

test('a file may begin with a byte order mark, as some editors on Windows write one', () => {
  expect(loadConfig(folderWith('\uFEFF{ "port": 7510 }'), {}, {})).toMatchObject({ port: 7510 });
});

test('a flag overrides the variable, the variable the file, and the file the default', () => {
  const folder = folderWith({ port: 3, consolePort: 3, host: '127.0.0.3' });
  const env = { COUNTERFOIL_PORT: '2', COUNTERFOIL_CONSOLE_PORT: '2' };
  const { settings, ...config } = loadConfig(folder, { port: '1' }, env);
  expect(config).toEqual({
    dataDir: folder,
    port: 1,
    consolePort: 2,
    consoleHost: '127.0.0.1',
    host: '127.0.0.3',
    baseDomain: '',
    connectionsPerAddress: 512,
    metricsFrom: '',
    backupKeep: 14,
    logLevel: 'info',
  });
  expect(settings).toEqual(
    expect.arrayContaining([
      { name: 'port', value: 1, source: 'flag' },
      { name: 'consolePort', value: 2, source: 'variable' },
      { name: 'host', value: '127.0.0.3', source: 'file' },
      { name: 'logLevel', value: 'info', source: 'default' },
      { name: 'upstreamCa', value: null, source: 'default' },
    ]),
  );
});

test('the variables of npm start and of the desktop app are known', () => {
  const env = { COUNTERFOIL_HEADLESS: '1', COUNTERFOIL_PROGRAM: 'npm run', COUNTERFOIL_READY_FD: '3' };
  expect(loadConfig(folderWith({}), {}, env).port).toBe(7410);
});

test.each(['128.0.0.1', '2001:db8::1'])(
  'the console at the public address %s needs a certificate of the shop, whatever the tills use',
  (consoleHost) => {
    const tls = { tlsCertificate: 'tls.crt', tlsKey: 'tls.key' };
    expect(() => loadConfig(folderWith({ consoleHost, plainHttp: true }), {}, {})).toThrow(
      /consoleHost .*--tls-certificate/,
    );
    expect(loadConfig(folderWith({ consoleHost, ...tls }), {}, {}).consoleHost).toBe(consoleHost);
  },
);

test('the displayed address of a proxy has no password', () => {
  const { settings, upstreamProxy } = loadConfig(
    folderWith({ upstreamProxy: 'http://ann:canary@proxy.example:3128' }),
    {},
    {},
  );
  expect(upstreamProxy).toContain('canary');
  expect(settings).toContainEqual({ name: 'upstreamProxy', value: 'http://…@proxy.example:3128', source: 'file' });
});

describe('the variables that Kubernetes sets for a service named counterfoil', () => {
  const service = {
    COUNTERFOIL_PORT: 'tcp://10.0.0.1:8080',
    COUNTERFOIL_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    COUNTERFOIL_PORT_8080_TCP_PROTO: 'tcp',
    COUNTERFOIL_PORT_8080_TCP_PORT: '8080',
    COUNTERFOIL_PORT_8080_TCP_ADDR: '10.0.0.1',
    COUNTERFOIL_SERVICE_HOST: '10.0.0.1',
    COUNTERFOIL_SERVICE_PORT: '8080',
    COUNTERFOIL_SERVICE_PORT_TILLS: '8080',
    COUNTERFOIL_CONSOLE_PORT: 'tcp://10.0.0.2:7411',
    COUNTERFOIL_CONSOLE_SERVICE_HOST: '10.0.0.2',
  };

  test('are ignored and named', () => {
    const config = loadConfig(folderWith({}), {}, service);
    expect(config).toMatchObject({ port: 7410, consolePort: 7411, ignoredVariables: Object.keys(service) });
    expect(config.settings).toContainEqual({ name: 'port', value: 7410, source: 'default' });
  });

  test('do not hide a real number', () => {
    const config = loadConfig(folderWith({}), {}, { ...service, COUNTERFOIL_PORT: '7500' });
    expect(config.port).toBe(7500);
    expect(config.ignoredVariables).not.toContain('COUNTERFOIL_PORT');
  });

  test('do not excuse another bad port', () => {
    expect(() => loadConfig(folderWith({}), {}, { COUNTERFOIL_PORT: 'http://10.0.0.1:80' })).toThrow(
      /COUNTERFOIL_PORT is/,
    );
  });
});

test('both sides may use free ports, and a base domain may have numbers before its last label', () => {
  const settings = { port: 0, consolePort: 0, baseDomain: '7.Tills.3com' };
  expect(loadConfig(folderWith(settings), {}, {})).toMatchObject({ ...settings, baseDomain: '7.tills.3com' });
});

describe('an unknown or bad setting is an error that names it', () => {
  test.each<[string, unknown, NodeJS.ProcessEnv, RegExp]>([
    ['an unknown variable', {}, { COUNTERFOIL_PROT: '1' }, /COUNTERFOIL_PROT is not a setting.*COUNTERFOIL_PORT/],
    ['an unknown setting in the file', { prot: 1 }, {}, /prot in .*settings\.json is not a setting.*port/],
    ['a port that is not a number', {}, { COUNTERFOIL_PORT: 'x' }, /COUNTERFOIL_PORT is "x"/],
    ['an empty port', {}, { COUNTERFOIL_PORT: '' }, /COUNTERFOIL_PORT is ""/],
    ['a port that is too large', { port: 65_536 }, {}, /port in settings\.json is 65536/],
    ['a port that is null', { port: null }, {}, /port in settings\.json is null/],
    ['a port that is a list', { port: [] }, {}, /port in settings\.json is \[\]/],
    ['an unknown level', { logLevel: 'loud' }, {}, /logLevel in settings\.json is "loud"/],
    ['a base domain that is an IPv4 address', { baseDomain: '192.168.1.10' }, {}, /baseDomain in .* a domain name/],
    ['a base domain that is an IPv6 address', { baseDomain: '::1' }, {}, /baseDomain in .* a domain name/],
    ['a base domain with a number at its end', { baseDomain: 'tills.1207' }, {}, /baseDomain in .* a domain name/],
    ['a base domain that is a number', { baseDomain: '1207' }, {}, /baseDomain in .* a domain name/],
    ['a base domain with a label of 64 letters', { baseDomain: 'a'.repeat(64) }, {}, /baseDomain in .* a domain name/],
    ['a base domain with an empty label', { baseDomain: 'tills..com' }, {}, /baseDomain in .* a domain name/],
    ['a network that does not exist', { metricsFrom: '10.0.0.0/33' }, {}, /metricsFrom in .*: it must be addresses/],
    ['a name instead of a network', { metricsFrom: '10.0.0.1,prometheus' }, {}, /metricsFrom in .*: it must be addre/],
    ['one port for both', { port: 7411 }, {}, /^port and consolePort are both 7411: /],
    ['an empty path', { tlsCertificate: '' }, {}, /tlsCertificate in settings\.json is "": it must be the path/],
    ['a path that is not a text', { tlsKey: 1 }, {}, /tlsKey in settings\.json is 1: it must be the path/],
    [
      'a boolean given as another text',
      {},
      { COUNTERFOIL_PLAIN_HTTP: 'yes' },
      /COUNTERFOIL_PLAIN_HTTP is "yes": .*true or false/,
    ],
    ['a boolean given as a number', { plainHttp: 1 }, {}, /plainHttp in settings\.json is 1: it must be true or false/],
    ['a file that is not JSON', '{', {}, /settings\.json is not readable JSON/],
    ['a file that is not an object', [], {}, /settings\.json must hold a JSON object/],
  ])('%s', (_name, file, env, message) => {
    const load = (): unknown => loadConfig(folderWith(file), {}, env);
    expect(load).toThrow(UsageError);
    expect(load).toThrow(message);
  });
});

describe('no error contains the password for the proxy', () => {
  const PASSWORD = 'canary';
  test.each<[name: string, proxy: unknown]>([
    ['another protocol', `socks5://user:${PASSWORD}@proxy.example.com:1080`],
    ['no protocol', `user:${PASSWORD}@proxy.example.com:3128`],
    ['an invalid port', `http://user:${PASSWORD}@proxy.example.com:99999`],
    ['no host', `http://user:${PASSWORD}`],
    ['a slash in the password', `http://user:${PASSWORD}/@proxy.example.com`],
    ['an @ in the password', `http://user:${PASSWORD}@x@proxy example.com`],
    ['a name that cannot be decoded', `http://us%zzer:${PASSWORD}@proxy.example.com`],
    ['a password that cannot be decoded', `http://user:${PASSWORD}%zz@proxy.example.com`],
    ['extra text after it', `http://user:${PASSWORD}@proxy.example.com/?x`],
    ['a list', [`http://user:${PASSWORD}@proxy.example.com`]],
    ['an object', { password: PASSWORD }],
  ])('%s', (_name, proxy) => {
    const flag = typeof proxy === 'string' ? { upstreamProxy: proxy } : {};
    for (const load of [
      () => loadConfig(folderWith({ upstreamProxy: proxy }), {}, {}),
      () => loadConfig(folderWith({ upstreamProxy: 1 }), flag, {}),
      () => loadConfig(folderWith({ upstreamProxy: 1 }), {}, { COUNTERFOIL_UPSTREAM_PROXY: JSON.stringify(proxy) }),
    ]) {
      const error = catching(load);
      expect(error).toBeInstanceOf(UsageError);
      expect((error as UsageError).message).toMatch(
        /^(--upstream-proxy|COUNTERFOIL_UPSTREAM_PROXY|upstreamProxy in .*) is /,
      );
      expect((error as UsageError).message).toContain('it must be the address of a proxy');
      expect((error as UsageError).message).not.toContain(PASSWORD);
    }
  });

  test.each([
    ['a member without an end', `{"upstreamProxy":"http://user:${PASSWORD}@proxy"`],
    ['an extra comma', `{"upstreamProxy":"http://user:${PASSWORD}@proxy",}`],
    ['a text without quotes', `{"upstreamProxy":http://user:${PASSWORD}@proxy}`],
    ['a second value', `{} "${PASSWORD}"`],
  ])('in a file that is not JSON: %s', (_name, file) => {
    const error = catching(() => loadConfig(folderWith(file), {}, {}));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(/settings\.json is not readable JSON: .*\.$/);
    expect((error as UsageError).message).not.toContain(PASSWORD);
  });

  test('a valid proxy is used unchanged', () => {
    const upstreamProxy = `http://user:${PASSWORD}%40@proxy.example.com:3128`;
    expect(loadConfig(folderWith({ upstreamProxy }), {}, {})).toMatchObject({ upstreamProxy });
  });
});

describe('a public address needs a certificate of the shop, because the own one cannot contain it', () => {
  const LOOPBACK = [
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LOCALHOST',
  ];
  const PRIVATE = [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.10',
    '169.254.0.1',
    'fd00::1',
    'fe80::1',
    '::ffff:192.168.1.10',
    'till.example',
    'localhost.example',
  ];
  const PUBLIC = ['128.0.0.1', '172.32.0.1', '192.169.0.1', '::2', '2001:db8::1', '::ffff:8.8.8.8'];
  const TLS = { tlsCertificate: 'tls.crt', tlsKey: 'tls.key' };
  const CASES: [string, unknown, NodeJS.ProcessEnv, readonly string[], readonly string[]][] = [
    ['no settings', {}, {}, [...LOOPBACK, ...PRIVATE], PUBLIC],
    ['plainHttp false', { plainHttp: false }, {}, PRIVATE, PUBLIC],
    [
      'COUNTERFOIL_PLAIN_HTTP=false over the file',
      { plainHttp: true },
      { COUNTERFOIL_PLAIN_HTTP: 'false' },
      [],
      PUBLIC,
    ],
    ['plainHttp true', { plainHttp: true }, {}, [...LOOPBACK, ...PRIVATE, ...PUBLIC], []],
    ['COUNTERFOIL_PLAIN_HTTP=true', {}, { COUNTERFOIL_PLAIN_HTTP: 'true' }, PUBLIC, []],
    ['a certificate', TLS, {}, [...LOOPBACK, ...PRIVATE, ...PUBLIC], []],
    ['a certificate and plainHttp', { ...TLS, plainHttp: true }, {}, PUBLIC, []],
  ];
  const rows = CASES.flatMap(([name, file, env, taken, refused]) => [
    ...taken.map((host) => [name, host, 'taken', file, env] as const),
    ...refused.map((host) => [name, host, 'refused', file, env] as const),
  ]);
  test.each(rows)('%s: %s is %s', (_name, host, outcome, file, env) => {
    const load = (): unknown => loadConfig(folderWith(file), { host }, env);
    if (outcome === 'taken') return expect(load()).toMatchObject({ host });
    expect(load).toThrow(UsageError);
    expect(load).toThrow(`The host ${host} is`);
    expect(load).toThrow(/--tls-certificate and --tls-key.*--plain-http/);
  });
});

test('certificate and key are given together or not at all, from any source', () => {
  const files = { certificate: resolve('a.crt'), key: resolve('a.key') };
  expect(loadConfig(folderWith({}), { tlsCertificate: 'a.crt', tlsKey: 'a.key' }, {}).tls).toEqual(files);
  expect(loadConfig(folderWith({}), { tlsCertificate: 'a.crt' }, { COUNTERFOIL_TLS_KEY: 'a.key' }).tls).toEqual(files);
  expect(loadConfig(folderWith({}), {}, {}).tls).toBeUndefined();
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const load = (settings: object) => () => loadConfig(folderWith(settings), { host, plainHttp: true }, {});
    expect(load({ tlsCertificate: 'a.crt' })).toThrow(new UsageError(`tlsKey is missing: ${KEY_AS_WELL}`));
    expect(load({ tlsKey: 'a.key' })).toThrow(new UsageError(`tlsCertificate is missing: ${CERTIFICATE_AS_WELL}`));
  }
});
const KEY_AS_WELL = 'also give --tls-key, the file with the key of the certificate.';
const CERTIFICATE_AS_WELL = 'also give --tls-certificate, the file with the certificate of the key.';

test('a relative path in the file starts at the data directory, in a flag or variable at the current directory', () => {
  const folder = folderWith({ tlsCertificate: 'tls/a.crt', tlsKey: '/etc/a.key' });
  expect(loadConfig(folder, {}, {}).tls).toEqual({
    certificate: join(folder, 'tls/a.crt'),
    key: resolve('/etc/a.key'),
  });
  expect(loadConfig(folder, { tlsCertificate: 'b.crt' }, { COUNTERFOIL_TLS_KEY: 'b.key' }).tls).toEqual({
    certificate: resolve('b.crt'),
    key: resolve('b.key'),
  });
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
