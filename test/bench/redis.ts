/**
 * Redis as a subject. Each record is `SET id body NX`. With `appendonly yes` and `appendfsync always`, an answer means that
 * the record is synced. The generator speaks RESP over loopback, without HTTP and JSON. Snapshots and rewrites of the
 * append-only file are off, because they would run while another subject is measured.
 */
import { spawn } from 'node:child_process';

import type { Scan, Subject, Wire } from './load.ts';
import { findFreePort, findProgram, tryConnecting, tryFor, type Workspace } from './workspace.ts';

const name = 'redis-server, appendfsync always';
const startSeconds = 10;

export async function startRedis(workspace: Workspace): Promise<Subject> {
  const program = findProgram('redis-server');
  if (program === undefined) return { kind: 'absent', name, reason: 'redis-server is not installed' };
  const port = await findFreePort();
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: workspace.makeFolder('redis'),
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'auto-aof-rewrite-percentage': '0',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]);
  const child = spawn(program, options, { stdio: 'ignore' });
  const owned = workspace.own(child, 'SIGTERM');
  try {
    await tryFor(startSeconds, () => tryConnecting(port));
  } catch (error) {
    await owned.stop();
    return { kind: 'absent', name, reason: `redis-server did not start: ${String(error)}` };
  }
  const target = { wire: 'redis', host: '127.0.0.1', port } as const;
  return { kind: 'running', name, target, pid: child.pid ?? 0, stop: owned.stop };
}

export function createRedisWire(): Wire {
  return {
    greeting: '*1\r\n$4\r\nPING\r\n',
    createGreetingScan: () => createLineScan('+PONG'),
    createScan: () => createLineScan('+OK'),
    request: ({ id, body }) =>
      `*4\r\n$3\r\nSET\r\n$${id.length}\r\n${id}\r\n$${body.length}\r\n${body}\r\n$2\r\nNX\r\n`,
  };
}

function createLineScan(expected: string): Scan {
  let pending = '';
  return (bytes) => {
    pending += bytes.toString('latin1');
    if (!pending.endsWith('\r\n')) return 'partial';
    const line = pending.slice(0, -2);
    pending = '';
    return line === expected ? 'done' : line;
  };
}
