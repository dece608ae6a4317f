/**
 * Lists and starts all subjects: the gateway and the alternatives that it is compared with. Names them as the tables do. If a
 * subject cannot run on this machine, the result states the reason and does not count it as measured.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { databasePath } from '../../server/store/sqlite/engine/database.ts';
import { createTillKeys, type Gateway, setAmountRule, setUpstream, startGateway } from './gateway.ts';
import type { HttpSubject } from './http-subjects.ts';
import type { Running, Subject, Target } from './load.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { startUpstream, upstreamToken } from './upstream.ts';
import type { Workspace } from './workspace.ts';

export const gatewayName = 'Counterfoil';
const gatewayWithAmountsName = 'Counterfoil with amounts';
export const gatewayBeforeName = 'Counterfoil before';
const forwardingName = 'Counterfoil, forwarding';
const forwardingBeforeName = 'Counterfoil before, forwarding';
export const bareExpressName = 'bare Express';
export const leanExpressName = 'bare Express, ETag off';
export const expressWithSqliteName = 'Express, one SQLite transaction per request';
export const ceilingName = 'canned bytes (ceiling of the generator)';

const httpSubjects = fileURLToPath(new URL('./http-subjects.ts', import.meta.url));
const startSeconds = 10;

/**
 * Starts all subjects in the order of the tables. Each runs until it is stopped. With another checkout in `before`, starts only
 * the gateways and bare Express.
 */
export async function startSubjects(workspace: Workspace, before: string | undefined): Promise<Subject[]> {
  if (before !== undefined) {
    return [
      await startEmptyGateway(workspace, gatewayName),
      await startGatewayWithAmounts(workspace),
      await startEmptyGateway(workspace, gatewayBeforeName, before),
      await startHttpSubject(workspace, bareExpressName, 'express'),
    ];
  }
  return [
    await startEmptyGateway(workspace, gatewayName),
    await startGatewayWithAmounts(workspace),
    await startHttpSubject(workspace, bareExpressName, 'express'),
    await startHttpSubject(workspace, leanExpressName, 'express-lean'),
    await startHttpSubject(workspace, expressWithSqliteName, 'express-sqlite'),
    await startHttpSubject(workspace, 'bare node:http', 'node-http'),
    await startRedis(workspace),
    await startPostgres(workspace),
    await startHttpSubject(workspace, ceilingName, 'canned'),
  ];
}

/**
 * Starts the subjects of the benchmark that shows what one sale costs on the disk. They are the gateways (alone, and while they
 * forward each sale), an app that commits each sale, and PostgreSQL.
 */
export async function startDiskSubjects(workspace: Workspace, before: string | undefined): Promise<Subject[]> {
  return [
    await startEmptyGateway(workspace, gatewayName),
    await startForwardingGateway(workspace, forwardingName),
    ...(before === undefined
      ? []
      : [
          await startEmptyGateway(workspace, gatewayBeforeName, before),
          await startForwardingGateway(workspace, forwardingBeforeName, before),
        ]),
    await startHttpSubject(workspace, expressWithSqliteName, 'express-sqlite'),
    await startPostgres(workspace),
  ];
}

/** Starts a gateway that forwards each sale immediately. */
async function startForwardingGateway(workspace: Workspace, name: string, checkout?: string): Promise<Subject> {
  try {
    const upstream = await startUpstream(workspace);
    const data = workspace.makeFolder('gateway');
    const tokens = await createTillKeys(workspace, data, checkout);
    await setUpstream(workspace, data, upstream.url, upstreamToken, checkout);
    const gateway = asSubject(name, await startGateway(workspace, data, checkout), tokens);
    return { ...gateway, stop: async () => void (await Promise.all([gateway.stop(), upstream.stop()])) };
  } catch (error) {
    return { kind: 'absent', name, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Describes a running gateway as a subject. The gateway accepts records with these keys. */
export function asSubject(name: string, gateway: Gateway, tokens: string[]): Running {
  const target: Target = { wire: 'http', ...gateway.address, tokens };
  return { kind: 'running', name, target, pid: gateway.pid, database: databasePath(gateway.data), stop: gateway.stop };
}

/** Starts a gateway that reads an amount from each sale. */
async function startGatewayWithAmounts(workspace: Workspace): Promise<Subject> {
  return startEmptyGateway(workspace, gatewayWithAmountsName, undefined, (data) => setAmountRule(workspace, data));
}

async function startEmptyGateway(
  workspace: Workspace,
  name: string,
  checkout?: string,
  prepare: (data: string) => Promise<void> = async () => {},
): Promise<Subject> {
  try {
    const data = workspace.makeFolder('gateway');
    const tokens = await createTillKeys(workspace, data, checkout);
    await prepare(data);
    return asSubject(name, await startGateway(workspace, data, checkout), tokens);
  } catch (error) {
    return { kind: 'absent', name, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function startHttpSubject(workspace: Workspace, name: string, subject: HttpSubject): Promise<Subject> {
  const database = join(workspace.makeFolder(subject), 'records.db');
  const child = fork(httpSubjects, [subject, database], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { stop } = workspace.own(child, 'SIGTERM');
  const late = new AbortController();
  const tooLate = delay(startSeconds * 1000, undefined, { signal: late.signal });
  try {
    const [address] = await Promise.race([
      once(child, 'message') as Promise<[AddressInfo]>, // the message comes from our own process, so its type is known
      once(child, 'exit').then(() => Promise.reject(new Error('it ended before it listened'))),
      tooLate.then(() => Promise.reject(new Error('it did not listen in time'))),
    ]);
    const target: Target = { wire: 'http', host: address.address, port: address.port, tokens: [] };
    const stored = subject === 'express-sqlite' ? { database } : {};
    return { kind: 'running', name, target, pid: child.pid ?? 0, ...stored, stop };
  } catch (error) {
    await stop();
    return { kind: 'absent', name, reason: String(error) };
  } finally {
    late.abort();
    tooLate.catch(() => undefined);
  }
}
