// Routes for the mail server, the receivers of alerts, and test alerts. Answers contain no passwords and no secret parts of
// addresses.

import { z } from 'zod';

import { findMailFault, readDestination } from '../alert/destination.ts';
import { destinationRequest, mailPassword, mailSettings, receiverSettings } from '../alert/receiver-input.ts';
import type {
  AlertNamesView,
  AlertsView,
  AlertTestView,
  MailRequest,
  NewReceiverRequest,
  NewReceiverView,
  ReceiverChangeRequest,
  ReceiverView,
} from '../contract/alerts.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields } from '../http/validation.ts';
import { clockAt } from '../store-day.ts';
import { nameText, timeZoneText } from '../store/setup/input-schema.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody, readId } from './request.ts';
import type { Routes } from './rights.ts';

const newReceiver = z.strictObject({
  name: nameText,
  timeZone: timeZoneText,
  ...receiverSettings,
  destination: destinationRequest,
}) satisfies z.ZodType<NewReceiverRequest>;
const receiverChange = z.strictObject({
  name: nameText.exactOptional(),
  language: receiverSettings.language.exactOptional(),
  timeZone: timeZoneText.exactOptional(),
  choice: receiverSettings.choice.exactOptional(),
  quiet: receiverSettings.quiet.exactOptional(),
  digestAt: receiverSettings.digestAt.exactOptional(),
}) satisfies z.ZodType<ReceiverChangeRequest>;
const mailRequest = z.strictObject({
  ...mailSettings,
  password: mailPassword.exactOptional(),
}) satisfies z.ZodType<MailRequest>;

export function bindAlerts(routes: Routes, { store, alerter, clock }: ConsoleParts): void {
  routes.forClerks.get('/api/alerts', async (req, res) => {
    assertNoQuery(req);
    const all = await view();
    if (sessionOf(res).role === 'manager') return void res.json(all satisfies AlertsView);
    res.json({ names: all.receivers.map(({ name }) => name) } satisfies AlertNamesView);
  });

  routes.forManagers.post('/api/alerts/receivers', async (req, res) => {
    assertNoQuery(req);
    const { destination: typed, ...settings } = readBody(req, newReceiver);
    const reading = readDestination(typed);
    if (reading.kind === 'faulty') throw fault(`destination/${reading.field}`, reading);
    const { destination, shown } = reading;
    const digestOn = clockAt(Math.floor(clock.now() / 1000), settings.timeZone).date;
    const id = await store.alerts.add({ settings, destination, shown, digestOn }, sessionOf(res).actor);
    if (id === undefined) throw nameTaken();
    const signingKey = destination.kind === 'webhook' ? destination.key : null;
    res.status(201).json({ receiver: await find(id), signingKey } satisfies NewReceiverView);
  });

  routes.forManagers.patch('/api/alerts/receivers/:id', async (req, res) => {
    assertNoQuery(req);
    const id = readId(req);
    const result = await store.alerts.change(id, readBody(req, receiverChange), sessionOf(res).actor);
    switch (result) {
      case 'changed':
        return void res.json((await find(id)) satisfies ReceiverView);
      case 'unknown':
        throw nothingHere('This receiver does not exist.');
      case 'name taken':
        throw nameTaken();
      default:
        return assertNever(result);
    }
  });

  routes.forManagers.delete('/api/alerts/receivers/:id', async (req, res) => {
    assertNoQuery(req);
    if (!(await store.alerts.remove(readId(req), sessionOf(res).actor)))
      throw nothingHere('This receiver does not exist.');
    res.json({});
  });

  routes.forManagers.post('/api/alerts/receivers/:id/test', async (req, res) => {
    assertNoQuery(req);
    const result = await alerter.test(readId(req));
    if (result === undefined) throw nothingHere('This receiver does not exist.');
    res.json({ fault: result } satisfies AlertTestView);
  });

  routes.forManagers.put('/api/alerts/mail', async (req, res) => {
    assertNoQuery(req);
    const { password, ...mail } = readBody(req, mailRequest);
    const found = findMailFault(mail);
    if (found !== undefined) throw fault(found.field, found);
    const before = await store.alerts.mail();
    const isSame =
      before !== null && (['host', 'port', 'security', 'user'] as const).every((name) => before[name] === mail[name]);
    // The stored password is kept only for the same server and user. It must never be sent to another server.
    const kept = isSame ? undefined : null;
    await store.alerts.setMail(
      { ...mail, password: mail.user === '' ? null : (password ?? kept) },
      sessionOf(res).actor,
    );
    res.json((await view()) satisfies AlertsView);
  });

  routes.forManagers.delete('/api/alerts/mail', async (req, res) => {
    assertNoQuery(req);
    await store.alerts.setMail(null, sessionOf(res).actor);
    res.json({});
  });

  async function view(): Promise<AlertsView> {
    const [mail, receivers] = await Promise.all([store.alerts.mail(), alerter.view()]);
    if (mail === null) return { mail, receivers };
    const { password, ...settings } = mail;
    return { mail: { ...settings, hasPassword: password !== null }, receivers };
  }

  async function find(id: number): Promise<ReceiverView> {
    const receiver = (await alerter.view()).find((each) => each.id === id);
    if (receiver === undefined) throw nothingHere('This receiver does not exist.');
    return receiver;
  }
}

function fault(field: string, { code, detail }: { readonly code: string; readonly detail: string }): Error {
  return invalidFields([{ pointer: `/${field}`, code, detail: `${field.replace('/', '.')} ${detail}` }]);
}

function nameTaken(): ConsoleError {
  return new ConsoleError('already_there', { detail: 'A receiver with this name already exists.' });
}
