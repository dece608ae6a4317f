// The set-up in SQLite. A cache in memory serves the calls of tills.

import type { ActEntry } from '../../../contract/acts.ts';
import { parseAct } from '../../setup/act-schema.ts';
import type { SetupLedger } from '../../setup/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';
import type { ActRow } from './act-log.ts';
import { isRevokedAt, keyAt } from './key.ts';
import type { SetupCache } from './setup-cache.ts';

export interface SetupParts extends EngineParts {
  readonly cache: SetupCache;
}

export function openSetupLedger(parts: SetupParts): SetupLedger {
  const { reader, writer, reading, guard, notes, changing, now, cache } = parts;
  return {
    findKey(secret) {
      const key = cache.findKey(secret);
      return key && keyAt(key, now());
    },
    isRevoked({ id }) {
      const key = cache.findKeyById(id);
      return key === undefined || isRevokedAt(key, now());
    },
    createKey: (key, actor) => changing(writer.call('createKey', [key, actor, now()])),
    ensureKey: (key, actor) => changing(writer.call('ensureKey', [key, actor, now()])),
    rotateKey: (id, graceMs, actor) => changing(writer.call('rotateKey', [id, graceMs, actor, now()])),
    revokeKey: (id, actor) => changing(writer.call('revokeKey', [id, actor, now()])),
    async listKeys() {
      await notes.write();
      const keys = await reading(reader.call('listKeys', []));
      return keys.map((key) => keyAt(key, now()));
    },
    noteKeyUse: notes.noteKeyUse,

    administrationOf: (found) => cache.administrationOf(found),
    createAdministration: (wanted, actor) => changing(writer.call('createAdministration', [wanted, actor, now()])),
    changeAdministration: (name, change, actor) =>
      changing(writer.call('changeAdministration', [name, change, actor, now()])),
    listAdministrations: () => reading(reader.call('listAdministrations', [])),
    listJournals: () => reading(reader.call('listJournals', [])),

    listActs: async (query) => (await reading(reader.call('listActs', [query]))).map(actEntryOf),
    noteAct: async (act, actor) => void (await guard(writer.call('noteAct', [act, actor, now()]))),
  };
}

function actEntryOf({ act: name, detail: text, data, ...entry }: ActRow): ActEntry {
  const act = data === null ? undefined : parseAct(data);
  return { ...entry, act: act ?? { kind: 'unknown', name, text } };
}
