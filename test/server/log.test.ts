import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openLog } from '../../server/log.ts';
import { openBareGateway } from '../support/open-gateway.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const readLog = (dataDir: string): string => readFileSync(join(dataDir, 'logs', 'counterfoil.log'), 'utf8');

test('a field with the name of a secret is censored at any depth', async () => {
  const dataDir = temporaryFolder();
  const { log, close } = openLog({ dataDir, logLevel: 'info' });
  log.info({ token: 'canary', call: { authorization: 'canary', body: 'canary' } }, 'a call');
  await close();
  expect(readLog(dataDir)).toContain('a call');
  expect(readLog(dataDir)).not.toContain('canary');
});

test('the log resumes automatically after the disk was full', async (context) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return context.skip('not run: mounting a small disk needs root on Linux');
  const { log, close } = openLog({ dataDir: disk, logLevel: 'info' });
  log.info('started');
  await expect.poll(() => readLog(disk)).toContain('started');
  const filler = join(disk, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);
  for (let i = 0; i < 100; i++) {
    log.info({ text: 'x'.repeat(1000) }, 'lost');
    // The log's write was queued before this write. So when this write has failed, the log's write has failed too.
    await expect(writeFile(join(disk, 'more'), 'x'.repeat(10_000))).rejects.toThrow(/ENOSPC/);
  }
  expect(readLog(disk).match(/lost/g)?.length ?? 0).toBeLessThan(100);
  rmSync(filler);
  await expect
    .poll(() => {
      log.info('again');
      return readLog(disk);
    })
    .toContain('again');
  await close();
});

test('variables that Kubernetes sets for a service with our name are named once at the start', async () => {
  const { dataDir, close } = await openBareGateway({ ignoredVariables: ['COUNTERFOIL_PORT'] });
  onTestFinished(close);
  await expect.poll(() => readLog(dataDir)).toContain('"started"');
  const warnings = readLog(dataDir)
    .split('\n')
    .filter((line) => line.includes('COUNTERFOIL_PORT'));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
    level: 40,
    variables: ['COUNTERFOIL_PORT'],
    msg: expect.stringMatching(/Kubernetes.*ignored/),
  });
});
