// Routes of Network: the settings that people chose, the state of the network, and a test that connects as an outside till
// does. The answer to a change waits up to five seconds for the gateway to apply it.

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
import { missingUserSentence } from '../network/missing-user.ts';
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

/**
 * Maximum time that an answer waits until a change is applied. This can take long, because the operating system may ask a
 * person about the firewall.
 */
const MAX_SETTLE_MS = 5000;

export function bindNetwork(routes: Routes, { store, network, clock, dataDir }: ConsoleParts): void {
  /** The running test. If a second manager asks for a test while one runs, both get its result. */
  let testing: Promise<readonly NetworkTestView[]> | undefined;

  const currentView = async (): Promise<NetworkView> => {
    const settings = await store.network.settings();
    const view = network.view();
    if (isDeepStrictEqual(view.settings, settings)) return view;
    // The failures are left out, because they belong to the earlier settings.
    return { ...view, settings, isApplying: true, failures: [] };
  };

  async function settle(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(MAX_SETTLE_MS, late.resolve);
    await Promise.race([network.settle(), late.promise]).finally(cancel);
  }

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
    if (change.isConsoleOpen === true && (await store.people.list()).length === 0)
      throw new ConsoleError('users_missing', { detail: missingUserSentence(dataDir) });
    await store.network.change(change, sessionOf(res).actor);
    await settle();
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

/**
 * Refuses an interface that this machine does not have. An interface that is already chosen stays valid while it is unplugged.
 */
function assertKnownInterfaces({ interfaces: chosen }: NetworkChangeRequest, view: NetworkView): void {
  const known = new Set([...view.interfaces.map(({ name }) => name), ...(view.settings.interfaces ?? [])]);
  const strange = chosen?.find((name) => !known.has(name));
  if (strange === undefined) return;
  throw invalidFields([
    parameterFault('interfaces', 'unknown_interface', `has ${strange}, but this machine has: ${[...known].join(', ')}`),
  ]);
}
