// Reads from a program's or a native module's header which system and processor it is for. Knows ELF, PE and Mach-O. The
// callers decide whether the result is right.

import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Names of processors, by system and by the number in the file's header. The header is ELF on Linux, PE on Windows, and Mach-O
 * on macOS.
 */
const MACHINES = /** @type {Record<string, Record<number, string>>} */ ({
  linux: { 62: 'x64', 183: 'arm64' },
  win32: { 0x8664: 'x64', 0xaa64: 'arm64' },
  darwin: { 0x01000007: 'x64', 0x0100000c: 'arm64' },
});
const HEADER_BYTES = 4096;

/**
 * Returns the target of a program or a native module, such as `linux-x64` or `win32-arm64`. Undefined for any other file.
 * @param {string} path
 */
export function readBinaryTarget(path) {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  const [platform, machine] = readMachine(header) ?? [];
  const arch = platform === undefined || machine === undefined ? undefined : MACHINES[platform]?.[machine];
  return arch === undefined ? undefined : `${platform}-${arch}`;
}

/** @type {(header: Buffer) => [platform: string, machine: number] | undefined} */
function readMachine(header) {
  if (header.readUInt32BE(0) === 0x7f454c46) return ['linux', header.readUInt16LE(18)];
  if (header.readUInt32LE(0) === 0xfeedfacf) return ['darwin', header.readUInt32LE(4)];
  if (header.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const start = header.readUInt32LE(0x3c);
  if (start + 6 > HEADER_BYTES || header.toString('latin1', start, start + 4) !== 'PE\0\0') return undefined;
  return ['win32', header.readUInt16LE(start + 4)];
}
