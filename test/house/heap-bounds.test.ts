// Every way to start the gateway must bound its heap. Without bounds, V8 allows 128 MiB for the young generation, and an old
// generation of four times the live objects (docs/performance.md#memory-while-draining).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

test.each<[start: string, file: string, pattern: RegExp]>([
  ['npm start', 'package.json', /"start": "node (.*) build\/run\.mjs start"/],
  ['npm run counterfoil', 'package.json', /"counterfoil": "node (.*) build\/run\.mjs run"/],
  ['the service', 'build/linux/counterfoil', /exec "\$lib\/node" (.*) "\$lib\/dist/],
  ['the desktop app', 'electron/gateway-process.ts', /'--js-flags=(.*)'/],
])('%s bounds the heap of the gateway', (_start, file, pattern) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  expect(pattern.exec(text)?.[1]).toBe('--max-semi-space-size=8 --max-old-space-size=1024');
});

test('the program switches pretenuring off', () => {
  const text = readFileSync(join(import.meta.dirname, '../../server/main.ts'), 'utf8');
  expect(text).toContain("setFlagsFromString('--no-allocation-site-pretenuring');");
});
