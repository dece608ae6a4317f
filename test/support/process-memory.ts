import { readFileSync } from 'node:fs';

/** The resident memory of a process in MB; undefined if it has just been killed. Only Linux has this figure. */
export function readResidentMb(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
