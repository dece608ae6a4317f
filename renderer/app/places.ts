// The screens that one goes to, in the order of the rail.

import {
  Activity,
  CloudUpload,
  Home,
  List,
  type LucideIcon,
  OctagonAlert,
  Settings,
  ShoppingBasket,
} from 'lucide-react';

export interface Place {
  readonly to: '/' | '/records' | '/refused' | '/upstream' | '/tills' | '/activity' | '/settings';
  readonly name: 'today' | 'records' | 'refused' | 'upstream' | 'tills' | 'activity' | 'settings';
  readonly Icon: LucideIcon;
  /** Whether it is in the bar of a phone; the others are behind its last button. */
  readonly isInBar?: true;
}

export const PLACES: readonly Place[] = [
  { to: '/', name: 'today', Icon: Home, isInBar: true },
  { to: '/records', name: 'records', Icon: List, isInBar: true },
  { to: '/refused', name: 'refused', Icon: OctagonAlert, isInBar: true },
  { to: '/upstream', name: 'upstream', Icon: CloudUpload, isInBar: true },
  { to: '/tills', name: 'tills', Icon: ShoppingBasket },
  { to: '/activity', name: 'activity', Icon: Activity },
  { to: '/settings', name: 'settings', Icon: Settings },
];
