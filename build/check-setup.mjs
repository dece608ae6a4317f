// Runs before the tests, and explains faults of the checkout that would otherwise cause confusing errors. Plain JavaScript,
// because an older Node must be able to read it.

import { readFileSync } from 'node:fs';

const faults = [];

if (Number(process.versions.node.split('.')[0]) < 24) {
  faults.push(
    `Counterfoil needs Node 24, this is ${process.version}. Run \`npm ci\`, then \`npm test\`: npm finds the Node it brings.`,
  );
}

// npm may leave the packages for other systems out of the lock file. `npm ci` would then fail on those systems.
/** @typedef {{ version?: string, resolved?: string, optionalDependencies?: Record<string, string> }} Locked */
const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages } = /** @type {{ packages: Record<string, Locked> }} */ (JSON.parse(lock));
const locked = new Set(
  Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
);
for (const [path, { resolved, optionalDependencies }] of Object.entries(packages)) {
  for (const name of Object.keys(optionalDependencies ?? {})) {
    if (!locked.has(name))
      faults.push(`package-lock.json lacks ${name}, which ${path || 'package.json'} wants on some system.`);
  }
  if (resolved !== undefined)
    faults.push(`package-lock.json names where ${path} came from (resolved); lock it without.`);
}

// npm on an older Node silently locks an older version of better-sqlite3, which must be compiled on this machine.
const sqlite = packages['node_modules/better-sqlite3']?.version;
if (!sqlite?.startsWith('13.'))
  faults.push(`package-lock.json has better-sqlite3 ${sqlite}, not 13.x: lock with Node 24.`);

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
