/**
 * PostgreSQL as a subject. Each record is one prepared `INSERT … ON CONFLICT DO NOTHING` in its own transaction, with fsync and
 * synchronous_commit on. The generator speaks PostgreSQL's wire protocol (Bind, Execute, Sync) over loopback, without HTTP and
 * JSON. PostgreSQL refuses to run as root, so for root it runs as the user `postgres`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

import type { Scan, Subject, Target, Wire } from './load.ts';
import { findFreePort, findProgram, tryFor, type Workspace } from './workspace.ts';

const name = 'PostgreSQL, INSERT … ON CONFLICT';
const user = 'bench';
const startSeconds = 20;
const settings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '400',
  shared_buffers: '256MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Large limits, so that no checkpoint runs while another subject is measured.
  checkpoint_timeout: '1h',
  max_wal_size: '8GB',
};
const table = 'CREATE TABLE record (id text PRIMARY KEY, body text NOT NULL)';
const insert = 'INSERT INTO record (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING';

export async function startPostgres(workspace: Workspace): Promise<Subject> {
  const program = findProgram('postgres', listDebianFolders());
  if (program === undefined) return { kind: 'absent', name, reason: 'PostgreSQL is not installed' };
  const initdb = findProgram('initdb', [dirname(program), ...listDebianFolders()]);
  if (initdb === undefined) return { kind: 'absent', name, reason: 'initdb, a part of PostgreSQL, was not found' };
  const runAs = findAccount();
  if (runAs === undefined)
    return { kind: 'absent', name, reason: 'it refuses to run as root, and the user postgres does not exist' };

  const folder = workspace.makeFolder('postgres');
  const data = join(folder, 'data');
  const port = await findFreePort();
  try {
    if ('uid' in runAs) chownSync(folder, runAs.uid, runAs.gid);
    const init = ['--pgdata', data, '--username', user, '--auth', 'trust', '--encoding', 'UTF8', '--no-locale'];
    execFileSync(initdb, init, { ...runAs, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    return { kind: 'absent', name, reason: `initdb failed: ${String(error)}` };
  }
  const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const child = spawn(program, ['-D', data, '-p', String(port), ...options], {
    ...runAs,
    cwd: folder,
    stdio: 'ignore',
  });
  const owned = workspace.own(child, 'SIGINT'); // "fast" shutdown, which does not wait for clients
  const target = { wire: 'postgres', host: '127.0.0.1', port, user } as const;
  try {
    await tryFor(startSeconds, () => createTable(target));
  } catch (error) {
    await owned.stop();
    return { kind: 'absent', name, reason: `PostgreSQL did not start: ${String(error)}` };
  }
  return { kind: 'running', name, target, pid: child.pid ?? 0, stop: owned.stop };
}

export function createPostgresWire(account: string): Wire {
  const parse = message('P', `s\0${insert}\0${int16(0)}`);
  const sync = message('S', '');
  const execute = message('E', `\0${int32(0)}`) + sync;
  return {
    greeting: createStartup(account) + parse + sync,
    // the server sends ReadyForQuery after the start-up, and again after Parse
    createGreetingScan: () => createReadyScan('1', 2),
    createScan: () => createReadyScan('INSERT 0 1\0', 1),
    request: ({ id, body }) => {
      const values = int32(id.length) + id + int32(body.length) + body;
      return `${message('B', `\0s\0${int16(0)}${int16(2)}${values}${int16(0)}`)}${execute}`;
    },
  };
}

/**
 * Reads messages until `readies` of them were ReadyForQuery. It succeeds if at least one message had the expected content or type,
 * and no message was an error.
 */
function createReadyScan(expected: string, readies: number): Scan {
  let pending = '';
  let seen = 0;
  let outcome = 'no such answer';
  return (bytes) => {
    pending += bytes.toString('latin1');
    let at = 0;
    while (pending.length >= at + 5) {
      const type = pending.charAt(at);
      const end = at + 1 + readInt32(pending, at + 1);
      if (pending.length < end) break;
      const content = pending.slice(at + 5, end);
      if (type === 'E') outcome = content.replaceAll('\0', ' ');
      else if (type === expected || content === expected) outcome = 'done';
      else if (type === 'Z') seen += 1;
      at = end;
    }
    pending = pending.slice(at);
    if (seen < readies) return 'partial';
    const result = outcome;
    seen = 0;
    outcome = 'no such answer';
    return result;
  };
}

async function createTable(target: Extract<Target, { wire: 'postgres' }>): Promise<void> {
  const scan = createReadyScan('CREATE TABLE\0', 2);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(target.port, target.host, () => {
      socket.write(createStartup(target.user) + message('Q', `${table}\0`), 'latin1');
    });
    socket.on('error', reject).on('close', () => reject(new Error('PostgreSQL closed the connection')));
    socket.on('data', (bytes) => {
      const outcome = scan(bytes);
      if (outcome === 'partial') return;
      if (outcome === 'done') resolve();
      else reject(new Error(outcome));
      socket.destroy();
    });
  });
}

function createStartup(account: string): string {
  const protocol = 196_608; // protocol version 3.0
  const parameters = `user\0${account}\0database\0postgres\0\0`;
  return int32(8 + parameters.length) + int32(protocol) + parameters;
}

function message(type: string, content: string): string {
  return type + int32(content.length + 4) + content;
}

function int16(value: number): string {
  return String.fromCharCode((value >> 8) & 255, value & 255);
}

function int32(value: number): string {
  return int16(value >>> 16) + int16(value);
}

function readInt32(text: string, at: number): number {
  return [0, 1, 2, 3].reduce((value, byte) => value * 256 + text.charCodeAt(at + byte), 0);
}

function listDebianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    return readdirSync(root).map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

/**
 * The account that runs the server: empty for our own account, or `postgres` if we are root. Undefined if there is no account
 * `postgres`.
 */
function findAccount(): { uid: number; gid: number } | Record<string, never> | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres'], { stdio: 'pipe' })));
    return uid === undefined || gid === undefined ? undefined : { uid, gid };
  } catch {
    return undefined;
  }
}
