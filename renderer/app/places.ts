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
}

export const PLACES: readonly Place[] = [
  { to: '/', name: 'today', Icon: Home },
  { to: '/records', name: 'records', Icon: List },
  { to: '/refused', name: 'refused', Icon: OctagonAlert },
  { to: '/upstream', name: 'upstream', Icon: CloudUpload },
  { to: '/tills', name: 'tills', Icon: ShoppingBasket },
  { to: '/activity', name: 'activity', Icon: Activity },
  { to: '/settings', name: 'settings', Icon: Settings },
];
