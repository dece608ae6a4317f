// How the shop stands, for whoever looks at the tray: read from the console's API as any window reads it, and put into one
// sentence. Pure but for the reading.

import type { DaysView, DaySummary, JournalView, LaneView, OverviewView, QuietView } from '../server/contract.ts';
import type { GatewayState } from './gateway-process.ts';
import { sayCount, type Words } from './words.ts';

/** The journals with an overview of each, and its days of the last week. */
export type Shop = readonly {
  readonly journal: JournalView;
  readonly overview: OverviewView;
  readonly days: readonly DaySummary[];
}[];

export interface ShopStatus {
  /** One sentence. */
  readonly sentence: string;
  /** NEW records that are only on this disk. */
  readonly onlyHere: number;
}

/** `shop` is undefined while nobody has looked yet. */
export function shopStatus(gateway: GatewayState, shop: Shop | 'no answer' | undefined, words: Words): ShopStatus {
  if (gateway.kind === 'starting') return { sentence: words.starting, onlyHere: 0 };
  if (gateway.kind === 'stopped') return { sentence: words.stopped, onlyHere: 0 };
  if (gateway.kind === 'ended') return { sentence: words.ended, onlyHere: 0 };
  if (shop === undefined) return { sentence: words.running, onlyHere: 0 };
  if (shop === 'no answer') return { sentence: words.noAnswer, onlyHere: 0 };
  const onlyHere = shop.reduce((sum, { overview }) => sum + overview.total.waiting + overview.total.held, 0);
  if (shop.some(({ overview }) => overview.trouble !== null)) return { sentence: words.trouble, onlyHere };
  const lanes = shop.flatMap(({ overview }) => overview.lanes);
  const isAny = (state: LaneView['state']): boolean => lanes.some((lane) => lane.url !== null && lane.state === state);
  if (isAny('refused')) return { sentence: sayCount(words.refused, onlyHere), onlyHere };
  if (isAny('line down')) return { sentence: sayCount(words.lineDown, onlyHere), onlyHere };
  if (onlyHere === 0) return { sentence: words.safeNow, onlyHere };
  if (isAny('paused')) return { sentence: sayCount(words.paused, onlyHere), onlyHere };
  if (lanes.every(({ url }) => url === null)) return { sentence: sayCount(words.noUpstream, onlyHere), onlyHere };
  const isWaiting = shop.some(({ overview }) => overview.total.waiting > 0);
  return { sentence: sayCount(isWaiting ? words.waiting : words.held, onlyHere), onlyHere };
}

const WEEK_MS = 7 * 24 * 60 * 60_000;
/** A gateway that does not answer must not keep the app from ending. */
const LONGEST_ANSWER_MS = 5000;

export interface ShopReader {
  /** Rejects while there is no gateway to ask. */
  read(): Promise<Shop>;
  /** Whether tills send nothing now, and by their habits will not for a while. */
  isQuiet(): Promise<boolean>;
}

/** Reads with a session of its own, which it gets by a link and again when it has ended. */
export function openShopReader(createLink: () => Promise<string>, call: typeof fetch): ShopReader {
  let entering: Promise<{ readonly origin: string; readonly cookie: string }> | undefined;

  async function enter(): Promise<{ origin: string; cookie: string }> {
    const link = await createLink();
    const response = await call(link, { redirect: 'manual', signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
    const [cookie] = response.headers.getSetCookie();
    await response.body?.cancel();
    if (cookie === undefined) throw new Error(`The console let nobody in (${response.status}).`);
    return { origin: new URL(link).origin, cookie: cookie.split(';', 1)[0] ?? '' };
  }

  async function get<T>(path: string, isAgain = false): Promise<T> {
    const mine = (entering ??= enter());
    const { origin, cookie } = await mine;
    const response = await call(origin + path, {
      headers: { cookie },
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    });
    if (response.ok) return (await response.json()) as T; // of our own gateway, whose contract it is
    await response.body?.cancel();
    if (response.status !== 401 || isAgain) throw new Error(`${path} was answered with ${response.status}.`);
    if (entering === mine) entering = undefined; // another gateway, or a session that has ended
    return get(path, true);
  }

  async function readOne(journal: JournalView): Promise<Shop[number]> {
    const overview = await get<OverviewView>(`/api/overview?journal=${journal.id}`);
    const to = overview.day.date;
    const from = new Date(Date.parse(to) - WEEK_MS).toISOString().slice(0, 10);
    const { days } = await get<DaysView>(`/api/days?journal=${journal.id}&from=${from}&to=${to}`);
    return { journal, overview, days };
  }

  /** It may be another gateway the next time, or the session may have ended. */
  const forgetting = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      entering = undefined;
      throw error;
    });

  return {
    read: () =>
      forgetting(get<readonly JournalView[]>('/api/journals').then((journals) => Promise.all(journals.map(readOne)))),
    isQuiet: () => forgetting(get<QuietView>('/api/quiet').then(({ isQuiet }) => isQuiet)),
  };
}
