// The texts of the desktop app: menus, notifications, dialogs and the failure page. Each language is a file in locales/. The
// console has its own texts in renderer/locales/.

import type { StartFault } from '../server/contract/desktop.ts';
import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { nl } from './locales/nl.ts';

/** Singular, plural, and the form for zero if it has its own. `{n}` is the number. */
export type Counted = readonly [one: string, other: string, none?: string];

/** The names of the menus' labels. Electron has labels of its own, but only in English. */
export type MenuWord =
  | 'edit'
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'selectAll'
  | 'view'
  | 'resetZoom'
  | 'zoomIn'
  | 'zoomOut'
  | 'window'
  | 'minimize'
  | 'close';

export interface Words {
  /** BCP 47 tag of the language. */
  readonly lang: string;
  readonly open: string;
  readonly quit: string;
  readonly restart: string;
  readonly cancel: string;
  readonly close: string;
  readonly starting: string;
  readonly ended: string;
  readonly running: string;
  readonly stopped: string;
  readonly noAnswer: string;
  /** On the failure page: why the gateway cannot start, and what to do. */
  readonly faults: Readonly<Record<StartFault, { readonly title: string; readonly todo: string }>>;
  readonly notTaking: string;
  readonly salesSafe: string;
  readonly dataUntouched: string;
  readonly triedInVain: string;
  readonly triesAgain: string;
  readonly forSupport: string;
  readonly tryAgain: string;
  readonly openData: string;
  readonly openLogs: string;
  readonly saveDiagnostics: string;
  readonly diagnosticsFailed: string;
  readonly actFailed: string;
  readonly keepsRunning: string;
  /** The labels in the menus. */
  readonly menus: Readonly<Record<MenuWord, string>>;
  readonly safeNow: string;
  readonly waiting: Counted;
  readonly held: Counted;
  readonly lineDown: Counted;
  readonly refused: Counted;
  readonly paused: Counted;
  readonly noUpstream: Counted;
  readonly trouble: string;
  readonly quitTitle: string;
  readonly quitMeans: string;
  readonly quitOnlyHere: Counted;
  readonly gatewayFailed: string;
  /** In this text, `{time}` includes the date if it is not today. */
  readonly lineDownLong: Counted;
  readonly refusedLong: Counted;
  readonly differs: string;
  /** The tray shows this sentence if a store day of the last week has the verdict `differs`. */
  readonly dayDiffers: string;
  readonly silent: string;
  readonly troubleLong: string;
  readonly diskLow: string;
  readonly clockWrong: string;
  readonly damaged: string;
  /** In this text and in the texts below, `{version}` is the version to change to. */
  readonly update: string;
  readonly goBack: string;
  readonly updateTitle: string;
  readonly goBackTitle: string;
  readonly versionMeans: string;
  readonly updateByItself: string;
  readonly doUpdate: string;
  readonly doGoBack: string;
  readonly cannotGoBack: string;
  readonly versionFailed: string;
  readonly updateWaits: string;
  readonly firewallTitle: string;
  readonly firewallMeans: string;
  readonly firewallYes: string;
  readonly firewallNo: string;
  readonly firewallFailed: string;
}

/** The texts in the system's language; otherwise English. */
export function wordsOf(locale: string): Words {
  return { en, nl, de }[locale.slice(0, 2)] ?? en;
}

/** Replaces each `{name}` in a text with its value. */
export function say(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => String(values[name] ?? gap));
}

/** The plural form for `n`, with its values. */
export function sayCount(
  [one, other, none = other]: Counted,
  n: number,
  values: Readonly<Record<string, string>> = {},
): string {
  return say(n === 0 ? none : n === 1 ? one : other, { ...values, n });
}

/** Formats a time of day, with its date if it is not today. `at` and `now` are in epoch milliseconds. */
export function timeOrDate(at: number, now: number, locale: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', ...zone });
  const isToday = day.format(at) === day.format(now);
  const date = isToday ? {} : ({ dateStyle: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...date, ...zone }).format(at);
}
