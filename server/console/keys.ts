// Routes of tills and their keys: make, adopt, replace, revoke. The gateway shows a new key only once: in the answer
// to the call that creates the key.

import { z } from 'zod';

import { KEY_INTERFACES, KEY_PREFIXES, type KeyInterface, type Mode, MODES } from '../contract/codes.ts';
import type { CreatedKey, KeyView, NewKeyRequest, RotateRequest, Till } from '../contract/setup.ts';
import { assertNever, ConsoleError, type GatewayError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { reachableUrl } from '../lib/own-address.ts';
import { storeDayAt } from '../store-day.ts';
import type { Range } from '../store/records/ledger.ts';
import { ADOPTABLE_FORM } from '../store/setup/input-rules.ts';
import { nameText } from '../store/setup/input-schema.ts';
import { adoptionOf, generateSecret } from '../store/setup/key-secret.ts';
import type { Key } from '../store/setup/ledger.ts';
import { readJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody, readId } from './request.ts';
import type { Routes } from './rights.ts';

const HOUR_MS = 60 * 60 * 1000;
const MAX_GRACE_HOURS = 30 * 24;

const newKey = z.strictObject({
  administration: nameText,
  mode: z.enum(MODES),
  till: nameText,
  interface: z.enum(KEY_INTERFACES).exactOptional(),
  adopt: z.string().exactOptional(),
}) satisfies z.ZodType<unknown, NewKeyRequest>;
const rotation = z.strictObject({
  graceHours: z.int().min(0).max(MAX_GRACE_HOURS),
}) satisfies z.ZodType<RotateRequest>;

export function bindKeys(routes: Routes, parts: ConsoleParts): void {
  const { store, clock } = parts;

  routes.forClerks.get('/api/tills', async (req, res) => {
    const { journalId, administration } = readJournal(req, store);
    const { dayRules } = administration;
    const week: Range[] = [storeDayAt(clock.now(), dayRules)];
    while (week.length < 7) week.unshift(storeDayAt((week[0]?.from ?? 0) * 1000 - 1, dayRules));
    res.json((await store.glance.listTills(journalId, week)) satisfies Till[]);
  });

  routes.forManagers.post('/api/keys', async (req, res) => {
    assertNoQuery(req);
    const { administration, mode, till: label, interface: wantedBy, adopt } = readBody(req, newKey);
    const by = adopt === undefined ? (wantedBy ?? 'both') : interfaceOf(adopt, mode, wantedBy);
    const secret = adopt ?? generateSecret(mode);
    const wanted = { administration, mode, label, interface: by, secret, isAdopted: adopt !== undefined };
    const key = await store.setup.createKey(wanted, sessionOf(res).actor);
    if (key === undefined) {
      const detail = 'This key already exists here, perhaps revoked. Use another key.';
      throw new ConsoleError('already_there', {
        detail,
        errors: [parameterFault('adopt', 'known', 'is known already')],
      });
    }
    res.status(201).json(describeCreated(key, adopt === undefined ? secret : null, parts));
  });

  routes.forManagers.post('/api/keys/:id/rotate', async (req, res) => {
    assertNoQuery(req);
    const { graceHours } = readBody(req, rotation);
    const result = await store.setup.rotateKey(readId(req), graceHours * HOUR_MS, sessionOf(res).actor);
    switch (result.kind) {
      case 'rotated':
        return void res.status(201).json(describeCreated(result.key, result.secret, parts));
      case 'unknown':
        throw nothingHere('This key does not exist.');
      case 'ended':
        throw new ConsoleError('key_ended', {
          detail: `The key of ${result.key.label} is already replaced or revoked.`,
        });
      default:
        return assertNever(result);
    }
  });

  routes.forManagers.delete('/api/keys/:id', async (req, res) => {
    assertNoQuery(req);
    const key = await store.setup.revokeKey(readId(req), sessionOf(res).actor);
    if (key === undefined) throw nothingHere('This key does not exist.');
    res.json(viewKey(key));
  });
}

/** The interface of an adopted key. Throws `field_invalid` for a key that cannot be adopted. */
function interfaceOf(secret: string, mode: Mode, wanted: KeyInterface | undefined): KeyInterface {
  const adoption = adoptionOf(secret, mode, wanted);
  const fault = (code: string, detail: string): GatewayError => invalidFields([parameterFault('adopt', code, detail)]);
  switch (adoption.kind) {
    case 'adoptable':
      return adoption.interface;
    case 'prefix':
      throw fault(
        'prefix',
        `has no prefix: a test key begins with ${KEY_PREFIXES.test}; without one, choose production`,
      );
    case 'interface':
      throw fault('interface', `has no prefix, so it works on the earlier interface only`);
    case 'mode':
      throw fault('mode', `is a ${adoption.actual} key, but the key must be for ${mode}`);
    case 'key':
      throw fault('key', `must have ${ADOPTABLE_FORM}`);
    default:
      return assertNever(adoption);
  }
}

function describeCreated(key: Key, secret: string | null, { apiUrl }: ConsoleParts): CreatedKey {
  return { till: key.label, key: viewKey(key), secret, apiUrl: reachableUrl(apiUrl()) };
}

function viewKey({ id, interface: by, isAdopted, createdAt, lastUsedAt, expiresAt, revokedAt }: Key): KeyView {
  return { id, interface: by, isAdopted, createdAt, lastUsedAt, expiresAt, revokedAt };
}
