// What is told to somebody who does not look at the window: each once, and again only after it was over.

import type { DaySummary } from '../server/contract.ts';
import type { Shop } from './shop.ts';
import { say, sayCount, type Words } from './words.ts';

/** A line is down now and then; for so long it is told. */
const LONG_MS = 30 * 60_000;
/** Less room than this is told while there is time to make some. */
const LITTLE_BYTES = 2 * 1024 ** 3;

export interface Seen {
  readonly shop: Shop;
  /** On the disk that the records are on. */
  readonly freeBytes: number;
  /** A newer version that waits for somebody to put it in place. */
  readonly update: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What is to be told by what is seen, each by a name that it keeps as long as it is the same. */
export function listNotices(
  { shop, freeBytes, update, now }: Seen,
  words: Words,
  locale: string,
): ReadonlyMap<string, string> {
  const notices = new Map<string, string>();
  const isOneOfMany = new Set(shop.map(({ journal }) => journal.administration)).size > 1;
  for (const { journal, overview, days } of shop) {
    const tell = (name: string, text: string): void =>
      void notices.set(`${journal.id} ${name}`, isOneOfMany ? `${journal.administration}: ${text}` : text);
    const timeZone = journal.timeZone;
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeZone });
    const timeOf = (at: number): string =>
      new Intl.DateTimeFormat(locale, {
        timeStyle: 'short',
        ...(day.format(at) !== day.format(now) && { dateStyle: 'short' }),
        timeZone,
      }).format(at);
    for (const { id, url, state, since, deliveries } of overview.lanes) {
      if (url === null || since === null || now - since < LONG_MS) continue;
      if (state === 'line down')
        tell(`line ${id} ${since}`, sayCount(words.lineDownLong, deliveries.waiting, { time: timeOf(since) }));
      if (state === 'refused')
        tell(`refused ${id} ${since}`, sayCount(words.refusedLong, deliveries.waiting, { time: timeOf(since) }));
    }
    for (const { id, label, silence } of overview.tills)
      if (silence?.sureness === 'almost certain')
        tell(`silent ${id} ${silence.since}`, say(words.silent, { till: label }));
    for (const day of days)
      if (needsSomebody(day)) tell(`day ${day.date}`, say(words.differs, { day: dayIn(locale, day.date) }));
    if (overview.trouble !== null) notices.set('trouble', words.troubleLong);
  }
  if (update !== undefined) notices.set(`update ${update}`, say(words.updateWaits, { version: update }));
  if (freeBytes < LITTLE_BYTES) notices.set('disk', words.diskLow);
  return notices;
}

/** Differs for good, and nobody has put a name to it. */
function needsSomebody({ verdict, isProvisional, signOff }: DaySummary): boolean {
  return verdict === 'differs' && !isProvisional && (signOff === null || signOff.isReopened);
}

function dayIn(locale: string, date: string): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(date),
  );
}

/** Tells what was not told at the last look. */
export function openNotices(notify: (text: string) => void): (notices: ReadonlyMap<string, string>) => void {
  let told: ReadonlySet<string> = new Set();
  return (notices) => {
    for (const [name, text] of notices) if (!told.has(name)) notify(text);
    told = new Set(notices.keys());
  };
}
