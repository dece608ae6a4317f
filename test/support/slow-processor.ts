// Gives a process a share of one processor, with a cgroup of Linux (version 1 or 2). It needs root.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 10_000;

/**
 * Limits a process with all its threads. Returns a function that ends the limit, also after the end of the process. Returns
 * undefined if this machine does not allow it.
 */
export function limitProcessor(pid: number, share: number): (() => void) | undefined {
  const isVersion2 = existsSync(join(ROOT, 'cgroup.controllers'));
  const parent = isVersion2 ? ROOT : join(ROOT, 'cpu');
  const group = join(parent, `counterfoil-${pid}`);
  const quota = Math.round(share * PERIOD_US);
  try {
    if (isVersion2) writeFileSync(join(parent, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(group);
    if (isVersion2) writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
    }
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch {
    remove(group);
    return undefined;
  }
  return () => {
    for (const each of readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n'))
      if (each !== '') writeFileSync(join(parent, 'cgroup.procs'), each);
    remove(group);
  };
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Ignored: the group does not exist.
  }
}
