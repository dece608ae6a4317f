// Makes Electron's npm package as it is before its first use, and a server for its download. The installer is the real one. The
// download is a small zip file with a shell script.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { makeZip } from './zip.ts';

const REAL = join(import.meta.dirname, '../../node_modules');
const VERSION = '45.4.1';

export interface ElectronPackage {
  /** The package's folder. */
  readonly folder: string;
  /** A zip file that matches the package's checksum, and its path on a mirror. */
  readonly zip: Buffer;
  readonly path: string;
}

/** Installs the package into `node_modules` of a folder. `program` replaces Electron. */
export function makeElectronPackage(root: string, program = '#!/bin/sh\necho ready >&3\n'): ElectronPackage {
  const modules = join(root, 'node_modules');
  const folder = join(modules, 'electron');
  mkdirSync(folder, { recursive: true });
  cpSync(join(REAL, 'electron/install.js'), join(folder, 'install.js'));
  for (const name of ['@electron', '@electron-internal']) symlinkSync(join(REAL, name), join(modules, name));
  const zip = makeZip([
    { name: 'version', content: VERSION, mode: 0o644 },
    { name: 'electron', content: program, mode: 0o755 },
  ]);
  const file = `electron-v${VERSION}-${process.platform}-${process.arch}.zip`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: VERSION }));
  writeFileSync(join(folder, 'checksums.json'), JSON.stringify({ [file]: hash('sha256', zip) }));
  return { folder, zip, path: `/v${VERSION}/${file}` };
}

/** Starts an HTTP server on loopback. It ends with the test, even if a connection hangs. */
export async function serveHttp(handle: RequestListener) {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}
