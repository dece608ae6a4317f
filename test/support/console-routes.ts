// For each route of the console: a good call, who may make it, and the status for a manager. `routes.test.ts` fails for a route
// without a row.

import type { ConsoleParts } from '../../server/console/parts.ts';
import { openConsoleRoutes } from '../../server/console/routes.ts';
import { PASSWORD } from './console.ts';

/** Who may call a route. */
type Audience = 'anybody' | 'the machine' | 'clerks' | 'managers';

export interface Row {
  /** The route pattern as Express knows it, such as `/api/keys/:id`. */
  readonly route: string;
  readonly for: Audience;
  /** The path of a real call, with the ids filled in. */
  readonly path?: (ids: Ids) => string;
  readonly body?: unknown;
  /** The status for a manager. */
  readonly status: number;
}

export interface Ids {
  readonly journal: number;
  readonly lane: number;
  readonly record: number;
  readonly key: number;
}

export const UPSTREAM_KEY = 'test_canary-of-the-upstream';
/** A secret of an alert, which no answer may contain. */
const ALERT_CANARY = 'canary-of-an-alert';
export const ROWS: readonly Row[] = [
  { route: 'GET /metrics', for: 'the machine', status: 200 },
  { route: 'GET /health', for: 'the machine', status: 200 },
  { route: 'GET /enter', for: 'anybody', status: 200 },
  { route: 'GET /', for: 'anybody', status: 503 },
  { route: 'GET /index.html', for: 'anybody', status: 503 },
  { route: 'GET /{*page}', for: 'anybody', path: () => '/nowhere', status: 404 },
  { route: 'GET /api/entrance', for: 'anybody', status: 200 },
  { route: 'POST /api/session', for: 'anybody', body: { name: 'Nobody', password: 'x' }, status: 401 },
  {
    route: 'POST /api/password-link/user',
    for: 'anybody',
    body: { code: 'a-code-that-no-link-has-ever-had' },
    status: 401,
  },
  {
    route: 'POST /api/password-link',
    for: 'anybody',
    body: { code: 'a-code-that-no-link-has-ever-had', password: PASSWORD },
    status: 401,
  },
  { route: 'GET /api/session', for: 'clerks', status: 200 },
  { route: 'GET /api/journals', for: 'clerks', status: 200 },
  { route: 'GET /api/todo', for: 'clerks', path: ({ journal }) => `/api/todo?journal=${journal}`, status: 200 },
  {
    route: 'POST /api/todo/marks',
    for: 'clerks',
    body: { tasks: [{ id: 999_999, version: '' }], kind: 'done', note: '' },
    status: 404,
  },
  { route: 'GET /api/alerts', for: 'clerks', status: 200 },
  {
    route: 'PUT /api/alerts/mail',
    for: 'managers',
    body: {
      host: '127.0.0.1',
      port: 25,
      security: 'none',
      user: 'mia',
      from: 'shop@example.org',
      password: ALERT_CANARY,
    },
    status: 200,
  },
  { route: 'DELETE /api/alerts/mail', for: 'managers', status: 200 },
  {
    route: 'POST /api/alerts/receivers',
    for: 'managers',
    body: {
      name: 'Mia',
      language: 'nl',
      timeZone: 'Europe/Amsterdam',
      choice: 'all',
      quiet: { from: 1320, to: 420 },
      digestAt: 480,
      destination: { kind: 'slack', url: `https://127.0.0.1:1/${ALERT_CANARY}` },
    },
    status: 201,
  },
  {
    route: 'PATCH /api/alerts/receivers/:id',
    for: 'managers',
    path: () => '/api/alerts/receivers/1',
    body: { digestAt: null },
    status: 200,
  },
  {
    route: 'POST /api/alerts/receivers/:id/test',
    for: 'managers',
    path: () => '/api/alerts/receivers/999999/test',
    status: 404,
  },
  {
    route: 'DELETE /api/alerts/receivers/:id',
    for: 'managers',
    path: () => '/api/alerts/receivers/999999',
    status: 404,
  },
  { route: 'POST /api/todo/seen', for: 'clerks', body: { tasks: [] }, status: 200 },
  { route: 'POST /api/todo/:id/reopen', for: 'clerks', path: () => '/api/todo/999999/reopen', status: 404 },
  { route: 'GET /api/overview', for: 'clerks', path: ({ journal }) => `/api/overview?journal=${journal}`, status: 200 },
  {
    route: 'GET /api/trends',
    for: 'clerks',
    path: ({ journal }) => `/api/trends?journal=${journal}&from=2026-11-16&to=2026-11-29`,
    status: 200,
  },
  { route: 'GET /api/amounts', for: 'clerks', path: ({ journal }) => `/api/amounts?journal=${journal}`, status: 200 },
  { route: 'GET /api/quiet', for: 'clerks', status: 200 },
  {
    route: 'GET /api/days',
    for: 'clerks',
    path: ({ journal }) => `/api/days?journal=${journal}&from=2026-11-01&to=2026-11-30`,
    status: 200,
  },
  {
    route: 'GET /api/days/export',
    for: 'clerks',
    path: ({ journal }) => `/api/days/export?journal=${journal}&from=2026-11-01&to=2026-11-30`,
    status: 200,
  },
  {
    route: 'GET /api/days/tills/export',
    for: 'clerks',
    path: ({ journal }) => `/api/days/tills/export?journal=${journal}&from=2026-11-01&to=2026-11-30`,
    status: 200,
  },
  {
    route: 'GET /api/days/:date',
    for: 'clerks',
    path: ({ journal }) => `/api/days/2026-11-20?journal=${journal}`,
    status: 200,
  },
  {
    route: 'GET /api/days/:date/export',
    for: 'clerks',
    path: ({ journal }) => `/api/days/2026-11-20/export?journal=${journal}`,
    status: 200,
  },
  {
    route: 'POST /api/days/:date/resend',
    for: 'managers',
    path: ({ journal }) => `/api/days/2020-01-01/resend?journal=${journal}`,
    status: 200,
  },
  {
    route: 'POST /api/checks',
    for: 'clerks',
    body: { journal: 1, from: '2020-01-01', to: '2020-01-02', byIds: false },
    status: 202,
  },
  {
    route: 'POST /api/sign-offs',
    for: 'clerks',
    body: { journal: 1, date: '2020-01-01', kind: 'take back', signedFor: '', name: 'Ann', note: 'by mistake' },
    status: 409,
  },
  {
    route: 'GET /api/days/:date/gaps',
    for: 'clerks',
    path: ({ journal }) => `/api/days/2026-11-20/gaps?journal=${journal}`,
    status: 200,
  },
  { route: 'GET /api/records', for: 'clerks', path: ({ journal }) => `/api/records?journal=${journal}`, status: 200 },
  { route: 'GET /api/records/:id', for: 'clerks', path: ({ record }) => `/api/records/${record}`, status: 200 },
  {
    route: 'GET /api/records/:id/body',
    for: 'clerks',
    path: ({ record }) => `/api/records/${record}/body`,
    status: 200,
  },
  {
    route: 'GET /api/records.csv',
    for: 'clerks',
    path: ({ journal }) => `/api/records.csv?journal=${journal}`,
    status: 200,
  },
  { route: 'GET /api/refusals', for: 'clerks', path: ({ journal }) => `/api/refusals?journal=${journal}`, status: 200 },
  { route: 'GET /api/archive', for: 'clerks', status: 200 },
  { route: 'GET /api/backups', for: 'clerks', status: 200 },
  { route: 'POST /api/backups', for: 'managers', status: 404 },
  { route: 'POST /api/restore/confirm', for: 'managers', status: 404 },
  { route: 'GET /api/restore', for: 'managers', status: 200 },
  { route: 'GET /api/restore/backups', for: 'managers', status: 200 },
  { route: 'POST /api/restore/check', for: 'managers', body: { name: 'monday.db', isUploaded: false }, status: 404 },
  {
    // A good call has a part of a file, and no JSON.
    route: 'POST /api/restore/upload',
    for: 'managers',
    path: () => '/api/restore/upload?offset=0&total=2',
    body: {},
    status: 400,
  },
  { route: 'DELETE /api/restore', for: 'managers', status: 200 },
  { route: 'POST /api/restore', for: 'managers', body: { isOnlyGateway: true }, status: 404 },
  { route: 'GET /api/lanes/:id/waiting', for: 'clerks', path: ({ lane }) => `/api/lanes/${lane}/waiting`, status: 200 },
  {
    route: 'POST /api/lanes/:id/acts',
    for: 'managers',
    path: ({ lane }) => `/api/lanes/${lane}/acts`,
    body: { kind: 'try now' },
    status: 200,
  },
  {
    route: 'PUT /api/lanes/:id/upstream',
    for: 'managers',
    path: ({ lane }) => `/api/lanes/${lane}/upstream`,
    body: { url: 'http://127.0.0.1:1/base', token: UPSTREAM_KEY },
    status: 200,
  },
  { route: 'POST /api/upstream-check', for: 'managers', body: { laneId: 1 }, status: 200 },
  { route: 'GET /api/tills', for: 'clerks', path: ({ journal }) => `/api/tills?journal=${journal}`, status: 200 },
  {
    route: 'POST /api/keys',
    for: 'managers',
    body: { administration: 'Bakery', mode: 'test', till: 'New till' },
    status: 201,
  },
  {
    route: 'POST /api/keys/:id/rotate',
    for: 'managers',
    path: ({ key }) => `/api/keys/${key}/rotate`,
    body: { graceHours: 1 },
    status: 201,
  },
  { route: 'DELETE /api/keys/:id', for: 'managers', path: ({ key }) => `/api/keys/${key}`, status: 200 },
  {
    route: 'GET /api/certifications',
    for: 'clerks',
    path: ({ journal }) => `/api/certifications?journal=${journal}`,
    status: 200,
  },
  {
    route: 'GET /api/certifications/:id',
    for: 'clerks',
    path: () => '/api/certifications/999',
    status: 404,
  },
  { route: 'POST /api/certifications', for: 'managers', body: { keyId: 999 }, status: 404 },
  {
    route: 'POST /api/certifications/:id/acts',
    for: 'managers',
    path: () => '/api/certifications/999/acts',
    body: { kind: 'end' },
    status: 404,
  },
  { route: 'GET /api/settings', for: 'clerks', status: 200 },
  {
    route: 'PUT /api/amounts',
    for: 'managers',
    body: {
      journal: 1,
      type: 'sale',
      rule: { total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' },
    },
    status: 200,
  },
  { route: 'POST /api/administrations', for: 'managers', body: { name: 'Kiosk' }, status: 201 },
  {
    route: 'PATCH /api/administrations/:name',
    for: 'managers',
    path: () => '/api/administrations/Bakery',
    body: { dayStartsAt: 240 },
    status: 200,
  },
  {
    route: 'PUT /api/declared-totals',
    for: 'clerks',
    body: { journal: 1, date: '2026-11-20', records: 1 },
    status: 204,
  },
  {
    route: 'POST /api/declared-totals/import',
    for: 'clerks',
    body: { journal: 1, text: 'date;count\n2026-11-20;1\n', isTrial: true },
    status: 200,
  },
  {
    route: 'GET /api/declared-totals/template',
    for: 'clerks',
    path: ({ journal }) => `/api/declared-totals/template?journal=${journal}&language=en`,
    status: 200,
  },
  { route: 'GET /api/network', for: 'clerks', status: 200 },
  { route: 'PATCH /api/network', for: 'managers', body: { isAnnounced: false }, status: 200 },
  { route: 'POST /api/network/test', for: 'managers', status: 200 },
  { route: 'GET /api/acts', for: 'clerks', status: 200 },
  { route: 'GET /api/live', for: 'clerks', status: 200 },
  { route: 'POST /api/users', for: 'managers', body: { name: 'Zed', role: 'clerk' }, status: 201 },
  {
    route: 'PATCH /api/users/:name',
    for: 'managers',
    path: () => '/api/users/Zed',
    body: { role: 'manager' },
    status: 200,
  },
  { route: 'POST /api/users/:name/reset', for: 'managers', path: () => '/api/users/Zed/reset', status: 201 },
  // Refused, because Zed is now the last manager.
  { route: 'DELETE /api/users/:name', for: 'managers', path: () => '/api/users/Zed', status: 409 },
  { route: 'GET /api/read-tokens', for: 'managers', status: 200 },
  { route: 'POST /api/read-tokens', for: 'managers', body: { name: 'Reports' }, status: 201 },
  {
    route: 'DELETE /api/read-tokens/:name',
    for: 'managers',
    path: () => '/api/read-tokens/Reports',
    status: 204,
  },
  // The routes of sessions come last, because the two DELETE routes end the session that makes the calls.
  { route: 'GET /api/sessions', for: 'clerks', status: 200 },
  // Answers 404, because a manager who signed in by a link has no password.
  { route: 'PUT /api/password', for: 'clerks', body: { current: PASSWORD, password: PASSWORD }, status: 404 },
  { route: 'DELETE /api/sessions', for: 'clerks', status: 204 },
  { route: 'DELETE /api/session', for: 'clerks', status: 204 },
];

export const methodOf = ({ route }: Row): string => route.split(' ')[0] ?? '';
export const pathOf = (row: Row, ids: Ids): string => row.path?.(ids) ?? row.route.split(' ')[1] ?? '';
export const bodyOfRow = (row: Row, ids: Ids): unknown =>
  row.route === 'POST /api/upstream-check' ? { laneId: ids.lane } : row.body;
export const isApi = ({ route }: Row): boolean => route.includes(' /api/');
export const isChange = (row: Row): boolean => methodOf(row) !== 'GET';

/** Every route that the console binds, as `METHOD path`. */
export function listConsoleRoutes(): string[] {
  const app = openConsoleRoutes({ metrics: {}, rendererFolder: '/nowhere' } as unknown as ConsoleParts);
  return app.router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const { path, stack } = route as unknown as { path: string | string[]; stack: { method: string }[] };
    const methods = new Set(stack.map(({ method }) => method.toUpperCase()));
    return [path].flat().flatMap((each) => [...methods].map((method) => `${method} ${each}`));
  });
}
