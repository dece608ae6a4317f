// One port of the gateway, for tills or for the console. It listens at the address from the start settings. It also listens at
// the addresses that people open while the gateway runs.

import type { ListenFailure } from '../contract/network.ts';
import type { ListeningAt } from '../http/listen.ts';
import { isLoopback } from '../lib/host.ts';
import type { Entry } from './entry.ts';

/** A failure to listen. The caller adds the time at which it first occurred. */
export type NewFailure = Omit<ListenFailure, 'since'>;

export interface Port {
  readonly port: number;
  /** The address from the start settings, which was opened first. */
  readonly at: ListeningAt;
  /** The host for programs on this machine, in the form that a URL needs. Undefined if these programs must use `at`. */
  readonly local: string | undefined;
  /** Listens at exactly these additional addresses, and closes all others. Returns the addresses at which listening failed. */
  open(hosts: readonly string[]): Promise<readonly NewFailure[]>;
  /** Returns the additional addresses that are open. */
  opened(): readonly string[];
}

/** Listens at the address from the start settings. Rejects with an OperatorError if that fails. */
export async function openPort(
  entry: Entry,
  { host, port, flag }: { readonly host: string; readonly port: number; readonly flag: string },
): Promise<Port> {
  const at = await entry.listen(host, port, flag, isLoopback(host) ? 'machine' : 'both');
  const local = isLoopback(host) || isWildcard(host) ? localOf(at.host) : await openLocal();
  const opened = new Set<string>();

  /**
   * Opens 127.0.0.1 too, for programs on this machine. Returns undefined if that fails, for example because another program
   * uses the port there.
   */
  async function openLocal(): Promise<string | undefined> {
    try {
      return (await entry.listen('127.0.0.1', at.port, flag, 'machine')).host;
    } catch {
      return undefined;
    }
  }

  return {
    port: at.port,
    at,
    local,
    opened: () => [...opened],
    async open(hosts) {
      for (const each of opened) {
        if (hosts.includes(each)) continue;
        opened.delete(each);
        void entry.leave(each);
      }
      const failures: NewFailure[] = [];
      for (const each of hosts) {
        if (opened.has(each)) continue;
        try {
          await entry.listen(each, at.port, flag, 'network');
          opened.add(each);
        } catch (error) {
          failures.push({ kind: 'failed', address: each, detail: explain(error, each, at.port) });
        }
      }
      return failures;
    },
  };
}

/** Whether a host means all addresses of this machine, as `0.0.0.0` and `::` do. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function localOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '[::]' ? '[::1]' : host;
}

function explain(error: unknown, host: string, port: number): string {
  switch (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code) {
    case 'EADDRINUSE':
      return `Another program uses port ${port} at ${host}. Stop it; the gateway then listens there.`;
    case 'EADDRNOTAVAIL':
      return `The address ${host} is not ready yet. The gateway tries again every few seconds.`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
