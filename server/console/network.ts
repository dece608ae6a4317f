// Routes of Network: what people decided about it, its state, and a test as an outside till. The answer to a change waits some
// seconds until the gateway has applied it.

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

/** Time-out for applying a change. The system may be asking a person about the firewall. */
const MAX_SETTLE_MS = 5000;

export function bindNetwork(routes: Routes, { store, network, clock, dataDir }: ConsoleParts): void {
  /** The test under way, which every manager who asks meanwhile shares. */
  let testing: Promise<readonly NetworkTestView[]> | undefined;

  const currentView = async (): Promise<NetworkView> => {
    const settings = await store.network.settings();
    const view = network.view();
    if (isDeepStrictEqual(view.settings, settings)) return view;
    return { ...view, settings, isApplying: true, failures: [] }; // the known failures are those of earlier settings
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

/** Also allows chosen interfaces that this machine does not have now: an unplugged interface stays chosen. */
function assertKnownInterfaces({ interfaces: chosen }: NetworkChangeRequest, view: NetworkView): void {
  const known = new Set([...view.interfaces.map(({ name }) => name), ...(view.settings.interfaces ?? [])]);
  const strange = chosen?.find((name) => !known.has(name));
  if (strange === undefined) return;
  throw invalidFields([
    parameterFault('interfaces', 'unknown_interface', `has ${strange}, but this machine has: ${[...known].join(', ')}`),
  ]);
}
