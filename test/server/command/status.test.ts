// `counterfoil status` before anything is set up.

import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';

import { bindStatus } from '../../../server/command/status.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

afterEach(() => void (process.exitCode = undefined));

async function readStatus(dataDir: string, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (text: unknown): boolean => lines.push(String(text).trimEnd()) > 0;
  const [log, write] = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
  ];
  try {
    const program = new Command('counterfoil').exitOverride();
    bindStatus(program);
    await program.parseAsync(['status', '--data', dataDir, ...args], { from: 'user' });
    return lines.join('\n');
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
}

test('a lane without an upstream is not called paused, and status prints the whole command that sets one', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'a' }));
  await store.close();
  const printed = await readStatus(dataDir);
  expect(printed).toMatch(/^Bakery +production +current .* no upstream /m);
  expect(printed).not.toContain('paused');
  expect(printed).toContain(
    `Bakery (production, current): No upstream address is set: counterfoil upstream set --url URL --token-file FILE --data "${dataDir}" --administration "Bakery" --mode production. 1 record waits; nothing is lost.`,
  );
});

test('without keys, status prints the command that makes the first one, with the data directory', async () => {
  const dataDir = temporaryFolder();
  await (await openTemporaryStore({ dataDir })).close();
  expect(await readStatus(dataDir)).toContain(`counterfoil keys create --data "${dataDir}"`);
});
