// The import rules of server/, of its store and of renderer/. The linter enforces those of server/ and renderer/
// (oxlint.config.ts), and test/house/ checks all of them. A row lists what a part may import, and names only rows above it, so
// there is no cycle. A new file or folder directly under server/ needs a row.

const foundation = [
  'contract',
  'lib',
  'cause',
  'errors',
  'data-location',
  'setting-sources',
  'config',
  'log',
  'store-day',
  'version',
  'program',
];
const storage = [...foundation, 'store', 'metrics'];
const parts = ['api', 'console', 'forward', 'reconcile'];

/** What each part of server/ may import. A part is a folder, or a file directly in server/ without its extension. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [], // imports nothing at run time, so that a browser can load it
  lib: [], // small tools that know nothing of the product
  program: [],
  cause: ['contract', 'program'],
  'store-day': ['contract', 'lib'],
  version: [],
  errors: ['contract'],
  'data-location': ['contract', 'lib', 'errors', 'program'],
  'setting-sources': ['contract', 'lib', 'errors'],
  config: ['contract', 'lib', 'errors', 'setting-sources'],
  log: ['contract', 'errors', 'config', 'data-location'],
  listening: [],
  via: ['contract'],
  demo: ['contract', 'lib', 'errors'], // simulates tills and an upstream, which are outside the gateway
  store: foundation,
  metrics: [...foundation, 'store'],
  'bad-news': ['contract', 'errors', 'program', 'store'],
  'machine-watch': [...foundation, 'store', 'bad-news'],
  scrubber: [...foundation, 'store'],
  'clock-offset': ['lib'],
  'amount-filler': [...foundation, 'store'],
  backups: [...foundation, 'store'],
  restores: [...foundation, 'store'],
  desktop: ['contract', 'errors', 'store'], // messages to and from the desktop app, if it started the gateway
  http: storage, // code that both listeners use
  network: [...storage, 'http'],
  certify: storage, // tests of tills: api reports the calls of a tested till to this part
  api: [...storage, 'http', 'network', 'via', 'certify'],
  forward: [...storage, 'via'],
  reconcile: [...storage, 'forward'], // asks the upstreams which records they have
  archiver: [...storage, 'reconcile'],
  todo: [...storage, 'reconcile'], // makes tasks from verdicts and other stored data
  alert: [...storage, 'forward', 'todo'], // uses the same outgoing connections as `forward`
  console: [
    ...storage,
    'todo',
    'alert',
    'http',
    'network',
    'listening',
    'reconcile',
    'certify',
    'archiver',
    'backups',
    'restores',
  ],
  'start-events': ['store', 'log', 'network'], // what a start does with the data
  gateway: [
    ...storage,
    'start-events',
    'http',
    'network',
    'certify',
    'todo',
    'alert',
    ...parts,
    'listening',
    'via',
    'machine-watch',
    'scrubber',
    'clock-offset',
    'amount-filler',
    'archiver',
    'backups',
    'restores',
  ], // only this file connects the parts with each other
  renewal: [...foundation, 'store', 'gateway'],
  command: [
    ...storage,
    'http',
    'network',
    'forward',
    'reconcile',
    'todo',
    'alert',
    'gateway',
    'renewal',
    'demo',
    'listening',
    'desktop',
    'bad-news',
    'amount-filler',
  ],
  main: ['errors', 'version', 'desktop', 'command'],
};

/** Packages that only these parts of server/ may import. */
export const onlyImportedBy: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['store'],
  undici: ['forward', 'reconcile', 'alert'],
  nodemailer: ['alert'],
};

/**
 * The import rules of the rooms, which are the folders of server/store/. A room has a ledger, the types of its data, and code
 * that needs no database. Only `sqlite` knows SQL, rows and threads, and it may import all rooms. No other code of server/
 * imports a file of `sqlite`, except the doors.
 */
export const roomMayImport: Readonly<Record<string, readonly string[]>> = {
  records: [],
  amounts: ['records'],
  tasks: [],
  alerts: [],
  setup: ['tasks'], // entries in the log of acts can refer to tasks
  network: [],
  archive: [],
  backups: [],
  certifications: [],
  people: [],
  days: ['records'],
  verdicts: ['days'],
  declared: ['amounts', 'records', 'days'],
  checks: [],
  outbox: ['records'],
  restores: ['outbox'],
  glance: ['records'],
  health: ['records', 'outbox'],
};
/** The doors: the only files of server/store/ outside `sqlite` that import from it. */
export const sqliteDoors = ['server/store/open-store.ts', 'server/store/data-directory.ts'];

const rendererTools = ['lib', 'theme', 'locales', 'api', 'model', 'components'];
const screens = [
  'sign-in',
  'today',
  'todo',
  'alerts',
  'records',
  'days',
  'trends',
  'amounts',
  'refused',
  'upstream',
  'tills',
  'certify',
  'activity',
  'settings',
  'network',
  'restore',
];

/**
 * What each part of renderer/ may import. A row names only rows above it. A screen imports no other screen: code that two
 * screens need belongs in `model` or `components`.
 */
export const rendererMayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [], // small tools that know nothing of the product
  theme: [],
  locales: ['lib'],
  api: ['lib', 'locales'],
  model: ['lib', 'theme', 'locales', 'api'], // data that several screens use: the selected journal, states, addresses
  components: ['lib', 'theme', 'locales', 'api', 'model'],
  palette: rendererTools,
  ...Object.fromEntries(screens.map((screen) => [screen, rendererTools])),
  // the screens of the first run contain the same forms as these two screens
  welcome: [...rendererTools, 'upstream', 'tills'],
  // the frame around each screen, and the router that maps addresses to screens
  app: [...rendererTools, 'palette', ...screens, 'welcome'],
  main: ['lib', 'theme', 'locales', 'api', 'app'],
};
