// Routes of Network: what people decided about it, its state, and a test as an outside till. The gateway applies a change after the
// store has told it, so an answer has the new settings but may still have the old addresses.

import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import {
  fixingSettingOf,
  type NetworkChangeRequest,
  type NetworkTestView,
  type NetworkView,
} from '../contract/network.ts';
import { ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { PROGRAM } from '../program.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, readBody } from './request.ts';
import type { Routes } from './rights.ts';

const interfaces = z
  .array(z.string().min(1).max(256))
  .max(100)
  .refine((names) => names.length > 0 && new Set(names).size === names.length, {
    error: 'must have at least one entry, each only once',
    params: { code: 'unique' },
  });
const changeRequest = z.strictObject({
  isOpen: z.boolean().exactOptional(),
  interfaces: interfaces.nullable().exactOptional(),
  allowsPlainHttp: z.boolean().exactOptional(),
  isConsoleOpen: z.boolean().exactOptional(),
  isAnnounced: z.boolean().nullable().exactOptional(),
}) satisfies z.ZodType<unknown, NetworkChangeRequest>;

export function bindNetwork(routes: Routes, { store, network }: ConsoleParts): void {
  /** The test under way, which every manager who asks meanwhile shares. */
  let testing: Promise<readonly NetworkTestView[]> | undefined;

  const currentView = async (): Promise<NetworkView> => {
    const settings = await store.network.settings();
    const view = network.view();
    return { ...view, settings, ...(!isDeepStrictEqual(view.settings, settings) && { isApplying: true }) };
  };

  routes.forClerks.get('/api/network', async (req, res) => {
    assertNoQuery(req);
    res.json(await currentView());
  });

  routes.forManagers.patch('/api/network', async (req, res) => {
    assertNoQuery(req);
    const change = readBody(req, changeRequest);
    const view = await currentView();
    assertNotFixed(change, view);
    assertKnownInterfaces(change, view);
    if (change.isConsoleOpen === true) await assertUsers(store);
    await store.network.change(change, sessionOf(res).actor);
    res.json(await currentView());
  });

  routes.forManagers.post('/api/network/test', async (req, res) => {
    assertNoQuery(req);
    testing ??= network.test().finally(() => (testing = undefined));
    res.json(await testing);
  });
}

function assertNotFixed(change: NetworkChangeRequest, view: NetworkView): void {
  const deciding = fixingSettingOf(view, change);
  if (deciding === undefined) return;
  throw new ConsoleError('network_fixed', {
    detail: `The gateway was started with the setting ${deciding}, which decides this. Remove that setting and restart the gateway, then change it here.`,
  });
}

/** Also allows chosen interfaces that this machine does not have now: an unplugged interface stays chosen. */
function assertKnownInterfaces({ interfaces: chosen }: NetworkChangeRequest, view: NetworkView): void {
  const known = new Set([...view.interfaces.map(({ name }) => name), ...(view.settings.interfaces ?? [])]);
  const strange = chosen?.find((name) => !known.has(name));
  if (strange === undefined) return;
  throw invalidFields([
    parameterFault('interfaces', 'unknown_interface', `has ${strange}, but this machine has: ${[...known].join(', ')}`),
  ]);
}

/** A console on the network must have a user, or the first visitor could take it over. */
async function assertUsers(store: ConsoleParts['store']): Promise<void> {
  if ((await store.people.list()).length > 0) return;
  throw new ConsoleError('users_missing', {
    detail: `The console opens to other machines only if a user with a password exists. Add one first: ${PROGRAM} users add.`,
  });
}
