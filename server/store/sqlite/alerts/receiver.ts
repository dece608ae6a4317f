// Stores the receivers of alerts and the mail server. The writer thread also reads them, because only it can decrypt their
// secrets.

import type { AlertDestination, MailSettings, ReceiverSettings } from '../../../contract/alerts.ts';
import type {
  AlertReport,
  DeliveryCondition,
  NewReceiver,
  StoredAlert,
  StoredMail,
  StoredReceiver,
} from '../../alerts/ledger.ts';
import { type Connection, withoutTraces } from '../engine/database.ts';
import type { Seal } from '../engine/seal.ts';
import { noteAct } from '../setup/act-log.ts';

interface Row {
  readonly id: number;
  readonly kind: StoredReceiver['kind'];
  readonly settings: string;
  readonly shown: string;
  readonly destination: string;
  readonly state: string;
  readonly digestOn: string;
}

const NEW_STATE: DeliveryCondition = { lastSentAt: null, failing: null };

/** Who makes a change and when, and the `Seal` that encrypts its secrets. */
export interface By {
  readonly actor: string;
  readonly now: number;
  readonly seal: Seal;
}

export function listReceivers(db: Connection, seal: Seal): StoredReceiver[] {
  const selectAlerts = db.prepare<[number], StoredAlert>(`
    SELECT task_id AS taskId, alerts.opening, alerts.state FROM alerts JOIN tasks ON tasks.id = task_id
    WHERE receiver_id = ? AND ended_at IS NULL ORDER BY task_id, alerts.opening`);
  return db
    .prepare<[], Row>(
      'SELECT id, kind, settings, shown, destination, state, digest_on AS digestOn FROM alert_receivers ORDER BY name',
    )
    .all()
    .map(({ settings, destination, state, ...row }) => {
      const opened = seal.unseal(destination);
      return {
        ...row,
        settings: JSON.parse(settings) as ReceiverSettings,
        destination: opened === undefined ? undefined : (JSON.parse(opened) as AlertDestination),
        state: JSON.parse(state) as DeliveryCondition,
        alerts: selectAlerts.all(row.id),
      };
    });
}

/** Adds a receiver and notes the act. Returns its id; undefined if the name is taken. */
export function addReceiver(
  db: Connection,
  { settings, destination, shown, digestOn }: NewReceiver,
  { actor, now, seal }: By,
): number | undefined {
  const { name } = settings;
  return db
    .transaction(() => {
      if (isTaken(db, name)) return undefined;
      const { lastInsertRowid } = db
        .prepare(`
        INSERT INTO alert_receivers (name, kind, settings, shown, destination, state, digest_on)
        VALUES (?, ?, ?, ?, ?, ?, ?)`)
        .run(
          name,
          destination.kind,
          JSON.stringify(settings),
          shown,
          seal.seal(JSON.stringify(destination)),
          JSON.stringify(NEW_STATE),
          digestOn,
        );
      noteAct(db, { act: { kind: 'add receiver', name, by: destination.kind } }, actor, now);
      return Number(lastInsertRowid);
    })
    .immediate();
}

export function changeReceiver(
  db: Connection,
  id: number,
  change: Partial<ReceiverSettings>,
  actor: string,
  now: number,
): 'changed' | 'unknown' | 'name taken' {
  return db
    .transaction(() => {
      const row = findRow(db, id);
      if (row === undefined) return 'unknown';
      const settings = { ...(JSON.parse(row.settings) as ReceiverSettings), ...change };
      if (isTaken(db, settings.name, id)) return 'name taken';
      db.prepare('UPDATE alert_receivers SET name = ?, settings = ? WHERE id = ?').run(
        settings.name,
        JSON.stringify(settings),
        id,
      );
      noteAct(db, { act: { kind: 'change receiver', name: settings.name, by: row.kind } }, actor, now);
      return 'changed';
    })
    .immediate();
}

export function removeReceiver(db: Connection, id: number, actor: string, now: number): boolean {
  return db
    .transaction(() => {
      const row = findRow(db, id);
      if (row === undefined) return false;
      db.prepare('DELETE FROM alert_receivers WHERE id = ?').run(id);
      const { name } = JSON.parse(row.settings) as ReceiverSettings;
      noteAct(db, { act: { kind: 'remove receiver', name, by: row.kind } }, actor, now);
      return true;
    })
    .immediate();
}

function findRow(db: Connection, id: number): Pick<Row, 'kind' | 'settings'> | undefined {
  return db
    .prepare<[number], Pick<Row, 'kind' | 'settings'>>('SELECT kind, settings FROM alert_receivers WHERE id = ?')
    .get(id);
}

function isTaken(db: Connection, name: string, except = 0): boolean {
  return db.prepare('SELECT 1 FROM alert_receivers WHERE name = ? AND id <> ?').get(name, except) !== undefined;
}

export function readMail(db: Connection, seal: Seal): StoredMail | null {
  const row = db
    .prepare<[], { settings: string; password: string | null }>('SELECT settings, password FROM mail_server')
    .get();
  if (row === undefined) return null;
  const password = row.password === null ? null : seal.unseal(row.password);
  return { ...(JSON.parse(row.settings) as MailSettings), password };
}

export function setMail(db: Connection, mail: StoredMail | null, { actor, now, seal }: By): void {
  db.transaction(() => {
    const before = db.prepare<[], string | null>('SELECT password FROM mail_server').pluck().get() ?? null;
    db.exec('DELETE FROM mail_server');
    if (mail !== null) {
      const { password, ...settings } = mail;
      const sealed = typeof password === 'string' ? seal.seal(password) : password;
      db.prepare('INSERT INTO mail_server (id, settings, password) VALUES (1, ?, ?)').run(
        JSON.stringify(settings),
        sealed === undefined ? before : sealed,
      );
    }
    const server = mail === null ? null : `${mail.host}:${mail.port}`;
    noteAct(db, { act: { kind: 'set mail server', server } }, actor, now);
  }).immediate();
}

export function noteAlerts(db: Connection, report: AlertReport): void {
  const { receiverId, added, sent, dropped, state, digestOn } = report;
  const insert = db.prepare(`
    INSERT INTO alerts (receiver_id, task_id, opening, state)
    SELECT alert_receivers.id, tasks.id, ?, 'waiting' FROM alert_receivers, tasks WHERE alert_receivers.id = ? AND tasks.id = ?
    ON CONFLICT DO NOTHING`);
  const settle = db.prepare("UPDATE alerts SET state = 'sent' WHERE receiver_id = ? AND task_id = ? AND opening = ?");
  const drop = db.prepare(
    "DELETE FROM alerts WHERE receiver_id = ? AND task_id = ? AND opening = ? AND state = 'waiting'",
  );
  db.transaction(() => {
    for (const { taskId, opening } of added) insert.run(opening, receiverId, taskId);
    for (const { taskId, opening } of sent) settle.run(receiverId, taskId, opening);
    for (const { taskId, opening } of dropped) drop.run(receiverId, taskId, opening);
    if (state !== undefined)
      db.prepare('UPDATE alert_receivers SET state = ? WHERE id = ?').run(JSON.stringify(state), receiverId);
    if (digestOn !== undefined)
      db.prepare('UPDATE alert_receivers SET digest_on = ? WHERE id = ?').run(digestOn, receiverId);
  }).immediate();
}

/**
 * Encrypts the secrets that a command or a gateway without a keyring has stored in plain text. Returns whether there were any.
 */
export function sealAlertSecrets(db: Connection, seal: Seal): boolean {
  const open = db
    .prepare<[], { place: string; id: number; secret: string }>(`
    SELECT 'receiver' AS place, id, destination AS secret FROM alert_receivers
    UNION ALL SELECT 'mail', id, password FROM mail_server WHERE password IS NOT NULL`)
    .all()
    .filter(({ secret }) => seal.seal(secret) !== secret);
  if (open.length === 0) return false;
  const updates = {
    receiver: db.prepare('UPDATE alert_receivers SET destination = ? WHERE id = ? AND destination = ?'),
    mail: db.prepare('UPDATE mail_server SET password = ? WHERE id = ? AND password = ?'),
  };
  const sealAll = db.transaction(() => {
    for (const { place, id, secret } of open) updates[place as keyof typeof updates].run(seal.seal(secret), id, secret);
  });
  withoutTraces(db, () => sealAll.immediate());
  return true;
}
