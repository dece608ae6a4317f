// `counterfoil settings` shows no password.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';

import { bindSettings } from '../../../server/command/settings.ts';
import { UsageError } from '../../../server/errors.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

async function run(settings: object, ...args: string[]): Promise<string> {
  const data = temporaryFolder();
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings));
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((part) => printed.push(String(part)) > 0);
  onTestFinished(() => write.mockRestore());
  const program = new Command('counterfoil');
  bindSettings(program);
  await program.parseAsync(['settings', '--data', data, ...args], { from: 'user' });
  return printed.join('');
}

const SETTINGS = { port: 7430, upstreamProxy: 'http://anna:canary@proxy.example:3128' };

test('each setting has its value and its source, and no password', async () => {
  const table = await run(SETTINGS);
  expect(table).toMatch(/^setting +value +source\n/);
  expect(table).toMatch(/^port +7430 +file$/m);
  expect(table).toMatch(/^consolePort +7411 +default$/m);
  expect(table).toMatch(/^upstreamProxy +http:\/\/…@proxy\.example:3128 +file$/m);
  const json = await run(SETTINGS, '--json');
  expect(JSON.parse(json)).toMatchObject({
    settings: expect.arrayContaining([{ name: 'port', value: 7430, source: 'file' }]),
  });
  expect(table + json).not.toContain('canary');
});

test('a wrong setting is named', async () => {
  await expect(run({ port: 'none' })).rejects.toThrow(UsageError);
});
