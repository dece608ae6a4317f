// What `lan status` says while no gateway runs.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { networkLines } from '../../../server/command/network-report.ts';
import { networkView } from '../../support/network-view.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

test('a file of the authority that does not exist yet is not named as if it did', () => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'ca.pem');
  const { settings, authority } = networkView();
  if (authority === null) throw new Error('the view has no authority');
  const lines = (): string =>
    networkLines(
      {
        settings,
        fixedBy: [],
        isRunning: false,
        view: undefined,
        authority: { ...authority, file },
        keys: [],
        administrations: [],
        users: [],
      },
      dataDir,
    ).join('\n');
  expect(lines()).toContain(`${file} (the gateway writes it at its next start), until `);
  writeFileSync(file, 'written');
  expect(lines()).toContain(`${file}, until `);
});
