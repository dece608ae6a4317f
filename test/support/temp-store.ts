// A store in a temporary folder, and arrivals for it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { ActEntry } from '../../server/contract/acts.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Settlement } from '../../server/store/outbox/ledger.ts';
import type { Arrival, NewRefusal } from '../../server/store/records/ledger.ts';
import { actText } from '../../server/store/setup/act-text.ts';
import { generateSecret } from '../../server/store/setup/key-secret.ts';
import type { Key } from '../../server/store/setup/ledger.ts';
import type { Store, StoreOptions } from '../../server/store/store.ts';

/** A folder that is removed when the test ends. */
export function temporaryFolder(root = tmpdir()): string {
  const folder = mkdtempSync(join(root, 'counterfoil-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a store, by default in a new folder, and closes it when the test ends. */
export async function openTemporaryStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ dataDir: options.dataDir ?? temporaryFolder(), role: 'gateway', ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A refused call with an unknown key at an instant in epoch milliseconds. */
export function refusalOf(at: number, more: Partial<NewRefusal> = {}): NewRefusal {
  return {
    at,
    address: '192.0.2.1',
    keyId: null,
    method: 'POST',
    path: '/v1/raw_transactions',
    code: 'key_unknown',
    detail: '',
    excerpt: '',
    faults: [],
    ...more,
  };
}

/** Makes a production key of the administration "Bakery". `label` names its till. */
export async function makeKey(
  store: Store,
  label = 'Till 1',
  more: { mode?: 'production' | 'test'; administration?: string; secret?: string } = {},
): Promise<Key> {
  const { mode = 'production', administration = 'Bakery', secret = generateSecret(mode) } = more;
  const wanted = { administration, mode, label, interface: 'both', secret, isAdopted: false } as const;
  const key = await store.setup.createKey(wanted, 'test');
  if (key === undefined) throw new Error('a fresh key exists already');
  return key;
}

/** A valid arrival for `key`. The body matches the fields. */
export function arrivalOf(
  key: Key,
  fields: {
    externalId: string;
    type?: string;
    soldAt?: number;
    object?: unknown;
    receivedAt?: number;
    isTimedElsewhere?: boolean;
  },
): Arrival {
  const { externalId, type = 'sale', soldAt = 1_760_000_000, object = {}, receivedAt = 1_760_000_000_000 } = fields;
  const { isTimedElsewhere = true } = fields;
  const timestamp = `${new Date(soldAt * 1000).toISOString().slice(0, 19)}Z`;
  const body = Buffer.from(JSON.stringify({ type, external_id: externalId, timestamp, object }));
  const { journalId, tillId, id: keyId } = key;
  return { journalId, tillId, keyId, externalId, type, soldAt, isTimedElsewhere, receivedAt, body };
}

/** Settles records as a lane does after one answer for each record. Resolves to the ids of records that were not waiting. */
export async function settleRecords(
  store: Pick<Store, 'records' | 'outbox'>,
  laneId: number,
  recordIds: readonly number[],
  outcome: Pick<Settlement, 'state'> & Partial<Settlement>,
): Promise<number[]> {
  const answered = { attempts: 1, answeredAt: 1, answerStatus: 201, answer: null, upstreamStatus: null };
  const settlements = recordIds.map(async (recordId): Promise<Settlement> => {
    const { status = 'NEW', soldAt = 0 } = (await store.records.get(recordId))?.record ?? {};
    return { recordId, status, soldAt, ...answered, ...outcome };
  });
  return store.outbox.settle(laneId, await Promise.all(settlements));
}

/** The newest acts on lanes in the log of acts, without the acts that made the keys. */
export async function listLaneActs(store: Pick<Store, 'setup'>): Promise<ActEntry[]> {
  return (await store.setup.listActs({ limit: 10 })).filter((act) => act.interface !== null);
}

/** An act as a short text, such as "Ann: sign in (password, from 192.0.2.1)". */
export function actLine({ actor, act }: ActEntry): string {
  const { name, detail } = actText(act);
  return `${actor}: ${name} (${detail})`;
}
