// Routes of Settings: how the gateway runs, and the administrations. An administration has a time zone, a cut-off hour, an
// address on the earlier interface, and resources to forward.

import { stat } from 'node:fs/promises';

import { z } from 'zod';

import type {
  AdministrationChangeRequest,
  AdministrationView,
  NewAdministrationRequest,
  SettingsView,
} from '../contract/setup.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { machineZone } from '../lib/calendar.ts';
import { databasePath } from '../store/data-directory.ts';
import { optionalSettings, nameText, timeZoneText } from '../store/setup/input-schema.ts';
import type { Administration } from '../store/setup/ledger.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody } from './request.ts';
import type { Routes } from './rights.ts';

const dayStartsAt = z.int().refine((minutes) => minutes >= 0 && minutes < 1440 && minutes % 15 === 0, {
  error: 'must be minutes after midnight, a multiple of 15 from 0 to 1425',
  params: { code: 'quarter_hour' },
});
const newAdministration = z.strictObject({
  name: nameText,
  timeZone: timeZoneText.exactOptional(),
  dayStartsAt: dayStartsAt.exactOptional(),
}) satisfies z.ZodType<unknown, NewAdministrationRequest>;
const changeRequest = z.strictObject({
  name: nameText.exactOptional(),
  timeZone: timeZoneText.exactOptional(),
  dayStartsAt: dayStartsAt.exactOptional(),
  ...optionalSettings,
}) satisfies z.ZodType<unknown, AdministrationChangeRequest>;

export function bindAdministrations(routes: Routes, { store, settings, dataDir, health }: ConsoleParts): void {
  routes.forClerks.get('/api/settings', async (req, res) => {
    assertNoQuery(req);
    const [administrations, users, databaseBytes] = await Promise.all([
      store.setup.listAdministrations(),
      store.people.list(),
      sizeOfDatabase(dataDir),
    ]);
    const { disk } = health().machine;
    const views = administrations.map(viewAdministration);
    res.json({
      settings,
      dataDir,
      databaseBytes,
      disk,
      administrations: views,
      users,
    } satisfies SettingsView);
  });

  routes.forManagers.post('/api/administrations', async (req, res) => {
    assertNoQuery(req);
    const wanted = { timeZone: machineZone(), dayStartsAt: 0, ...readBody(req, newAdministration) };
    const made = await store.setup.createAdministration(wanted, sessionOf(res).actor);
    if (made === undefined) throw nameTaken();
    res.status(201).json(viewAdministration(made));
  });

  routes.forManagers.patch('/api/administrations/:name', async (req, res) => {
    assertNoQuery(req);
    const change = readBody(req, changeRequest); // a setting that the body leaves out keeps its value
    const { name } = req.params;
    const result = await store.setup.changeAdministration(name, change, sessionOf(res).actor);
    switch (result.kind) {
      case 'changed':
        return void res.json(viewAdministration(result.administration));
      case 'unknown':
        throw nothingHere('This administration does not exist.');
      case 'taken':
        throw invalidFields([
          { pointer: '/customer', code: 'taken', detail: `customer belongs to ${result.by} already` },
        ]);
      case 'name taken':
        throw nameTaken();
      default:
        return assertNever(result);
    }
  });
}

/** The size of the database in bytes, including the write-ahead log. The log file exists only while the database is open. */
async function sizeOfDatabase(dataDir: string): Promise<number | null> {
  const file = databasePath(dataDir);
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => null,
      ),
    ),
  );
  return sizes[0] === null ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

function nameTaken(): ConsoleError {
  return new ConsoleError('already_there', {
    detail: 'An administration of this name already exists. Choose another name.',
    errors: [parameterFault('name', 'known', 'already exists')],
  });
}

function viewAdministration({ dayRules: _, ...administration }: Administration): AdministrationView {
  return administration;
}
