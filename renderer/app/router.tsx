// The screens and their addresses: a table of contents. Each screen except Today loads at first use.

import { createRootRouteWithContext, createRoute, createRouter, retainSearchParams } from '@tanstack/react-router';

import { FailedScreen, LoadingScreen, NotFoundScreen } from '../components/screen-fallbacks.tsx';
import { lazyScreen } from '../model/lazy-screen.ts';
import {
  parseCertifySearch,
  parseDaysSearch,
  parseJournalSearch,
  parseRecordSearch,
  parseRefusedSearch,
  parseSearch,
  parseTrendsSearch,
  parseWelcomeSearch,
  stringifySearch,
} from '../model/search-parameters.ts';
import { TodayScreen } from '../today/today-screen.tsx';
import { Frame } from './frame.tsx';

const root = createRootRouteWithContext()({
  component: Frame,
  notFoundComponent: NotFoundScreen,
  errorComponent: FailedScreen,
  validateSearch: parseJournalSearch,
  search: { middlewares: [retainSearchParams(['journal'])] },
});

const under = { getParentRoute: () => root };

// A record opens over the list, so that the list keeps its scroll position.
const records = createRoute({
  ...under,
  path: '/records',
  validateSearch: parseRecordSearch,
  component: lazyScreen(async () => (await import('../records/records-screen.tsx')).RecordsScreen),
});
const record = createRoute({
  getParentRoute: () => records,
  path: '$recordId',
  component: lazyScreen(async () => (await import('../records/record-screen.tsx')).RecordScreen),
});

const routes = [
  createRoute({ ...under, path: '/', component: TodayScreen }),
  createRoute({
    ...under,
    path: '/todo',
    component: lazyScreen(async () => (await import('../todo/todo-screen.tsx')).TodoScreen),
  }),
  records.addChildren([record]),
  createRoute({
    ...under,
    path: '/days',
    validateSearch: parseDaysSearch,
    component: lazyScreen(async () => (await import('../days/days-screen.tsx')).DaysScreen),
  }),
  createRoute({
    ...under,
    path: '/days/import',
    component: lazyScreen(async () => (await import('../days/import-screen.tsx')).ImportScreen),
  }),
  createRoute({
    ...under,
    path: '/days/$date',
    component: lazyScreen(async () => (await import('../days/day-screen.tsx')).DayScreen),
  }),
  createRoute({
    ...under,
    path: '/trends',
    validateSearch: parseTrendsSearch,
    component: lazyScreen(async () => (await import('../trends/trends-screen.tsx')).TrendsScreen),
  }),
  createRoute({
    ...under,
    path: '/refused',
    validateSearch: parseRefusedSearch,
    component: lazyScreen(async () => (await import('../refused/refused-screen.tsx')).RefusedScreen),
  }),
  createRoute({
    ...under,
    path: '/upstream',
    component: lazyScreen(async () => (await import('../upstream/upstream-screen.tsx')).UpstreamScreen),
  }),
  createRoute({
    ...under,
    path: '/tills',
    component: lazyScreen(async () => (await import('../tills/tills-screen.tsx')).TillsScreen),
  }),
  createRoute({
    ...under,
    path: '/tills/certify',
    validateSearch: parseCertifySearch,
    component: lazyScreen(async () => (await import('../certify/start-screen.tsx')).StartScreen),
  }),
  createRoute({
    ...under,
    path: '/tills/certify/$runId',
    component: lazyScreen(async () => (await import('../certify/run-screen.tsx')).RunScreen),
  }),
  createRoute({
    ...under,
    path: '/activity',
    component: lazyScreen(async () => (await import('../activity/activity-screen.tsx')).ActivityScreen),
  }),
  createRoute({
    ...under,
    path: '/settings',
    component: lazyScreen(async () => (await import('../settings/settings-screen.tsx')).SettingsScreen),
  }),
  createRoute({
    ...under,
    path: '/amounts',
    component: lazyScreen(async () => (await import('../amounts/amounts-screen.tsx')).AmountsScreen),
  }),
  createRoute({
    ...under,
    path: '/network',
    component: lazyScreen(async () => (await import('../network/network-screen.tsx')).NetworkScreen),
  }),
  createRoute({
    ...under,
    path: '/alerts',
    component: lazyScreen(async () => (await import('../alerts/alerts-screen.tsx')).AlertsScreen),
  }),
  createRoute({
    ...under,
    path: '/restore',
    component: lazyScreen(async () => (await import('../restore/restore-screen.tsx')).RestoreScreen),
  }),
  createRoute({
    ...under,
    path: '/welcome',
    validateSearch: parseWelcomeSearch,
    component: lazyScreen(async () => (await import('../welcome/welcome-screen.tsx')).WelcomeScreen),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingScreen,
  defaultErrorComponent: FailedScreen,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
