// The screens in the order of the rail.

import {
  Activity,
  ArchiveRestore,
  Bell,
  CalendarDays,
  CloudUpload,
  Coins,
  Home,
  List,
  ListTodo,
  Network,
  OctagonAlert,
  Settings,
  ShoppingBasket,
  TrendingUp,
} from 'lucide-react';

/** `g` and then `letter` opens the screen. On a phone, screens with `isInBar` false are in the "More" menu. */
export const SCREENS = [
  { to: '/', name: 'today', letter: 't', Icon: Home, isInBar: true },
  { to: '/records', name: 'records', letter: 'r', Icon: List, isInBar: true },
  { to: '/days', name: 'days', letter: 'd', Icon: CalendarDays, isInBar: true },
  { to: '/trends', name: 'trends', letter: 'w', Icon: TrendingUp, isInBar: false },
  { to: '/refused', name: 'refused', letter: 'f', Icon: OctagonAlert, isInBar: false },
  { to: '/upstream', name: 'upstream', letter: 'u', Icon: CloudUpload, isInBar: true },
  { to: '/tills', name: 'tills', letter: 'k', Icon: ShoppingBasket, isInBar: false },
  { to: '/activity', name: 'activity', letter: 'a', Icon: Activity, isInBar: false },
  { to: '/settings', name: 'settings', letter: 's', Icon: Settings, isInBar: false },
] as const;

export type Screen = (typeof SCREENS)[number];

/** Pages that are not in the rail. Each page has a link on a screen of the rail. */
export const PAGES = [
  { to: '/todo', name: 'todo', parent: 'today', Icon: ListTodo },
  { to: '/amounts', name: 'amounts', parent: 'settings', Icon: Coins },
  { to: '/network', name: 'network', parent: 'settings', Icon: Network },
  { to: '/alerts', name: 'alerts', parent: 'settings', Icon: Bell },
  { to: '/restore', name: 'restore', parent: 'settings', Icon: ArchiveRestore },
] as const;

export type Page = (typeof PAGES)[number];

/** The page at a path. Undefined if no page of `PAGES` has this path. */
export function pageAt(path: string): Page | undefined {
  return PAGES.find(({ to }) => isWithin(path, to));
}

/**
 * The screen of the rail at a path. For a page of `PAGES`, this is the screen that links to it. Undefined for any other path.
 */
export function screenAt(path: string): Screen | undefined {
  const parent = pageAt(path)?.parent;
  return SCREENS.find(({ to, name }) => name === parent || isWithin(path, to));
}

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`));
}
