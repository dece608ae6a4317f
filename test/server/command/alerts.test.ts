// The commands of alerts, without a running gateway.

import { expect, onTestFinished, test } from 'vitest';

import { bindAlerts } from '../../../server/command/alerts.ts';
import { openHttpSink } from '../../support/alert-sinks.ts';
import { runCommand } from '../../support/command-run.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

test('alerts adds, tests and removes receivers, and never prints an address with a secret', async () => {
  const sink = await openHttpSink();
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  onTestFinished(() => void (process.exitCode = undefined));
  const run = (...args: string[]) => runCommand(bindAlerts, ['alerts', ...args, '--data', dataDir]);
  const to = `${sink.url}/canary`;
  await expect(run('add', '--name', 'Mia', '--by', 'email', '--to', 'mia')).rejects.toThrow('one e-mail address');
  const add = (...args: string[]) => run('add', '--name', 'Mia', '--by', 'slack', '--to', to, ...args);
  for (const quiet of ['22-7', '22:00', '22:00-22:00', '22:00-24:00'])
    await expect(add('--quiet', quiet)).rejects.toThrow('--quiet must be');
  await expect(add('--time-zone', '+02:00')).rejects.toThrow('--time-zone must be the name of a time zone');
  const added = JSON.parse(
    await run('add', '--name', 'Mia', '--by', 'webhook', '--to', to, '--quiet', '22:00-07:00', '--json'),
  ) as object;
  expect(added).toMatchObject({ name: 'Mia', signing_key: expect.stringMatching(/^whsec_/) });
  await expect(run('add', '--name', 'mia', '--by', 'slack', '--to', to)).rejects.toThrow('already exists');
  expect(await run('test', '--name', 'MIA')).toBe('The test was sent to Mia.');
  expect(sink.calls).toMatchObject([{ path: '/canary' }]);
  sink.script = 401;
  expect(await run('test', '--name', 'Mia')).toMatch(/rejected the message \(401\)/);
  expect(process.exitCode).toBe(1);
  await run('mail', '--host', 'mail.example.org', '--port', '587', '--from', 'shop@example.org');
  const shown = await run('show');
  expect(shown).toMatch(
    /Mail server: mail\.example\.org:587[^]*Mia +webhook +http:\/\/127\.0\.0\.1:\d+\/… +all +22:00-07:00/,
  );
  expect(shown).not.toContain('canary');
  expect(await run('remove', '--name', 'Mia')).toBe('Mia gets no more alerts.');
  await expect(run('test', '--name', 'Mia')).rejects.toThrow('does not exist');
});
