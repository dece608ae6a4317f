// The file of `counterfoil apply` is validated as a whole: a fault has its pointer, and no message has a secret.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readStoreFile } from '../../../server/command/store-file.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const TOKEN = 'prod_canary-0123456789';

function write(content: unknown): string {
  const path = join(temporaryFolder(), 'store.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('a file that is no JSON object is refused without quoting it', async () => {
  const reading = readStoreFile(write(`{"people": "${TOKEN}`), {});
  await expect(reading).rejects.toThrow(/store\.json is not JSON/);
  await expect(reading).rejects.not.toThrow(TOKEN);
  await expect(readStoreFile(write('[]'), {})).rejects.toThrow(/must be a JSON object/);
  await expect(readStoreFile('/no/such/file', {})).rejects.toThrow(/^\/no\/such\/file is not readable \(ENOENT\)\.$/);
});

test('the example in the documentation is valid', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/deploy.md'), 'utf8');
  const path = write(/```json\n(.*?)```/s.exec(page)?.[1]);
  writeFileSync(join(path, '../upstream.key'), TOKEN);
  expect(await readStoreFile(path, {})).toMatchObject({ kind: 'valid' });
});

test('paths are relative to the folder of the file, and variables come from the environment', async () => {
  const upstreams = [
    { mode: 'production', url: 'https://a.example', token: { env: 'TOKEN' } },
    { mode: 'test', url: 'https://a.example', token: { file: 'token.txt' } },
  ];
  const path = write({ administrations: [{ name: 'B', timeZone: 'UTC', upstreams }] });
  writeFileSync(join(path, '../token.txt'), 'from the file\n');
  expect(await readStoreFile(path, { TOKEN })).toMatchObject({
    kind: 'valid',
    secrets: new Map([
      ['/administrations/0/upstreams/0/token', TOKEN],
      ['/administrations/0/upstreams/1/token', 'from the file'],
    ]),
  });
});

test('a resource may have the form of the command line', async () => {
  const resources = ['transaction', 'refund:refundid', { name: 'order', idParameter: 'no' }];
  expect(
    await readStoreFile(write({ administrations: [{ name: 'B', timeZone: 'UTC', resources }] }), {}),
  ).toMatchObject({
    file: {
      administrations: [
        {
          resources: [
            { name: 'transaction', idParameter: 'transactionid' },
            { name: 'refund', idParameter: 'refundid' },
            { name: 'order', idParameter: 'no' },
          ],
        },
      ],
    },
  });
});

test.each<[string, unknown, RegExp[]]>([
  [
    'wrong resources',
    {
      administrations: [
        { name: 'B', timeZone: 'UTC', resources: ['a:b:c', 'd:timestamp'] },
        { name: 'C', timeZone: 'UTC', resources: ['refund:refundid', 'refund'] },
        { name: 'D', timeZone: 'UTC', resources: 'refund' },
      ],
    },
    [
      /^\/administrations\/0\/resources\/0: must have a name and an id parameter/,
      /^\/administrations\/0\/resources\/1: must have a name and an id parameter/,
      /^\/administrations\/1\/resources: must have at least one entry, each only once/,
      /^\/administrations\/2\/resources: must be an array/,
    ],
  ],
  ['an unknown member', { till: [] }, [/^\/till: is not known here\.$/]],
  [
    'several faults',
    {
      administrations: [
        { name: '..', timeZone: 'Mars', dayStartsAt: '4:10', amounts: [{ type: 'sale', total: '/~', sign: 'x' }] },
        { name: 'B', tills: [{ label: 'Till 1', mode: 'live' }] },
      ],
      people: [
        { name: 'gateway', role: 'manager' },
        { name: 'Mia', role: 'boss' },
      ],
    },
    [
      /^\/administrations\/0\/name: must have 1 to 100 characters/,
      /\/administrations\/0\/timeZone: must be the name of a time zone/,
      /\/administrations\/0\/dayStartsAt: must be a time on a quarter hour/,
      /\/administrations\/0\/amounts\/0\/sign: must be one of: as sent, negative/,
      /\/administrations\/1\/timeZone: is required/,
      /\/administrations\/1\/tills\/0\/mode: must be one of: production, test/,
      /\/people\/0\/name: is a name that the log of acts uses/,
      /\/people\/1\/role: must be one of: clerk, manager/,
    ],
  ],
  [
    'a wrong pointer of an amount',
    { administrations: [{ name: 'B', timeZone: 'UTC', amounts: [{ type: 'sale', total: '/~' }] }] },
    [/\/administrations\/0\/amounts\/0\/total: must be a JSON pointer/],
  ],
  [
    'a repeated person',
    { people: ['Mia', 'MIA'].map((name) => ({ name, role: 'clerk' })) },
    [/^\/people\/1: repeats an earlier entry/],
  ],
  [
    'a secret in the file',
    {
      administrations: [
        { name: 'B', timeZone: 'UTC', upstreams: [{ mode: 'production', url: 'https://a.example', token: TOKEN }] },
      ],
    },
    [/\/administrations\/0\/upstreams\/0\/token: must be \{"file": "PATH"\} or \{"env": "VARIABLE"\}/],
  ],
  [
    'a key file of two tills',
    {
      administrations: ['A', 'B'].map((name) => ({
        name,
        timeZone: 'UTC',
        tills: [{ label: 'Till 1', mode: 'test', keyFile: name === 'A' ? 'till.key' : './till.key' }],
      })),
    },
    [/\/administrations\/1\/tills\/0\/keyFile: is the key file of another till/],
  ],
  [
    'missing secrets',
    {
      administrations: [
        {
          name: 'B',
          timeZone: 'UTC',
          tills: [{ label: 'Till 1', mode: 'test', keyFile: 'no/such/folder' }],
          upstreams: [
            { mode: 'production', url: 'https://a.example', token: { env: 'NO_SUCH_VARIABLE' } },
            { mode: 'test', url: 'https://a.example', token: { file: 'missing.txt' } },
          ],
        },
      ],
    },
    [
      /\/tills\/0\/keyFile: its folder does not exist/,
      /\/upstreams\/0\/token: the variable NO_SUCH_VARIABLE is not set/,
      /\/upstreams\/1\/token: .*missing\.txt is not readable \(ENOENT\)/,
    ],
  ],
])('a fault has its pointer: %s', async (_name, content, messages) => {
  const reading = await readStoreFile(write(content), {});
  const lines = reading.kind === 'faulty' ? reading.faults.map(({ pointer, detail }) => `${pointer}: ${detail}.`) : [];
  for (const message of messages) expect(lines).toContainEqual(expect.stringMatching(message));
  expect(lines).toHaveLength(messages.length);
  expect(lines.join()).not.toContain(TOKEN);
});
