// The network settings that people made: one row.

import type { NetworkChange } from '../../../contract/acts.ts';
import { NETWORK_SETTINGS, type NetworkSettings } from '../../../contract/network.ts';
import { CLOSED_NETWORK } from '../../network/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

interface SettingsRow {
  readonly is_open: 0 | 1;
  readonly interfaces: string | null;
  readonly allows_plain_http: 0 | 1;
  readonly is_console_open: 0 | 1;
  readonly is_announced: 0 | 1 | null;
}

export function readNetworkSettings(db: Connection): NetworkSettings {
  const row = db.prepare<[], SettingsRow>('SELECT * FROM network').get();
  if (row === undefined) return CLOSED_NETWORK;
  return {
    isOpen: row.is_open === 1,
    interfaces: row.interfaces === null ? null : readNames(row.interfaces),
    allowsPlainHttp: row.allows_plain_http === 1,
    isConsoleOpen: row.is_console_open === 1,
    isAnnounced: row.is_announced === null ? null : row.is_announced === 1,
  };
}

/**
 * Returns the names of interfaces; none if the stored text is damaged. The gateway then starts, but opens no address by
 * mistake.
 */
function readNames(text: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : [];
  } catch {
    return [];
  }
}

/**
 * Changes the given settings and logs the act. If nothing differs, it changes and logs nothing. `now` is in epoch milliseconds.
 */
export function changeNetwork(
  db: Connection,
  change: Partial<NetworkSettings>,
  actor: string,
  now: number,
): NetworkSettings {
  return db
    .transaction(() => {
      const before = readNetworkSettings(db);
      const after = { ...before, ...change };
      const changes = listChanges(before, after);
      if (changes.length === 0) return before;
      db.prepare(`
        INSERT INTO network (id, is_open, interfaces, allows_plain_http, is_console_open, is_announced) VALUES (1, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET is_open = excluded.is_open, interfaces = excluded.interfaces,
          allows_plain_http = excluded.allows_plain_http, is_console_open = excluded.is_console_open,
          is_announced = excluded.is_announced`).run(
        Number(after.isOpen),
        after.interfaces === null ? null : JSON.stringify(after.interfaces),
        Number(after.allowsPlainHttp),
        Number(after.isConsoleOpen),
        after.isAnnounced === null ? null : Number(after.isAnnounced),
      );
      noteAct(db, { act: { kind: 'change network', changes } }, actor, now);
      return after;
    })
    .immediate();
}

function listChanges(before: NetworkSettings, after: NetworkSettings): NetworkChange[] {
  return NETWORK_SETTINGS.filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member])).map(
    (member) => ({ member, before: before[member], after: after[member] }) as NetworkChange,
  );
}
