// A whole gateway for a test: a real store in a temporary folder, both listeners on free ports, and one key per mode of one
// administration.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Config } from '../../server/config.ts';
import type { StatusCounts } from '../../server/contract/codes.ts';
import type { Gateway, GatewaySurroundings } from '../../server/gateway.ts';
import { openRenewableGateway } from '../../server/renewal.ts';
import { generateSecret } from '../../server/store/setup/key-secret.ts';
import type { Key, NewKey } from '../../server/store/setup/ledger.ts';
import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { type TestCertificate, writeCertificate } from './certificate.ts';

/** A key of the gateway, with the secret that the till sends. */
export interface TestKey extends Key {
  readonly secret: string;
}

export interface TestGateway extends BareGateway {
  /** The production key of the administration "Bakery". */
  readonly production: TestKey;
  /** The test key of the same administration. */
  readonly test: TestKey;
  /** Makes another key, by default a test key of a new till. */
  makeKey(more?: Partial<NewKey>): Promise<TestKey>;
  /** Every secret made so far. None of them may appear in an answer or a log. */
  listSecrets(): readonly string[];
  /** The number of records by status, over all journals and interfaces. */
  countRecords(): Promise<StatusCounts>;
  /** Reads a record's body from the disk. */
  readBody(recordId: number): Buffer;
}

/** A gateway without keys or records. */
export interface BareGateway extends Gateway {
  readonly dataDir: string;
  /** Closes the gateway and removes its folder. Rejects if a thread of its store has died: no input may cause that. */
  close(): Promise<void>;
}

/** `prepare` writes files before the gateway opens. */
export interface TestSurroundings extends Partial<GatewaySurroundings> {
  readonly prepare?: (dataDir: string) => Promise<void>;
}

/** Opens a gateway without keys. With a certificate it serves HTTPS. The caller closes it. */
export async function openBareGateway(
  config: Partial<Config> = {},
  certificate?: TestCertificate,
  { prepare, ...surroundings }: TestSurroundings = {},
): Promise<BareGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-gateway-'));
  const tls = certificate && { tls: writeCertificate(dataDir, certificate) };
  await prepare?.(dataDir);
  let death: unknown;
  const gateway = await openRenewableGateway(
    {
      dataDir,
      host: '127.0.0.1',
      port: 0,
      consolePort: 0,
      consoleHost: '127.0.0.1',
      baseDomain: '',
      connectionsPerAddress: 512,
      upstreamProxy: undefined,
      upstreamCa: undefined,
      logLevel: 'info',
      ...tls,
      ...config,
    },
    (cause) => void (death = cause),
    { builtAt: 0, ...surroundings },
  ).catch((error: unknown) => {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  return {
    ...gateway,
    dataDir,
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (death !== undefined) throw new Error('the store died', { cause: death });
    },
  };
}

/** Opens a gateway with a production key and a test key of one administration. */
export async function openTestGateway(...opening: Parameters<typeof openBareGateway>): Promise<TestGateway> {
  const gateway = await openBareGateway(...opening);
  const secrets: string[] = [];

  async function makeKey(more: Partial<NewKey> = {}): Promise<TestKey> {
    const mode = more.mode ?? 'test';
    const secret = more.secret ?? generateSecret(mode);
    secrets.push(secret);
    const label = more.label ?? `Till ${secrets.length}`;
    const defaults = { administration: 'Bakery', interface: 'current', isAdopted: false } as const;
    const key = await gateway.store.setup.createKey({ ...defaults, ...more, mode, label, secret }, 'test');
    if (key === undefined) throw new Error('this key exists already');
    return { ...key, secret };
  }

  return {
    ...gateway,
    production: await makeKey({ mode: 'production', label: 'Counter' }),
    test: await makeKey({ mode: 'test', label: 'Counter under test' }),
    makeKey,
    listSecrets: () => secrets,
    async countRecords() {
      const journals = await gateway.store.records.countStatuses();
      const sum = (status: keyof StatusCounts): number =>
        journals.reduce((total, { records }) => total + records.current[status] + records.earlier[status], 0);
      return { NEW: sum('NEW'), IGNORED: sum('IGNORED'), ERROR: sum('ERROR') };
    },
    readBody(recordId) {
      const db = openDatabase(databasePath(gateway.dataDir), 'read');
      try {
        return db.prepare('SELECT body FROM records WHERE id = ?').pluck().get(recordId) as Buffer;
      } finally {
        db.close();
      }
    },
  };
}
