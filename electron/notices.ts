// Notifications for users who do not see the window. Each is shown once. It is shown again only if its cause has ended and then
// returned.

import type { DiskState } from '../server/contract/machine.ts';
import { needsSomebody, type Shop } from './shop.ts';
import { say, sayCount, timeOrDate, type Words } from './words.ts';

/** A connection that has been down this long causes a notification. */
const LONG_MS = 30 * 60_000;
/**
 * A nearly full disk causes a notification if fewer bytes than this are free. It also causes one if the free space will last at
 * most `URGENT_DAYS` days.
 */
const URGENT_FREE_BYTES = 10e9;
const URGENT_DAYS = 30;

export interface Notice {
  readonly text: string;
  /** The screen of the console that a click opens. */
  readonly path: string;
}

export interface Seen {
  readonly shop: Shop;
  /** A newer version that waits for the user to install it. */
  readonly update: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Lists the notifications that are due now. Each key in the map names the cause, and stays the same while the cause lasts. */
export function listNotices({ shop, update, now }: Seen, words: Words, locale: string): ReadonlyMap<string, Notice> {
  const notices = new Map<string, Notice>();
  const isOneOfMany = new Set(shop.map(({ journal }) => journal.administration)).size > 1;
  for (const { journal, overview, days } of shop) {
    const tell = (name: string, path: string, text: string): void =>
      void notices.set(`${journal.id} ${name}`, {
        text: isOneOfMany ? `${journal.administration}: ${text}` : text,
        path: `${path}?journal=${journal.id}`,
      });
    for (const { id, url, state, since, deliveries } of overview.lanes) {
      if (url === null || since === null || now - since < LONG_MS) continue;
      if (state !== 'line down' && state !== 'refused') continue;
      const sentence = state === 'refused' ? words.refusedLong : words.lineDownLong;
      const time = timeOrDate(since, now, locale, journal.timeZone);
      tell(`${state} ${id} ${since}`, '/upstream', sayCount(sentence, deliveries.waiting, { time }));
    }
    for (const { id, label, silence } of overview.tills)
      if (silence?.sureness === 'almost certain')
        tell(`silent ${id} ${silence.since}`, '/', say(words.silent, { till: label }));
    for (const { date } of days.filter(needsSomebody))
      tell(`day ${date}`, `/days/${date}`, say(words.differs, { day: dayIn(locale, date) }));
    const { trouble, machine } = overview;
    if (trouble !== null) notices.set('trouble', { text: words.troubleLong, path: '/' });
    if (machine.clock !== null) notices.set('clock', { text: words.clockWrong, path: '/' });
    if (machine.damaged !== null) notices.set('damaged', { text: words.damaged, path: '/' });
    if (machine.disk !== null && isUrgent(machine.disk)) notices.set('disk', { text: words.diskLow, path: '/' });
  }
  if (update !== undefined)
    notices.set(`update ${update}`, { text: say(words.updateWaits, { version: update }), path: '/settings' });
  return notices;
}

/**
 * Whether a nearly full disk needs a notification. On a large disk, even the last tenth of the space lasts for a long time. In
 * that case only the console shows that the disk is nearly full.
 */
function isUrgent({ isLow, freeBytes, daysLeft }: DiskState): boolean {
  return isLow && (freeBytes < URGENT_FREE_BYTES || (daysLeft !== null && daysLeft <= URGENT_DAYS));
}

function dayIn(locale: string, date: string): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(date),
  );
}

/** Returns a function to call after each poll. It shows the notifications that were not due at the poll before. */
export function openNotices(tell: (notice: Notice) => void): (notices: ReadonlyMap<string, Notice>) => void {
  let told: ReadonlySet<string> = new Set();
  return (notices) => {
    for (const [name, notice] of notices) if (!told.has(name)) tell(notice);
    told = new Set(notices.keys());
  };
}
