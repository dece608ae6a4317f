/**
 * Describes the machine, and reads figures about processes from /proc. On other systems than Linux the figures are null, and
 * the report says so.
 */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  node: string;
  /** Share of all cores in use just before the run, 0 to 1; null except on Linux. */
  busyBefore: number | null;
  folder: string;
  fileSystem: string;
  /** Milliseconds to append 512 bytes and fsync, from 200 measurements. */
  fsync: { p50: number; p99: number };
};

const appends = 200;
const sampleMs = 100;
const busyMs = 500;
const sectorBytes = 512; // Linux counts in sectors of 512 bytes, whatever size the device uses
const clockTicksPerSecond = 100; // USER_HZ, the same on every Linux that Node runs on

/** Describes the machine; writes and removes one small file in `folder`, where the subjects will keep their data. */
export async function describeMachine(folder: string): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()} ${arch()}`,
    node: process.version,
    busyBefore: await measureBusy(),
    folder,
    fileSystem: findFileSystem(folder),
    fsync: measureFsync(join(folder, 'fsync-probe')),
  };
}

/** Resident memory of a process in MB (10^6 bytes). */
export function readResidentMb(pid: number): number | null {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`${pid}/status`))?.[1];
  return kib === undefined ? null : (Number(kib) * 1024) / 1e6;
}

/** The part of the resident memory that holds pages of files, in MB: the program, its libraries, and the index of the WAL. */
export function readFilePagesMb(pid: number): number | null {
  const status = readProc(`${pid}/status`);
  const parts = ['RssFile', 'RssShmem'].map((name) => new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return parts.includes(undefined) ? null : (parts.reduce((sum, kib) => sum + Number(kib), 0) * 1024) / 1e6;
}

/** Processor seconds that a process with all its threads and children has used so far; null when it does not exist. */
export function readCpuSeconds(pid: number): number | null {
  const own = readStat(pid);
  if (own === null) return null;
  const children = readProc(`${pid}/task/${pid}/children`)
    .split(' ')
    .filter((child) => child !== '');
  return children.reduce((sum, child) => sum + (readStat(Number(child)) ?? 0), own);
}

/** Processor seconds of a process and all its running descendants; 0 except on Linux. */
export function readTreeCpuSeconds(pid: number): number {
  return listTree(pid).reduce((sum, each) => sum + (readStat(each) ?? 0), 0);
}

/**
 * Bytes that a process and all its descendants have caused to be written to disks; null except on Linux. Linux counts a page
 * when it changes in the file cache. In a large file, it may count the larger block (a folio) that contains the page.
 */
export function readWrittenBytes(pid: number): number | null {
  const counts = listTree(pid).map((each) => /^write_bytes: (\d+)$/m.exec(readProc(`${each}/io`))?.[1]);
  if (counts[0] === undefined) return null;
  // when a process ends, Linux adds its bytes to the bytes of its parent
  return counts.reduce((sum, bytes) => sum + Number(bytes ?? 0), 0);
}

/**
 * Bytes that any process has written to the block device that holds the folder. Null if the folder is not on a block device,
 * but for example on an overlay or in memory.
 */
export function readDeviceWrittenBytes(folder: string): number | null {
  const { dev } = statSync(folder);
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
  try {
    const fields = readFileSync(`/sys/dev/block/${major}:${minor}/stat`, 'utf8').trim().split(/ +/);
    return Number(fields[6]) * sectorBytes; // see Documentation/block/stat.rst of Linux
  } catch {
    return null;
  }
}

/** The process and all its running descendants. */
function listTree(pid: number): number[] {
  const children = listThreads(pid).flatMap((thread) => readProc(`${pid}/task/${thread}/children`).split(' '));
  return [pid, ...children.filter((child) => child !== '').flatMap((child) => listTree(Number(child)))];
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/**
 * Processor seconds that all cores of the machine have used so far, including time stolen by the host; null except on Linux.
 */
export function readMachineCpuSeconds(): number | null {
  const fields = /^cpu +(.*)$/m.exec(readProc('stat'))?.[1]?.split(' ').map(Number); // see proc_stat(5)
  if (fields === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / clockTicksPerSecond;
}

/** Samples the resident memory of a process until stopped; `stop` gives the largest value seen, in MB. */
export function watchResidentMb(pid: number): { stop(): number | null } {
  let peak = readResidentMb(pid);
  const timer = setInterval(() => {
    const now = readResidentMb(pid);
    if (now !== null && (peak === null || now > peak)) peak = now;
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/** The median; for an even count, the mean of the middle two. NaN if there are no values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

function measureFsync(path: string): { p50: number; p99: number } {
  const file = openSync(path, 'a');
  const bytes = Buffer.alloc(512, 'x');
  const times = Array.from({ length: appends }, () => {
    const start = performance.now();
    writeSync(file, bytes);
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  rmSync(path);
  return { p50: median(times), p99: times.toSorted((a, b) => a - b)[Math.floor(appends * 0.99)] ?? Number.NaN };
}

function readStat(pid: number): number | null {
  const stat = readProc(`${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the process name before the ")" may contain spaces
  const [user, system] = [fields[11], fields[12]]; // utime and stime, see proc_pid_stat(5)
  if (user === undefined || system === undefined) return null;
  return (Number(user) + Number(system)) / clockTicksPerSecond;
}

async function measureBusy(): Promise<number | null> {
  const before = readMachineCpuSeconds();
  await delay(busyMs);
  const after = readMachineCpuSeconds();
  if (before === null || after === null) return null;
  return (after - before) / (busyMs / 1000) / availableParallelism();
}

function findFileSystem(folder: string): string {
  const mounts = readProc('mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, at = '?']) => folder.startsWith(at === '/' ? at : `${at}/`));
  const deepest = mounts.toSorted(([, a = ''], [, b = '']) => b.length - a.length)[0];
  return deepest?.[2] ?? 'unknown';
}

function readProc(path: string): string {
  try {
    return readFileSync(join('/proc', path), 'utf8');
  } catch {
    return '';
  }
}
