// The screens in the order of the rail.

import { Activity, CalendarDays, CloudUpload, Home, List, OctagonAlert, Settings, ShoppingBasket } from 'lucide-react';

/** `letter` opens the screen after `g`. Screens with `isInBar` false are in the "More" menu of a phone. */
export const SCREENS = [
  { to: '/', name: 'today', letter: 't', Icon: Home, isInBar: true },
  { to: '/records', name: 'records', letter: 'r', Icon: List, isInBar: true },
  { to: '/days', name: 'days', letter: 'd', Icon: CalendarDays, isInBar: true },
  { to: '/refused', name: 'refused', letter: 'f', Icon: OctagonAlert, isInBar: false },
  { to: '/upstream', name: 'upstream', letter: 'u', Icon: CloudUpload, isInBar: true },
  { to: '/tills', name: 'tills', letter: 'k', Icon: ShoppingBasket, isInBar: false },
  { to: '/activity', name: 'activity', letter: 'a', Icon: Activity, isInBar: false },
  { to: '/settings', name: 'settings', letter: 's', Icon: Settings, isInBar: false },
] as const;

export type Screen = (typeof SCREENS)[number];

/** The screen at a path; undefined if the rail has no link to it. */
export function screenAt(path: string): Screen | undefined {
  return SCREENS.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)));
}
