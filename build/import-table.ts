// Who may import whom. The linter enforces it while one writes (oxlint.config.ts), and a test compares it with the real
// tree. A row lists what a part may import besides itself, and only names rows above it: that is why there is no cycle
// between parts. A new file or folder directly under server/ needs a row.

const foundation = [
  'contract',
  'cause',
  'clock',
  'errors',
  'config',
  'log',
  'instant',
  'json-pointer',
  'query-string',
  'store-day',
  'version',
  'program',
  'password',
  'permission',
  'network',
  'peer',
];
const storage = [...foundation, 'store', 'metrics'];
const parts = ['api', 'console', 'forward', 'reconcile'];

/** By part of server/: a folder, or a file directly in it without its extension. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [], // imports nothing at run time, so that a browser can load it
  program: [],
  cause: ['contract', 'program'],
  clock: [],
  instant: [],
  'json-pointer': [],
  'query-string': [],
  'store-day': ['contract'],
  version: [],
  password: [],
  permission: [],
  network: [],
  'own-address': [],
  peer: [],
  errors: ['contract'],
  config: ['contract', 'errors', 'permission'],
  log: ['contract', 'errors', 'config'],
  listening: [],
  trail: ['contract'],
  demo: ['contract', 'clock', 'errors'], // stands outside the gateway and judges it, so it shares none of its code
  store: foundation,
  metrics: [...foundation, 'store'],
  'bad-news': ['contract', 'errors', 'program', 'store'],
  'machine-watch': [...foundation, 'store', 'bad-news'],
  scrubber: [...foundation, 'store'],
  desktop: ['contract', 'errors', 'store'], // the app that has started the gateway, if one has
  http: storage, // what the two listeners share
  api: [...storage, 'http', 'trail'],
  forward: [...storage, 'trail'],
  reconcile: [...storage, 'forward'], // asks the upstreams that records are forwarded to
  console: [...storage, 'http', 'listening', 'own-address', 'reconcile'],
  gateway: [...storage, 'http', ...parts, 'listening', 'own-address', 'trail', 'machine-watch', 'scrubber'], // the only place that wires the parts
  command: [...storage, 'forward', 'reconcile', 'gateway', 'demo', 'listening', 'own-address', 'desktop', 'bad-news'],
  main: ['errors', 'version', 'desktop', 'command'],
};

/** Packages that only these parts of server/ may import. */
export const onlyImportedBy: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['store'],
  undici: ['forward', 'reconcile'],
};
