#!/usr/bin/env node
// Replaces fpm, which the packager downloads: makes an uncompressed .deb by dpkg-deb. Accepts only the options used here.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const text = /** @type {const} */ ({ type: 'string' });
const texts = /** @type {const} */ ({ type: 'string', multiple: true });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'input-type': { ...text, short: 's' },
    'output-type': { ...text, short: 't' },
    depends: { ...texts, short: 'd', default: [] },
    'deb-recommends': { ...texts, default: [] },
    'deb-compression': text,
    'deb-priority': text,
    force: { type: 'boolean' },
    architecture: text,
    'after-install': text,
    'after-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    license: text,
  },
});
const scripts = { postinst: values['after-install'], postrm: values['after-remove'] };
const control = {
  Package: values.name,
  Version: values.version,
  Architecture: values.architecture === 'x64' ? 'amd64' : values.architecture,
  Maintainer: values.maintainer,
  Depends: values.depends.join(', '),
  Recommends: values['deb-recommends'].join(', '),
  Priority: values['deb-priority'],
  Homepage: values.url,
  Description: values.description?.replaceAll(/\n\s*/g, '\n '),
};

const tree = mkdtempSync(join(tmpdir(), 'counterfoil-deb-'));
try {
  for (const mapping of positionals) {
    const [source = '', target = ''] = mapping.split('=');
    const path = join(tree, target);
    mkdirSync(dirname(path), { recursive: true });
    if (statSync(source).isDirectory()) cpSync(source, path, { recursive: true, verbatimSymlinks: true });
    else copyFileSync(source, path);
  }
  mkdirSync(join(tree, 'DEBIAN'));
  const lines = Object.entries(control).map(([field, value]) => `${field}: ${value ?? ''}\n`);
  writeFileSync(join(tree, 'DEBIAN/control'), lines.join(''));
  for (const [name, source] of Object.entries(scripts)) {
    if (source === undefined) continue;
    copyFileSync(source, join(tree, 'DEBIAN', name));
    chmodSync(join(tree, 'DEBIAN', name), 0o755);
  }
  chmodSync(tree, 0o755);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, values.package ?? ''], {
    stdio: ['ignore', 2, 2],
  });
} finally {
  rmSync(tree, { recursive: true });
}
